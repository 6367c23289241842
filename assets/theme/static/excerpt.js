// The piece of a text around the words that were found.

const BEFORE_A_WORD = /[^\p{L}\p{N}]/u;

/** Where a word that begins with `term` stands in the lower-case text, from `from` on; or -1. */
function placeOf(lower, term, from = 0) {
  let at = term ? lower.indexOf(term, from) : -1;
  while (at > 0 && !BEFORE_A_WORD.test(lower[at - 1])) at = lower.indexOf(term, at + 1);
  return at;
}

/**
 * About `width` characters of `text` around the first hit, as pieces `{text, hit}`. `terms` are the
 * words that matched, in lower case.
 */
export function excerpt(text, terms, width = 150) {
  const places = terms.map((term) => placeOf(text.toLowerCase(), term)).filter((at) => at >= 0);
  const first = places.length ? Math.min(...places) : 0;
  const start = first < width / 2 ? 0 : text.lastIndexOf(" ", first - width / 3) + 1;
  let end = Math.min(text.length, start + width);
  if (end < text.length) end = Math.max(text.lastIndexOf(" ", end), first + 1);
  const piece = (start > 0 ? "… " : "") + text.slice(start, end).trim() + (end < text.length ? " …" : "");
  return marked(piece, terms);
}

/** Pieces of `text`, each a hit of one of the terms or what lies between hits. */
export function marked(text, terms) {
  const pieces = [];
  const lower = text.toLowerCase();
  let at = 0;
  while (at < text.length) {
    const next = nextHit(lower, terms, at);
    if (!next) break;
    if (next.start > at) pieces.push({ text: text.slice(at, next.start), hit: false });
    pieces.push({ text: text.slice(next.start, next.end), hit: true });
    at = next.end;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), hit: false });
  return pieces;
}

function nextHit(lower, terms, from) {
  let best = null;
  for (const term of terms) {
    const start = placeOf(lower, term, from);
    const better = best === null || start < best.start ||
      (start === best.start && term.length > best.end - best.start);
    if (start >= 0 && better) best = { start, end: start + term.length };
  }
  return best;
}
