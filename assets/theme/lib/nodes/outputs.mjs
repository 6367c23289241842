// What cells printed: words, reports, HTML, still pictures, live ones.

import { attributes, dataBlock, element, html, join, NOTHING } from "../html.mjs";
import { figureNumber } from "../figures.mjs";
import { elementsOf, readFragment } from "../fragment.mjs";
import { shownSize } from "../image-size.mjs";
import { isTable, piecesOf, plainText } from "../../static/printed.js";
import { childrenOf } from "../tree.mjs";
import { fold } from "./blocks.mjs";

export const PICTURE = "application/vnd.paged-attention.picture+json";
const SHORTEST_ALT = 20;

const dataOf = (output) => output.jupyter_data?.data ?? {};
const htmlOf = (output, page) => page.read(dataOf(output)["text/html"] ?? {});
export const isLive = (output) => PICTURE in dataOf(output);
export const isPicture = (output, page) =>
  [PICTURE, "image/svg+xml", "image/png"].some((mime) => mime in dataOf(output)) ||
  /^\s*<img /.test(htmlOf(output, page));

/** What an output says in plain words. */
export const wordsOf = (output) =>
  output.jupyter_data?.text ?? dataOf(output)["text/plain"]?.content ?? "";

/** The caption that an output is, as HTML, or null. */
function captionOf(output, page) {
  const found = output ? htmlOf(output, page) : "";
  return /^\s*<p class="figure-caption">/.test(found) ? found : null;
}

/** All outputs of a cell. A picture and the caption printed after it become one figure. */
export function outputs(node, page) {
  if (node.visibility === "remove" || !childrenOf(node).length) return NOTHING;
  const all = childrenOf(node);
  const shown = [];
  for (let at = 0; at < all.length; at += 1) {
    const caption = isPicture(all[at], page) ? captionOf(all[at + 1], page) : null;
    shown.push(caption ? figure(all[at], all[at + 1], caption, page) : page.node(all[at]));
    if (caption) at += 1;
  }
  const body = element("div", { class: "outputs", "data-veil": node.veil }, join(shown));
  return node.visibility === "hide" ? fold("fold", "Show the output", body) : body;
}

function figure(picture, after, caption, page) {
  const id = page.figureId(figureNumber(caption));
  return html`<figure${attributes({ id })}>${page.node(picture)}<figcaption>${page.fragment(caption, after)}</figcaption></figure>`;
}

function words(value, kind) {
  // A comparison that no prediction of this page asks for still tells its number.
  const plain = plainText(value).replace(/^no guess; it is /gm, "it is ");
  const marked = piecesOf(plain).map(({ text, kind: look }) => (look ? html`<span class="${look}">${text}</span>` : text));
  const columns = isTable(plain) ? " columns" : "";
  return html`<pre class="output ${kind}${columns}">${marked}</pre>`;
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

function image(values) {
  const lazy = { loading: "lazy", decoding: "async" };
  return html`<div class="picture"><img${attributes({ ...values, ...lazy })}></div>`;
}

function bitmap(data, made, page, node) {
  const { width, height } = made.metadata?.["image/png"] ?? {};
  return image({ src: page.asset(data.path, node), width, height, alt: altOf(made, page, node) });
}

function drawing(data, made, page, node) {
  const src = data.path ? page.asset(data.path, node) : page.keep(data.content, "svg");
  return image({ src, ...shownSize(Buffer.from(page.read(data))), alt: altOf(made, page, node) });
}

function printedHtml(data, made, page, node) {
  const kind = isPicture(node, page) ? "picture" : "output-html";
  return html`<div class="${kind}">${page.fragment(page.read(data), node)}</div>`;
}

/** Data for the picture module, with the static picture that stays when scripts don't run. */
function livePicture(data, made, page, node) {
  page.hasPictures = true;
  const still = page.read(made.data["text/html"] ?? {});
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
  ["image/svg+xml", drawing],
  ["image/png", bitmap],
  ["text/html", printedHtml],
  ["text/latex", formula],
  ["text/plain", (data, made, page, node) => words(page.read(data), "result")],
];
