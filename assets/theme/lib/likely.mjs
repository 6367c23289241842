// Wrong guesses that are easily made, and what speaks against each: a `compare`'s third argument.

const TEXT = String.raw`"(?:[^"\\]|\\.)*"`;
const KEY = String.raw`-?[\d._]+|${TEXT}|True|False|\([^()]*\)|\[[^[\]]*\]`;
const ENTRY = String.raw`(${KEY})\s*:\s*((?:${TEXT}\s*)+)`;
const CALL = new RegExp(String.raw`(compare\(guess,[^\n]*?),\s*\{\s*((?:${ENTRY},?\s*)+)\},?\s*\)`);

const unquoted = (text) => text.slice(1, -1).replace(/\\(.)/g, "$1");

/** A key as a reader would type it: without quotes, without Python's underscores. */
const typed = (key) => (key.startsWith('"') ? unquoted(key) : key.replace(/(\d)_(?=\d)/g, "$1"));

/** Pairs [guess, what speaks against it] of a cell, and the cell's code without them. */
export function splitLikely(source) {
  const found = CALL.exec(source);
  if (!found) return { likely: [], source };
  const entries = [...found[2].matchAll(new RegExp(ENTRY, "g"))];
  const likely = entries.map(([, key, texts]) => {
    const pieces = texts.match(new RegExp(TEXT, "g"));
    return [typed(key), pieces.map(unquoted).join("")];
  });
  return { likely, source: source.replace(found[0], () => `${found[1]})`) };
}
