// What all pictures have: a bar to step with, the sentence of the step, the picture, a table
// that can stand in its place. A picture says how to draw a step; the frame does the rest.
import { NARROW } from "./layout.js";
import { h, icon, newId, put, write } from "./dom.js";
import { Kernel } from "./kernel.js";
import { Presenter } from "./present.js";
import { number } from "./wording.js";

const PADDING = 16; // px at either side, 12 when narrow
const PLAY = 1200; // ms a step
const SPEAK = 2000; // ms between two sentences spoken while playing

const calm = () => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches ?? false;

/** Options: name, question, note, last, start, draw(step, animate), say(step) -> [call, sentence],
 * table(step) -> element, refocus(), controls: elements, stage: element, legend() -> element, hint,
 * key(event), live: the model that answers buttons, if one does. */
export class Frame {
  constructor(options) {
    Object.assign(this, options);
    this.step = Math.max(0, Math.min(this.last, this.start ?? 0));
    this.timer = 0;
    this.spoken = 0;
    this.kernel = this.live ? new Kernel(this.live, (text) => this.tell(text)) : null;
    this.build();
  }

  build() {
    const button = (name, label, act) =>
      h(
        "button",
        { type: "button", class: "pa-button", "aria-label": label, title: label, onclick: act },
        icon(name),
      );
    this.back = button("back", "Back one step", () => this.go(this.step - 1));
    this.next = button("next", "Next step", () => this.go(this.step + 1));
    this.play = h("button", {
      type: "button",
      class: "pa-button pa-play",
      onclick: () => this.toggle(),
    });
    this.range = h("input", {
      type: "range",
      class: "pa-range",
      "aria-label": "Step",
      min: 0,
      step: 1,
      oninput: () => this.go(Number(this.range.value)),
    });
    this.place = h("span", { class: "pa-place" });
    this.says = h("p", {
      class: "pa-says",
      role: "status",
      "aria-live": "polite",
      "aria-atomic": "true",
    });
    this.tableBox = h("div", {
      class: "pa-table",
      hidden: true,
      tabindex: 0,
      role: "region",
      "aria-label": `${this.name} as a table`,
    });
    this.switch = h(
      "button",
      {
        type: "button",
        class: "pa-button pa-switch",
        "aria-pressed": "false",
        onclick: () => this.flip(),
      },
      "Table",
    );
    this.presenter = new Presenter({
      redraw: () => this.show(),
      step: (by) => this.jump(this.step + by),
      refocus: () => this.refocus?.(),
    });
    const hint = newId();
    put(this.stage, "aria-describedby", hint);
    this.root = h(
      "div",
      {
        class: "pa",
        role: "group",
        "aria-label": this.name,
        "data-lm-suppress-shortcuts": "true",
        onkeydown: (event) => this.pressed(event),
      },
      h(
        "p",
        { class: "pa-head" },
        h("span", { class: "pa-question" }, this.question),
        " ",
        (this.noted = h("span", { class: "pa-note" })),
      ),
      h(
        "div",
        { class: "pa-bar", role: "group", "aria-label": "Steps" },
        this.back,
        this.next,
        this.play,
        this.range,
        this.place,
      ),
      this.controls ? h("div", { class: "pa-controls" }, ...this.controls) : null,
      this.says,
      (this.box = h("div", { class: "pa-stage" }, this.stage)),
      this.tableBox,
      h(
        "div",
        { class: "pa-foot" },
        (this.legendBox = h("div", { class: "pa-key" })),
        this.switch,
        this.presenter.button,
        this.presenter.keys,
        h("p", { class: "pa-hint", id: hint }, this.hint),
      ),
    );
    this.presenter.attach(this.root);
    this.root.addEventListener("keyup", (event) => event.stopPropagation());
  }

  /** Move to a step and say it. */
  go(step, { quiet = false } = {}) {
    this.step = Math.max(0, Math.min(this.last, step));
    this.show(!calm());
    this.speak(quiet);
  }

