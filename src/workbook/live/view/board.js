// A board of a running server: what it holds, who runs, who waits, and how fast it speaks.
import ALL from "../words.json" with { type: "json" };
import { arrange, h, put, svg, table, write } from "../../widgets/common/dom.js";
import { number } from "../../widgets/common/wording.js";
import { PanelBase } from "./panel.js";

const WORDS = ALL.board;
const MOST = 32; // requests that are drawn one by one
const [WIDTH, HEIGHT] = [600, 80]; // of the curve, in its own units
const known = (value) => value !== null && value !== undefined;
const percent = (share) => Math.round(100 * share);
const fill = (text, facts) => text.replace(/\{(\w+)\}/g, (_, name) => facts[name]);

export class BoardView extends PanelBase {
  constructor(model) {
    super(model, WORDS, { data: () => this.show(), watching: () => this.show() });
    this.pause = this.button(WORDS.pause, () => this.flip());
    this.switch = this.button(WORDS.table, () => this.turn(), { "aria-pressed": "false" });
    this.bars = h("div", { class: "pa-live-bars" });
    this.rows = { blocks: this.bar(), batch: this.bar(), queue: this.bar() };
    this.facts = h("ul", { class: "pa-live-facts" });
    this.curve = this.drawing();
    this.tableBox = h("div", {
      class: "pa-table",
      hidden: true,
      tabindex: 0,
      role: "region",
      "aria-label": `${WORDS.name}, ${WORDS.table}`,
    });
    this.where = h("span", { class: "pa-note" }, h("bdi", {}, model.get("where")));
    this.root = this.frame(
      h("p", { class: "pa-head" }, h("span", { class: "pa-question" }, WORDS.question), " ", this.where),
      h("div", { class: "pa-bar" }, this.pause, this.switch),
      this.says,
      (this.body = h("div", { class: "pa-live-body" }, this.bars, this.facts, this.curve.root)),
      this.tableBox,
    );
    this.show();
    model.send({ call: "seen" });
  }

  /** A row for one bar; its meter is what a screen reader meets. */
  bar() {
    const label = h("span", { class: "pa-live-name", "aria-hidden": "true" });
    const cells = h("span", { class: "pa-live-cells", "aria-hidden": "true" });
    const note = h("span", { class: "pa-note", "aria-hidden": "true" });
    const root = h("div", { class: "pa-live-bar", role: "meter", "aria-valuemin": 0 }, label, cells, note);
    return { root, label, cells, note };
  }

  drawing() {
    const line = (kind) => svg("polyline", { class: `pa-live-line pa-live-${kind}`, points: "" });
    const [rate, usage] = [line("rate"), line("usage")];
    const picture = svg(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" },
      usage,
      rate,
    );
    const top = h("span", {});
    const [left, right] = [h("span", {}), h("span", {}, WORDS.now)];
    const swatch = (kind) => h("span", { class: `pa-live-key pa-live-${kind}`, "aria-hidden": "true" });
    const keys = h(
      "span",
      { class: "pa-live-keys" },
      swatch("rate"),
      h("span", {}, WORDS.rate, " "),
      top,
      swatch("usage"),
      h("span", {}, WORDS.usage),
    );
    const foot = h("span", { class: "pa-live-foot", "aria-hidden": "true" }, left, right);
    const root = h("div", { class: "pa-live-curve pa-note" }, keys, picture, foot);
    return { root, picture, rate, usage, top, left };
  }

  flip() {
    this.kernel.send({ call: this.model.get("watching") ? "pause" : "resume" });
  }

  /** The table instead of the bars, or back. */
  turn() {
    const shown = this.tableBox.hidden;
    this.tableBox.hidden = !shown;
    this.body.hidden = shown;
    put(this.switch, "aria-pressed", String(shown));
    this.show();
  }

  show() {
    if (this.kernel?.state === "lost") return;
    const data = this.model.get("data");
    const watching = this.model.get("watching");
    this.kernel?.answered();
    write(this.pause, watching ? WORDS.pause : WORDS.resume);
    this.tell(this.stand(data, watching));
    this.root.toggleAttribute("data-away", Boolean(data.away));
    this.drawBars(data);
    this.drawFacts(data);
    this.drawCurve(data.rows ?? []);
    if (!this.tableBox.hidden) this.tableBox.replaceChildren(this.table(data.rows ?? []));
  }

  /** One sentence that changes only when something else is to be known, for it is spoken. */
  stand(data, watching) {
    if (data.away) return fill(WORDS.away, { why: data.away });
    if (!watching) return data.rows ? WORDS.paused : WORDS.waiting;
    return data.rows ? WORDS.watching : WORDS.waiting;
  }

