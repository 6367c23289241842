import assert from "node:assert/strict";
import { test } from "node:test";

import { splitLikely } from "../lib/likely.mjs";
import { choicesOf, gatherPredictions, questionOf } from "../lib/predictions.mjs";
import { countPoints, gatherQuizzes } from "../lib/quizzes.mjs";
import { nodesOf, textOf } from "../lib/tree.mjs";
import { block, codeCell, paragraph, render, text } from "./helpers.mjs";

const says = (words) => ({ output_type: "stream", name: "stdout", text: words });
const cell = (id, value, ...outputs) => codeCell(value, { identifier: id, outputs });
const root = (...children) => ({ type: "root", children });
const guess = (question) => cell("c1", `guess = None  # ${question}`);
const compared = (answer) => cell("c2", "compare(guess, x)", says(`no guess; it is ${answer}\n`));

const asked = (...blocks) => [...nodesOf(gatherPredictions(root(...blocks)))];
const veiled = (nodes) => nodes.filter((node) => node.veil).map((node) => node.type);

test("a guess and the cell that compares it become a question with its answer", () => {
  const nodes = asked(guess("blocks in use"), compared("46,080"));
  const found = nodes.find((node) => node.type === "prediction");
  assert.deepEqual(found, { type: "prediction", id: "guess-c1", answer: "46,080", choices: [], likely: [], asks: "Blocks in use" });
  assert.deepEqual(veiled(nodes), ["outputs"]);
  assert.ok(!JSON.stringify(nodes).includes("no guess"));
});

test("a guess that nothing compares stays code, and its answer is never another guess's", () => {
  const alone = asked(guess("a"), cell("c3", "1 + 1", says("2")));
  assert.ok(alone.every((node) => node.type !== "prediction" && !node.veil));
  const second = cell("c4", "guess = None  # second");
  const nodes = asked(guess("first"), second, compared("3"));
  assert.deepEqual(nodes.filter((node) => node.type === "prediction").map((node) => node.id), ["guess-c4"]);
});

test("code around the guess stays; what it printed before is known, what comes after waits", () => {
  const before = asked(cell("c1", "x = 1\nprint(x)\nguess = None  # two?", says("1\n")), compared("2"));
  assert.equal(before[1].children[0].value, "x = 1\nprint(x)");
  assert.equal(before[1].children[1].veil, undefined);
  const same = asked(cell("c1", "guess = None  # n\nx = f()\ncompare(guess, x)", says("tried\nno guess; it is 7\n")));
  const [code, outputs] = same.find((node) => node.kind).children;
  assert.equal(code.value, "x = f()\ncompare(guess, x)");
  assert.equal(outputs.veil, "guess-c1");
  assert.equal(outputs.children[0].jupyter_data.text, "tried\n");
});

test("what explains or repeats the answer waits, up to the next heading or exercise", () => {
  const heading = { type: "heading", depth: 2, html_id: "h", children: [text("Next: 46080")] };
  const nodes = asked(
    guess("n"),
    block([paragraph("46,080 is said too early to be hidden.")]),
    compared("46,080"),
    block([paragraph("The reason."), paragraph("Another thing."), paragraph("So 46,080 it is.")]),
    cell("c5", "assert n == 46_080"),
    cell("c6", "other = 1"),
    block([heading, paragraph("46,080 again.")]),
    block([paragraph("46,080 for the last time.")]),
  );
  const words = nodes.filter((node) => node.veil).map((node) => node.identifier ?? textOf(node).slice(0, 12));
  assert.deepEqual(words, ["", "The reason.", "So 46,080 it", "c5"]);
});

test("what speaks against a likely guess goes with the question, and leaves the code", () => {
  const split = (code) => splitLikely(`x = 1\n${code}\nprint({1: 2})`);
  const one = split('compare(guess, len(pool.free), {4: "Not \\"that\\": so.", 1_000: "a" " b"})');
  assert.deepEqual(one.likely, [["4", 'Not "that": so.'], ["1000", "a b"]]);
  assert.equal(one.source, "x = 1\ncompare(guess, len(pool.free))\nprint({1: 2})");
  assert.deepEqual(split('compare(guess, f["a"], {"Paris": "No.", (1, 2): "x", True: "y",})').likely.map(([key]) => key), ["Paris", "(1, 2)", "True"]);
  for (const plain of ["compare(guess, {1, 2})", "compare(guess, {1: 2}[1])", "compare(guess, f(x))"]) {
    assert.deepEqual(split(plain).likely, []);
    assert.ok(split(plain).source.includes(plain));
  }
  const nodes = asked(guess("n"), cell("c2", 'compare(guess, n, {4: "No."})', says("no guess; it is 3\n")));
  assert.deepEqual(nodes.find(({ type }) => type === "prediction").likely, [["4", "No."]]);
  assert.equal(nodes.find(({ type }) => type === "code").value, "compare(guess, n)");
});

