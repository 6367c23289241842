// What a check printed, line by line, so that passed and failed cases can be told apart at a glance.

import { html, join } from "./html.mjs";

const CASE = /^( {2})(passed|FAILED|to do)( +\d+ .*)$/;
const FIELD = /^( {6})(tried|got|right|why)( .*)$/;
const KINDS = { passed: "passed", FAILED: "failed", "to do": "todo" };

/** A report's first line is the call that made it. */
export function isReport(text) {
  return /^check\.\w+\(/.test(text) && text.split("\n").some((line) => CASE.test(line));
}

export function markReport(text) {
  return join(text.split("\n").map(markLine), "\n");
}

function markLine(line) {
  const verdict = CASE.exec(line);
  if (verdict) {
    const [, indent, word, rest] = verdict;
    return html`${indent}<span class="verdict ${KINDS[word]}">${word}</span>${rest}`;
  }
  const field = FIELD.exec(line);
  return field ? html`${field[1]}<span class="field">${field[2]}</span>${field[3]}` : html`${line}`;
}
