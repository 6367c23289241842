// The cover: a sentence in blocks of memory, and the table that finds them. static/walk.js steps it.
//
// It is made of words, so that it stays readable on every screen and without scripts.

import { html } from "./html.mjs";
import { childrenOf, nodesOf, textOf } from "./tree.mjs";

const TABLE = [7, 2, 11, 5, 9, 0];
const BLOCK_SIZE = 4;
const POOL = 12;
/** The last block is the one that isn't full. */
const MOST = TABLE.length * BLOCK_SIZE - 1;
const LEAST = MOST - BLOCK_SIZE + 2;

/** The tokens of the cover: words and commas of the caption's last sentence. */
export function tokensOf(caption) {
  const sentence = caption.trim().split(/(?<=\.)\s+/).at(-1);
  return sentence.match(/[\p{L}\p{N}’'-]+|,/gu) ?? [];
}

/** The figure at the top of a page's text, and the text without it; null when there is none. */
export function takeCover(root) {
  const [first, ...rest] = childrenOf(root);
  const figure = childrenOf(first ?? {}).find((node) => node.type === "container" && node.kind === "figure");
  if (!figure) return null;
  const image = [...nodesOf(figure)].find((node) => node.type === "image");
  const caption = childrenOf(figure).find((node) => node.type === "caption");
  const kept = childrenOf(first).filter((node) => node !== figure);
  return {
    figure,
    alt: image?.alt ?? "",
    tokens: tokensOf(textOf(caption ?? {})),
    root: { ...root, children: [{ ...first, children: kept }, ...rest] },
  };
}

/** The words of a block as one reads them: no space before a comma. */
const sentence = (tokens) => tokens.join(" ").replaceAll(" ,", ",");

function entry({ block, tokens }, at) {
  return html`<li><span class="words">${sentence(tokens)}</span>
<button class="entry" type="button" aria-label="Entry ${at} of the table: block ${block}"><span>${block}</span></button></li>`;
}

function poolBlock(id, chunk) {
  if (!chunk) return html`<li><span class="id">${id}</span></li>`;
  const tiles = Array.from({ length: BLOCK_SIZE }, (_, at) =>
    chunk.tokens[at] ? html`<span>${chunk.tokens[at]}</span>` : html`<span class="empty"></span>`);
  return html`<li class="held"><span class="id">${id}</span><span class="tiles">${tiles}</span></li>`;
}

/** The cover as HTML. The number of tokens must fill all blocks but a part of the last. */
export function drawCover({ figure, alt, tokens }, page) {
  if (tokens.length < LEAST || tokens.length > MOST) {
    page.problem(figure, `the caption's last sentence has ${tokens.length} words and commas; the cover needs ${LEAST} to ${MOST}`);
  }
  const chunks = TABLE.map((block, at) => ({
    block,
    tokens: tokens.slice(at * BLOCK_SIZE, (at + 1) * BLOCK_SIZE),
  }));
  const pool = Array.from({ length: POOL }, (_, id) => poolBlock(id, chunks.find(({ block }) => block === id)));
  return html`<div class="walk" data-table="${TABLE.join(",")}" data-tokens="${tokens.length}">
<p class="unseen">${alt}</p>
<p class="walk-label">${tokens.length} tokens in order, and their block table</p>
<ol class="walk-sequence">${chunks.map(entry)}</ol>
<ol class="walk-pool">${pool}</ol>
<p class="walk-label below"><span>a pool of ${POOL} blocks</span> <span>filled: held · dashed: free</span></p>
<svg class="walk-lines" aria-hidden="true"></svg>
<div class="walk-bar needs-script"><button type="button" class="back" aria-label="One block back">◀</button>
<button type="button" class="on" aria-label="One block on">▶</button>
<button type="button" class="play">Walk the table</button><p role="status"></p></div>
</div>`;
}
