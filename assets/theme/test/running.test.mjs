// A page that runs, as far as it needs no page: keys, what is sent to Python, what is kept, who waits.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { isTable, piecesOf, plainText } from "../static/printed.js";
import { Ledger } from "../static/run-ledger.js";
import { Queue } from "../static/run-queue.js";
import { hangOf, linesOf } from "../static/run-report.js";
import { literalOf, sourceToRun } from "../static/run-source.js";
import { answersOf, asProgram, editionOf, forgetAnswers, keepAnswer } from "../static/run-store.js";
import * as words from "../static/run-words.js";
import { backspace, comment, indent, newLine, outdent } from "../static/run-typing.js";

/** What a key makes of a text; the selection stands between two bars, or the caret at one. */
function typed(key, drawn) {
  const parts = drawn.split("|");
  const [before, chosen, after] = parts.length === 3 ? parts : [parts[0], "", parts[1]];
  const text = before + chosen + after;
  const edit = key(text, before.length, before.length + chosen.length);
  if (!edit) return null;
  const { from, to, insert, start, end } = edit;
  const now = text.slice(0, from) + insert + text.slice(to);
  const bars = start === end ? "|" : `|${now.slice(start, end)}|`;
  return now.slice(0, start) + bars + now.slice(end);
}

test("Tab indents to the next step, and all lines that are selected", () => {
  assert.equal(typed(indent, "a|"), "a   |");
  assert.equal(typed(indent, "    |x"), "        |x");
  assert.equal(typed(indent, "x\n|a|b"), "x\n    |b");
  assert.equal(typed(indent, "|a\n\n  b|"), "    |a\n\n      b|");
  assert.equal(typed(indent, "|a\n|b"), "    |a\n|b");
});

test("Shift and Tab take a step back and no letter", () => {
  assert.equal(typed(outdent, "      a|"), "    a|");
  assert.equal(typed(outdent, "a|"), null);
  assert.equal(typed(outdent, "    |a\n      b|"), "|a\n    b|");
  assert.equal(typed(outdent, "|    a\nb|"), "|a\nb|");
});

test("Enter keeps the indentation, goes in after a colon and out after a return", () => {
  assert.equal(typed(newLine, "    a = 1|"), "    a = 1\n    |");
  assert.equal(typed(newLine, "def f():|"), "def f():\n    |");
  assert.equal(typed(newLine, "  if x:  # why|"), "  if x:  # why\n      |");
  assert.equal(typed(newLine, "# so:|"), "# so:\n|");
  assert.equal(typed(newLine, "    return x|"), "    return x\n|");
  assert.equal(typed(newLine, "    returned = 1|"), "    returned = 1\n    |");
  assert.equal(typed(newLine, "raise|"), "raise\n|");
  assert.equal(typed(newLine, "  a| b|c"), "  a\n  |c");
});

test("Backspace takes a step where only spaces stand, else one letter as ever", () => {
  assert.equal(typed(backspace, "        |x"), "    |x");
  assert.equal(typed(backspace, "      |"), "    |");
  assert.equal(typed(backspace, " |"), null);
  assert.equal(typed(backspace, "    a|"), null);
  assert.equal(typed(backspace, "|    |a"), null);
  assert.equal(typed(backspace, "x\n|"), null);
});

test("comments come and go, at the column of the outermost line", () => {
  assert.equal(typed(comment, "    a\n      b|"), "    a\n      # b|");
  assert.equal(typed(comment, "    |a\n      b|"), "    # |a\n    #   b|");
  assert.equal(typed(comment, "    # |a\n    #   b|"), "    |a\n      b|");
  assert.equal(typed(comment, "|# a\nb|"), "# |# a\n# b|");
});

