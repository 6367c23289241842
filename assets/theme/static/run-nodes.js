// Elements for the page, from text and from HTML that was read strictly. Nothing is ever parsed as
// markup by the browser.

import { EMPTY, RefusedHtml, SHRINKS, readFragment } from "./fragment.js";

const PICTURE = /^data:image\/(svg\+xml|png);base64,[A-Za-z0-9+/=]+$/;

/** An element with attributes and properties; children are elements or text. */
export function h(name, { className = "", ...values } = {}, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  for (const [key, value] of Object.entries(values)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

export const button = (label, act, className = "") => h("button", { type: "button", className, onclick: act }, label);

/** Elements for what a cell gave as HTML, or null for HTML that a page doesn't take. */
export function nodesOf(source) {
  try {
    return readFragment(source).map(nodeOf);
  } catch (error) {
    if (error instanceof RefusedHtml) return null;
    throw error;
  }
}

/** Throws RefusedHtml for an address that leads elsewhere. It is asked first: a picture loads as soon as it has one. */
function checkAddresses(name, { src, href }) {
  if (src !== undefined && !(name === "img" && PICTURE.test(src))) throw new RefusedHtml(`<${name}> from ${src}`);
  if (href !== undefined && !(name === "a" && /^(https?:|#)/.test(href))) throw new RefusedHtml(`a link to ${href}`);
}

function nodeOf({ name, text, attributes, children }) {
  if (text !== undefined) return document.createTextNode(text);
  checkAddresses(name, attributes);
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (key !== "target") made.setAttribute(key, value);
  if (name === "a") made.rel = "noopener";
  if (name === "img" && Number(attributes.width) <= SHRINKS) made.classList.add("shrinks");
  if (!EMPTY.has(name)) made.append(...children.map(nodeOf));
  return made;
}

/** Pieces `{text, kind}` as text and spans of the class `kind`. */
export const spansOf = (pieces) =>
  pieces.map(({ text, kind }) => (kind ? h("span", { className: kind }, text) : document.createTextNode(text)));

/**
 * A style sheet of this folder, if the page hasn't it; settles when it is there or can't be had. It comes
 * after the page's own, or before them, so that they still have the last word.
 */
export function styled(name, { first = false } = {}) {
  const { href } = new URL(name, import.meta.url);
  if ([...document.styleSheets].some((sheet) => sheet.href === href)) return Promise.resolve();
  const link = h("link", { rel: "stylesheet", href });
  if (first) document.querySelector('link[rel="stylesheet"]').before(link);
  else document.head.append(link);
  return new Promise((done) => { link.onload = link.onerror = done; });
}
