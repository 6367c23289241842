// Code cells: what is shown, what folds, and what a cell is for.

import { element, html, NOTHING } from "../html.mjs";
import { highlight } from "../highlight.mjs";
import { childrenOf, hasTag } from "../tree.mjs";
import { fold } from "./blocks.mjs";
import { isLive, isPicture, output, outputs, wordsOf } from "./outputs.mjs";

const ROLES = {
  stub: "yours to write",
  check: "check",
};
/** Tags that give a cell a look of its own. */
const LOOKS = ["break", "measured"];

export function code(node, page) {
  if (node.visibility === "remove") return NOTHING;
  let marked;
  try {
    marked = highlight(node.value, node.lang);
  } catch (error) {
    page.problem(node, error.message);
    marked = html`${node.value}`;
  }
  const name = node.filename && html`<p class="filename">${node.filename}</p>`;
  return html`${name}<div class="code"><pre><code>${marked}</code></pre></div>`;
}

/** One cell of a notebook: code, then outputs; a solution folds as a whole. */
export function cell(node, page) {
  const source = childrenOf(node).find((child) => child.type === "code");
  const outputs = childrenOf(node).find((child) => child.type === "outputs");
  const role = Object.keys(ROLES).find((tag) => hasTag(node, tag));
  const saysNothing = role === "check" && isNotImplemented(outputs);
  const printed = outputs && !saysNothing ? page.node(outputs) : NOTHING;
  const id = page.idOf(node);
  if (hasTag(node, "solution")) {
    const title = html`Solution <span class="when-folded">(folded)</span>`;
    return fold("solution", title, html`${opened(source, page)}${printed}`, { id });
  }
  const label = role && html`<p class="role">${ROLES[role]}</p>`;
  const parts = html`${label}${shownCode(source, outputs, page)}${printed}${notes(node)}`;
  if (node.visibility === "hide") return fold("fold", "Show the cell", parts, { id });
  const looks = ["cell", role, ...LOOKS.filter((tag) => hasTag(node, tag))].filter(Boolean).join(" ");
  return element("div", { id, class: looks, "data-veil": node.veil }, parts);
}

const opened = (source, page) => code({ ...source, visibility: "show" }, page);

/** The check of an exercise that nobody has done: on a page it has nothing to say yet. */
function isNotImplemented(outputs) {
  return childrenOf(outputs ?? {}).some((output) => /not implemented yet/.test(wordsOf(output)));
}

/** A cell's code: as it stands, or below the one line that says what is folded there. */
function shownCode(source, outputs, page) {
  if (!source || source.visibility === "remove") return NOTHING;
  const kind = kindOf(source, childrenOf(outputs ?? {}), page);
  if (!kind) return code(source, page);
  return fold(`fold ${kind[0]}`, kind[1], opened(source, page));
}

/** Class and title of the fold that a cell's code has, or null. */
function kindOf(source, outputs, page) {
  if (drawsOnly(source.value, outputs, page)) return ["picture-code", "code of this picture"];
  if (importsOnly(source.value)) return ["imports", "imports"];
  return source.visibility === "hide" ? ["", "show the code"] : null;
}

/** Plotting, or the call that makes a live picture: the picture itself is what one reads. */
function drawsOnly(code, outputs, page) {
  if (!outputs.some((output) => isPicture(output, page))) return false;
  return outputs.some(isLive) ? code.split("\n").length < 3 : /^show\(/m.test(code);
}

/** Six lines or more of imports. Their lists of names are no reading. */
export function importsOnly(code) {
  const lines = code.trim().split("\n");
  let inside = false; // a list in parentheses
  return lines.length > 5 && lines.every((line) => {
    const begins = /^(from|import) /.test(line);
    const belongs = begins || inside || /^\s*(#.*)?$/.test(line);
    if (begins) inside = /\($/.test(line.trim());
    else if (/^\)/.test(line)) inside = false;
    return belongs;
  });
}

function notes(node) {
  if (hasTag(node, "measured")) {
    return html`<p class="note">Measured where this book was built; your times will differ.</p>`;
  }
  if (hasTag(node, "raises-exception")) {
    return html`<p class="note">This cell stops with an error on purpose.</p>`;
  }
  return NOTHING;
}

export const cells = { code, outputs, output };
