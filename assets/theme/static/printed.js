// What a cell printed, as words: without a terminal's colours, and, of a check's report, which words
// are verdicts. The build and a page that runs read it in the same way.

// eslint-disable-next-line no-control-regex
const COLOURS = /\u001b\[[0-9;]*[A-Za-z]/g;
const CASE = /^( {2})(passed|FAILED|to do)( +\d+ .*)$/;
const FIELD = /^( {6})(tried|got|right|why)( .*)$/;
const VERDICTS = { passed: "verdict passed", FAILED: "verdict failed", "to do": "verdict todo" };

/** The text without colours and without empty lines at its end. */
export const plainText = (text) => text.replace(COLOURS, "").replace(/\n+$/, "");

/** Lines with columns scroll on a small screen; running words wrap. */
export const isTable = (text) => text.split("\n").filter((line) => /\S {2,}\S/.test(line)).length > 1;

/** A report's first line is the call that made it. */
export const isReport = (text) => /^check\.\w+\(/.test(text) && text.split("\n").some((line) => CASE.test(line));

/** A line of a report in pieces `{text, kind}`; `kind` is a class, of verdicts and fields alone. */
export function piecesOfLine(line) {
  const verdict = CASE.exec(line);
  if (verdict) return [{ text: verdict[1] }, { text: verdict[2], kind: VERDICTS[verdict[2]] }, { text: verdict[3] }];
  const field = FIELD.exec(line);
  return field ? [{ text: field[1] }, { text: field[2], kind: "field" }, { text: field[3] }] : [{ text: line }];
}

/** A plain text in such pieces. */
export function piecesOf(text) {
  if (!isReport(text)) return [{ text }];
  return text.split("\n").flatMap((line, at) => (at ? [{ text: "\n" }, ...piecesOfLine(line)] : piecesOfLine(line)));
}
