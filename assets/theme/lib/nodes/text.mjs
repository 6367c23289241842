// Words within a line, and the plainest blocks.

import { element, html, NOTHING, trusted } from "../html.mjs";
import { figureNumber, isFigureCaption } from "../figures.mjs";
import { entryOf } from "../glossary.mjs";
import { linked } from "../mentions.mjs";
import { textOf } from "../tree.mjs";

const wrap = (name, values = () => ({})) => (node, page) =>
  element(name, { id: page.idOf(node), ...values(node) }, page.children(node));

const SAYS_WHAT_TO_DO = /^Discuss with a neighbour\b/;

/** In a chapter, a bold sentence is a law of the book. */
function isLaw(words, page) {
  const isSentence = /[.?!]$/.test(words.trim()) && words.trim().split(/\s+/).length > 3;
  return Boolean(page.entry.minutes) && isSentence && !SAYS_WHAT_TO_DO.test(words);
}

/** Bold words that the glossary has are where the book introduces them: they link to the entry. */
function strong(node, page) {
  const words = textOf(node);
  if (figureNumber(words)) return html`<strong>${page.within(node)}</strong>`; // a caption's own number
  if (isLaw(words, page) && !page.inLink) return html`<strong class="law">${page.children(node)}</strong>`;
  const entry = entryOf(page.terms, words);
  if (!entry || entry.url === page.url || page.inLink) return wrap("strong")(node, page);
  const href = `${page.href(entry.url)}#${entry.id}`;
  return html`<strong>${element("a", { class: "term", href }, page.within(node))}</strong>`;
}

/** A number and its unit stay on one line. */
const together = (text) => text.replace(/(\d) (?=%|(?:ms|µs|[KMG]iB|[kKMG]B)\b)/g, "$1\u00a0");

const LONG = 20;

/** Long names may break after a slash, a dot, an underscore or a bracket. */
function breakable(code) {
  if (code.length < LONG) return code;
  const pieces = code.split(/(?<=[/._(,])(?=\w{3})/);
  return html`${pieces.map((piece, at) => (at ? html`<wbr>${piece}` : piece))}`;
}

/** Running text: what it mentions is linked, and lines break where they may. */
function words(node, page) {
  const value = together(node.value).replaceAll(" · ", "\u00a0· "); // no line begins with a dot
  return page.inLink ? html`${value}` : linked(value, page);
}

function paragraph(node, page) {
  const isCaption = isFigureCaption(node);
  const id = isCaption ? page.figureId(figureNumber(textOf(node))) : page.idOf(node);
  const values = { id, "data-veil": node.veil, class: isCaption && "figure-caption" };
  return element("p", values, page.children(node));
}

function heading(node, page) {
  const level = Math.min(node.depth, 6);
  const id = page.idOf(node);
  if (node.depth === 2 && id) page.outline.push({ id, text: textOf(node), depth: 2 });
  const anchor = id && element(
    "a",
    { class: "anchor", href: `#${id}`, "aria-label": `Link to “${textOf(node)}”` },
    "#",
  );
  return element(`h${level}`, { id }, html`${page.within(node)}${anchor}`);
}

function abbreviation(node, page) {
  return element("abbr", { title: node.title }, page.children(node));
}

function math(node, page) {
  const equation = page.equation(node, true);
  const number = node.enumerator &&
    html`<a class="number" href="#${node.html_id}">(${node.enumerator})</a>`;
  return element("div", { id: page.idOf(node), class: "math" }, html`${equation}${number}`);
}

export const text = {
  text: words,
  paragraph,
  strong,
  heading,
  abbreviation,
  math,
  inlineMath: (node, page) => page.equation(node, false),
  emphasis: wrap("em"),
  delete: wrap("s"),
  underline: wrap("u"),
  subscript: wrap("sub"),
  superscript: wrap("sup"),
  keyboard: wrap("kbd"),
  span: wrap("span"),
  inlineCode: (node) => html`<code>${breakable(node.value)}</code>`,
  break: () => trusted("<br>"),
  comment: () => NOTHING,
  target: () => NOTHING,
};
