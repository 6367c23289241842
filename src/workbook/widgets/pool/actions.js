// Buttons that call the engine in the kernel, one call a click. The page never guesses what it does.
import words from "./words.json" with { type: "json" };
import { field, h, put } from "../common/dom.js";

const WORDS = words.actions;
const OF_SEQ = ["reserve", "write", "fork", "free", "remember"];
const OF_TOKENS = ["reserve", "write"];

/** The bar of buttons for a picture with `trace`, `player` and `names`; null if nobody answers. */
export class Actions {
  constructor(model, picture) {
    Object.assign(this, { model, picture });
    const calls = model.get("live");
    this.seq = h("select", {});
    this.tokens = h("input", { type: "number", min: 1, max: 999, value: 1, class: "pa-length" });
    this.prompt = h("input", {
      type: "text",
      class: "pa-prompt",
      autocomplete: "off",
      spellcheck: "false",
    });
    this.buttons = calls.map((call) =>
      h(
        "button",
        {
          type: "button",
          class: "pa-button",
          "data-call": call,
          title: WORDS.titles[call],
          onclick: () => this.send(call),
        },
        WORDS.calls[call],
      ),
    );
    const own = this.buttons.filter(({ dataset }) => !["attach", "evict"].includes(dataset.call));
    const shared = this.buttons.filter(({ dataset }) => ["attach", "evict"].includes(dataset.call));
    this.bar = h(
      "div",
      { class: "pa-choices", role: "group", "aria-label": WORDS.name },
      field(WORDS.seq, this.seq),
      field(WORDS.tokens, this.tokens),
      ...own,
      ...(shared.length ? [field(WORDS.prompt, this.prompt), ...shared] : []),
    );
    this.refresh();
  }

  send(call) {
    if (OF_SEQ.includes(call) && !this.seq.value) return this.picture.frame.tell(WORDS.none);
    const n = Number(this.tokens.value);
    const counts = Number.isInteger(n) && n >= 1 && n <= 999;
    if (OF_TOKENS.includes(call) && !counts) return this.picture.frame.tell(WORDS.range);
    return this.picture.frame.send({
      call,
      seq: Number(this.seq.value),
      n,
      prompt: this.prompt.value,
    });
  }

  /** The sequences that live after the last step. */
  refresh() {
    const { player, names } = this.picture.model;
    const chosen = this.seq.value;
    const alive = [...player.at(player.last).tables.keys()];
    const born = this.alive && alive.find((seq) => !this.alive.includes(seq));
    this.alive = alive;
    this.seq.replaceChildren(...alive.map((seq) => h("option", { value: seq }, names[seq])));
    if (born !== undefined) this.seq.value = born;
    else if (chosen !== "" && alive.includes(Number(chosen))) this.seq.value = chosen;
    put(this.seq, "disabled", alive.length ? null : "");
  }
}
