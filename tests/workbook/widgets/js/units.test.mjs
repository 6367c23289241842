// The parts of the module that need neither a document nor Python.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const here = new URL("../../../../src/workbook/widgets/", import.meta.url);
const load = (name) => import(new URL(name, here));
const { arc, chunks, curve, inOneRow, mapLayout, moved, poolLayout, slotColumns, windowAt } =
  await load("common/layout.js");
const { folded, hitPath, nextName, wordsOf } = await load("prefix/prompts.js");
const { plainSoftmax } = await load("reading/model.js");
const { sizesFor } = await load("common/present.js");
const { readTrace } = await load("common/trace.js");
const { Player, looksOf } = await load("common/replay.js");
const { Engine } = await load("common/engine.js");
const { Groups } = await load("common/groups.js");
const { nearest } = await load("block_size/chart.js");
const { say } = await load("common/wording.js");
const { makeModel } = await load("index.js");

test("a small pool stands beside its tables, six blocks a row", () => {
  assert.deepEqual(poolLayout(12, 868), { kind: "cells", cell: 44, columns: 6, shown: 12, beside: true });
  assert.deepEqual(poolLayout(12, 288), { kind: "cells", cell: 40, columns: 6, shown: 12, beside: false });
});

test("a pool of up to 256 blocks has 16 a row, or 6 when narrow", () => {
  assert.equal(poolLayout(256, 868).columns, 16);
  assert.equal(poolLayout(64, 288).columns, 6);
  assert.equal(poolLayout(3, 868).columns, 3);
});

test("a larger pool is a map with a window of 64 blocks, 24 when narrow", () => {
  assert.deepEqual(
    [poolLayout(257, 868), poolLayout(65, 288)].map(({ kind, shown }) => [kind, shown]),
    [["map", 64], ["map", 24]],
  );
  assert.deepEqual(mapLayout(10_000, 868), { cell: 4, columns: 217, rows: 47 });
  assert.deepEqual([0, 63, 64, 9_999].map((block) => windowAt(block, 64, 10_000)), [0, 0, 64, 9_984]);
});

test("slots stand 16 in a row, 8 when narrow", () => {
  assert.deepEqual([868, 430, 429, 288].map(slotColumns), [16, 16, 8, 8]);
});

test("arrow keys move through rows of any length", () => {
  const lengths = [3, 3, 1];
  assert.deepEqual(moved("ArrowRight", [0, 2], lengths), [1, 0]);
  assert.deepEqual(moved("ArrowLeft", [1, 0], lengths), [0, 2]);
  assert.deepEqual(moved("ArrowDown", [1, 2], lengths), [2, 0]);
  assert.deepEqual(moved("ArrowUp", [2, 0], lengths), [1, 0]);
  assert.deepEqual(moved("Home", [2, 0], lengths), [0, 0]);
  assert.deepEqual(moved("End", [0, 0], lengths), [2, 0]);
  assert.deepEqual(moved("PageDown", [0, 1], lengths), [2, 0]);
  assert.deepEqual(moved("PageUp", [2, 0], lengths), [0, 0]);
  for (const [key, at] of [["ArrowRight", [2, 0]], ["ArrowLeft", [0, 0]], ["ArrowDown", [2, 0]], ["ArrowUp", [0, 1]], ["a", [0, 0]]]) {
    assert.equal(moved(key, at, lengths), null);
  }
});

test("before a room the smallest type grows with the screen, from 20 to 40 px", () => {
  const ends = (...screen) => [sizesFor(...screen)[0], sizesFor(...screen).at(-1)];
  assert.deepEqual(ends(1920, 1080), [25, 20]);
  assert.deepEqual(ends(3840, 2160), [40, 39]);
  assert.deepEqual(ends(1280, 720), [20, 20]);
  assert.deepEqual(ends(1024, 768), [20, 20]);
  assert.deepEqual(sizesFor(390, 844), [12]); // a phone: not enlarged
});

