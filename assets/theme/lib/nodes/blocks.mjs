// Lists, tables, figures, boxes, folds.

import { readEffort } from "../chapter.mjs";
import { attributes, element, html, NOTHING, trusted } from "../html.mjs";
import { shownSize } from "../image-size.mjs";
import { childrenOf, textOf, titled } from "../tree.mjs";
import { leveled } from "./asking.mjs";

const wrap = (name, values = () => ({})) => (node, page) =>
  element(name, { id: page.idOf(node), ...values(node) }, page.children(node));

const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);
const KINDS = new Set(
  "note tip hint important warning caution danger attention error seealso admonition".split(" "),
);

function block(node, page) {
  if (node.visibility === "remove") return NOTHING;
  if (node.kind === "notebook-code") return page.cell(node);
  if (node.data?.part === "toc:project") return page.contents();
  return node.visibility === "hide"
    ? html`<details class="fold"><summary>Show the text</summary>${page.children(node)}</details>`
    : page.children(node);
}

function list(node, page) {
  const start = node.ordered && node.start > 1 ? node.start : null;
  return element(node.ordered ? "ol" : "ul", { id: page.idOf(node), start }, page.children(node));
}

/** A list item that is one paragraph needs no paragraph inside. */
function listItem(node, page) {
  const only = childrenOf(node).length === 1 && childrenOf(node)[0].type === "paragraph";
  const content = only ? page.children(childrenOf(node)[0]) : page.children(node);
  if (typeof node.checked !== "boolean") return html`<li>${content}</li>`;
  return html`<li class="task">${node.checked ? "☑" : "☐"} ${content}</li>`;
}

function table(node, page) {
  const [first, ...rest] = childrenOf(node);
  const headless = first && childrenOf(first).every((cell) => cell.header && !textOf(cell).trim());
  const rows = (headless ? rest : childrenOf(node)).map((row) => tableRow(row, page, headless));
  return html`<div class="table"><table>${rows}</table></div>`;
}

/** In a table without headings the first cell of a row is the row's heading. */
function tableRow(row, page, headless) {
  const cells = childrenOf(row).map((cell, column) => {
    const heads = cell.header ? "col" : headless && column === 0 ? "row" : null;
    return element(
      heads ? "th" : "td",
      {
        scope: heads,
        colspan: cell.colspan,
        rowspan: cell.rowspan,
        class: cell.align && cell.align !== "left" ? `align-${cell.align}` : null,
      },
      page.children(cell),
    );
  });
  return html`<tr>${cells}</tr>`;
}

function image(node, page) {
  const alt = node.alt?.trim();
  if (!alt) page.problem(node, `the picture ${node.urlSource ?? node.url} has no alt text`);
  const path = node.urlOptimized ?? node.url;
  const size = shownSize(page.site.assets.get(path), node.width);
  // The first picture may be what the reader sees first; it shouldn't wait.
  const loading = page.pictures === 0 ? null : "lazy";
  page.pictures += 1;
  return trusted(`<img${attributes({ src: page.asset(path, node), alt, ...size, loading })}>`);
}

function container(node, page) {
  const parts = childrenOf(node);
  const captions = parts.filter((part) => part.type === "caption" || part.type === "legend");
  const others = parts.filter((part) => !captions.includes(part));
  if (node.kind === "figure") {
    const picture = html`<div class="picture">${page.all(others)}</div>${page.all(captions)}`;
    return element("figure", { id: page.idOf(node) }, picture);
  }
  // A table's caption stands above it, a picture's below.
  const inOrder = node.kind === "table" ? [...captions, ...others] : [...others, ...captions];
  return element("figure", { id: page.idOf(node), class: node.kind }, page.all(inOrder));
}

export function fold(kind, title, content, { open = false, id } = {}) {
  return html`<details${attributes({ id, class: kind, open })}><summary>${title}</summary>
<div class="folded">${content}</div></details>`;
}