test("a guess becomes what compare can put beside the answer", () => {
  for (const [said, answer, literal] of [
    ["", "0", "None"], ["0", "0", "0"], ["46,080", "46,080", "46080"], ["46 080", "46,080", "46080"], ["−3", "-3", "-3"],
    ["8.4 %", "8.4", "8.4"], ["007", "7", "7"], ["yes", "no", '"yes"'], ["true", "False", "True"], ["1,5,17", "[1, 5, 17]", "[1,5,17]"],
    ["(66, 22)", "(66, 22)", "[66,22]"], ["nothing", "3", '"nothing"'], ['"Paris"', "Paris", '"Paris"'], ['a"b\\n', "x", '"a\\"b\\\\n"'],
    ["__import__('os')", "3", '"__import__(\'os\')"'], ["__import__('os')", "[1]", '"__import__(\'os\')"'], ["1e5", "3", "1e5"], ["1)", "[1]", "[1]"],
  ]) assert.equal(literalOf(said, answer), literal, `${said} for ${answer}`);
});

test("a cell that nobody changed runs as the notebook has it, with the guess put in", () => {
  const source = "pool = 1\nguess = None  # How many?\ncompare(guess, pool, {1: \"One.\"})";
  const shown = "pool = 1\n\ncompare(guess, pool)";
  assert.deepEqual(sourceToRun({ source, shown, text: shown }, "7"), { source: source.replace("None  # How many?", "7  # How many?"), line: 1 });
  assert.deepEqual(sourceToRun({ source, shown, text: "mine" }, "'$&'"), { source: "guess = '$&'\nmine", line: 0 });
  assert.deepEqual(sourceToRun({ source: "a = 1", shown: "a = 1", text: "a = 2" }), { source: "a = 2", line: 1 });
});

test("what a check prints is told apart, colours go, and columns are known", () => {
  const report = plainText("check.pool(P)\n  \u001b[32mpassed\u001b[0m  1  fresh\n  FAILED  2  <b>twice</b>\n      why     lost\n\n");
  const pieces = piecesOf(report);
  assert.equal(pieces.map(({ text }) => text).join(""), report);
  assert.deepEqual(pieces.filter(({ kind }) => kind).map(({ text, kind }) => [text, kind]), [["passed", "verdict passed"], ["FAILED", "verdict failed"], ["why", "field"]]);
  assert.deepEqual(piecesOf("  passed  1  x"), [{ text: "  passed  1  x" }]);
  assert.ok(isTable("a  b\nc  d") && !isTable("a b\nc  d"));
});

test("what a report says in several lines wraps as one", () => {
  const report = "check.pool(P)\n  FAILED  2  twice\n      tried   a\n      why     Two sequences\n              share it.\n  1 of 2 passed;\n              hint(1)";
  assert.deepEqual(linesOf(report), ["check.pool(P)", "  FAILED  2  twice", "      tried   a", "      why     Two sequences share it.", "  1 of 2 passed;", "              hint(1)"]);
  assert.deepEqual(linesOf(report).map(hangOf), [0, 13, 14, 14, 2, 14]);
});

test("the ledger knows what no longer says what the cells above do", () => {
  const ledger = new Ledger();
  assert.equal(ledger.mark(1, "b"), "fresh");
  ledger.note(0, "a", true);
  ledger.note(1, "b", true);
  ledger.note(2, "c", false);
  assert.deepEqual(["a", "b", "c"].map((text, at) => ledger.mark(at, text)), ["ran", "ran", "failed"]);
  assert.equal(ledger.mark(1, "B"), "changed");
  ledger.note(0, "a", true); // once more, and the same
  assert.equal(ledger.mark(1, "b"), "ran");
  ledger.note(1, "B", true);
  assert.deepEqual(["a", "B", "c"].map((text, at) => ledger.mark(at, text)), ["ran", "ran", "stale"]);
  ledger.note(2, "c", true);
  assert.equal(ledger.mark(2, "c"), "ran");
  ledger.forget();
  assert.equal(ledger.mark(0, "a"), "fresh");
});

/** A queue, what it said, and its workers, which do nothing by themselves. */
function queueOf() {
  const heard = [];
  const workers = [];
  const makeWorker = () => {
    const worker = { sent: [], postMessage: (message) => worker.sent.push(message), terminate: () => { worker.ended = true; } };
    workers.push(worker);
    return worker;
  };
  const queue = new Queue({ makeWorker, base: "/run/", hear: (event) => heard.push(event) });
  const say = (data, worker = workers.at(-1)) => worker.onmessage({ data });
  const kinds = () => heard.splice(0).map(({ kind, id }) => (id ? `${kind} ${id}` : kind));
  return { queue, workers, say, kinds, heard };
}

