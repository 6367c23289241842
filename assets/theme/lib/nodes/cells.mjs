// Code cells and what they printed.

import { attributes, dataBlock, element, html, NOTHING } from "../html.mjs";
import { elementsOf, readFragment } from "../fragment.mjs";
import { highlight } from "../highlight.mjs";
import { isReport, markReport } from "../report.mjs";
import { childrenOf, hasTag } from "../tree.mjs";
import { fold } from "./blocks.mjs";

export const PICTURE = "application/vnd.paged-attention.picture+json";
const SHORTEST_ALT = 20;
// eslint-disable-next-line no-control-regex
const COLOURS = /\u001b\[[0-9;]*[A-Za-z]/g;

const ROLES = {
  stub: "Your turn: complete this",
  check: "Check",
};

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
  const printed = outputs ? page.node(outputs) : NOTHING;
  const parts = html`${role && html`<p class="role">${ROLES[role]}</p>`}${shownCode(node, source, outputs, page)}${printed}${notes(node)}`;
  if (hasTag(node, "solution")) {
    const open = html`${code({ ...source, visibility: "show" }, page)}${printed}`;
    return fold("solution", html`Solution <span class="when-folded">(folded)</span>`, open, { id: page.idOf(node) });
  }
  if (node.visibility === "hide") {
    return fold("fold", "Show the cell", parts, { id: page.idOf(node) });
  }
  return element("div", { id: page.idOf(node), class: `cell ${role ?? ""}`.trim() }, parts);
}

function shownCode(node, source, outputs, page) {
  if (!source || source.visibility === "remove") return NOTHING;
  if (source.visibility !== "hide") return code(source, page);
  const picture = childrenOf(outputs ?? {}).some((output) => isPicture(output));
  const [kind, title] = picture
    ? ["fold picture-code", "Code of this picture"]
    : ["fold", "Show the code"];
  return fold(kind, title, code({ ...source, visibility: "show" }, page));
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

const dataOf = (output) => output.jupyter_data?.data ?? {};
const isPicture = (output) => PICTURE in dataOf(output) || "image/png" in dataOf(output);
const isCaption = (output) =>
  /^\s*<p class="figure-caption">/.test(dataOf(output)["text/html"]?.content ?? "");

/** All outputs of a cell. A picture and the caption printed after it become one figure. */
export function outputs(node, page) {
  if (node.visibility === "remove" || !childrenOf(node).length) return NOTHING;
  const all = childrenOf(node);
  const shown = [];
  for (let at = 0; at < all.length; at += 1) {
    if (isPicture(all[at]) && all[at + 1] && isCaption(all[at + 1])) {
      const text = page.fragment(dataOf(all[at + 1])["text/html"].content, all[at + 1]);
      shown.push(html`<figure>${page.node(all[at])}<figcaption>${text}</figcaption></figure>`);
      at += 1;
    } else {
      shown.push(page.node(all[at]));
    }
  }
  const body = html`<div class="outputs">${shown}</div>`;
  return node.visibility === "hide" ? fold("fold", "Show the output", body) : body;
}

function words(value, kind) {
  const plain = value.replace(COLOURS, "").replace(/\n+$/, "");
  const marked = isReport(plain) ? markReport(plain) : html`${plain}`;
  return html`<pre class="output ${kind}">${marked}</pre>`;
}

export function output(node, page) {
  const made = node.jupyter_data;
  if (!made) return page.children(node);
  if (made.output_type === "stream") return words(made.text, made.name);
  if (made.output_type === "error") return words([made.traceback].flat().join("\n"), "error");
  const kind = SHOWN.find(([mime]) => made.data[mime]);
  if (!kind) {
    page.problem(node, `an output with no form that the page can show: ${Object.keys(made.data)}`);
    return NOTHING;
  }
  return kind[1](made.data[kind[0]], made, page, node);
}

/** Alt text of a picture is what the notebook prints in its place. */
function altOf(made, page, node) {
  const alt = (made.data["text/plain"]?.content ?? "").trim().replace(/^'(.*)'$/s, "$1");
  if (alt.length < SHORTEST_ALT || alt.startsWith("<")) {
    page.problem(node, `a picture whose text/plain is no alt text: “${alt}”`);
  }
  return alt;
}

function bitmap(data, made, page, node) {
  const { width, height } = made.metadata?.["image/png"] ?? {};
  const values = { src: page.asset(data.path, node), width, height, loading: "lazy", decoding: "async" };
  return html`<div class="picture"><img${attributes({ ...values, alt: altOf(made, page, node) })}></div>`;
}

function drawing(data, made, page, node) {
  const source = data.path ? page.asset(data.path, node) : page.keep(data.content, "svg");
  return html`<div class="picture"><img${attributes({ src: source, alt: altOf(made, page, node), loading: "lazy" })}></div>`;
}

function printedHtml(data, made, page, node) {
  return html`<div class="output-html">${page.fragment(page.read(data, node), node)}</div>`;
}

/** Data for the picture module, with the static picture that stays when scripts don't run. */
function livePicture(data, made, page, node) {
  page.hasPictures = true;
  const still = page.read(made.data["text/html"] ?? {}, node);
  checkStill(still, page, node);
  const values = { class: "pa-host", "data-src": data.path && page.asset(data.path, node) };
  const inside = data.path ? NOTHING : dataBlock(JSON.parse(data.content));
  return html`<div${attributes(values)}>${page.fragment(still, node)}${inside}</div>`;
}

function checkStill(still, page, node) {
  const images = [...elementsOf(readSafely(still))].filter((part) => part.name === "img");
  if (!images.length) page.problem(node, "a live picture without a static one in text/html");
}

function readSafely(source) {
  try {
    return readFragment(source);
  } catch {
    return []; // page.fragment says what is wrong
  }
}

function formula(data, made, page, node) {
  const source = data.content.trim();
  const display = source.startsWith("$$");
  return html`<div class="math">${page.equation({ ...node, value: source.replace(/^\$+|\$+$/g, "") }, display)}</div>`;
}

const SHOWN = [
  [PICTURE, livePicture],
  ["image/png", bitmap],
  ["image/svg+xml", drawing],
  ["text/html", printedHtml],
  ["text/latex", formula],
  ["text/plain", (data, made, page, node) => words(page.read(data, node), "result")],
];

export const cells = { code, outputs, output };
