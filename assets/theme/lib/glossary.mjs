// The glossary's terms, so that a term set in bold where a chapter introduces it links to its entry.

import { nodesOf, textOf } from "./tree.mjs";

const plain = (term) => term.toLowerCase().replace(/\s+/g, " ").trim();

/** Map from a term in lower case to where its entry is. */
export function readTerms(pages) {
  const terms = new Map();
  for (const page of pages) {
    for (const node of nodesOf(page.root)) {
      if (node.type !== "glossary") continue;
      for (const term of nodesOf(node)) {
        if (term.type === "definitionTerm" && term.html_id) {
          terms.set(plain(textOf(term)), { url: page.url, id: term.html_id });
        }
      }
    }
  }
  return terms;
}

/** The entry of a word, in the singular or plural, or undefined. */
export function entryOf(terms, words) {
  const word = plain(words);
  return terms.get(word) ?? terms.get(word.replace(/s$/, ""));
}