const job = (id, more = {}) => ({ id, number: 1, source: id, line: 1, text: id, ...more });

test("cells wait for Python and for one another", () => {
  const { queue, workers, say, kinds } = queueOf();
  queue.run([job("a"), job("b")]);
  assert.deepEqual(workers[0].sent, [{ kind: "start", base: "/run/" }]);
  say({ kind: "ready", python: "3" });
  assert.deepEqual(kinds(), ["ready", "begun a"]);
  assert.ok(queue.isWaiting("b") && queue.busy);
  say({ kind: "stream", id: "a", name: "stdout", text: "x" });
  say({ kind: "done", id: "a", ok: true, ms: 1 });
  assert.deepEqual(kinds(), ["told", "ended a", "begun b"]);
  say({ kind: "done", id: "b", ok: true, ms: 1 });
  assert.deepEqual(kinds(), ["ended b", "idle"]);
  assert.ok(!queue.busy && workers.length === 1);
  say({ kind: "done", id: "b", ok: true, ms: 1 }); // nobody asked
  assert.deepEqual(kinds(), []);
});

test("after a failure the others are dropped, unless the failure is the lesson", () => {
  const { queue, workers, say, heard } = queueOf();
  queue.run([job("a", { mayFail: true }), job("b"), job("c")]);
  say({ kind: "ready", python: "3" });
  say({ kind: "done", id: "a", ok: false, ms: 1 });
  say({ kind: "done", id: "b", ok: false, ms: 1 });
  assert.deepEqual(heard.filter(({ kind }) => kind === "ended").map(({ id, dropped }) => [id, dropped]), [["a", []], ["b", ["c"]]]);
  assert.equal(workers[0].sent.filter(({ kind }) => kind === "run").length, 2);
  assert.ok(!queue.busy);
});

test("stopping ends the worker; what it still says isn't heard, and the next run starts anew", () => {
  const { queue, workers, say, kinds, heard } = queueOf();
  queue.run([job("a"), job("b")]);
  say({ kind: "ready", python: "3" });
  kinds();
  queue.stop();
  assert.deepEqual(heard.splice(0), [{ kind: "stopped", id: "a", dropped: ["b"] }]);
  assert.ok(workers[0].ended && !queue.busy);
  say({ kind: "done", id: "a", ok: true, ms: 1 }, workers[0]);
  workers[0].onerror({ message: "late" });
  assert.deepEqual(kinds(), []);
  queue.run([job("c")]);
  assert.equal(workers.length, 2);
  say({ kind: "ready", python: "3" });
  assert.deepEqual(kinds(), ["ready", "begun c"]);
});

test("a cell that was changed while it runs or waits is another one to run", () => {
  const { queue, say } = queueOf();
  queue.run([job("a"), job("b")]);
  say({ kind: "ready", python: "3" });
  assert.ok(queue.has("a", "a") && queue.has("b", "b"));
  assert.ok(!queue.has("a", "changed") && !queue.has("b", "changed"));
  say({ kind: "done", id: "a", ok: true, ms: 1 });
  assert.ok(!queue.has("a", "a"));
});

test("whatever keeps Python away is said once, and can be tried again", () => {
  const { queue, workers, say, heard } = queueOf();
  queue.start();
  say({ kind: "failed", text: "no file" });
  queue.start();
  workers[1].onerror({ message: "", preventDefault() {} });
  assert.deepEqual(heard.map(({ kind, text }) => [kind, text]), [["failed", "no file"], ["failed", "Its program didn't load."]]);
  assert.ok(workers.every(({ ended }) => ended));
  const refused = new Queue({ makeWorker: () => { throw new Error("SecurityError"); }, base: "", hear: (event) => heard.push(event) });
  refused.run([job("a")]);
  assert.match(heard.at(-1).text, /SecurityError/);
  assert.ok(!refused.busy);
});

