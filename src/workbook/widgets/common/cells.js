// A block, a slot, an entry of a table: one look for each state, with a second cue beside its colour.
import looks from "../../stills/looks.json" with { type: "json" };
import WORDS from "./words.json" with { type: "json" };
import { h, put } from "./dom.js";
import { chunks } from "./layout.js";
import { short } from "./names.js";

export const STATES = looks.states;
export const COLOURS = looks.colours;

/** An empty cell; `dress` fills it. */
export function newCell(role = "gridcell") {
  const cell = h("div", { class: "pa-cell", role, "data-part": "" });
  cell.id_ = h("span", { class: "pa-id" });
  cell.mark = h("span", { class: "pa-mark" });
  cell.tab = h("span", { class: "pa-tab" });
  cell.bar = h("span", { class: "pa-fill" });
  cell.append(cell.id_, cell.mark, cell.tab, cell.bar);
  return cell;
}

/** Cells as rows of a grid, so many in each. */
export const rowsOf = (cells, columns) =>
  chunks(cells, columns).map((row) => h("div", { role: "row", class: "pa-row" }, ...row));

/** Show a state on a cell, whose texts are for eyes only: `label` is what it is called. `part`: what share of it is written, if not all. */
export function dress(
  cell,
  { state, id = "", mark = "", tab = "", part = 1, label, ring = false },
) {
  put(cell, "data-state", state);
  put(cell, "data-ring", ring ? "" : null);
  put(cell.id_, "data-text", String(id) || null);
  put(cell.mark, "data-text", short(mark, 5) || null);
  put(cell.mark, "data-long", mark.length > 3 ? "" : null);
  put(cell.tab, "data-text", tab || null);
  const partly = part > 0 && part < 1;
  put(cell.bar, "hidden", partly ? null : "");
  if (partly) cell.bar.style.setProperty("--part", `${part * 100}%`);
  if (label !== undefined) put(cell, "aria-label", label);
}

/** The legend of those states that occur, and of the tab of published blocks if `published`. */
export function legend(occur, { published = false, words = {} } = {}) {
  const states = Object.keys(STATES).filter((state) => occur.has(state));
  const entry = (swatch, text) => h("li", {}, swatch, text);
  const swatch = (state) =>
    h("span", { class: "pa-cell pa-swatch", "data-state": state, "aria-hidden": "true" });
  const items = states.map((state) => entry(swatch(state), words[state] ?? STATES[state].legend));
  if (published) {
    items.push(
      entry(
        h("span", { class: "pa-tab pa-swatch-tab", "aria-hidden": "true" }, "p"),
        WORDS.published,
      ),
    );
  }
  return h("ul", { class: "pa-legend", "aria-label": "Legend" }, ...items);
}