  drawBars(data) {
    const shown = [];
    if (known(data.usage)) {
      const facts = { held: number(data.held ?? 0), blocks: number(data.blocks ?? 0) };
      const said = known(data.held)
        ? fill(WORDS.of, facts)
        : fill(WORDS.percent, { percent: percent(data.usage) });
      const parts = [
        ["held", data.usage],
        ["free", 1 - data.usage],
      ];
      shown.push(this.fit(this.rows.blocks, WORDS.blocks, said, percent(data.usage), 100, parts));
    }
    for (const [row, name, n, words, state] of [
      [this.rows.batch, WORDS.batch, data.running, WORDS.runs, "copied"],
      [this.rows.queue, WORDS.queue, data.waiting, WORDS.waits, "other"],
    ]) {
      if (!known(n)) continue;
      const parts = Array.from({ length: Math.min(n, MOST) }, () => [state, 0]);
      const said = fill(words, { n: number(n) });
      shown.push(this.fit(row, name, said, n, Math.max(n, MOST), parts));
    }
    arrange(this.bars, shown);
  }

  fit({ root, label, cells, note }, name, said, now, most, parts) {
    write(label, name);
    write(note, said);
    put(root, "aria-label", name);
    put(root, "aria-valuenow", now);
    put(root, "aria-valuemax", most);
    put(root, "aria-valuetext", said);
    while (cells.children.length > parts.length) cells.lastChild.remove();
    while (cells.children.length < parts.length) cells.append(h("span", { class: "pa-cell" }));
    parts.forEach(([state, share], at) => {
      put(cells.children[at], "data-state", state);
      cells.children[at].style.flex = share ? `${share} 1 0` : "";
      cells.children[at].hidden = share === 0 && state !== "copied" && state !== "other";
    });
    return root;
  }

  drawFacts(data) {
    const facts = {
      rate: known(data.rate) ? number(data.rate) : "–",
      hits: known(data.hits) ? `${percent(data.hits)} %` : null,
      said: known(data.said) ? number(data.said) : null,
      preempted: known(data.preempted) ? number(data.preempted) : null,
    };
    const shown = Object.entries(facts).filter(([, value]) => value !== null);
    if (this.facts.children.length !== shown.length) {
      this.facts.replaceChildren(
        ...shown.map(([name]) => h("li", {}, h("b", {}), " ", h("span", { class: "pa-note" }, WORDS.facts[name]))),
      );
    }
    shown.forEach(([name, value], at) => {
      write(this.facts.children[at].firstChild, value);
      write(this.facts.children[at].lastChild, WORDS.facts[name]);
    });
  }

  drawCurve(rows) {
    const { root, picture, rate, usage, top, left } = this.curve;
    root.hidden = rows.length < 2;
    if (root.hidden) return;
    const [start, end] = [rows[0][0], rows.at(-1)[0]];
    const most = Math.max(1, ...rows.map(([, value]) => value ?? 0));
    const x = (time) => (WIDTH * (time - start)) / Math.max(end - start, 1e-9);
    const y = (share) => HEIGHT - 2 - share * (HEIGHT - 4);
    const points = (pairs) =>
      pairs.map(([time, share]) => `${x(time).toFixed(1)},${y(share).toFixed(1)}`).join(" ");
    const said = (at) => rows.filter((row) => known(row[at]));
    put(rate, "points", points(said(1).map((row) => [row[0], row[1] / most])));
    put(usage, "points", points(said(2).map((row) => [row[0], row[2]])));
    write(top, `(${number(Math.round(most))})`);
    write(left, fill(WORDS.ago, { seconds: number(Math.round(end - start)) }));
    put(
      picture,
      "aria-label",
      fill(WORDS.curve, {
        first: fill(WORDS.ago, { seconds: Math.round(end - start) }),
        last: WORDS.now,
        most: number(Math.round(most)),
      }),
    );
  }

  table(rows) {
    const end = rows.at(-1)?.[0] ?? 0;
    const lines = rows
      .slice(-20)
      .reverse()
      .map(([time, rate, usage]) => [
        (end - time).toFixed(1),
        known(rate) ? number(rate) : "–",
        known(usage) ? percent(usage) : "–",
      ]);
    return table(fill(WORDS.caption, { n: lines.length }), WORDS.head, lines);
  }

  lost() {
    put(this.pause, "aria-disabled", "true");
  }

  remove() {
    this.model.send({ call: "gone" });
    super.remove();
  }
}