function storage(forbidden = false) {
  const kept = new Map();
  const guard = (act) => (...given) => {
    if (forbidden) throw new Error("SecurityError");
    return act(...given);
  };
  return { kept, getItem: guard((key) => kept.get(key) ?? null), setItem: guard((key, value) => kept.set(key, value)), removeItem: guard((key) => kept.delete(key)) };
}

beforeEach(() => { globalThis.localStorage = storage(); });

test("answers are kept by chapter, exercise and edition, and nothing stays when they are gone", () => {
  assert.ok(keepAnswer("two", "ex-1", { edition: "e", text: "mine" }));
  keepAnswer("two", "ex-2", { edition: "e", text: "also" });
  keepAnswer("one", "ex-1", { edition: "f", text: "other" });
  assert.deepEqual(answersOf("two"), [["ex-1", { edition: "e", text: "mine" }], ["ex-2", { edition: "e", text: "also" }]]);
  keepAnswer("two", "ex-1", null);
  assert.deepEqual(answersOf("two").map(([key]) => key), ["ex-2"]);
  forgetAnswers("two");
  forgetAnswers("one");
  assert.equal(localStorage.kept.size, 0);
});

test("an exercise's edition changes with every letter of it, and with nothing else", () => {
  assert.equal(editionOf([""]), "811c9dc5");
  assert.equal(editionOf(["a"]), "e40c292c"); // as published for FNV-1a
  assert.notEqual(editionOf(["a", "b"]), editionOf(["ab"]));
  assert.match(editionOf(["é × ⏱"]), /^[0-9a-f]{8}$/);
});

test("what else lies in the storage harms nothing", () => {
  for (const found of ["null", "3", '"x"', "[1]", "{", '{"two": 3}', '{"two": {"ex": "text", "ey": {"text": 1}, "ez": null}}']) {
    localStorage.kept.set("book-answers", found);
    assert.deepEqual(answersOf("two"), [], found);
    assert.ok(keepAnswer("two", "ex-9", { edition: "e", text: "t" }), found);
    assert.deepEqual(answersOf("two"), [["ex-9", { edition: "e", text: "t" }]], found);
  }
});

test("where storage is forbidden answers hold for the page, and that is said", () => {
  globalThis.localStorage = storage(true);
  assert.equal(keepAnswer("two", "ex-1", { edition: "e", text: "mine" }), false);
  assert.equal(answersOf("two").length, 1);
});

test("answers become one program, with the exercises' names", () => {
  const text = asProgram("2 The block allocator", [["Exercise 1 Allocate", "class A:\n    pass\n\n"], ["Exercise 2 All", "x = 1"]]);
  assert.equal(text, "# 2 The block allocator: my answers\n\n\n# Exercise 1 Allocate\n\nclass A:\n    pass\n\n\n# Exercise 2 All\n\nx = 1\n");
});

test("what is said counts right", () => {
  assert.equal(words.ran(1, 7, ""), "Cell 7 ran.");
  assert.equal(words.ran(1, 7, "6 of 6 passed."), "Cell 7 ran: 6 of 6 passed.");
  assert.equal(words.ran(12, 7, "6 of 6 passed."), "12 cells ran. Cell 7: 6 of 6 passed.");
  assert.equal(words.failed(3, "NameError: x", 0), "Cell 3 failed: NameError: x.");
  assert.equal(words.failed(3, "It ended.", 2), "Cell 3 failed: It ended. The cells after it were not run.");
  assert.match(words.stopped(3, 1), /^Stopped in cell 3\. .* 1 cell that waited was not run\.$/);
  assert.match(words.stopped(undefined, 0), /^Stopped\. Python ended/);
  assert.match(words.ready("3.13", 1, 1), /An answer of yours is back.* 1 cell needs PyTorch and keeps/);
  assert.match(words.ready("3.13", 2, 4), /2 answers of yours are back.* 4 cells need PyTorch and keep/);
});