test("lines leave a box at the side that faces the other", () => {
  const box = (x, y) => ({ x, y, width: 40, height: 40 });
  assert.match(curve(box(0, 0), box(100, 0)), /^M40\.0 20\.0C.* 100\.0 20\.0$/);
  assert.match(curve(box(0, 100), box(0, 0)), /^M20\.0 100\.0C.* 20\.0 40\.0$/);
  assert.ok(inOneRow(box(0, 0), box(100, 10)));
  assert.ok(!inOneRow(box(0, 0), box(0, 44)));
  assert.deepEqual(arc(box(0, 50), box(44, 50)).label, [42, 32]);
});

test("chunks are whole but the last", () => {
  assert.deepEqual(chunks([1, 2, 3, 4, 5], 2), [[1, 2], [3, 4], [5]]);
});

test("words are what white space parts", () => {
  assert.deepEqual(wordsOf("  you \n are\u00a0a "), ["you", "are", "a"]);
  assert.deepEqual(wordsOf(" "), []);
});

test("the first free letter names the next sequence", () => {
  assert.equal(nextName([]), "A");
  assert.equal(nextName(["A", "C"]), "B");
  assert.equal(nextName([..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"]), "S26");
});

test("a known beginning is found block by block, one token left to run", () => {
  const trace = { blockSize: 2, keys: ["a b", "c d", "salt x"] };
  const roots = [[-1, [[0, [7], [[1, [5], []]]]]], [-4, [[0, [3], []]]]];
  assert.deepEqual(hitPath(trace, roots, ["a", "b", "c", "d", "e"]), [7, 5]);
  assert.deepEqual(hitPath(trace, roots, ["a", "b", "c", "d"]), [7]);
  assert.deepEqual(hitPath(trace, roots, ["a", "b", "x"], "salt x"), [3]);
  assert.deepEqual(hitPath(trace, roots, ["a", "b", "x"], "salt y"), []);
  assert.deepEqual(hitPath(trace, roots, ["b", "a", "x"]), []);
});

test("a run of more than six blocks without a branch is folded", () => {
  const chain = (n) => [n, [n], n > 1 ? [chain(n - 1)] : []];
  assert.equal(folded(chain(6)).skipped.length, 0);
  const { head, skipped, tail } = folded(chain(9));
  assert.deepEqual([head[0], skipped.length, tail[0]], [9, 7, 1]);
});

test("plain softmax is stable and knows nothing of blocks", () => {
  assert.deepEqual(plainSoftmax([], [[1, 2]]), [0, 0]);
  assert.deepEqual(plainSoftmax([1000, 1000], [[0], [4]]), [2]);
});

test("the point under the pointer is the nearest one", () => {
  assert.equal(nearest(44, 10, 300), 0);
  assert.equal(nearest(286, 10, 300), 9);
});

test("a text that lacks a fact is an error, not a gap", () => {
  assert.throws(() => say(["{who} waits"], {}), /no fact who/);
  assert.equal(say(["n? {n#block} left."], { n: 1 }), "1 block left.");
});

const TRACE = {
  v: 1, layout: "paged", block_size: 2, num_blocks: 2, free_order: "0-1", seqs: ["a"], keys: [],
  steps: { call: "0 1 2", args: ";0;0 3" },
  ev: { step: "1 1 0", op: "0 3 3", seq: "0 0 0", block: "-1 0 1", i: "-1 0 1", n: "-1 -1 -1", src: "-1 -1 -1" },
};

test("a trace of another version, or with columns that don't fit, is refused", () => {
  assert.equal(new Player(readTrace(TRACE)).at(2).tables.get(0).join(), "0,1");
  assert.throws(() => readTrace({ ...TRACE, v: 2 }), /version 1/);
  assert.throws(() => readTrace(undefined), /version 1/);
  assert.throws(() => readTrace({ ...TRACE, ev: { ...TRACE.ev, i: "0" } }), /fit together/);
  assert.throws(() => readTrace({ ...TRACE, ev: { ...TRACE.ev, op: "0 3 99" } }), /unknown/);
});

test("a trace that no engine could leave is refused when played", () => {
  const twice = readTrace({ ...TRACE, ev: { ...TRACE.ev, block: "-1 0 0" } });
  assert.throws(() => new Player(twice).at(2), /held/);
  const order = readTrace({ ...TRACE, ev: { ...TRACE.ev, block: "-1 1 0" } });
  assert.throws(() => new Player(order).at(2), /another is next/);
});

test("an unknown free order is no queue and no contradiction", () => {
  const state = new Player(readTrace({ ...TRACE, free_order: null })).at(2);
  assert.equal(state.free, null);
});

test("groups are read from their text", () => {
  assert.deepEqual(Groups.read("0 1-3 4").groups, [[0], [1, 2, 3], [4]]);
});

test("the shim model remembers, tells, and lets go", () => {
  const model = makeModel({ data: 1 });
  const heard = [];
  const hear = () => heard.push(model.get("data"));
  model.on("change:data", hear);
  model.set("data", 2);
  model.off("change:data", hear);
  model.set("data", 3);
  model.save_changes();
  model.send({});
  assert.deepEqual(heard, [2]);
});

const { Kernel } = await load("common/kernel.js");
const COMMON = JSON.parse(readFileSync(new URL("common/words.json", here), "utf8"));

/** A kernel's model that answers when it is told to, and what a reader was told meanwhile. */
function liveModel({ kernel } = {}) {
  const model = { ...makeModel({ data: 0, fault: "" }), sent: [] };
  model.send = (message) => model.sent.push(message);
  if (kernel !== undefined) model.widget_manager = { kernel };
  const told = [];
  return { model, told, wired: new Kernel(model, (text) => told.push(text)) };
}

test("a kernel that answers at once says nothing of itself", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { model, told, wired } = liveModel({ kernel: { status: "idle" } });
  wired.send({ call: "create" });
  model.set("data", 1);
  t.mock.timers.tick(10_000);
  assert.deepEqual([model.sent.length, told, wired.state], [1, [], "ready"]);
});

test("a busy kernel is told of, and what is pressed meanwhile is still sent", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { model, told, wired } = liveModel();
  wired.send({ call: "create" });
  t.mock.timers.tick(10_000);
  assert.deepEqual([told, wired.state], [[COMMON.busy], "busy"]);
  wired.send({ call: "create" });
  assert.equal(model.sent.length, 2);
  model.set("data", 1);
  assert.equal(wired.state, "ready");
});

test("a restarted kernel is lost at once, and nothing is sent to it", () => {
  const { model, told, wired } = liveModel();
  model.fire("comm_live_update");
  wired.send({ call: "create" });
  assert.deepEqual([model.sent, told], [[], [COMMON.lost, COMMON.lost]]);
});

test("a kernel that is no more is lost, not busy, whether it was asked before or after", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  for (const kernel of [null, { isDisposed: true }, { status: "dead" }, { status: "restarting" }]) {
    const { model, told, wired } = liveModel({ kernel });
    wired.send({ call: "create" });
    assert.deepEqual([model.sent, told], [[], [COMMON.lost]]);
  }
  const kernel = { status: "busy" };
  const { told, wired } = liveModel({ kernel });
  wired.send({ call: "create" });
  kernel.status = "dead";
  t.mock.timers.tick(10_000);
  assert.deepEqual([told, wired.state], [[COMMON.lost], "lost"]);
});

test("a fault is an answer, and a picture that is taken away hears nothing more", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { model, told, wired } = liveModel();
  wired.send({ call: "free" });
  model.set("fault", "UnknownSequence: B");
  wired.send({ call: "free" });
  wired.remove();
  model.set("fault", "again");
  t.mock.timers.tick(10_000);
  assert.deepEqual(told, ["UnknownSequence: B"]);
});

test("a legend has the looks that occur, also those of one step only", () => {
  assert.deepEqual([...looksOf(readTrace(TRACE))].sort(), ["free", "reserved"]);
  const engine = new Engine(4, 2);
  engine.create("a");
  engine.reserve("a", 3);
  engine.write("a", 3);
  assert.deepEqual([...looksOf(engine.trace)].sort(), ["free", "held", "reserved"]);
  engine.fork("a", "b");
  engine.reserve("b", 1);
  engine.free("a");
  const found = ["copied", "free", "held", "reserved", "shared"];
  assert.deepEqual([...looksOf(engine.trace)].sort(), found);
});

test("a trace too large to be searched has every look in its legend", () => {
  const large = { ...readTrace(TRACE), numBlocks: 1e6 };
  assert.equal(looksOf(large).size, 6);
});
