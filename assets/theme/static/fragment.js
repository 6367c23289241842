// HTML that a cell printed, read strictly: a short list of elements and attributes, everything else
// is refused. What is read is a tree of plain objects; the build writes it anew as HTML, and a page
// that runs makes elements of it. Nothing of the original gets through unread.

const ELEMENTS = new Set(
  ("a abbr b bdi br caption code dd details div dl dt em figcaption figure hr i img kbd li ol p pre " +
    "small span strong sub summary sup table tbody td tfoot th thead tr u ul").split(" "),
);
// A still this wide, in pixels, fits a phone at two thirds of its size, where its text can be read.
export const SHRINKS = 540;
export const EMPTY = new Set(["br", "hr", "img"]);
const ATTRIBUTES = new Set(
  "alt class colspan decoding dir height href lang loading rel rowspan scope src target title width".split(" "),
);
const TOKEN = /<!--|<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[^<>]*?)?)\s*(\/?)>|<|[^<]+/g;
const ATTRIBUTE = /([a-zA-Z_:][\w:.-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/y;
const ENTITY = /&(#\d+|#x[\da-f]+|amp|lt|gt|quot|apos|nbsp);/gi;
const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

export class RefusedHtml extends Error {}

/** Text with its character references read; unknown ones stay as they are. */
export function unescape(text) {
  return text.replace(ENTITY, (whole, name) => {
    if (name[0] !== "#") return NAMED[name.toLowerCase()];
    const hex = name[1].toLowerCase() === "x";
    return String.fromCodePoint(parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10));
  });
}

function readAttributes(text, name) {
  const found = {};
  let rest = text.trim();
  while (rest) {
    ATTRIBUTE.lastIndex = 0;
    const match = ATTRIBUTE.exec(rest);
    if (!match) throw new RefusedHtml(`<${name}> has attributes that can't be read: ${rest.slice(0, 40)}`);
    const key = match[1].toLowerCase();
    if (!ATTRIBUTES.has(key)) throw new RefusedHtml(`<${name}> has the attribute ${key}`);
    found[key] = unescape(match[2] ?? match[3] ?? "");
    rest = rest.slice(match[0].length).trim();
  }
  return found;
}

/** Throws RefusedHtml for an element or attribute that isn't on the list, or that is left open. */
export function readFragment(source) {
  const top = { name: null, children: [] };
  const open = [top];
  for (const match of source.matchAll(TOKEN)) {
    const [token, closing, tag, rest] = match;
    if (token === "<" || token === "<!--") throw new RefusedHtml("a < that opens no element, or a comment");
    if (!tag) {
      open.at(-1).children.push({ text: unescape(token) });
      continue;
    }
    const name = tag.toLowerCase();
    if (!ELEMENTS.has(name)) throw new RefusedHtml(`<${name}> isn't on the list of allowed elements`);
    if (closing) {
      if (open.at(-1).name !== name) throw new RefusedHtml(`</${name}> closes nothing`);
      open.pop();
      continue;
    }
    const node = { name, attributes: readAttributes(rest, name), children: [] };
    open.at(-1).children.push(node);
    if (!EMPTY.has(name)) open.push(node);
  }
  if (open.length > 1) throw new RefusedHtml(`<${open.at(-1).name}> is never closed`);
  return top.children;
}

/** All elements of a fragment, parents first. */
export function* elementsOf(nodes) {
  for (const node of nodes) {
    if (node.name) {
      yield node;
      yield* elementsOf(node.children);
    }
  }
}
