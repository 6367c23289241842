// What can this prompt reuse, and what goes first? The tree of known prefixes.
import CELLS from "../common/words.json" with { type: "json" };
import WORDS from "./words.json" with { type: "json" };
import { legend } from "../common/cells.js";
import { field, h, put, table, write } from "../common/dom.js";
import { Stepped } from "../common/stepped.js";
import { PrefixModel } from "./model.js";
import { wordsOf } from "./prompts.js";
import { Tree } from "./tree.js";
import { listed, say } from "../common/wording.js";

const QUEUE = 12; // blocks that are shown of those that could be evicted

export class PrefixPicture extends Stepped {
  constructor(el, data, live) {
    super();
    this.live = live;
    this.model = new PrefixModel(data);
    this.tree = new Tree(WORDS);
    this.pieces = h("p", { class: "pa-chunks" });
    this.queue = h("p", { class: "pa-queue" });
    this.law = h("p", { class: "pa-law" });
    this.frameIn(WORDS, {
      note: say(live ? WORDS.notes.live : WORDS.notes.still, { size: this.model.trace.blockSize }),
      last: this.model.last,
      start: data.start,
      stage: this.tree.element,
      controls: [this.form()],
      legend: () => legend(this.model.looks, { published: true, words: WORDS.legend }),
      live,
      say: (step) => ["", this.model.sentence(step)],
      table: (step) => this.table(step),
    });
    this.frame.box.prepend(this.pieces);
    this.frame.box.append(this.queue, this.law);
    this.showIn(el);
  }

  /** New data from the kernel. */
  update(data) {
    this.model.read(data);
    this.show(data.start);
  }

  show(step) {
    this.frame.last = this.model.last;
    this.frame.stop();
    this.frame.go(step);
  }

  form() {
    const input = (name) =>
      h("input", {
        type: "text",
        class: name,
        autocomplete: "off",
        spellcheck: "false",
        oninput: () => this.frame.show(),
      });
    this.prompt = input("pa-prompt");
    this.salt = input("pa-salt");
    const button = (type, text, act) =>
      h("button", { type, class: "pa-button", onclick: act }, text);
    return h(
      "form",
      {
        class: "pa-choices pa-prompt-form",
        onsubmit: (event) => {
          event.preventDefault();
          this.run();
        },
      },
      field(WORDS.prompt, this.prompt),
      field(WORDS.salt, this.salt),
      button("submit", WORDS.run),
      button("button", WORDS.evict, () => this.evict()),
    );
  }

  run() {
    const [prompt, salt] = [this.prompt.value, this.salt.value];
    if (!wordsOf(prompt).length) {
      this.frame.tell(WORDS.nothing);
      return;
    }
    this.prompt.value = "";
    if (this.live) this.frame.send({ call: "run", prompt, salt: salt.trim() });
    else this.show(this.model.run(prompt, salt));
  }

  evict() {
    if (this.live) this.frame.send({ call: "evict" });
    else this.show(this.model.evict());
  }

  draw(step) {
    const state = this.model.state(step);
    const [prompt, salt] = [this.prompt.value, this.salt.value];
    const typed = wordsOf(prompt);
    const hits = typed.length ? this.model.preview(step, prompt, salt) : this.model.hits(step);
    this.tree.draw({
      roots: this.model.roots(step),
      gone: this.model.gone(step),
      keys: this.model.trace.keys,
      hits: new Set(hits),
      state: this.model.state(step),
    });
    this.drawPieces(typed.length ? typed : this.model.asked(step), hits.length, typed.length > 0);
    this.drawQueue(state);
    this.rover?.settle();
  }

  /** The prompt of the step, or the one being typed, cut into blocks: what is reused, what runs. */
  drawPieces(words, hits, typing) {
    put(this.pieces, "hidden", words.length ? null : "");
    const reused = hits * this.model.trace.blockSize;
    const facts = { hits, reused, run: words.length - reused };
    const label = typing ? say(WORDS.preview, facts) : WORDS.asked;
    const piece = ({ text, hit }) =>
      h(
        "span",
        { class: "pa-chunk", "data-hit": hit ? "" : null },
        h("bdi", {}, text),
        h("span", { class: "pa-chunk-note" }, hit ? WORDS.hit : WORDS.toRun),
      );
    this.pieces.replaceChildren(
      h("span", { class: "pa-label" }, label),
      ...this.model.pieces(words, hits).map(piece),
    );
  }

  drawQueue(state) {
    const cell = (block) =>
      h("span", { class: "pa-cell pa-small", "data-state": "cached" }, String(block));
    const cells = [...state.cached].slice(0, QUEUE).map(cell);
    const label = cells.length ? WORDS.queue : WORDS.noqueue;
    this.queue.replaceChildren(h("span", { class: "pa-label" }, label), ...cells);
    const [free, cached, total] = [state.numFree, state.cached.size, state.refs.length];
    write(this.law, say(CELLS.law, { free, held: total - free - cached, cached, total }));
  }

  parts() {
    return this.tree.items.map(({ item }) => [item]);
  }

  key(event) {
    return this.tree.key(event, this.rover);
  }

  table(step) {
    const next = listed([...this.model.state(step).cached]) || "–";
    const caption = say(WORDS.caption, { step, last: this.model.last, next });
    return table(caption, WORDS.head, this.model.rows(step));
  }
}
