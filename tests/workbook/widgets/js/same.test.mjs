// The module and the Python package say and compute the same, on traces that Python wrote.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const here = new URL("../../../../src/workbook/widgets/", import.meta.url);
const load = (name) => import(new URL(name, here));
const { readTrace, writeTrace } = await load("common/trace.js");
const { Player } = await load("common/replay.js");
const { snapshot } = await load("common/snapshot.js");
const { State } = await load("common/state.js");
const { standsOf } = await load("common/queue.js");
const { Engine } = await load("common/engine.js");
const { shownNames, isolated } = await load("common/names.js");
const { Float, counted, listed, number } = await load("common/wording.js");

const path = process.env.PICTURE_VECTORS;
const vectors = path ? JSON.parse(readFileSync(path, "utf8")) : null;
const options = { skip: vectors ? false : "pytest writes the vectors: run it instead" };

test("a trace read and written is the same", options, () => {
  for (const { trace } of vectors.traces) {
    const { f, ...columns } = trace;
    assert.deepEqual(writeTrace(readTrace(trace)), columns);
  }
});

test("a replay is Python's after every step, and so is the look of every block", options, () => {
  for (const { trace, steps } of vectors.traces) {
    const state = new State(readTrace(trace));
    for (const told of steps) {
      state.apply();
      const looks = Array.from(state.refs, (_, block) => state.look(block));
      assert.equal(looks.join(" "), told.looks);
      if (told.state) assert.deepEqual(snapshot(state), told.state);
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

test("the queue that a trace tells is Python's after every step", options, () => {
  for (const { trace, places, sums } of vectors.queues) {
    const told = standsOf(readTrace(trace));
    const numbers = (stand) => stand.places.map((place) => Object.values(place).map(Number));
    assert.deepEqual(told.map(numbers), places);
    assert.deepEqual(told.map(({ used, host }) => [used, host]), sums);
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

const { ContiguousModel } = await load("contiguous/model.js");
const { ReadingModel } = await load("reading/model.js");
const { ForkModel, forkPlan, runPlan } = await load("fork/model.js");
const { PrefixModel } = await load("prefix/model.js");
const { runPrompts } = await load("prefix/prompts.js");
const { BlockSizeModel } = await load("block_size/model.js");
const { TilesModel } = await load("tiles/model.js");
const { PagesModel } = await load("pages/model.js");
const { simulate } = await load("contiguous/simulate.js");

const MODELS = {
  contiguous: ContiguousModel,
  reading: ReadingModel,
  fork: ForkModel,
  prefix: PrefixModel,
  block_size: BlockSizeModel,
  tiles: TilesModel,
  pages: PagesModel,
};

test("each picture says in every step what Python says", options, () => {
  for (const { data, sentences } of vectors.pictures) {
    const model = new MODELS[data.picture](data);
    const said = sentences.map((_, step) => model.said?.[step] ?? model.sentence(step));
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
    assert.equal(new PrefixModel(data).groups.groups.join(";"), groups.groups.join(";"));
  }
});
