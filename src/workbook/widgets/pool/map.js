// A pool too large for cells: 4 px a block on a canvas; only what changed is painted again.
import { COLOURS, STATES } from "../common/cells.js";
import { h } from "../common/dom.js";
import { mapLayout } from "../common/layout.js";

const CODES = Object.keys(STATES);

/** What a state is painted with, 3 px being too few for a hatch: its fill, its edge, or a hair. */
function paintOf(state, theme) {
  const { fill, edge, border } = STATES[state];
  return fill ?? COLOURS[border === "dashed" ? "hair" : edge][theme];
}

const channels = (hex) => hex.match(/[0-9a-f]{2}/gi).map((pair) => parseInt(pair, 16));

/** Whether a picture stands on a dark page, as its style sheet decides. */
export const isDark = (root) =>
  getComputedStyle(root).backgroundColor === `rgb(${channels(COLOURS.raised[1]).join(", ")})`;

/** The number that stands for a state in a map. */
export const codeOf = (state) => CODES.indexOf(state);

export class PoolMap {
  /** `pick(block)` hears of a click on a block. */
  constructor(count, pick) {
    this.count = count;
    this.canvas = h("canvas", { class: "pa-map", role: "img" });
    this.canvas.addEventListener("pointerdown", (event) => {
      const box = this.canvas.getBoundingClientRect();
      const { columns, cell } = this.layout;
      const scale = box.width / (columns * cell);
      const [x, y] = [(event.clientX - box.x) / scale, (event.clientY - box.y) / scale];
      pick(Math.min(count - 1, Math.floor(y / cell) * columns + Math.floor(x / cell)));
    });
    this.painted = null;
  }

  /** Fit the map into so many pixels. */
  resize(width) {
    const layout = mapLayout(this.count, width);
    if (this.layout?.columns === layout.columns) return;
    this.layout = layout;
    const scale = Math.max(1, Math.round(globalThis.devicePixelRatio ?? 1));
    const [w, height] = [layout.columns * layout.cell, layout.rows * layout.cell];
    Object.assign(this.canvas, { width: w * scale, height: height * scale });
    Object.assign(this.canvas.style, { width: `${w}px`, height: `${height}px` });
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.painted = null;
  }

  /** Paint `codes`, one number a block, and mark the blocks from `first` on as the window. */
  paint(codes, first, shown, dark) {
    const theme = dark ? 1 : 0;
    const page = COLOURS.raised[theme];
    const { context, layout } = this;
    const all = !this.painted || this.dark !== dark;
    if (all) {
      context.fillStyle = page;
      context.fillRect(0, 0, layout.columns * layout.cell, layout.rows * layout.cell);
      this.painted = new Uint8Array(this.count).fill(255);
    }
    this.dark = dark;
    this.frame(page);
    const size = layout.cell - 1;
    for (let code = 0; code < CODES.length; code++) {
      context.fillStyle = paintOf(CODES[code], theme);
      for (let block = 0; block < this.count; block++) {
        if (codes[block] !== code || this.painted[block] === code) continue;
        this.painted[block] = code;
        const row = Math.floor(block / layout.columns);
        context.fillRect(
          (block - row * layout.columns) * layout.cell,
          row * layout.cell,
          size,
          size,
        );
      }
    }
    this.marked = [first, Math.min(this.count, first + shown)];
    this.frame(COLOURS.ink[theme]);
  }

  /** A line below the blocks of the window. */
  frame(colour) {
    if (!this.marked) return;
    const { context, layout } = this;
    context.fillStyle = colour;
    for (let block = this.marked[0]; block < this.marked[1]; block++) {
      const row = Math.floor(block / layout.columns);
      const [x, y] = [(block - row * layout.columns) * layout.cell, row * layout.cell];
      context.fillRect(x, y + layout.cell - 1, layout.cell, 1);
    }
  }
}
