// What makes a page a chapter: a number, a claim, minutes, what it needs, exercises in one piece.

import { childrenOf, hasTag, isCode, nodesOf, textOf, titled } from "./tree.mjs";

const TITLE = /^(\d+) · (.+)$/;
const MINUTES =
  /^About (\d+) minutes: (\d+) to read and run, (\d+) for the exercises\.(?: Needs ([^.]+)\.)?$/;
const EFFORT = /^(\d+) minutes · difficulty (\d) of (\d)(?: · importance (!{1,3}))?( · optional)?$/;

/** "2 · The block allocator" → number "2" and the name; other titles have no number. */
export function splitTitle(title) {
  const match = TITLE.exec(title);
  return match ? { number: match[1], name: match[2] } : { number: null, name: title };
}

/** The line of minutes: totals, what is needed in words, and the numbers of chapters among them. */
export function readMinutes(text) {
  const match = MINUTES.exec(text.replace(/\s+/g, " ").trim());
  if (!match) return null;
  const [total, reading, exercises] = match.slice(1, 4).map(Number);
  return { total, reading, exercises, words: match[4] ?? "", needs: readNeeds(match[4]) };
}

/** "chapters 0 and 2 to 4" → ["0", "2", "3", "4"]; other words have none. */
function readNeeds(words = "") {
  if (!/^chapters? \d/.test(words)) return [];
  const numbers = [];
  for (const [, from, to] of words.matchAll(/(\d+)(?:\s*(?:to|–|-)\s*(\d+))?/g)) {
    for (let n = Number(from); n <= Number(to ?? from); n += 1) numbers.push(String(n));
  }
  return numbers;
}

/** Minutes, difficulty and importance (1 to 3, or null) of an exercise, from its first line. */
export function readEffort(text) {
  const match = EFFORT.exec(text.replace(/\s+/g, " ").trim());
  return match && {
    minutes: Number(match[1]),
    difficulty: Number(match[2]),
    hardest: Number(match[3]),
    importance: match[4] ? match[4].length : null,
    optional: Boolean(match[5]),
  };
}

/** All exercises, and how many of them a reader may leave out. */
function countExercises(root) {
  const found = [...nodesOf(root)].filter((node) => node.type === "exercise");
  const optional = found.filter((exercise) => {
    const line = titled(exercise).body[0];
    return line && readEffort(textOf(line))?.optional;
  });
  return { all: found.length, optional: optional.length };
}

/** "← 1 · Before | 3 · After →", which a notebook needs; pages have a way on of their own. */
const isWayOn = (node) =>
  node.type === "paragraph" && /^← \d+ · |\d+ · .+ →$/.test(textOf(node)) &&
  childrenOf(node).some((child) => child.type === "link");

/**
 * Takes claim and minutes out of a chapter's first block. Returns null for a page that doesn't open
 * like a chapter, else the claim's nodes, the minutes, and the tree without both. Changes nothing.
 */
export function openChapter(root) {
  const [first, ...others] = childrenOf(root);
  const claim = childrenOf(first ?? {}).find((node) => node.type === "blockquote");
  const line = childrenOf(first ?? {}).find(
    (node) => node.type === "paragraph" && readMinutes(textOf(node)),
  );
  if (!claim || !line) return null;
  const taken = (node) => node === claim || node === line || isWayOn(node);
  const kept = childrenOf(first).filter((node) => !taken(node));
  return {
    claim,
    minutes: readMinutes(textOf(line)),
    exercises: countExercises(root),
    root: { ...root, children: [{ ...first, children: kept }, ...others] },
  };
}

const isSolutionLine = (node) =>
  node.type === "paragraph" && /^Solution \(folded\)/.test(textOf(node).trim());
const isHint = (node) => node.type === "admonition" && node.kind === "hint";
const isExerciseHeading = (node) =>
  node.type === "heading" && /^Exercise( \d+ · .+)?$/.test(textOf(node).trim());

/** A block that belongs to the exercise before it. */
function belongs(block) {
  if (isCode(block)) return ["stub", "check", "solution"].some((tag) => hasTag(block, tag));
  return childrenOf(block).length > 0 &&
    childrenOf(block).every((node) => isHint(node) || isSolutionLine(node));
}

/**
 * Puts an exercise and the cells that follow it (stub, check, hints, solution) into one `workshop`
 * node, and takes out what only Lab needs: the heading "Exercise 1 · Title", the line before the folded cell.
 */
export function gatherExercises(root) {
  const out = [];
  let workshop = null;
  for (const block of childrenOf(root)) {
    const exercise = childrenOf(block).at(-1)?.type === "exercise";
    if (exercise) {
      const before = childrenOf(block).slice(0, -1).filter((node) => !isExerciseHeading(node));
      if (before.length) out.push({ ...block, children: before });
      workshop = { type: "workshop", children: [childrenOf(block).at(-1)] };
      out.push(workshop);
    } else if (workshop && belongs(block)) {
      const kept = childrenOf(block).filter((node) => !isSolutionLine(node));
      if (kept.length) workshop.children.push({ ...block, children: kept });
    } else {
      workshop = null;
      out.push(block);
    }
  }
  return { ...root, children: out };
}
