// A small chart over the block sizes, with a cursor: points as they are, joined, no fit.
import { svg } from "../common/dom.js";
import { number } from "../common/wording.js";

const HEIGHT = 190;
const MARGIN = { left: 44, right: 14, top: 26, bottom: 26 };

/** Where point `at` of `count` stands, `width` pixels being there for the chart. */
const across = (at, count, width) =>
  MARGIN.left + (at / Math.max(1, count - 1)) * (width - MARGIN.left - MARGIN.right);

/** The point nearest to `x` pixels from the chart's left edge. */
export const nearest = (x, count, width) =>
  Math.round(((x - MARGIN.left) / (width - MARGIN.left - MARGIN.right)) * (count - 1));

/** One curve of `BlockSizeModel.curves` over `sizes`, the cursor at `step`. */
export function chart(curve, sizes, step, width, height = HEIGHT) {
  const { values, ticks, title, log, top, guess = () => false, shape } = curve;
  const share = (v) => (log ? Math.log10(Math.max(1, v)) / Math.log10(top) : v / top);
  const y = (v) => height - MARGIN.bottom - share(v) * (height - MARGIN.top - MARGIN.bottom);
  const points = values.map((value, at) => [across(at, sizes.length, width), y(value)]);
  const [x] = points[step];
  const base = height - MARGIN.bottom;
  return svg(
    "svg",
    { width, height, viewBox: `0 0 ${width} ${height}`, class: "pa-chart" },
    svg("text", { x: 4, y: 14, class: "pa-chart-title" }, title),
    ...ticks.flatMap((tick) => gridLine(number(tick), y(tick), width)),
    ...sizes.map((size, at) => (at % 3 ? null : label(number(size), points[at][0], height))),
    svg("line", { x1: x, x2: x, y1: MARGIN.top - 4, y2: base, class: "pa-cursor" }),
    svg("polyline", { points: points.join(" "), class: "pa-curve" }),
    ...points.map((point, at) => mark(shape, point, guess(at), at === step)),
    valueAt(points[step], curve, step, width),
  );
}

function gridLine(text, y, width) {
  const [x1, x2] = [MARGIN.left, width - MARGIN.right];
  return [
    svg("line", { x1, x2, y1: y, y2: y, class: "pa-grid" }),
    svg("text", { x: x1 - 6, y: y + 4, class: "pa-tick", "text-anchor": "end" }, text),
  ];
}

const label = (text, x, height) =>
  svg("text", { x, y: height - 8, class: "pa-tick", "text-anchor": "middle" }, text);

/** The value at the cursor, on the side where the curve isn't. */
function valueAt([x, y], { values, rising, unit = "" }, step, width) {
  const right = rising ? step < 2 : x < width * 0.62;
  const over = y > MARGIN.top + 24;
  const place = { x: x + (right ? 8 : -8), y: over ? y - 9 : y + 20 };
  const look = { class: "pa-value", "text-anchor": right ? "start" : "end" };
  return svg("text", { ...place, ...look }, number(values[step]) + unit);
}

function mark(shape, [x, y], hollow, now) {
  const r = now ? 6 : 4;
  const look = { class: `pa-point${hollow ? " pa-hollow" : ""}${now ? " pa-now" : ""}` };
  if (shape === "circle") return svg("circle", { cx: x, cy: y, r, ...look });
  if (shape === "square") {
    return svg("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, ...look });
  }
  return svg("path", { d: `M${x} ${y - r - 1}l${r + 1} ${2 * r}h${-2 * r - 2}z`, ...look });
}
