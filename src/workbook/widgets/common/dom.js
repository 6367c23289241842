// Small helpers for building a picture. Text goes in as text, never as markup.

// In a notebook each widget has a copy of this module; they count together.
const COUNT = Symbol.for("paged-attention.pictures.ids");
/** An id that no other picture of this page has. */
export function newId() {
  globalThis[COUNT] = (globalThis[COUNT] ?? 0) + 1;
  return `pa-${globalThis[COUNT]}`;
}

/** An element with attributes, properties and listeners, and children that are nodes or text. */
export function h(tag, attributes = {}, ...children) {
  return fitted(document.createElement(tag), attributes, children);
}

const SVG = "http://www.w3.org/2000/svg";
/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fitted(document.createElementNS(SVG, tag), attributes, children);
}

function fitted(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Set an attribute only if it differs: repainting nothing is cheap, repainting all isn't. */
export function put(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else {
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** Set the text of an element only if it differs. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Give an element these children. Those that stay are not touched, so they keep the focus. */
export function arrange(parent, children) {
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, at) => {
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
}

const SHAPES = {
  back: "M11 3 5 8l6 5z",
  next: "M5 3l6 5-6 5z",
  play: "M4 2.5 13 8l-9 5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  more: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z",
  less: "M5 2h2v5H2V5h3zM9 2h2v3h3v2H9zM2 9h5v5H5v-3H2zM9 9h5v2h-3v3H9z",
};

/** A shape for a button; the button's label says what it does. */
export const icon = (name) =>
  svg(
    "svg",
    { viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", class: "pa-icon" },
    svg("path", { d: SHAPES[name], fill: "currentColor" }),
  );

/** A labelled field. */
export function field(label, input) {
  input.id = newId();
  return h("span", { class: "pa-field" }, h("label", { for: input.id }, label), input);
}

/** A labelled choice among [value, text]; `act(value)` hears a change. */
export function choice(label, options, chosen, act) {
  const option = ([value, text]) => h("option", { value, selected: value === chosen }, text);
  const select = h("select", {}, ...options.map(option));
  select.addEventListener("change", () => act(select.value));
  return field(label, select);
}

/** How many px of the screen one px of an element takes: before a room it is enlarged. */
export const scaleOf = (element) => element.getBoundingClientRect().width / element.offsetWidth || 1;

/** A table: head is a list of texts, rows are lists of texts; the first of a row is its head. */
export function table(caption, head, rows) {
  return h(
    "table",
    {},
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))),
    h(
      "tbody",
      {},
      ...rows.map(([first, ...rest]) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, h("bdi", {}, String(first))),
          ...rest.map((text) => h("td", {}, h("bdi", {}, String(text)))),
        ),
      ),
    ),
  );
}
