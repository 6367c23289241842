// A queue as rows: who runs, the line, who waits; for each a bar of its tokens.
import WORDS from "./words.json" with { type: "json" };
import { h } from "../common/dom.js";
import { say } from "../common/wording.js";

const STATES = ["held", "copied", "free"];

/** A bar of parts, each as wide as its number. */
export function bar(parts) {
  const cells = parts.map(({ state, n, mark }) => {
    const cell = h("span", { class: "pa-cell pa-part", "data-state": state, "aria-hidden": "true" });
    cell.style.flexGrow = String(n);
    cell.append(h("span", { class: "pa-part-mark", "data-text": mark }));
    return cell;
  });
  return h("span", { class: "pa-parts", "aria-hidden": "true" }, ...cells);
}

/** The three parts of a request's bar, those that are empty left out. */
const partsOf = ({ known, cached, ran }) =>
  [
    ["held", cached - ran],
    ["copied", ran],
    ["free", known - cached],
  ].filter(([, n]) => n > 0);

/** What a request's row is called. */
export function labelOf(place, name) {
  return say(WORDS.row, { ...place, name, place: place.runs ? WORDS.runs : WORDS.waits });
}

/** What the parts of a bar mean. */
export function barLegend() {
  const swatch = (state) =>
    h("span", { class: "pa-cell pa-swatch", "data-state": state, "aria-hidden": "true" });
  const entry = (state) => h("li", {}, swatch(state), WORDS.legend[state]);
  return h("ul", { class: "pa-legend", "aria-label": "Legend" }, ...STATES.map(entry));
}

export class QueueRows {
  constructor(label) {
    this.element = h("div", { role: "grid", class: "pa-queue-grid", "aria-label": label });
    this.cells = [];
  }

  draw(places, names) {
    const most = Math.max(1, ...places.map(({ known }) => known));
    const rows = [];
    for (const place of places) {
      if (!place.runs && (!rows.length || rows.at(-1).runs)) rows.push(this.line());
      rows.push(this.row(place, names[place.name], most));
    }
    if (!rows.length) rows.push(this.nobody());
    this.cells = rows.flatMap((row) => row.cell ?? []);
    this.element.replaceChildren(...rows.map(({ element }) => element));
  }

  row(place, name, most) {
    const tokens = bar(partsOf(place).map(([state, n]) => ({ state, n, mark: String(n) })));
    tokens.style.width = `${(100 * place.known) / most}%`;
    const cell = h(
      "div",
      {
        role: "gridcell",
        class: "pa-request",
        "data-part": "",
        "data-key": String(place.name),
        "aria-label": labelOf(place, name),
      },
      h("span", { class: "pa-request-name", "data-text": name }),
      h("span", { class: "pa-request-bar" }, tokens),
      h("span", { class: "pa-note", "data-text": say(["{n#block}"], { n: place.blocks }) }),
    );
    return { runs: place.runs, cell, element: h("div", { role: "row" }, cell) };
  }

  line() {
    const words = h("span", {}, WORDS.line);
    return { element: h("div", { class: "pa-line-mark", role: "presentation" }, words) };
  }

  nobody() {
    const cell = h(
      "div",
      { role: "gridcell", class: "pa-nobody", "data-part": "", "data-key": "nobody" },
      WORDS.empty,
    );
    return { cell, element: h("div", { role: "row" }, cell) };
  }

  /** The parts that can have the focus, row by row. */
  parts() {
    return this.cells.map((cell) => [cell]);
  }
}
