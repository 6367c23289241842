// Lines between parts of a picture, drawn over it: which table entry names which block.
import { arc, curve, inOneRow } from "./layout.js";
import { scaleOf, svg } from "./dom.js";

export class Links {
  constructor(box) {
    this.box = box;
    this.layer = svg("svg", { class: "pa-links", "aria-hidden": "true" });
    box.append(this.layer);
  }

  /** Draw these: {from, to, kind: "link" | "copy", label}. */
  draw(links) {
    const origin = this.box.getBoundingClientRect();
    const scale = scaleOf(this.box);
    const rect = (element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return {
        x: (x - origin.x) / scale + this.box.scrollLeft,
        y: (y - origin.y) / scale + this.box.scrollTop,
        width: width / scale,
        height: height / scale,
      };
    };
    const lines = links.flatMap(({ from, to, kind, label }) => {
      const [a, b] = [rect(from), rect(to)];
      const over = kind === "copy" && inOneRow(a, b) ? arc(a, b) : null;
      const d = over?.d ?? curve(a, b);
      return [
        svg("path", { d, class: "pa-halo" }),
        svg("path", { d, class: `pa-line pa-line-${kind}`, pathLength: 1 }),
        ...(kind === "copy" ? [head(d)] : []),
        ...(over && label
          ? [svg("text", { x: over.label[0], y: over.label[1], class: "pa-line-label" }, label)]
          : []),
      ];
    });
    this.layer.replaceChildren(...lines);
  }
}

/** The point of an arrow at the end of a curve. */
function head(d) {
  const [x2, y2, x, y] = d
    .match(/-?[\d.]+/g)
    .slice(-4)
    .map(Number);
  const angle = (Math.atan2(y - y2, x - x2) * 180) / Math.PI;
  return svg("path", {
    d: "M0 0-9-5v10z",
    class: "pa-arrow",
    transform: `translate(${x} ${y}) rotate(${angle.toFixed(1)})`,
  });
}
