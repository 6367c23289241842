import assert from "node:assert/strict";
import { test } from "node:test";

import { gatherExercises, openChapter, readEffort, readMinutes, splitTitle } from "../lib/chapter.mjs";
import { block, codeCell, opening, paragraph, text } from "./helpers.mjs";

test("a chapter's title has a number and a name", () => {
  assert.deepEqual(splitTitle("2 · The block allocator"), { number: "2", name: "The block allocator" });
  assert.deepEqual(splitTitle("Glossary"), { number: null, name: "Glossary" });
});

test("minutes and needs", () => {
  const line = "About 67 minutes: 45 to read and run,\n22 for the exercises. Needs chapters 0 and 2 to 4.";
  assert.deepEqual(readMinutes(line), { total: 67, reading: 45, exercises: 22, words: "chapters 0 and 2 to 4", needs: ["0", "2", "3", "4"] });
  assert.deepEqual(readMinutes("About 30 minutes: 18 to read and run, 12 for the exercises. Needs nothing but 2 hands.").needs, []);
  assert.deepEqual(readMinutes("About 30 minutes: 18 to read and run, 12 for the exercises.").needs, []);
  assert.equal(readMinutes("About an hour."), null);
});

test("effort of an exercise", () => {
  assert.deepEqual(readEffort("10 minutes · difficulty 3 of 3 · optional"), { minutes: 10, difficulty: 3, hardest: 3, importance: null, optional: true });
  assert.equal(readEffort("10 minutes · difficulty 3 of 3 · importance !!!").importance, 3);
  assert.equal(readEffort("10 minutes · difficulty 3 of 3 · importance !!!!"), null);
  assert.equal(readEffort("Ten minutes"), null);
});

test("a chapter opens with claim and minutes, which leave its text", () => {
  const root = { type: "root", children: [block([...opening, paragraph("Go on.")])] };
  const found = openChapter(root);
  assert.equal(found.minutes.total, 67);
  assert.equal(found.root.children[0].children.length, 1);
  assert.equal(root.children[0].children.length, 3, "the tree itself is as before");
  assert.equal(openChapter({ type: "root", children: [block([paragraph("x")])] }), null);
});

test("what a notebook has for JupyterLab alone leaves the page", () => {
  const link = (words) => ({ type: "link", url: "/x", children: [text(words)] });
  for (const way of [
    paragraph(link("← 1 · Before"), " | ", link("3 · After →")), paragraph(link("3 · After →")), paragraph(link("← 1 · Before")),
  ]) {
    const found = openChapter({ type: "root", children: [block([way, ...opening, paragraph("Go on.", link("here"))])] });
    assert.equal(found.root.children[0].children.length, 1);
  }
  const heading = { type: "heading", depth: 3, children: [text("Exercise 2 · All or nothing")] };
  const { children } = gatherExercises({ type: "root", children: [block([heading, { type: "exercise", children: [] }])] });
  assert.deepEqual(children.map(({ type }) => type), ["workshop"]);
});

test("an exercise takes its stub, check, hints and solution with it", () => {
  const exercise = { type: "exercise", children: [] };
  const hint = { type: "admonition", kind: "hint", children: [] };
  const heading = { type: "heading", depth: 3, children: [text("Exercise")] };
  const line = paragraph({ type: "strong", children: [text("Solution")] }, " (folded)");
  const root = {
    type: "root",
    children: [
      block([paragraph("before"), heading, exercise]),
      codeCell("stub", { tags: ["stub"] }),
      codeCell("check", { tags: ["check"] }),
      block([hint, hint, line]),
      codeCell("solution", { tags: ["solution"] }),
      block([paragraph("after")]),
      codeCell("more"),
    ],
  };
  const [before, workshop, after, more] = gatherExercises(root).children;
  assert.deepEqual(before.children.map((node) => node.type), ["paragraph"]);
  assert.equal(workshop.type, "workshop");
  assert.equal(workshop.children.length, 5);
  assert.equal(workshop.children[3].children.length, 2, "the line before the folded cell is for Lab");
  assert.equal(after.children[0].type, "paragraph");
  assert.equal(more.kind, "notebook-code");
});
