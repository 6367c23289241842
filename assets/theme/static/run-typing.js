// What a few keys do to Python in a plain text field. Each function takes the text and the selection,
// and gives one replacement: `{from, to, insert}`, and where the selection is then, or null when the
// key does nothing special here. Nothing is changed: whoever asks puts it in.

const STEP = 4;
const OPENS = /:\s*(#.*)?$/;
const LEAVES = /^\s*(return|raise|pass|break|continue)\b/;

const lineStart = (text, at) => text.lastIndexOf("\n", at - 1) + 1;
const indentOf = (line) => /^ */.exec(line)[0].length;
const replaced = (from, to, insert, start = from + insert.length, end = start) => ({ from, to, insert, start, end });

/** From the start of the first selected line to the end of the last one. */
function selectedLines(text, start, end) {
  const from = lineStart(text, start);
  const last = end > start && text[end - 1] === "\n" ? end - 1 : end; // a line of which nothing is chosen
  const to = text.indexOf("\n", last);
  return { from, to: to < 0 ? text.length : to };
}

/** The same change to every selected line; what was selected stays so. */
function onLines(text, start, end, change) {
  const { from, to } = selectedLines(text, start, end);
  const before = text.slice(from, to).split("\n");
  const after = before.map(change);
  const insert = after.join("\n");
  if (insert === text.slice(from, to)) return null;
  const moved = after[0].length - before[0].length;
  const first = Math.max(from, start + moved);
  return replaced(from, to, insert, first, Math.max(first, end + insert.length - (to - from)));
}

/** Tab: to the next step of four; with several lines selected, all of them. */
export function indent(text, start, end) {
  if (text.slice(start, end).includes("\n")) {
    return onLines(text, start, end, (line) => (line ? " ".repeat(STEP) + line : line));
  }
  const column = start - lineStart(text, start);
  return replaced(start, end, " ".repeat(STEP - (column % STEP)));
}

/** Shift and Tab: every selected line a step back. */
export const outdent = (text, start, end) =>
  onLines(text, start, end, (line) => line.slice(Math.min(indentOf(line), indentOf(line) % STEP || STEP)));

/** Enter: the new line stands where the old one did; deeper after a colon, less deep after a return. */
export function newLine(text, start, end) {
  const line = text.slice(lineStart(text, start), start);
  const opens = OPENS.test(line) && !/^\s*#/.test(line);
  const step = opens ? STEP : LEAVES.test(line) ? -STEP : 0;
  return replaced(start, end, `\n${" ".repeat(Math.max(0, indentOf(line) + step))}`);
}

/** Backspace, where only spaces stand before it: a step back. */
export function backspace(text, start, end) {
  const from = lineStart(text, start);
  const column = start - from;
  if (start !== end || column < 2 || text.slice(from, start).trim()) return null;
  return replaced(start - (column % STEP || STEP), start, "");
}

/** Ctrl and /: the selected lines become comments, or code again when all of them are comments. */
export function comment(text, start, end) {
  const { from, to } = selectedLines(text, start, end);
  const lines = text.slice(from, to).split("\n").filter((line) => line.trim());
  const column = Math.min(...lines.map(indentOf));
  if (lines.length && lines.every((line) => /^\s*#/.test(line))) {
    return onLines(text, start, end, (line) => line.replace(/^(\s*)# ?/, "$1"));
  }
  return onLines(text, start, end, (line) => (line.trim() ? `${line.slice(0, column)}# ${line.slice(column)}` : line));
}
