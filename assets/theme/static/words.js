// Words that belong together, for the search: endings are cut off, other names are known.

/** Endings, longest first; at least four letters stay. */
const ENDINGS = [
  "ications", "ication", "ational", "ations", "ation", "ators", "ator", "ating", "ated", "ates", "ate",
  "nesses", "ness", "ments", "ment", "ities", "ity", "ables", "able", "ibles", "ible",
  "ions", "ion", "ings", "ing", "ers", "ors", "er", "or", "es", "ed", "ly", "y", "e", "s",
];
const LEAST = 4;

/** "preemption", "preempted" and "preempts" are all "preempt"; short words stay, but for a plural's s. */
export function stem(given) {
  const word = given.replace(/i(es|ed)$/, "y");
  const ending = ENDINGS.find((each) => word.endsWith(each) && word.length - each.length >= LEAST);
  const cut = ending ? word.slice(0, -ending.length) : word.replace(/(?<=^[a-z]{3})s$/, "");
  return cut.replace(/([bdglmnprt])\1$/, "$1"); // "swapping" is "swap"
}

/** What other books and engines call it, and what this one does. */
const NAMES = {
  cow: "copy on write",
  defragmentation: "compaction",
  fragmentation: "external waste",
  gqa: "grouped queries",
  leaks: "leak",
  lru: "least recently used",
  memoization: "prefix cache",
  oom: "out of memory",
  page: "block",
  pagetable: "block table",
  paging: "blocks",
  radix: "prefix tree",
  recomputation: "recompute",
  refcount: "reference count",
  refcounting: "reference count",
  refcounts: "reference count",
  tlb: "block table",
  utilization: "utilisation",
};

/** A query in the book's own words, or null when no word of it has another name. */
export function inOwnWords(query) {
  const words = query.trim().toLowerCase().split(/\s+/);
  const own = words.map((word) => NAMES[word.replace(/[^a-z]/g, "")] ?? word);
  return own.join(" ") === words.join(" ") ? null : own.join(" ");
}
