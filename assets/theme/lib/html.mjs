// Text becomes HTML in one place. Whatever isn't Markup is text, and text is escaped.

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** HTML that this theme wrote itself. */
export class Markup {
  #text;

  constructor(text) {
    this.#text = text;
  }

  toString() {
    return this.#text;
  }
}

export const NOTHING = new Markup("");

export function escape(text) {
  return String(text).replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** HTML from a trusted maker (KaTeX, highlight.js, our own fragment reader). */
export function trusted(text) {
  return new Markup(text);
}

function written(value) {
  if (value === undefined || value === null || value === false) return "";
  if (Array.isArray(value)) return value.map(written).join("");
  return value instanceof Markup ? value.toString() : escape(value);
}

/** Template tag: html`<p>${text}</p>` escapes text, keeps Markup, joins arrays, drops null. */
export function html(strings, ...values) {
  const parts = strings.map((string, at) => (at === 0 ? string : written(values[at - 1]) + string));
  return new Markup(parts.join(""));
}

/** Several pieces one after the other. */
export function join(pieces, between = "") {
  return new Markup(pieces.map(written).join(between));
}

/** Attributes with a leading space each; null, undefined, false and "" are left out. */
export function attributes(values) {
  const kept = Object.entries(values).filter(
    ([, value]) => value !== undefined && value !== null && value !== false && value !== "",
  );
  return new Markup(
    kept.map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escape(value)}"`)).join(""),
  );
}

/** `<name …>content</name>`. */
export function element(name, values, content = NOTHING) {
  return html`<${trusted(name)}${attributes(values)}>${content}</${trusted(name)}>`;
}

/** JSON for a data block in the page: it can't close the script element it stands in. */
export function dataBlock(value) {
  return trusted(
    `<script type="application/json">${JSON.stringify(value).replaceAll("<", "\\u003c")}</script>`,
  );
}
