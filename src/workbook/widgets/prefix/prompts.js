// Prompts a reader types: words are tokens, blocks hold some of each, known beginnings are found.

import { Engine } from "../common/engine.js";
import { Groups } from "../common/groups.js";

const LONGEST_RUN = 6; // blocks in a row without a branch before the middle is folded

/** The words of a prompt; each counts as one token. */
export const wordsOf = (text) => text.split(/\s+/u).filter(Boolean);

/** The calls that serve a prompt: one group to look it up, one to run and publish the rest. */
export const runCalls = (name, words, root) => [
  [["attach", name, words.join(" "), root]],
  [["run", name, words.join(" "), root]],
];

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** The first letter that is no sequence's name yet, then S26, S27 and so on. */
export function nextName(taken) {
  const letter = [...LETTERS].find((name) => !taken.includes(name));
  if (letter) return letter;
  let number = LETTERS.length;
  while (taken.includes(`S${number}`)) number++;
  return `S${number}`;
}

/** The blocks along which a prompt's beginning is known; one token at least is left to run. */
export function hitPath(trace, roots, words, root = "") {
  const size = trace.blockSize;
  const name = (key) => (key < -1 ? trace.keys[-2 - key] : "");
  let nodes = roots.find(([key]) => name(key) === root)?.[1] ?? [];
  const blocks = [];
  for (let end = size; end < words.length; end += size) {
    const text = words.slice(end - size, end).join(" ");
    const node = nodes.find(([key]) => trace.keys[key] === text);
    if (!node) break;
    blocks.push(node[1][0]);
    nodes = node[2];
  }
  return blocks;
}

/** A node, what to leave out of the run without a branch that begins there, and the last of it. */
export function folded(node) {
  const run = [node];
  while (run.at(-1)[2].length === 1) run.push(run.at(-1)[2][0]);
  if (run.length <= LONGEST_RUN) return { head: node, skipped: [], tail: null };
  return { head: node, skipped: run.slice(1, -1), tail: run.at(-1) };
}

/** Run groups of calls on the page's own engine, over a pool like that of `trace`. */
export function runPrompts(calls, { numBlocks, blockSize, freeOrder }) {
  const engine = new Engine(numBlocks, blockSize, freeOrder);
  const groups = [[0]];
  for (const group of calls) {
    const first = engine.trace.calls.length;
    for (const [verb, ...args] of group) perform(engine, verb, args);
    groups.push(Array.from({ length: engine.trace.calls.length - first }, (_, at) => first + at));
  }
  return { trace: engine.trace, groups: new Groups(groups) };
}

/** One call; "run" is reserve, write and remember for what a prompt has left to run. */
function perform(engine, verb, args) {
  const [name, text, root] = args;
  const words = typeof text === "string" ? text.split(" ") : [];
  if (verb === "attach") return engine.attach(name, words, root);
  if (verb !== "run") return engine[verb](...args);
  const left = words.length - engine.lengths.get(engine.recorder.seq(name));
  if (!engine.reserve(name, left)) return false;
  engine.write(name, left);
  return engine.remember(name, words, root);
}
