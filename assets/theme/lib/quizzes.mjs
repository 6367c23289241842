// Multiple choice: a question, a list from (a) on, and a fold "Answer" that begins with the letter.

import { createHash } from "node:crypto";

import { childrenOf, isCode, textOf } from "./tree.mjs";

const LETTER = /^\(([a-z])\)/;

/** Every such question of a tree becomes one `quiz` node with the right letter; nothing else moves. */
export function gatherQuizzes(root) {
  const children = childrenOf(root).map((block) =>
    isCode(block) || block.type !== "block" ? block : { ...block, children: quizzesIn(childrenOf(block)) });
  return { ...root, children };
}

function quizzesIn(nodes) {
  const out = [];
  for (let at = 0; at < nodes.length; at += 1) {
    const quiz = quizOf(...nodes.slice(at, at + 3));
    out.push(quiz ?? nodes[at]);
    if (quiz) at += 2;
  }
  return out;
}

function quizOf(question, list, answer) {
  if (question?.type !== "paragraph" || list?.type !== "list" || answer?.type !== "details") return null;
  const right = LETTER.exec(wordsOf(answer))?.[1];
  const letters = childrenOf(list).map((item) => LETTER.exec(textOf(item))?.[1]);
  if (letters.length < 2 || !letters.every(Boolean) || !letters.includes(right)) return null;
  const words = textOf(question);
  const id = `quiz-${createHash("sha256").update(words).digest("hex").slice(0, 8)}`;
  return { type: "quiz", id, question, list, answer, right, letters };
}

const wordsOf = (details) => textOf({ children: childrenOf(details).slice(1) }).trim();

/** How many guesses, choices and exercises there are: the cells of a chapter's progress. */
export function countPoints(root) {
  const own = ["prediction", "quiz", "exercise"].includes(root.type) ? 1 : 0;
  return childrenOf(root).reduce((sum, child) => sum + countPoints(child), own);
}
