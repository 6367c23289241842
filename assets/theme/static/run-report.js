// A check's report in lines that wrap: in a notebook they are cut for a window of 100 letters.

import { piecesOfLine } from "./printed.js";
import { h, spansOf } from "./run-nodes.js";

const FIELD = /^ {6}(tried|got|right|why) /;
const CONTINUES = /^ {14}(?=\S)/;
const WORDS = /^ {2}(?:passed|FAILED|to do|skipped) +\d+ +|^ {6}(?:tried|got|right|why) +|^ */;

/** The lines of a report, each field in one. */
export function linesOf(report) {
  const lines = [];
  let inField = false;
  for (const line of report.split("\n")) {
    if (inField && CONTINUES.test(line)) lines.push(`${lines.pop()} ${line.trim()}`);
    else lines.push(line);
    inField = FIELD.test(lines.at(-1));
  }
  return lines;
}

/** In which column a line's own words begin: there it goes on when it wraps. */
export const hangOf = (line) => WORDS.exec(line)[0].length;

/** A report as elements, a line each. */
export function reportNodes(report) {
  return linesOf(report).map((line) => {
    const made = h("span", { className: "run-line" }, ...spansOf(piecesOfLine(line)), "\n");
    made.style.setProperty("--hang", `${hangOf(line)}ch`);
    return made;
  });
}
