// One tab stop for a whole picture: arrows move the focus between its parts, in rows.
import { moved } from "./layout.js";
import { put } from "./dom.js";

export class Rover {
  /** `rows()` gives the parts row by row; `told(part)` hears which part has the focus or the mouse. */
  constructor(stage, rows, told) {
    Object.assign(this, { stage, rows, told });
    this.pinned = null;
    this.at = null;
    stage.addEventListener("focusin", ({ target }) => this.enter(target));
    stage.addEventListener("focusout", () => this.point(null));
    stage.addEventListener("pointerover", ({ target }) => this.point(this.part(target)));
    stage.addEventListener("pointerleave", () => this.point(null));
    stage.addEventListener("click", ({ target }) => {
      const part = this.part(target);
      if (!part) return;
      part.focus();
      this.pin(this.pinned === part ? null : part);
    });
  }

  part(target) {
    const part = target.closest?.("[data-part]");
    return part && this.stage.contains(part) ? part : null;
  }

  /** After a redraw: exactly one part can be tabbed to. */
  settle() {
    const rows = this.rows();
    const parts = rows.flat();
    const again = (part) =>
      parts.includes(part)
        ? part
        : parts.find(({ dataset }) => dataset.key && dataset.key === part?.dataset.key);
    this.at = again(this.at) ?? parts[0] ?? null;
    for (const part of parts) put(part, "tabindex", part === this.at ? "0" : "-1");
    this.pinned = again(this.pinned) ?? null;
    if (this.pinned) put(this.pinned, "data-pinned", "");
    this.point(again(this.pointed) ?? null);
  }

  enter(target) {
    const part = this.part(target);
    if (!part) return;
    if (this.at) put(this.at, "tabindex", "-1");
    this.at = part;
    put(part, "tabindex", "0");
    this.point(part);
  }

  point(part) {
    this.pointed = part;
    this.told(this.pinned ?? part);
  }

  pin(part) {
    if (this.pinned) put(this.pinned, "data-pinned", null);
    this.pinned = part;
    if (part) put(part, "data-pinned", "");
    this.told(this.pinned ?? this.pointed);
  }

  /** True if the key was for the picture. */
  key(event) {
    if (event.key === "Enter" && this.at) {
      this.pin(this.pinned === this.at ? null : this.at);
      return true;
    }
    if (event.key === "Escape") {
      if (!this.pinned) return false;
      this.pin(null);
      return true;
    }
    const rows = this.rows();
    const row = rows.findIndex((parts) => parts.includes(this.at));
    if (row < 0) return false;
    const to = moved(
      event.key,
      [row, rows[row].indexOf(this.at)],
      rows.map((parts) => parts.length),
    );
    if (!to) return false;
    rows[to[0]][to[1]].focus();
    return true;
  }
}
