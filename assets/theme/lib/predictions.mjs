// Predictions: a guess that only Lab can ask becomes a question that the page asks.
//
// In a chapter a prediction is a cell with `guess = None  # the question`, and a later cell whose
// `compare(guess, …)` printed "no guess; it is …" when the book was built.

import { splitLikely } from "./likely.mjs";
import { childrenOf, isCode, textOf } from "./tree.mjs";

const GUESS = /^guess = None  # (.+)\n?/m;
const ANSWER = /^no guess; it is (.+)$/m;
const ANSWER_LINE = /^no guess; it is .+\n?/gm;
const SAYS_NOTHING = /^(True|False|yes|no)$/; // as part of a sentence

const codeOf = (block) => childrenOf(block).find((child) => child.type === "code");
const outputsOf = (block) => childrenOf(block).find((child) => child.type === "outputs");
const sourceOf = (block) => (isCode(block) ? codeOf(block)?.value ?? "" : "");

/** What a cell printed, all its streams together. */
function printed(block) {
  if (!isCode(block)) return "";
  const outputs = childrenOf(outputsOf(block) ?? {});
  return outputs.map((output) => output.jupyter_data?.text ?? "").join("");
}

/** The choices that a question offers in its own words, or that its answer implies; else none. */
export function choicesOf(question, answer) {
  if (/^(True|False)$/.test(answer)) return ["True", "False"];
  if (/^(yes|no)$/.test(answer)) return ["yes", "no"];
  const quoted = [...question.matchAll(/"([^"]+)"/g)].map(([, word]) => word);
  if (quoted.length > 1 && quoted.includes(answer)) return quoted;
  const numbers = /(?:^|: )([\d., ]+) or ([\d.]+)\??$/.exec(question);
  return numbers ? [...numbers[1].split(/, */), numbers[2]] : [];
}

/** The question without the choices that become buttons, as a sentence. */
export function questionOf(comment, choices) {
  let asks = comment.replace(/^True or False: /, "");
  if (choices.length) {
    asks = asks
      .replace(/[,:?]? *"[^"]+"(,? (or )?"[^"]+")+\??$/, "?")
      .replace(/[,:?]? *[\d., ]+ or [\d.]+\??$/, "?");
  }
  if (!/\w/.test(asks)) return "Which one?";
  // Code, and a sequence called a, keep their small letters.
  return /^[a-z]{2,} |^a (?!\W)/.test(asks) ? asks.charAt(0).toUpperCase() + asks.slice(1) : asks;
}

/** Map from a block's place to the prediction that begins there and is answered later. */
function findGuesses(blocks) {
  const starts = blocks.flatMap((block, at) => (GUESS.test(sourceOf(block)) ? [at] : []));
  const found = new Map();
  starts.forEach((at, nth) => {
    const next = starts[nth + 1] ?? blocks.length;
    const end = blocks.findIndex((block, place) => place >= at && place < next && ANSWER.test(printed(block)));
    if (end < 0) return;
    const comment = GUESS.exec(sourceOf(blocks[at]))[1];
    const answer = ANSWER.exec(printed(blocks[end]))[1];
    const choices = choicesOf(comment, answer);
    const id = `guess-${blocks[at].identifier ?? at}`;
    const { likely } = splitLikely(sourceOf(blocks[end]));
    found.set(at, { id, at, end, answer, choices, likely, asks: questionOf(comment, choices) });
  });
  return found;
}

/**
 * Each guess becomes a `prediction` node. What the cells up to its answer printed is veiled, and so
 * are the paragraph after them and whatever says the answer before the next heading: those nodes
 * carry the prediction's id as `veil`. A guess that nothing compares stays as it is.
 */
export function gatherPredictions(root) {
  const blocks = childrenOf(root);
  const guesses = findGuesses(blocks);
  const out = [];
  let open = null;
  blocks.forEach((block, at) => {
    if (guesses.has(at)) {
      open = guesses.get(at);
      out.push(...asking(block, open));
    } else if (!open) {
      out.push(block);
    } else if (isCode(block)) {
      out.push(at <= open.end ? withVeil(withoutLikely(block), open.id) : veiledIfTelling(block, open));
    } else {
      const { kept, ended } = at > open.end ? veiledWords(block, at, open) : { kept: block };
      out.push(kept);
      if (ended) open = null;
    }
  });
  return { ...root, children: out };
}

/** The cell of a guess: what stands before the guess, the prediction, and what stands after it. */
function asking(block, guess) {
  const source = sourceOf(block);
  const { index, 0: line } = GUESS.exec(source);
  const before = source.slice(0, index).trim();
  const after = source.slice(index + line.length).trim();
  const { id, answer, choices, likely, asks } = guess;
  const prediction = { type: "prediction", id, answer, choices, likely, asks };
  // What the cell printed before the guess is known already.
  if (!after) return before ? [withCode(block, before), prediction] : [prediction];
  const rest = withCode(block, [before, after].filter(Boolean).join("\n\n"));
  return [prediction, withVeil(withoutLikely(rest), id)];
}

/** Whether a text gives the answer away. One letter or digit says nothing. */
function says(text, answer) {
  const bare = (words) => words.replace(/(\d)[,_](?=\d)/g, "$1");
  return bare(answer).length > 2 && !SAYS_NOTHING.test(answer) && bare(text).includes(bare(answer));
}

const veiledIfTelling = (block, { id, answer }) =>
  says(sourceOf(block), answer) ? { ...block, veil: id } : block;

/** A block of words after the answer; `ended` when it holds a heading or an exercise. */
function veiledWords(block, at, { id, end, answer }) {
  let explains = at === end + 1;
  let ended = false;
  const children = childrenOf(block).map((node) => {
    ended ||= node.type === "heading" || node.type === "exercise";
    const hides = !ended && node.type === "paragraph" && (explains || says(textOf(node), answer));
    explains = false;
    return hides ? { ...node, veil: id } : node;
  });
  return { kept: { ...block, children }, ended };
}

const withChild = (block, type, change) => ({
  ...block,
  children: childrenOf(block).map((child) => (child.type === type ? change(child) : child)),
});

const withCode = (block, value) => withChild(block, "code", (code) => ({ ...code, value }));

/** What speaks against a wrong guess is said when it is made, and not before. */
const withoutLikely = (block) => withCode(block, splitLikely(sourceOf(block)).source);

/** The same cell with its outputs veiled, and without the line that says the answer. */
function withVeil(block, id) {
  return withChild(block, "outputs", (outputs) => ({
    ...outputs,
    veil: id,
    children: childrenOf(outputs).map(withoutAnswer).filter((output) => output.jupyter_data?.text !== ""),
  }));
}

function withoutAnswer(output) {
  const made = output.jupyter_data;
  if (typeof made?.text !== "string") return output;
  return { ...output, jupyter_data: { ...made, text: made.text.replace(ANSWER_LINE, "") } };
}
