// The module and the Python package say and compute the same, on traces that Python wrote.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const here = new URL("../../../../src/workbook/widgets/static/", import.meta.url);
const load = (name) => import(new URL(name, here));
const { readTrace, writeTrace } = await load("trace.js");
const { Player, State, snapshot } = await load("replay.js");
const { callText, sentence } = await load("story.js");
const { Engine } = await load("engine.js");
const { shownNames, isolated } = await load("names.js");
const { Float, counted, listed, number } = await load("wording.js");

const path = process.env.PICTURE_VECTORS;
const vectors = path ? JSON.parse(readFileSync(path, "utf8")) : null;
const options = { skip: vectors ? false : "pytest writes the vectors: run it instead" };

test("a trace read and written is the same", options, () => {
  for (const { trace } of vectors.traces) {
    const { f, ...columns } = trace;
    assert.deepEqual(writeTrace(readTrace(trace)), columns);
  }
});

test("a replay is Python's after every step, and its sentence is Python's", options, () => {
  for (const { trace, steps } of vectors.traces) {
    const read = readTrace(trace);
    const state = new State(read);
    for (const [call, said, state_] of steps) {
      state.apply();
      assert.equal(callText(read, state.step), call);
      assert.equal(sentence(read, state), said);
      if (state_) assert.deepEqual(snapshot(state), state_);
    }
  }
});

test("going back and forth comes to the same states", options, () => {
  for (const { trace } of vectors.traces) {
    const read = readTrace(trace);
    const state = new State(read);
    const all = read.calls.map(() => (state.apply(), JSON.stringify(snapshot(state))));
    const player = new Player(read);
    let step = 0;
    for (let turn = 0; turn < 40; turn++) {
      step = (step + 7919 * turn) % all.length;
      assert.equal(JSON.stringify(snapshot(player.at(step))), all[step]);
    }
    assert.equal(player.at(1e9).step, player.last);
  }
});

test("the engine of the page writes the trace that Python's engine writes", options, () => {
  for (const { calls, trace, order, block_size } of vectors.engines) {
    const engine = new Engine(order.length, block_size, order);
    for (const [verb, ...args] of calls) engine[verb](...args);
    assert.deepEqual(writeTrace(engine.trace), trace);
  }
});

test("names are shown as in Python", options, () => {
  for (const [names, shown] of vectors.names) {
    assert.deepEqual(shownNames(names).map(isolated), shown);
  }
});

test("numbers and lists are written as in Python", options, () => {
  for (const [value, kind, text] of vectors.numbers) {
    const real = value === "-inf" ? -Infinity : value;
    assert.equal(number(kind === "float" ? new Float(real) : real), text);
  }
  for (const [items, text] of vectors.lists) assert.equal(listed(items), text);
  for (const [n, text] of vectors.counts) assert.equal(counted(n, "block"), text);
});

const { RequestsModel } = await load("contiguous_model.js");
const { WalkModel } = await load("reading_model.js");
const { ForkModel, forkPlan, runPlan } = await load("fork_model.js");
const { PromptsModel } = await load("prefix_model.js");
const { runPrompts } = await load("prompts.js");
const { SizesModel } = await load("sizes_model.js");
const { simulate } = await load("simulate.js");

const MODELS = {
  contiguous: RequestsModel,
  reading: WalkModel,
  fork: ForkModel,
  prefix: PromptsModel,
  sizes: SizesModel,
};

test("each picture says in every step what Python says", options, () => {
  for (const { data, sentences } of vectors.pictures) {
    const model = new MODELS[data.picture](data);
    const said = sentences.map((_, step) => model.sentence(step));
    assert.deepEqual(said, sentences, data.picture);
    assert.equal(model.last, sentences.length - 1, data.picture);
  }
});

test("changed lengths come to what Python's pools would do", options, () => {
  for (const { options: changed, contiguous, paged } of vectors.requests) {
    const traces = simulate(changed);
    assert.deepEqual(writeTrace(traces.contiguous), contiguous);
    assert.deepEqual(writeTrace(traces.paged), paged);
  }
});

test("forks in the page's own engine leave Python's trace and groups", options, () => {
  for (const { data } of vectors.pictures.filter(({ data }) => data.picture === "fork")) {
    const { num_blocks, block_size } = data.trace;
    const { trace, groups } = runPlan(forkPlan(data.plan, "children"), num_blocks, block_size);
    assert.deepEqual(writeTrace(trace), data.trace);
    assert.equal(new ForkModel(data).groups.groups.join(";"), groups.groups.join(";"));
  }
});

test("prompts in the page's own engine leave Python's trace and groups", options, () => {
  for (const { data } of vectors.pictures.filter(({ data }) => data.picture === "prefix")) {
    const { trace, groups } = runPrompts(data.calls, readTrace(data.trace));
    assert.deepEqual(writeTrace(trace), data.trace);
    assert.equal(new PromptsModel(data).groups.groups.join(";"), groups.groups.join(";"));
  }
});
