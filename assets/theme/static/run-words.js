// What a page that runs says, once for eyes and ears.

const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

export const KEYS =
  "Shift and Enter run a cell and go on to the next, Ctrl and Enter run it. While you write, Tab indents; Escape, then Tab leaves the cell.";

export const NOT_LOADED = "The page's cells could not be loaded: is there a network? The page is as it was.";

/** `back` answers were put in again; `elsewhere` cells can't run on the page. */
export function ready(python, back, elsewhere) {
  const answers = back ? ` ${back === 1 ? "An answer of yours is" : `${back} answers of yours are`} back.` : "";
  const others = elsewhere ? ` ${count(elsewhere, "cell")} ${elsewhere === 1 ? "needs" : "need"} PyTorch and ${elsewhere === 1 ? "keeps" : "keep"} the book's output.` : "";
  return `Python ${python} is ready.${answers} Run cells from top to bottom, or press Run all cells.${others}`;
}

/** How many cells ran, and what the last one said if that is a check. */
export function ran(cells, last, verdict) {
  if (cells === 1) return verdict ? `Cell ${last} ran: ${verdict}` : `Cell ${last} ran.`;
  return `${count(cells, "cell")} ran.${verdict ? ` Cell ${last}: ${verdict}` : ""}`;
}

export function failed(number, why, dropped) {
  return `Cell ${number} failed: ${why.replace(/\.$/, "")}.${dropped ? " The cells after it were not run." : ""}`;
}

export const LOST = "Python ended, and every name that cells had made is gone.";

export function stopped(number, dropped) {
  const where = number ? ` in cell ${number}` : "";
  const waited = dropped ? ` ${count(dropped, "cell")} that waited ${dropped === 1 ? "was" : "were"} not run.` : "";
  return `Stopped${where}. ${LOST} What they printed stays.${waited}`;
}

export const gone = (text, isOpen) =>
  `Python could not be run: ${text} ${isOpen ? "Your texts are still here." : "The page is as it was."}`;