  /** Draw the current step again, after the data or the width changed. */
  show(animate = false) {
    put(this.root, "data-still", animate ? null : "");
    this.width = (this.root.clientWidth || 600) - 2 * PADDING;
    put(this.root, "data-narrow", this.width < NARROW - 2 * PADDING ? "" : null);
    put(this.range, "max", this.last);
    this.range.value = String(this.step);
    write(this.place, `${number(this.step)}/${number(this.last)}`);
    write(this.noted, this.note);
    const legend = this.legend();
    if (legend.textContent !== this.legendBox.textContent) this.legendBox.replaceChildren(legend);
    const focused = () => this.stage.contains(this.root.getRootNode().activeElement);
    const had = focused();
    this.draw(this.step, animate);
    if (had && !focused()) this.refocus?.(); // what had the focus is gone
    if (!this.tableBox.hidden) this.tableBox.replaceChildren(this.table(this.step));
    put(this.back, "aria-disabled", this.step === 0 ? "true" : null);
    put(this.next, "aria-disabled", this.step === this.last ? "true" : null);
    this.showPlay();
    const [call, said] = this.say(this.step);
    put(this.range, "aria-valuetext", `${this.step} of ${this.last}${call ? `, ${call}` : ""}`);
    this.text = [call, said];
    this.presenter.settle();
  }

  /** Move as a key asks: what was playing stops. */
  jump(step) {
    this.stop();
    this.go(step);
  }

  /** Put the sentence where it is seen; it is spoken at rest, and at most every 2 s while playing. */
  speak(quiet) {
    const [call, said] = this.text;
    const now = performance.now();
    const loud = !quiet && (!this.timer || now - this.spoken >= SPEAK);
    if (loud) this.spoken = now;
    put(this.says, "aria-live", loud ? "polite" : "off");
    if (`${call}${said}` === this.said) return;
    this.said = `${call}${said}`;
    this.says.replaceChildren(...(call ? [h("span", { class: "pa-call" }, call), " "] : []), said);
  }

  /** Say something that is no step: an engine's refusal, say. */
  tell(text) {
    this.text = ["", text];
    this.said = undefined;
    this.speak(false);
  }

  /** Let the kernel act; what comes of it is told, also if nothing does. */
  send(message) {
    this.kernel.send(message);
  }

  toggle() {
    if (this.timer) this.stop();
    else {
      if (this.step === this.last) this.go(0, { quiet: true });
      this.timer = setTimeout(() => this.tick(), PLAY);
    }
    this.showPlay();
  }

  tick() {
    if (this.step + 1 >= this.last) this.stop();
    else this.timer = setTimeout(() => this.tick(), PLAY);
    this.go(this.step + 1);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.showPlay();
  }

  showPlay() {
    const label = this.timer ? "Pause" : "Play";
    if (this.play.lastChild?.textContent === label) return;
    this.play.replaceChildren(icon(this.timer ? "pause" : "play"), label);
  }

  /** The table instead of the picture, or back. */
  flip() {
    const table = this.tableBox.hidden;
    this.tableBox.hidden = !table;
    this.box.hidden = table;
    put(this.switch, "aria-pressed", String(table));
    this.show();
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.matches("input:not([type=range]), select, textarea");
    const stepKey = { "[": -1, "]": 1 }[event.key];
    const inStage = () => this.stage.contains(event.target) && this.key?.(event);
    const presenting = () => this.presenter.key(event);
    // Escape first lets go of a part, then leaves the full screen.
    const hearers = event.key === "Escape" ? [inStage, presenting] : [presenting, inStage];
    if (stepKey && !typing) this.jump(this.step + stepKey);
    if ((stepKey && !typing) || hearers.some((hear) => hear())) event.preventDefault();
    event.stopPropagation(); // the page and Lab have keys of their own
  }

  remove() {
    this.stop();
    this.kernel?.remove();
    this.presenter.remove();
    this.root.remove();
  }
}