test("a short answer gives nothing away", () => {
  for (const answer of ["3", "no", "True"]) {
    const nodes = asked(guess("n"), compared(answer), block([paragraph("Why."), paragraph(`It is ${answer}, no 3.`)]));
    assert.deepEqual(veiled(nodes), ["outputs", "paragraph"], answer);
  }
});

test("choices come from the question, or from an answer that has two", () => {
  const ask = (comment, answer) => {
    const choices = choicesOf(comment, answer);
    return [choices, questionOf(comment, choices)];
  };
  assert.deepEqual(ask("True or False: can it start?", "False"), [["True", "False"], "Can it start?"]);
  assert.deepEqual(ask('does the test notice? "yes" or "no"', "no"), [["yes", "no"], "Does the test notice?"]);
  assert.deepEqual(ask('whose is it: "nobody", "X" or "Y"?', "X"), [["nobody", "X", "Y"], "Whose is it?"]);
  assert.deepEqual(ask('who gives way, "A", "B" or "C"?', "C"), [["A", "B", "C"], "Who gives way?"]);
  assert.deepEqual(ask("how many blocks: 3, 6 or 8?", "8"), [["3", "6", "8"], "How many blocks?"]);
  assert.deepEqual(ask("which share: 0.1, 0.3 or 0.6?", "0.3"), [["0.1", "0.3", "0.6"], "Which share?"]);
  assert.deepEqual(ask("3, 6 or 8", "8"), [["3", "6", "8"], "Which one?"]);
  assert.deepEqual(ask("len(pool.free) now", "5"), [[], "len(pool.free) now"]);
  assert.deepEqual(ask("a's key at position 6", "306"), [[], "a's key at position 6"]);
});

const item = (words) => ({ type: "listItem", children: [paragraph(words)] });
const answer = (words) => ({
  type: "details",
  children: [{ type: "summary", children: [text("Answer")] }, paragraph(words)],
});
const question = (right = "(b). Because.", items = ["(a) One.", "(b) Two <b>."]) =>
  block([paragraph("Core · Why two?"), { type: "list", children: items.map(item) }, answer(right)]);

test("a question, a list of letters and their answer become multiple choice", () => {
  const { html } = render([question()]);
  assert.match(html, /class="quiz" id="quiz-[0-9a-f]{8}"[^>]*data-right="b"/);
  assert.match(html, /<span class="level">core<\/span> Why two\?/);
  assert.match(html, /<button type="button" value="b" aria-pressed="false">.*<span>Two &lt;b&gt;\.<\/span>/s);
  assert.match(html, /<summary><span>Answer<\/span><\/summary>[^]*Because\./);
});

test("a list that isn't multiple choice stays a list", () => {
  for (const blocks of [question("Because."), question("(c). No such."), question("(b).", ["One", "Two"])]) {
    assert.ok([...nodesOf(gatherQuizzes(root(blocks)))].every((node) => node.type !== "quiz"));
  }
});

test("a chapter's points are its guesses, choices and exercises", () => {
  const exercise = { type: "exercise", children: [] };
  const tree = gatherQuizzes(gatherPredictions(root(guess("n"), compared("1"), question(), block([exercise]))));
  assert.equal(countPoints(tree), 3);
});

test("without scripts a prediction stands answered, and hostile questions stay text", () => {
  const { html } = render([guess("<i>n</i> of `a<b`?"), compared('"<b>"')]);
  assert.match(html, /<p class="asks">&lt;i&gt;n&lt;\/i&gt; of <code>a&lt;b<\/code>\?<\/p>/);
  assert.match(html, /<p class="plainly">It is <strong>&quot;&lt;b&gt;&quot;<\/strong>\.<\/p>/);
  assert.match(html, /<form class="needs-script">/);
});