function admonition(node, page) {
  if (!KINDS.has(node.kind)) page.problem(node, `an admonition of the unknown kind “${node.kind}”`);
  const { title, body } = titled(node);
  const name = title.length ? page.within({ children: title }) : capital(node.kind);
  if (/\bdropdown\b/.test(node.class ?? "")) {
    return fold(`admonition ${node.kind}`, name, page.all(body), { open: node.open, id: page.idOf(node) });
  }
  return html`<div${attributes({ id: page.idOf(node), class: `admonition ${node.kind}` })}>
<p class="title">${name}</p>${page.all(body)}</div>`;
}

function details(node, page) {
  const [summary, ...rest] = childrenOf(node);
  if (summary?.type !== "summary") {
    page.problem(node, "a fold without a title");
    return page.children(node);
  }
  const title = html`<span>${leveled(childrenOf(summary), page)}</span>`;
  return fold("question", title, page.all(rest), { open: node.open });
}

function dots({ difficulty, hardest }) {
  const drawn = "●".repeat(difficulty) + "○".repeat(hardest - difficulty);
  return html`<span aria-hidden="true" class="dots">${drawn}</span><span class="unseen">${difficulty} of ${hardest}</span>`;
}

/** How much later chapters stand on an exercise: "!" to "!!!", or nothing where it isn't said. */
function marks({ importance }) {
  if (!importance) return "";
  return html` <span>importance <span aria-hidden="true">${"!".repeat(importance)}</span><span class="unseen">${importance} of 3</span></span>`;
}

/** "10 minutes · difficulty 2 of 3 · importance !!", then what is asked. */
function exercise(node, page) {
  const { title, body } = titled(node);
  const effort = body[0]?.type === "paragraph" ? readEffort(textOf(body[0])) : null;
  const id = page.idOf(node);
  const name = title.map(textOf).join("");
  if (id) page.outline.push({ id, text: `Exercise ${node.enumerator}: ${name}`, depth: 3 });
  const facts = effort && html`<p class="effort"><span>${effort.minutes} minutes</span>
<span>difficulty ${dots(effort)}</span>${marks(effort)}${effort.optional && html` <span>optional</span>`}
<label class="solved needs-script"><input type="checkbox" data-point="${id}"> solved</label></p>`;
  return html`<div${attributes({ id, class: "exercise" })}>
<h3><span class="number">Exercise ${node.enumerator}</span> ${page.within({ children: title })}</h3>
${facts}${page.all(facts ? body.slice(1) : body)}</div>`;
}

/** An exercise with its stub, check, hints and solution. */
function workshop(node, page) {
  return html`<section class="workshop">${page.children(node)}</section>`;
}

function solution(node, page) {
  const { title, body } = titled(node);
  return fold("solution", title.length ? page.within({ children: title }) : "Solution", page.all(body));
}

function grid(node, page) {
  return html`<div class="grid">${page.children(node)}</div>`;
}

function card(node, page) {
  const content = page.within(node);
  if (!node.url) return html`<div class="card">${content}</div>`;
  return element("a", { class: "card", href: page.href(node.url) }, content);
}

export const blocks = {
  root: (node, page) => page.children(node),
  block,
  list,
  listItem,
  table,
  image,
  container,
  admonition,
  details,
  exercise,
  workshop,
  solution,
  grid,
  card,
  cardTitle: wrap("p", () => ({ class: "title" })),
  caption: wrap("figcaption"),
  legend: wrap("div", () => ({ class: "legend" })),
  captionNumber: (node, page) => html`<strong>${page.children(node)}</strong> `,
  blockquote: wrap("blockquote"),
  thematicBreak: () => trusted("<hr>"),
  definitionList: wrap("dl"),
  definitionTerm: wrap("dt"),
  definitionDescription: wrap("dd"),
  glossary: (node, page) => html`<div class="glossary">${page.children(node)}</div>`,
  div: wrap("div"),
  aside: (node, page) => html`<div class="aside">${page.children(node)}</div>`,
  embed: (node, page) => page.children(node),
};

