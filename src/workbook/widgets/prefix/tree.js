// A tree of prefixes: from left to right where there is room, else downwards and indented.
import WORDS from "./words.json" with { type: "json" };
import { STATES, dress, newCell } from "../common/cells.js";
import { h } from "../common/dom.js";
import { visible } from "../common/names.js";
import { folded } from "./prompts.js";
import { say } from "../common/wording.js";

// Items stand beside what follows them, not around it: each is called by its own words only.
const wrap = (kind, ...children) => h("div", { role: "none", class: kind }, ...children);

export class Tree {
  constructor() {
    this.element = h("div", { role: "tree", class: "pa-tree", "aria-label": WORDS.tree });
    this.items = []; // {item, parent}, in the order in which they are seen
  }

  /** Draw {roots, gone, keys, hits, state}. */
  draw(drawn) {
    Object.assign(this, drawn);
    this.items = [];
    const place = { level: 1, parent: null };
    const roots = this.roots.map(({ path, name, nodes }, at) => {
      const label = h("span", { class: "pa-root-name" }, h("bdi", {}, name));
      const here = { ...place, path, at, count: this.roots.length };
      const item = this.item(name, here, label);
      return wrap("pa-node pa-root", item, ...this.below(item, nodes, here));
    });
    this.element.replaceChildren(...roots);
  }

  /** What the keyboard reaches of a node. */
  item(name, { level, path, at, count, parent }, ...row) {
    const item = h(
      "div",
      {
        role: "treeitem",
        class: "pa-node-row",
        "data-part": "",
        "data-key": path,
        "aria-level": level,
        "aria-posinset": at + 1,
        "aria-setsize": count,
        "aria-label": name,
      },
      ...row,
    );
    this.items.push({ item, parent });
    return item;
  }

  /** What follows an item: known nodes, and what was just evicted from among them. */
  below(item, nodes, { level, path }) {
    const place = { level: level + 1, parent: item, count: nodes.length };
    const children = nodes.map((node, at) =>
      this.node(node, { ...place, at, path: `${path}/${node[0]}` }),
    );
    for (const ghost of this.gone.get(path) ?? []) {
      children.splice(ghost.at, 0, this.ghost(ghost));
    }
    return children.length ? [wrap("pa-children", ...children)] : [];
  }

  /** A node with all that follows it; a long run without a branch is folded. */
  node(node, place) {
    const { head, skipped, tail } = folded(node);
    const item = this.known(head, place);
    if (!skipped.length) return wrap("pa-node", item, ...this.below(item, head[2], place));
    const row = wrap("pa-node-row", say(WORDS.fold, { n: skipped.length }));
    const rest = this.node(tail, {
      level: place.level + skipped.length + 1,
      path: [place.path, ...skipped.map(([key]) => key), tail[0]].join("/"),
      parent: item,
      at: 0,
      count: 1,
    });
    const fold = wrap("pa-node pa-fold", row, wrap("pa-children", rest));
    return wrap("pa-node", item, wrap("pa-children", fold));
  }

  known([key, blocks], place) {
    const words = visible(this.keys[key]);
    const [first] = blocks;
    const name = say(WORDS.node, {
      blocks,
      words,
      look: STATES[this.state.look(first)].word,
      refs: this.state.refs[first],
      hit: this.hits.has(first),
    });
    return this.item(
      name,
      place,
      h("span", { class: "pa-copies" }, ...blocks.map((block) => this.cell(block))),
      h("span", { class: "pa-words" }, h("bdi", {}, words)),
    );
  }

  cell(block) {
    const cell = newCell("presentation");
    const look = this.state.look(block);
    const cached = look === "cached";
    cell.removeAttribute("data-part"); // the item around it is the part
    dress(cell, {
      state: look,
      id: block,
      mark: STATES[look].mark || `×${this.state.refs[block]}`,
      tab: cached ? "" : "p",
      ring: this.hits.has(block),
    });
    return cell;
  }

  ghost({ block, words }) {
    const cell = newCell("presentation");
    cell.removeAttribute("data-part");
    dress(cell, { state: "free", id: block });
    const said = h("span", { class: "pa-words" }, say(WORDS.ghost, { words }));
    return wrap("pa-node pa-ghost", wrap("pa-node-row", cell, said));
  }

  /** Left leads to the parent, right to the first child; all else as everywhere. */
  key(event, rover) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return rover.key(event);
    const here = this.items.find(({ item }) => item === rover.at);
    const child = this.items.find(({ parent }) => parent && parent === here?.item);
    const to = event.key === "ArrowLeft" ? here?.parent : child?.item;
    to?.focus();
    return true;
  }
}
