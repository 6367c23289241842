// A picture for a room: it fills the screen, its type is large, and arrow keys step it.
import WORDS from "./words.json" with { type: "json" };
import { h, icon, put } from "./dom.js";

const SMALLEST = 12; // px, of the smallest text that a picture has
const SHARE = 0.024; // of the screen's height that it gets, where the picture leaves room for that
const LEAST_SHARE = 0.0185; // that it gets in any case
const [LEAST, MOST] = [20, 40]; // px, whatever the screen
const ROOM = 600; // px of its own that a picture keeps; so a phone's isn't enlarged at all
const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -1, PageDown: 1 }; // a remote sends the last two
const STOPS = "a[href], button, input, select, textarea, [tabindex='0']";

const within = (px) => Math.min(MOST, Math.max(LEAST, px));

/** The sizes to try for the smallest text on a screen of this many px, the largest first. */
export function sizesFor(width, height) {
  const most = Math.max(SMALLEST, Math.floor((SMALLEST * width) / ROOM));
  const size = (share) => Math.min(most, Math.floor(within(share * height)));
  const [wished, least] = [size(SHARE), size(LEAST_SHARE)];
  return Array.from({ length: wished - least + 1 }, (_, at) => wished - at);
}

/** Whether keys are for a text or a choice, which has arrows and letters of its own. */
const typing = (target) => target.matches("input, select, textarea");

export class Presenter {
  /** `redraw()` draws the picture for the room there is; `step(by)`, if any, is what arrows do;
   * `refocus()` gives the focus to what stands for a part that was drawn anew. */
  constructor({ redraw, step, refocus }) {
    Object.assign(this, { redraw, step, refocus });
    this.button = h("button", {
      type: "button",
      class: "pa-button pa-present",
      "aria-pressed": "false",
      "aria-keyshortcuts": "f",
      onclick: () => this.flip(),
    });
    this.keys = h("p", { class: "pa-note pa-keys", hidden: true }, step ? WORDS.keys : WORDS.leaving);
    this.label();
    this.resized = () => this.fit();
  }

  /** `root` is what fills the screen. */
  attach(root) {
    this.root = root;
    put(root, "tabindex", "-1"); // so that a click beside its parts leaves the keys with it
    root.addEventListener("fullscreenchange", () => {
      if (root.matches(":fullscreen")) this.begin("screen");
      else this.end();
    });
  }

  get on() {
    return this.root.hasAttribute("data-presenting");
  }

  flip() {
    if (this.on) this.leave();
    else this.enter();
  }

  /** The whole screen; where that isn't allowed (a phone, a frame of another page), the window. */
  async enter() {
    this.back = this.focused() ?? this.button;
    try {
      if (!document.fullscreenEnabled) throw new Error("not allowed");
      await this.root.requestFullscreen();
    } catch {
      this.begin("window");
    }
  }

  leave() {
    if (this.root.matches(":fullscreen")) document.exitFullscreen();
    else this.end();
  }

  /** The part of the picture that has the focus. */
  focused() {
    const { activeElement } = this.root.getRootNode();
    return activeElement !== this.root && this.root.contains(activeElement) ? activeElement : null;
  }

  begin(where) {
    put(this.root, "data-presenting", where);
    this.label();
    if (!this.focused()) this.root.focus();
    globalThis.addEventListener("resize", this.resized);
    this.fit();
  }

  end() {
    if (!this.on) return;
    globalThis.removeEventListener("resize", this.resized);
    put(this.root, "data-presenting", null);
    this.root.style.removeProperty("--present");
    this.label();
    this.redraw();
    if (this.back.isConnected) this.back.focus();
    else this.refocus?.();
  }

  label() {
    const on = Boolean(this.root) && this.on;
    put(this.button, "aria-pressed", String(on));
    this.button.replaceChildren(icon(on ? "less" : "more"), WORDS.present);
    this.keys.hidden = !on;
  }

  /** Choose the type anew, for another screen. */
  fit() {
    this.sizes = sizesFor(globalThis.innerWidth, globalThis.innerHeight);
    this.size(this.sizes[0]);
    this.redraw();
    this.settle();
  }

  /** After a redraw: type as large as lets all be seen. It only shrinks, or it would jump with each step. */
  settle() {
    if (!this.on || this.settling) return;
    this.settling = true;
    while (this.sizes.length > 1 && this.root.scrollHeight > this.root.clientHeight) {
      this.sizes.shift();
      this.size(this.sizes[0]);
      this.redraw();
    }
    this.settling = false;
  }

  size(px) {
    this.root.style.setProperty("--present", (px / SMALLEST + 0.0005).toFixed(3)); // never below px
  }

  /** True if the key was for the presenter. Shift leaves an arrow to the picture. */
  key(event) {
    if (event.key === "f" && !typing(event.target)) this.flip();
    else if (!this.on) return false;
    else if (event.key === "Escape") this.leave();
    else if (event.key === "Tab") return this.round(event.shiftKey);
    else if (!this.step || event.shiftKey || typing(event.target) || !(event.key in STEPS)) return false;
    else this.step(STEPS[event.key]);
    return true;
  }

  /** Keep the focus in the picture: what lies behind it can't be seen. */
  round(backwards) {
    const stops = [...this.root.querySelectorAll(STOPS)].filter(
      (stop) => stop.tabIndex >= 0 && stop.checkVisibility(),
    );
    const [from, to] = backwards ? [stops[0], stops.at(-1)] : [stops.at(-1), stops[0]];
    const outside = !this.focused();
    if (!outside && this.focused() !== from) return false;
    to?.focus();
    return true;
  }

  remove() {
    globalThis.removeEventListener("resize", this.resized);
  }
}
