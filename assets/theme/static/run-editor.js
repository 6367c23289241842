// A cell's code becomes a field to write in: a textarea over the coloured code.
//
// Why a textarea and no editor from a package: screen readers, phones' keyboards, autofill of long
// words, undo and the reader's own settings all know it. CodeMirror would need a bundler, which this
// theme has none of, 100 kB, and style elements that the page's policy forbids. What a textarea
// lacks is little: colours, which lie below it in letters of the same size, and a few keys
// (`run-typing.js`). What keys put in goes through `insertText`, so that the browser's own undo
// takes it back; the command is old, and nothing newer does that.
//
// Tab is the page's until one writes: whoever passes by with the keyboard isn't caught. While
// writing, Tab indents, and Escape gives it back.

import { forgetScroller } from "./reading.js";
import { coloured } from "./run-colours.js";
import { h } from "./run-nodes.js";
import { backspace, comment, indent, newLine, outdent } from "./run-typing.js";

const isCommand = (event) => event.ctrlKey || event.metaKey;

export class Editor {
  #writing = false;

  /** `code`: a `.code` element. `told`: {changed(), run(), runAndGoOn(), left()}, where keys lead. */
  constructor(code, { label, hint, told }) {
    this.told = told;
    this.below = code.querySelector("pre");
    this.layer = code.querySelector("code");
    this.field = h("textarea", {
      "aria-label": label, "aria-describedby": hint, autocapitalize: "off", autocomplete: "off", autocorrect: "off",
      spellcheck: "false", rows: "1", wrap: "off",
    });
    this.field.value = this.layer.textContent;
    this.field.setSelectionRange(0, 0);
    const layers = h("div", { className: "run-layers" });
    this.below.replaceWith(h("div", { className: "run-sheet" }, layers));
    forgetScroller(this.below);
    this.below.setAttribute("aria-hidden", "true");
    layers.append(this.below, this.field);
    code.querySelector(".copy")?.remove(); // one stop less for the keyboard; a field has a way of its own
    code.classList.add("run-edit");
    this.#listen();
  }

  get text() {
    return this.field.value;
  }

  /** Another text, as if it were typed: undo brings the old one back. */
  replace(text) {
    this.#put({ from: 0, to: this.field.value.length, insert: text, start: 0, end: 0 });
  }

  /** A text that was here before, without a way back. */
  restore(text) {
    this.field.value = text;
    this.paint();
  }

  focus(line = null) {
    if (line !== null) {
      const at = this.text.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
      this.field.setSelectionRange(at, at);
    }
    this.field.focus();
  }

  paint() {
    // A last line that is empty needs something in it to have a height.
    this.layer.replaceChildren(...coloured(this.text), this.text.endsWith("\n") ? " " : "");
  }

  #listen() {
    this.field.addEventListener("input", () => {
      this.#writing = true;
      this.paint();
      this.told.changed();
    });
    this.field.addEventListener("pointerdown", () => { this.#writing = true; });
    this.field.addEventListener("blur", () => { this.#writing = false; });
    this.field.addEventListener("keydown", (event) => {
      if (!event.isComposing && this.#pressed(event)) event.preventDefault();
    });
  }

  /** True when the key was ours. */
  #pressed(event) {
    const { key, shiftKey } = event;
    if (key === "Enter" && (shiftKey || isCommand(event))) {
      if (shiftKey) this.told.runAndGoOn();
      else this.told.run();
      return true;
    }
    if (key === "Escape" && this.#writing) {
      this.#writing = false;
      this.told.left();
      return true;
    }
    return this.#put(this.#editFor(event));
  }

  #editFor(event) {
    const { key, shiftKey, altKey } = event;
    const { value, selectionStart, selectionEnd } = this.field;
    const edit = (change) => change(value, selectionStart, selectionEnd);
    if (key === "/" && isCommand(event)) return edit(comment);
    if (altKey || isCommand(event)) return null;
    if (key === "Tab" && this.#writing) return edit(shiftKey ? outdent : indent) ?? "nothing";
    if (key === "Enter") return edit(newLine);
    return key === "Backspace" ? edit(backspace) : null;
  }

  #put(edit) {
    if (!edit || edit === "nothing") return Boolean(edit);
    this.field.focus();
    this.field.setSelectionRange(edit.from, edit.to);
    const typed = document.execCommand(edit.insert ? "insertText" : "delete", false, edit.insert);
    if (!typed) {
      this.field.setRangeText(edit.insert);
      this.field.dispatchEvent(new Event("input"));
    }
    this.field.setSelectionRange(edit.start, edit.end);
    return true;
  }
}
