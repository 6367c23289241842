// How names of sequences are shown: as text only, short, never two alike (see words/names.py).

const LONGEST = 16;
const BIDI = "\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff";
const HIDDEN = new RegExp(`[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029${BIDI}]`, "gu");
const RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}]/u;
const JOINER = "\u200d";

/** The name with its control characters shown; a joiner inside an emoji stays. */
export function visible(name) {
  return name.replace(HIDDEN, (c, at) => {
    const code = c.codePointAt(0);
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return "\u2421";
    const after = name.codePointAt(at + 1) ?? 0;
    if (c === JOINER && at > 0 && after > 0x2000) return c;
    return `⟨${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

const isFlag = (c) => c >= "\u{1f1e6}" && c <= "\u{1f1ff}";
const isTone = (c) => c >= "\u{1f3fb}" && c <= "\u{1f3ff}";

/** The text in the pieces a reader takes for one character, by a simple rule. */
export function graphemes(text) {
  const pieces = [];
  for (const c of text) {
    const last = pieces.at(-1);
    const joined =
      last !== undefined &&
      (/^\p{M}$/u.test(c) ||
        c === JOINER ||
        isTone(c) ||
        last.endsWith(JOINER) ||
        (isFlag(c) && [...last].length === 1 && isFlag(last)));
    if (joined) pieces[pieces.length - 1] += c;
    else pieces.push(c);
  }
  return pieces;
}

/** At most so many graphemes, the last an ellipsis if more were there. */
export function short(text, longest = LONGEST) {
  const pieces = graphemes(text);
  return pieces.length <= longest ? text : `${pieces.slice(0, longest - 1).join("")}…`;
}

/** How each name is shown. An empty name gets its number, and so do two that look alike. */
export function shownNames(names) {
  const shown = names.map((name) => short(visible(name)));
  const alike = new Map();
  for (const name of shown) alike.set(name, (alike.get(name) ?? 0) + 1);
  return shown.map((name, at) => (!name.trim() || alike.get(name) > 1 ? `${name}#${at}` : name));
}

/** A name for use inside a sentence: kept apart if it is written from right to left. */
export const isolated = (name) => (RTL.test(name) ? `\u2068${name}\u2069` : name);
