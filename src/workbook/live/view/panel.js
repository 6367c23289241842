// What both panels have: a frame whose keys stay in it, a status line, and a kernel that may be lost.
import { h, write } from "../../widgets/common/dom.js";
import { Kernel } from "../../widgets/common/kernel.js";
import { Presenter } from "../../widgets/common/present.js";

/** `words`: of this panel; `hear`: by trait, what is called when it changes. */
export class PanelBase {
  constructor(model, words, hear) {
    Object.assign(this, { model, words });
    this.hearers = Object.entries(hear).map(([trait, act]) => [`change:${trait}`, act]);
    for (const [event, act] of this.hearers) model.on(event, act);
    this.kernel = new Kernel(model, (text) => this.troubled(text));
    this.presenter = new Presenter({ redraw: () => this.show() });
    this.says = h("p", { class: "pa-says pa-live-says", role: "status", "aria-live": "polite" });
  }

  frame(...children) {
    const root = h(
      "div",
      {
        class: "pa pa-live",
        role: "group",
        "aria-label": this.words.name,
        "data-lm-suppress-shortcuts": "true",
        onkeydown: (event) => {
          const plain = !(event.ctrlKey || event.altKey || event.metaKey);
          if (!this.pressed?.(event) && plain && this.presenter.key(event)) event.preventDefault();
          event.stopPropagation(); // the page and Lab have keys of their own
        },
        onkeyup: (event) => event.stopPropagation(),
      },
      ...children,
      h("div", { class: "pa-foot" }, this.presenter.button, this.presenter.keys),
    );
    this.presenter.attach(root);
    this.sized = new ResizeObserver(() => {
      root.toggleAttribute("data-narrow", root.clientWidth > 0 && root.clientWidth < 480);
    });
    this.sized.observe(root);
    return root;
  }

  button(label, act, more = {}) {
    return h("button", { type: "button", class: "pa-button", onclick: act, ...more }, label);
  }

  tell(text) {
    write(this.says, text);
  }

  /** What the kernel's stand-in says: it is busy, or it is gone. */
  troubled(text) {
    const lost = this.kernel.state === "lost";
    this.tell(lost ? this.words.lost : (this.words.busy ?? text));
    if (lost) this.lost?.();
  }

  remove() {
    for (const [event, act] of this.hearers) this.model.off(event, act);
    this.kernel.remove();
    this.sized.disconnect();
    this.presenter.remove();
    this.root.remove();
  }
}
