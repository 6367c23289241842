// What can be found: one record for each section of a page, and for each term of the glossary.

import { readEffort } from "./chapter.mjs";
import { childrenOf, hasTag, isCode, textOf } from "./tree.mjs";

const SKIPPED = new Set(["outputs", "comment", "mystDirective", "image"]);
const OWN_LINE = new Set(["paragraph", "listItem", "tableCell", "summary", "definitionTerm"]);

const section = (title, anchor, kind = "section") =>
  ({ title, anchor, kind, text: [], hidden: [], code: [] });

/** Folded or veiled words are found, but never shown beside a hit: they would give something away. */
function gives(node) {
  const folds = node.type === "admonition" && /\bhint\b|\bdropdown\b/.test(`${node.kind} ${node.class ?? ""}`);
  return Boolean(node.veil) || node.type === "solution" || folds || hasTag(node, "solution");
}

/** Words and code of a node, separately: a hit in prose counts for more. */
function collect(node, into, place = "text") {
  if (SKIPPED.has(node.type)) return;
  const here = gives(node) ? "hidden" : place;
  if (node.type === "prediction") into[here].push(` ${node.asks} `);
  else if (node.type === "code") into.code.push(node.value);
  else if (typeof node.value === "string") into[here].push(node.value);
  else collectBelow(node, into, here);
  if (OWN_LINE.has(node.type)) into[here].push(" ");
}

function collectBelow(node, into, place) {
  if (node.type === "quiz") {
    collect(node.question, into, place);
    collect(node.list, into, "hidden");
  }
  const [first, ...rest] = childrenOf(node.type === "quiz" ? node.answer : node);
  const isFold = node.type === "details" || node.type === "quiz";
  if (first) collect(first, into, place);
  rest.forEach((child) => collect(child, into, isFold ? "hidden" : place));
}

const tidy = (pieces, between) => pieces.join(between).replace(/\s+/g, " ").trim();

/** Adds to `sections` what an exercise says; its minutes are no words to find. */
function exercise(node, sections) {
  const [title, ...rest] = childrenOf(node);
  sections.push(section(`Exercise ${node.enumerator}: ${textOf(title)}`, node.html_id, "exercise"));
  rest.filter((child) => !readEffort(textOf(child))).forEach((child) => collect(child, sections.at(-1)));
}

/** Each term with its definition. */
function glossary(node, sections) {
  for (const part of childrenOf(node).flatMap(childrenOf)) {
    if (part.type === "definitionTerm") sections.push(section(textOf(part), part.html_id, "term"));
    else collect(part, sections.at(-1));
  }
}

/** Sections of a page: what comes before the first heading, then one for each heading or exercise. */
export function searchRecords(entry) {
  const sections = [section(entry.title, "", "page")];
  if (entry.claim) collect(entry.claim, sections[0]);
  const visit = (node) => {
    if (node.type === "heading" && node.html_id) sections.push(section(textOf(node), node.html_id));
    else if (node.type === "exercise") exercise(node, sections);
    else if (node.type === "glossary") glossary(node, sections);
    else if (["root", "block", "workshop"].includes(node.type) && !isCode(node)) childrenOf(node).forEach(visit);
    else collect(node, sections.at(-1));
  };
  visit(entry.root);
  return sections
    .map(({ text, hidden, code, ...rest }) => ({
      url: entry.isIndex ? "/" : `${entry.url}/`,
      page: entry.title,
      ...rest,
      text: tidy(text, ""),
      hidden: tidy(hidden, ""),
      code: tidy(code, "\n"),
    }))
    .filter((record) => record.anchor === "" || record.text || record.hidden || record.code);
}
