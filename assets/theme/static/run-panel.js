// What stands in a chapter's header while its page runs: the button, how loading goes, one sentence
// that is also spoken, and what concerns all cells.

import { button, h } from "./run-nodes.js";
import { KEYS } from "./run-words.js";

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

export class Panel {
  /** `place`: the element of the button. `told`: {start, runAll, stop, download, clear}. */
  constructor(place, told) {
    Object.assign(this, { place, told });
    this.main = place.querySelector(".run-start");
    this.cost = place.querySelector(".run-cost");
    this.stop = button("Stop", () => told.stop(), "run-stop");
    this.stop.hidden = true;
    this.main.after(this.stop);
    this.bar = h("progress", { hidden: true });
    this.says = h("p", { className: "run-says", role: "status" });
    this.cost.after(this.bar, this.says);
    this.act = null;
    this.main.addEventListener("click", () => this.act?.());
  }

  say(text) {
    this.says.textContent = text;
  }

  loading(done = 0, total = 0) {
    this.#main(total && done >= total ? "Starting …" : "Loading …", null);
    this.cost.hidden = true;
    this.#progress("Loading Python", done, total, `${megabytes(done)} of ${megabytes(total)} MB`);
  }

  /** How far a command for several cells is. */
  running(done, total) {
    if (total > 1) this.#progress("Running cells", done, total, `${done} of ${total}`);
  }

  #progress(name, done, total, said) {
    this.bar.hidden = false;
    this.bar.setAttribute("aria-label", name);
    this.bar.setAttribute("aria-valuetext", said);
    if (!total) this.bar.removeAttribute("value");
    else Object.assign(this.bar, { max: total, value: Math.min(done, total) });
  }

  /** Python is there; the first time, what one can do is said, too. */
  ready() {
    this.bar.hidden = true;
    this.#main("Run all cells", this.told.runAll);
    this.cost.hidden = false;
    if (this.tools) return;
    this.cost.id = "run-keys";
    this.cost.textContent = KEYS;
    this.download = button("Download my answers", this.told.download);
    this.clear = button("Clear my answers", () => this.#ask());
    this.tools = h("p", { className: "run-tools" }, this.download, this.clear);
    this.place.append(this.tools);
  }

  /** While cells run they can be stopped. */
  busy(isBusy) {
    const had = document.activeElement === this.stop;
    this.stop.hidden = !isBusy;
    if (!isBusy && this.act) this.bar.hidden = true;
    if (had && !isBusy) this.main.focus();
  }

  /** Answers there are: without any there is nothing to download or clear. */
  answers(count) {
    if (count === 0 && this.tools.contains(document.activeElement)) this.main.focus();
    this.tools.hidden = count === 0;
  }

  /** Python can't be had (again). The button tries once more. */
  failed(text) {
    this.bar.hidden = true;
    this.busy(false);
    this.#main("Try again", this.told.start);
    this.say(text);
  }

  #main(label, act) {
    this.main.textContent = label;
    if (act) this.main.removeAttribute("aria-disabled");
    else this.main.setAttribute("aria-disabled", "true");
    this.act = act;
  }

  /** Clearing can't be undone, so it asks. */
  #ask() {
    const back = () => {
      this.tools.replaceChildren(this.download, this.clear);
      this.clear.focus();
    };
    const yes = button("Clear them", () => {
      back();
      this.told.clear();
    });
    const no = button("Keep them", back);
    this.tools.replaceChildren("All answers of this chapter go, and can't be had back. ", yes, no);
    no.focus();
  }
}
