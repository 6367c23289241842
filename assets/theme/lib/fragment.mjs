// What `static/fragment.js` read of a cell's HTML, written anew.

import { EMPTY, RefusedHtml, SHRINKS } from "../static/fragment.js";
import { attributes, escape, html, join, trusted } from "./html.mjs";

export { RefusedHtml, elementsOf, readFragment, unescape } from "../static/fragment.js";

/** A read fragment as HTML. `source(url)` says where a picture's bytes are. */
export function writeFragment(nodes, source) {
  return join(nodes.map((node) => writeNode(node, source)));
}

function writeNode(node, source) {
  if (node.text !== undefined) return trusted(escape(node.text));
  const values = { ...node.attributes };
  if (node.name === "img") {
    values.src = source(values.src ?? "");
    values.loading = "lazy";
    values.decoding = "async";
    if (Number(values.width) <= SHRINKS) {
      values.class = [values.class, "shrinks"].filter(Boolean).join(" ");
    }
  }
  if (node.name === "a") {
    if (!/^(https?:|#)/.test(values.href ?? "")) throw new RefusedHtml(`a link to ${values.href}`);
    delete values.target;
    values.rel = "noopener";
  }
  // An empty alt says "decoration", so it must be written too.
  const alt = node.name === "img" && values.alt === "" ? trusted(' alt=""') : "";
  const start = html`<${trusted(node.name)}${attributes(values)}${alt}>`;
  if (EMPTY.has(node.name)) return start;
  return html`${start}${writeFragment(node.children, source)}</${trusted(node.name)}>`;
}
