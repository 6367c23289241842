// A chat with a running server: what was said, a box to say more, a button to stop an answer.
import ALL from "../words.json" with { type: "json" };
import { h, newId, put, write } from "../../widgets/common/dom.js";
import { PanelBase } from "./panel.js";

const WORDS = ALL.chat;
const NEAR = 40; // px from the end of the conversation within which it follows what is said

export class ChatView extends PanelBase {
  constructor(model) {
    super(model, WORDS, {
      data: () => this.show(),
      said: () => this.show(),
      note: () => this.noted(),
      draft: () => this.back(),
    });
    this.log = h("div", {
      class: "pa-live-log",
      role: "log",
      tabindex: 0,
      "aria-label": WORDS.log,
    });
    const hint = newId();
    this.box = h("textarea", {
      class: "pa-live-box",
      id: newId(),
      rows: 2,
      "aria-describedby": hint,
    });
    this.sender = this.button(WORDS.send, () => this.send());
    this.stopper = this.button(WORDS.stop, () => this.stop());
    this.root = this.frame(
      h("p", { class: "pa-head" }, h("span", { class: "pa-question" }, WORDS.question)),
      this.log,
      this.says,
      h("label", { for: this.box.id, class: "pa-label" }, WORDS.label),
      this.box,
      h(
        "div",
        { class: "pa-bar" },
        this.sender,
        this.stopper,
        this.button(WORDS.fresh, () => this.kernel.send({ call: "fresh" })),
        h("span", { class: "pa-note", id: hint }, WORDS.hint),
      ),
    );
    this.show();
    this.noted();
    this.back();
  }

  get answering() {
    return this.model.get("data").state === "answering";
  }

  send() {
    const text = this.box.value;
    if (this.answering || !text.trim()) return;
    this.kernel.send({ call: "send", text });
  }

  stop() {
    if (this.answering) this.kernel.send({ call: "stop" });
  }

  /** True if the key was for the chat. */
  pressed(event) {
    if (event.key === "Escape" && this.answering) {
      this.stop();
      return true;
    }
    const plain = !(event.shiftKey || event.ctrlKey || event.altKey || event.metaKey);
    if (event.key !== "Enter" || !plain || event.target !== this.box) return false;
    if (event.isComposing) return false; // it ends a word of an input method
    event.preventDefault();
    this.send();
    return true;
  }

  /** What was said; only turns that differ are written anew, so a reader's selection stays. */
  show() {
    this.kernel?.answered();
    const said = this.model.get("said");
    const turns = [...(this.model.get("data").messages ?? [])];
    const mine = turns.at(-1)?.[0] === "user" ? turns.at(-1)[1] : null;
    if (this.answering && this.box.value === mine) this.box.value = "";
    if (this.answering) turns.push(["assistant", said || "…"]);
    const follow = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < NEAR;
    put(this.log, "aria-busy", String(this.answering));
    if (!turns.length) this.log.replaceChildren(h("p", { class: "pa-note" }, WORDS.empty));
    else if (this.log.querySelector("p.pa-note")) this.log.replaceChildren();
    while (this.log.children.length > turns.length && turns.length) this.log.lastChild.remove();
    turns.forEach(([role, text], at) => this.turn(at, role, text));
    if (follow) this.log.scrollTop = this.log.scrollHeight;
    put(this.stopper, "aria-disabled", this.answering ? null : "true");
    put(this.sender, "aria-disabled", this.answering ? "true" : null);
  }

  turn(at, role, text) {
    let turn = this.log.children[at];
    if (turn?.dataset.role !== role) {
      const made = h(
        "div",
        { class: "pa-live-turn", "data-role": role },
        h("span", { class: "pa-live-who" }, role === "user" ? WORDS.you : WORDS.model),
        h("div", { class: "pa-live-text", dir: "auto" }),
      );
      if (turn) turn.replaceWith(made);
      else this.log.append(made);
      turn = made;
    }
    write(turn.lastChild, text);
  }

  noted() {
    this.kernel?.answered();
    this.tell(this.model.get("note"));
  }

  /** A message that nothing came of is put back, unless something else stands there by now. */
  back() {
    const draft = this.model.get("draft");
    if (draft && !this.box.value) this.box.value = draft;
  }

  lost() {
    for (const button of [this.sender, this.stopper]) put(button, "aria-disabled", "true");
    put(this.log, "aria-busy", "false");
  }
}
