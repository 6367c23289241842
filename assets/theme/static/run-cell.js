// One cell of a page that runs: its code to write in, its buttons, what is said of it, its output.

import { recall } from "./progress.js";
import { Editor } from "./run-editor.js";
import { button, h } from "./run-nodes.js";
import { Output } from "./run-output.js";
import { asksForGuess, literalOf, sourceToRun } from "./run-source.js";

const NO_GUESS = /^no guess; it is (.+)\n?/gm;
const YOUR_GUESS = /^you said [^]*$/m; // and what speaks against it

const WORDS = {
  fresh: "",
  edited: "changed, not run yet",
  waiting: "waits for its turn",
  running: "running",
  ran: "ran",
  failed: "✗ failed",
  changed: "changed since it ran",
  stale: "a cell above has changed since",
  elsewhere: "needs PyTorch: runs in JupyterLab",
};

export class Cell {
  state = "fresh";

  /**
   * `data`: {id, source, tags}; `place`: which of the notebook's cells it is. `guess`: the section of the
   * prediction before it, which its output may answer.
   */
  constructor(data, place, guess, told) {
    Object.assign(this, { ...data, place, guess, told });
    this.block = document.getElementById(data.id);
    this.code = this.block?.querySelector(".code") ?? null;
    this.shown = this.code?.querySelector("code").textContent ?? data.source;
    this.runsHere = !data.tags.includes("needs-torch");
    this.asks = asksForGuess(data.source);
    this.answers = /\bcompare\(\s*guess\b/.test(data.source);
    const workshop = this.block?.closest(".workshop");
    this.exercise = workshop?.querySelector(".exercise") ?? null;
    this.solved = this.is("check") ? workshop?.querySelector(".solved input") ?? null : null;
    this.kept = this.#keptAs();
  }

  is(tag) {
    return this.tags.includes(tag);
  }

  /** Under which name the browser keeps this cell's text, and what it is called; null for most cells. */
  #keptAs() {
    if (!this.code) return null;
    const name = this.exercise?.querySelector("h3")?.textContent.replace(/\s+/g, " ").trim();
    if (this.is("stub")) return { key: this.exercise?.id ?? this.id, title: name ?? this.id };
    const task = /^judge\.(\w+)/m.exec(this.source);
    return task ? { key: this.id, title: `Open task ${task[1]}` } : null;
  }

  /**
   * Code and buttons become usable; the output stays the book's until the cell has run. `number`: its
   * name for readers, who don't see every cell of the notebook.
   */
  open(number, hint, helps) {
    this.number = number;
    if (!this.runsHere) {
      this.#makeBar();
      this.show("elsewhere");
      return;
    }
    const label = [`Cell ${this.number}`, this.is("stub") && this.kept.title].filter(Boolean).join(", ");
    const told = {
      changed: () => this.told.changed(this),
      run: () => this.told.run(this),
      runAndGoOn: () => this.told.runAndGoOn(this),
      left: () => this.told.left(this),
    };
    this.editor = new Editor(this.code, { label, hint, told });
    this.#makeBar();
    const host = this.block.querySelector(".outputs") ?? h("div", { className: "outputs" });
    if (!host.parentElement) this.bar.after(host);
    const { mount, cellOf } = helps;
    this.output = new Output(host, {
      mount,
      link: (text, { id, line }) => cellOf(id)?.linkTo(line, text, this) ?? text,
      reword: (text) => this.#reworded(text),
    });
    this.show();
  }

  #makeBar() {
    this.runs = button("Run", () => (this.state === "running" ? this.told.stop() : this.told.run(this)), "run-one");
    this.runs.setAttribute("aria-label", `Run cell ${this.number}`);
    this.above = button("Run all above", () => this.told.runAbove(this), "run-above");
    this.reset = button("Reset", () => this.told.reset(this), "run-reset");
    this.reset.setAttribute("aria-label", `Reset cell ${this.number} to the book's text`);
    this.says = h("span", { className: "run-mark" });
    const number = h("span", { className: "run-number", "aria-hidden": "true" }, String(this.number));
    const buttons = this.runsHere ? [this.runs, this.above, this.reset] : [];
    this.bar = h("div", { className: "run-bar" }, number, ...buttons, this.says);
    // A cell whose code is folded away can still be run; a solution only where it is open.
    (this.code.closest(".cell > details.fold") ?? this.code).after(this.bar);
  }

  get text() {
    return this.editor?.text ?? this.shown;
  }

  get isChanged() {
    return this.text !== this.shown;
  }

  /** Whether a reader sees it: it isn't in a closed fold, nor a guess that is a form here. */
  get inSight() {
    return Boolean(this.code) && !this.code.closest("details:not([open]), [hidden]");
  }

  /** What is sent to Python. */
  toRun() {
    const said = this.asks && this.guess ? recall(this.guess.dataset.point) : "";
    return sourceToRun(this, literalOf(said ?? "", this.guess?.dataset.answer ?? ""));
  }

  /** A guess that the page asks for isn't told before it is made. */
  #reworded(text) {
    return text.replace(NO_GUESS, this.answers && this.guess ? "" : "it is $1\n").trimEnd();
  }

  begin() {
    this.output?.begin();
    this.tell();
  }

  end() {
    const compared = !["measured", "check", "stub"].some((tag) => this.is(tag));
    this.output?.end({ compared, without: this.answers ? YOUR_GUESS : null });
  }

  /** Say what state the cell is in; `freshAbove`: cells above haven't run. */
  show(state = this.state, freshAbove = this.freshAbove) {
    Object.assign(this, { state, freshAbove });
    if (!this.bar) return;
    const edited = state === "fresh" && this.isChanged;
    const waits = state === "ran" && this.output.host.closest("[hidden]");
    this.says.textContent = waits ? "ran; its output waits for your guess" : WORDS[edited ? "edited" : state];
    this.block.dataset.cell = edited ? "edited" : state;
    this.runs.textContent = state === "running" ? "Stop" : "Run";
    this.runs.setAttribute("aria-label", `${this.runs.textContent} cell ${this.number}`);
    if (!freshAbove && document.activeElement === this.above) this.runs.focus(); // or the keyboard would begin anew
    this.above.hidden = !freshAbove;
    this.reset.hidden = !this.isChanged;
  }

  /** A sentence below the buttons, with what can be done about it; it goes when that is done, and `tell()` takes it away. */
  tell(text = "", label = "", act = null) {
    const had = this.note?.contains(document.activeElement);
    this.note?.remove();
    this.note = null;
    if (had) this.runs.focus();
    if (!text || !this.bar) return;
    const acts = () => {
      this.tell();
      act();
    };
    this.note = h("p", { className: "run-told" }, text, ...(act ? [" ", button(label, acts)] : []));
    this.bar.after(this.note);
  }

  /** A line of a traceback, printed by the cell `from`, that leads to a line of this cell. */
  linkTo(line, text, from) {
    if (!this.editor) return text;
    const lead = (event) => {
      event.preventDefault();
      for (let fold = this.code.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      this.editor.focus(line);
    };
    return h("a", { href: `#${this.id}`, onclick: lead }, from === this ? text : `cell ${this.number}, ${text}`);
  }
}
