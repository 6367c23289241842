// Words within a line, and the plainest blocks.

import { element, html, NOTHING, trusted } from "../html.mjs";
import { entryOf } from "../glossary.mjs";
import { textOf } from "../tree.mjs";

const wrap = (name, values = () => ({})) => (node, page) =>
  element(name, { id: page.idOf(node), ...values(node) }, page.children(node));

/** Bold words that the glossary has are where the book introduces them: they link to the entry. */
function strong(node, page) {
  const entry = entryOf(page.terms, textOf(node));
  if (!entry || entry.url === page.url || page.inLink) return wrap("strong")(node, page);
  const href = `${page.href(entry.url)}#${entry.id}`;
  return html`<strong>${element("a", { class: "term", href }, page.within(node))}</strong>`;
}

/** A number and its unit stay on one line. */
const together = (text) => text.replace(/(\d) (?=%|(?:ms|µs|[KMG]iB|[kKMG]B)\b)/g, "$1\u00a0");

/** "chapter 3" in running text leads there: in Lab each chapter stands alone, on the web none does. */
function words(node, page) {
  const value = together(node.value);
  if (page.inLink) return html`${value}`;
  const pieces = value.split(/\b([Cc]hapter \d+)\b/);
  return html`${pieces.map((piece, at) => (at % 2 ? chapterLink(piece, page) : piece))}`;
}

function chapterLink(name, page) {
  const chapter = page.site.chapter(name.split(" ")[1]);
  if (!chapter || chapter === page.entry) return name;
  return element("a", { class: "chapter", href: page.href(chapter.url), title: chapter.name }, name);
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
  paragraph: wrap("p"),
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
  inlineCode: (node) => html`<code>${node.value}</code>`,
  break: () => trusted("<br>"),
  comment: () => NOTHING,
  target: () => NOTHING,
};
