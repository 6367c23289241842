// A block, a slot, an entry of a table: one look for each state, with a second cue beside its colour.
import { h, put } from "./dom.js";
import { NONE } from "./trace.js";
import { short } from "./names.js";

/** Each state's words for the legend. */
export const WORDS = {
  free: "free",
  held: "held",
  shared: "shared, ×n holders",
  cached: "cached: the index alone",
  reserved: "reserved, still empty",
  copied: "just copied",
  other: "another's",
};

/** What the state says about every block: refs, fill, holder and look, found in one walk. */
export function blockFacts(state, events = []) {
  const count = state.trace.numBlocks;
  const found = { holder: new Int32Array(count).fill(NONE), filled: new Int32Array(count) };
  for (const [seq, table] of state.tables) {
    const filled = state.filled.get(seq);
    table.forEach((block, i) => {
      if (found.holder[block] === NONE) found.holder[block] = seq;
      if (filled[i] > found.filled[block]) found.filled[block] = filled[i];
    });
  }
  found.copies = new Set(events.filter(({ op }) => op === "copy").map(({ block }) => block));
  return found;
}

/** free, held, shared, cached, reserved or copied. */
export function lookOf(state, found, block) {
  if (!state.refs[block]) return "free";
  if (found.copies.has(block)) return "copied";
  if (state.cached.has(block)) return "cached";
  const holders = state.refs[block] - (state.path.has(block) ? 1 : 0);
  if (holders > 1) return "shared";
  return found.filled[block] ? "held" : "reserved";
}

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

/** The legend of these states, and of the tab of published blocks if `published`. */
export function legend(states, { published = false, words = WORDS } = {}) {
  const entry = (swatch, text) => h("li", {}, swatch, text);
  const swatch = (state) =>
    h("span", { class: "pa-cell pa-swatch", "data-state": state, "aria-hidden": "true" });
  const items = states.map((state) => entry(swatch(state), words[state] ?? WORDS[state]));
  if (published) {
    items.push(
      entry(
        h("span", { class: "pa-tab pa-swatch-tab", "aria-hidden": "true" }, "p"),
        "in the index",
      ),
    );
  }
  return h("ul", { class: "pa-legend", "aria-label": "Legend" }, ...items);
}
