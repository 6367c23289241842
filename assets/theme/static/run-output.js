// What a cell prints here takes the place of what the book printed, as text. Where the two differ,
// the book's stays below it in a fold.

import { isReport, isTable, plainText } from "./printed.js";
import { watchScroller } from "./reading.js";
import { h, nodesOf } from "./run-nodes.js";
import { reportNodes } from "./run-report.js";

const PICTURE = "application/vnd.paged-attention.picture+json";
const WIDGET = "application/vnd.jupyter.widget-view+json";
const MOST = 100_000; // characters of text that a cell may show
const PAUSE = 40; // ms between two drawings of text that goes on
const DIGEST = /\[data ([0-9a-f]+)\]\s*$/;

const digestIn = (node) => node.querySelector?.("figcaption small code")?.textContent ?? null;

/** The words of outputs, for comparison; a picture is its digest. */
function wordsOf(nodes) {
  const words = nodes.flatMap((node) => {
    const figures = node.matches?.("figure") ? [node] : [...(node.querySelectorAll?.("figure") ?? [])];
    if (figures.length) return figures.map((figure) => digestIn(figure) ?? "");
    return node.matches?.("pre") ? [node.textContent] : [];
  });
  return words.join("\n").replace(/\s+$/gm, "").trim();
}

export class Output {
  #items = []; // what this run shows
  #text = null; // {pre, kind, value}: text that goes on
  #named = new Map(); // what may be shown anew, by its name in Python
  #timer = 0;
  #shown = 0;
  #fresh = false;

  /**
   * `host`: the cell's outputs, as the book has them or empty. `reword(text)`: printed words as the
   * page says them; `link(text, where)`: a line of a traceback that leads to a cell's line;
   * `mount(host, data, name)` draws a live picture.
   */
  constructor(host, { reword, link, mount }) {
    Object.assign(this, { host, reword, link, mount });
    this.books = [...host.childNodes];
    this.figures = this.books.filter((node) => node.matches?.("figure"));
  }

  /** What was there stays until something comes. */
  begin() {
    Object.assign(this, { failed: null });
    this.#items = [];
    this.#named.clear();
    this.#text = null;
    this.#shown = 0;
    this.#fresh = true;
  }

  stream(name, text) {
    this.#print(name, text);
  }

  /** `update`: the name of something shown before, whose place this takes. */
  data({ data, metadata = {}, update }) {
    this.#flush();
    this.#text = null;
    if (PICTURE in data) this.#live(data[PICTURE], data[WIDGET]?.model_id);
    else if (!this.#html(data)) this.#print("result", data["text/plain"] ?? "");
    this.#text = null;
    this.#name(update ?? metadata.display_id, this.#items.at(-1));
  }

  #name(name, made) {
    if (!name || !made) return;
    const before = this.#named.get(name);
    if (before?.isConnected && before !== made) {
      before.replaceWith(made);
      this.#items = this.#items.filter((item) => item !== before);
    }
    this.#named.set(name, made);
  }

  error({ ename, evalue, lines = [] }) {
    this.#flush();
    this.#text = null;
    this.failed = ename;
    const said = lines.length ? lines : [{ text: `${ename}: ${evalue}` }];
    const parts = said.flatMap(({ text, where }, at) => [at ? "\n" : "", where ? this.link(text, where) : text]);
    this.#add(h("pre", { className: "output error" }, ...parts));
  }

  /** The run is over. `compared`: whether to say where the book printed something else. */
  end({ compared, without = null }) {
    this.#flush();
    this.#clear();
    if (!compared || !this.books.length) return;
    const now = without ? wordsOf(this.#items).replace(without, "").trim() : wordsOf(this.#items);
    if (now === wordsOf(this.books)) return;
    const copies = h("div", { className: "folded" }, ...this.books.map((node) => node.cloneNode(true)));
    copies.querySelectorAll("[id]").forEach((part) => part.removeAttribute("id"));
    const title = h("summary", {}, "The book printed something else");
    this.host.append(h("details", { className: "fold run-book" }, title, copies));
  }

  /** The words of the last thing shown. */
  get lastLine() {
    return this.#items.at(-1)?.textContent.trimEnd().split("\n").at(-1).trim() ?? "";
  }

  #clear() {
    if (this.#fresh) this.host.replaceChildren();
    this.#fresh = false;
  }

  #add(node) {
    this.#clear();
    this.#items.push(node);
    this.host.append(node);
    if (node.matches("pre, .picture, .output-html")) watchScroller(node);
    return node;
  }

  #print(kind, text) {
    if (!text || this.#shown > MOST) return;
    this.#shown += text.length;
    const over = this.#shown > MOST;
    if (this.#text?.kind !== kind) {
      this.#flush();
      this.#text = { kind, value: "", pre: this.#add(h("pre")) };
    }
    this.#text.value += over ? `${text.slice(0, MOST)}\n… and more than a page can hold` : text;
    if (kind === "result") this.#flush();
    else this.#timer ||= setTimeout(() => this.#flush(), PAUSE);
  }

  #flush() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (!this.#text) return;
    const { pre, kind, value } = this.#text;
    const plain = this.reword(plainText(value));
    pre.hidden = !plain;
    const report = isReport(plain);
    pre.className = `output ${kind}${!report && isTable(plain) ? " columns" : ""}`;
    pre.replaceChildren(...(report ? reportNodes(plain) : [plain]));
  }

  #live(data, name) {
    const host = this.#add(h("div", { className: "pa-host" }));
    this.mount(host, data, name);
  }

  /** True when the data's HTML could be shown: a picture, its caption, a table. */
  #html(data) {
    const nodes = data["text/html"] && nodesOf(data["text/html"]);
    if (!nodes?.length) return false;
    const [first] = nodes;
    if (first.matches?.("p.figure-caption")) this.#caption(nodes, DIGEST.exec(data["text/plain"] ?? "")?.[1]);
    else this.#add(h("div", { className: first.matches?.("img") ? "picture" : "output-html" }, ...nodes));
    return true;
  }

  /**
   * A caption makes a figure of what came before it. If it has the digest of the book's picture, that
   * one stays: charts can't be drawn here, and needn't be.
   */
  #caption(nodes, digest) {
    const picture = this.#items.pop();
    const at = this.#items.filter((node) => node.matches?.("figure")).length;
    const books = this.figures[at];
    picture?.remove();
    if (books && digest && digestIn(books) === digest) {
      this.#add(books);
      return;
    }
    const made = h("figure", { id: books?.id || null }, ...(picture ? [picture] : []), h("figcaption", {}, ...nodes));
    if (!picture?.matches(".picture, .pa-host")) {
      made.append(h("p", { className: "note" }, "Its data are no longer the book's. This page can't draw it anew; JupyterLab can."));
    }
    this.#add(made);
  }
}
