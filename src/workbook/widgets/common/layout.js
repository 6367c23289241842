// Where things go, as numbers only: no document needed.

export const NARROW = 640; // one column below this width
const CELL = 44;
const SMALL_CELL = 40;
const GAP = 4;
const MAP_CELL = 4;

/** How a pool of `count` blocks is drawn in `width` pixels: as cells, or as a map with a window. */
export function poolLayout(count, width) {
  const narrow = width < NARROW;
  const cell = width < 380 ? SMALL_CELL : CELL;
  const fits = Math.max(1, Math.floor((width + GAP) / (cell + GAP)));
  const wide = count <= 24 || narrow ? 6 : 16;
  const columns = Math.min(wide, fits, Math.max(1, count));
  const most = narrow ? 64 : 256;
  const map = count > most;
  return {
    kind: map ? "map" : "cells",
    cell,
    columns: map ? Math.min(narrow ? 6 : 16, fits) : columns,
    shown: map ? (narrow ? 24 : 64) : count,
    beside: !narrow && count <= 24,
  };
}

/** A map of `count` blocks, 4 px each: columns and rows. */
export function mapLayout(count, width) {
  const columns = Math.max(1, Math.min(Math.floor(width / MAP_CELL), 256));
  return { cell: MAP_CELL, columns, rows: Math.ceil(count / columns) };
}

/** The first block of a window of `shown` that has `block` in it, in whole windows. */
export const windowAt = (block, shown, count) =>
  Math.max(0, Math.min(Math.floor(block / shown) * shown, count - 1));

/** Slots in a row of a side: 16, half as many when narrow. */
export const slotColumns = (width) => (width < 430 ? 8 : 16);

const PAGE = 4; // rows

/** Where a key leads from entry `at` = [row, column] in rows of these lengths; null: nowhere. */
export function moved(key, [row, column], lengths) {
  const last = lengths.length - 1;
  const to = (r, c) => {
    const inside = Math.max(0, Math.min(last, r));
    return [inside, Math.max(0, Math.min(lengths[inside] - 1, c))];
  };
  switch (key) {
    case "ArrowRight":
      return column + 1 < lengths[row] ? [row, column + 1] : row < last ? [row + 1, 0] : null;
    case "ArrowLeft":
      return column > 0 ? [row, column - 1] : row > 0 ? [row - 1, lengths[row - 1] - 1] : null;
    case "ArrowDown":
      return row < last ? to(row + 1, column) : null;
    case "ArrowUp":
      return row > 0 ? to(row - 1, column) : null;
    case "PageDown":
      return to(row + PAGE, column);
    case "PageUp":
      return to(row - PAGE, column);
    case "Home":
      return [0, 0];
    case "End":
      return [last, lengths[last] - 1];
    default:
      return null;
  }
}

/** Whole parts of `items`, `size` each. */
export function chunks(items, size) {
  const parts = [];
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size));
  return parts;
}

const MARGIN = 6;
const RISE = 18; // px that an arc stands above its boxes

/** An arc over the top from one box to another of the same row, and the place for its label. */
export function arc(a, b) {
  const [ax, bx] = [a.x + a.width / 2, b.x + b.width / 2];
  const end = b.y - 2;
  const top = Math.min(a.y, b.y) - RISE;
  const number = (x) => x.toFixed(1);
  return {
    d: `M${number(ax)} ${number(a.y)}C${number(ax)} ${number(top)} ${number(bx)} ${number(top)} ${number(bx)} ${number(end)}`,
    label: [(ax + bx) / 2, Math.min(a.y, b.y) - RISE],
  };
}

/** Whether two boxes stand side by side. */
export const inOneRow = (a, b) => Math.abs(a.y - b.y) < Math.min(a.height, b.height) / 2;

/** A curve from one box to another as an SVG path, leaving each at the side that faces the other. */
export function curve(a, b) {
  const [ax, ay, bx, by] = [
    a.x + a.width / 2,
    a.y + a.height / 2,
    b.x + b.width / 2,
    b.y + b.height / 2,
  ];
  const across = Math.abs(bx - ax) > Math.abs(by - ay);
  const way = across ? Math.sign(bx - ax) : Math.sign(by - ay);
  const from = across ? [ax + way * (a.width / 2), ay] : [ax, ay + way * (a.height / 2)];
  const end = across ? [bx - way * (b.width / 2), by] : [bx, by - way * (b.height / 2)];
  const span = across ? Math.abs(end[0] - from[0]) : Math.abs(end[1] - from[1]);
  const bend = way * Math.max(MARGIN, span / 2);
  const first = across ? [from[0] + bend, from[1]] : [from[0], from[1] + bend];
  const second = across ? [end[0] - bend, end[1]] : [end[0], end[1] - bend];
  const point = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  return `M${point(from)}C${point(first)} ${point(second)} ${point(end)}`;
}
