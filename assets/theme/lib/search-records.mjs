// What can be found: one record for each section of a page.

import { readEffort } from "./chapter.mjs";
import { childrenOf, textOf } from "./tree.mjs";

const SKIPPED = new Set(["outputs", "comment", "mystDirective", "image"]);

/** Words and code of a node, separately: a hit in prose counts for more. */
function collect(node, into) {
  if (SKIPPED.has(node.type)) return;
  if (node.type === "code") into.code.push(node.value);
  else if (typeof node.value === "string") into.text.push(node.value);
  childrenOf(node).forEach((child) => collect(child, into));
  if (["paragraph", "listItem", "tableCell", "summary", "definitionTerm"].includes(node.type)) {
    into.text.push(" ");
  }
}

const tidy = (pieces, between) => pieces.join(between).replace(/\s+/g, " ").trim();

/** Sections of a page: what comes before the first heading, then one for each heading or exercise. */
export function searchRecords(entry) {
  const start = { title: entry.title, anchor: "", text: [], code: [] };
  const sections = [start];
  if (entry.claim) collect(entry.claim, start);
  const visit = (node) => {
    if (node.type === "heading" && node.html_id) {
      sections.push({ title: textOf(node), anchor: node.html_id, text: [], code: [] });
    } else if (node.type === "exercise") {
      const [title, ...rest] = childrenOf(node);
      const name = `Exercise ${node.enumerator}: ${textOf(title)}`;
      sections.push({ title: name, anchor: node.html_id, text: [], code: [] });
      rest.filter((child) => !readEffort(textOf(child))).forEach((child) => collect(child, sections.at(-1)));
    } else if (["root", "block", "workshop"].includes(node.type)) {
      childrenOf(node).forEach(visit);
    } else {
      collect(node, sections.at(-1));
    }
  };
  visit(entry.root);
  return sections
    .map((section) => ({
      url: entry.isIndex ? "/" : `${entry.url}/`,
      anchor: section.anchor,
      page: entry.title,
      title: section.title,
      text: tidy(section.text, ""),
      code: tidy(section.code, "\n"),
    }))
    .filter((record) => record.anchor === "" || record.text || record.code);
}
