// A tree of prefixes: from left to right where there is room, else downwards and indented.
import texts from "../../trace/texts.json" with { type: "json" };
import { dress, lookOf, newCell } from "./cells.js";
import { h } from "./dom.js";
import { visible } from "./names.js";
import { folded } from "./prompts.js";
import { say } from "./wording.js";

const WORDS = texts.prefix;

const group = (children, role = "group") => h("div", { role, class: "pa-children" }, ...children);

export class Tree {
  constructor() {
    this.element = h("div", { role: "tree", class: "pa-tree", "aria-label": WORDS.tree });
    this.items = []; // {item, parent}, in the order in which they are seen
  }

  /** Draw {roots, gone, keys, hits, state, found}. */
  draw(drawn) {
    Object.assign(this, drawn);
    this.items = [];
    this.element.replaceChildren(
      ...this.roots.map(({ path, name, nodes }) => {
        const label = h("span", { class: "pa-root-name" }, h("bdi", {}, name));
        const item = this.item({ name, level: 1, parent: null, kind: "pa-node pa-root" }, label);
        return this.grow(item, nodes, { level: 2, path });
      }),
    );
  }

  /** An item with its row; its children are appended later. */
  item({ name, level, parent, kind = "pa-node" }, ...row) {
    const item = h(
      "div",
      { role: "treeitem", class: kind, "data-part": "", "aria-level": level, "aria-label": name },
      h("div", { class: "pa-node-row" }, ...row),
    );
    this.items.push({ item, parent });
    return item;
  }

  /** Append to an item what follows it: known nodes, and what was just evicted from among them. */
  grow(item, nodes, { level, path }) {
    const children = nodes.map((node) => this.node(node, { level, path, parent: item }));
    for (const ghost of this.gone.get(path) ?? []) {
      children.splice(ghost.at, 0, this.ghost(ghost));
    }
    if (children.length) item.append(group(children));
    return item;
  }

  /** A node with all that follows it; a long run without a branch is folded. */
  node(node, { level, path, parent }) {
    const { head, skipped, tail } = folded(node);
    const item = this.known(head, level, parent);
    const here = `${path}/${head[0]}`;
    if (!skipped.length) return this.grow(item, head[2], { level: level + 1, path: here });
    const row = h("div", { class: "pa-node-row" }, say(WORDS.fold, { n: skipped.length }));
    const rest = this.node(tail, {
      level: level + skipped.length + 1,
      path: [here, ...skipped.map(([key]) => key)].join("/"),
      parent: item,
    });
    const fold = h("div", { role: "none", class: "pa-node pa-fold" }, row, group([rest], "none"));
    item.append(group([fold]));
    return item;
  }

  known([key, blocks], level, parent) {
    const words = visible(this.keys[key]);
    const cells = blocks.map((block) => this.cell(block));
    const [first] = blocks;
    const name = say(WORDS.node, {
      blocks,
      words,
      look: texts.pool.looks[lookOf(this.state, this.found, first)],
      refs: this.state.refs[first],
      hit: this.hits.has(first),
    });
    return this.item(
      { name, level, parent },
      h("span", { class: "pa-copies" }, ...cells),
      h("span", { class: "pa-words" }, h("bdi", {}, words)),
    );
  }

  cell(block) {
    const cell = newCell("presentation");
    const look = lookOf(this.state, this.found, block);
    const cached = look === "cached";
    cell.removeAttribute("data-part"); // the item around it is the part
    dress(cell, {
      state: look,
      id: block,
      mark: cached ? "c" : `×${this.state.refs[block]}`,
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
    const row = h("div", { class: "pa-node-row" }, cell, said);
    return h("div", { role: "none", class: "pa-node pa-ghost" }, row);
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
