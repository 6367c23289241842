// Figures by number: in a notebook "Figure 1.2" is words above or below a picture, here it has a place.

import { childrenOf, nodesOf, textOf } from "./tree.mjs";

const NUMBER = /^\s*(?:<p class="figure-caption">)?\s*(?:<strong>)?Figure (\d+\.\d+)\b/;

/** "1.2" of a caption that begins with "Figure 1.2", as words or as HTML; else null. */
export const figureNumber = (caption) => NUMBER.exec(caption)?.[1] ?? null;

export const figureId = (number) => `figure-${number.replace(".", "-")}`;

/** A live picture's caption is a paragraph that begins with its number in bold. */
export const isFigureCaption = (node) =>
  node.type === "paragraph" && childrenOf(node)[0]?.type === "strong" &&
  figureNumber(textOf(node)) !== null;

/** Map from a figure's number to the page that has it. */
export function readFigures(entries) {
  const figures = new Map();
  for (const entry of entries) {
    for (const node of nodesOf(entry.root)) {
      const caption = node.jupyter_data?.data?.["text/html"]?.content ?? "";
      const number = isFigureCaption(node) ? figureNumber(textOf(node)) : figureNumber(caption);
      if (number && !figures.has(number)) figures.set(number, entry);
    }
  }
  return figures;
}
