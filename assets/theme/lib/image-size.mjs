// Width and height of a picture, so that the page keeps its place while it loads.

const PNG = "89504e470d0a1a0a";
const number = (text) => Number.parseFloat(text);

/** A length of an `<svg …>` in pixels: a page has 96 to the inch, print has 72 points. */
function lengthOf(start, name) {
  const [, value, unit] = new RegExp(`\\b${name}="([\\d.]+)(px|pt)?"`).exec(start) ?? [];
  return value && number(value) * (unit === "pt" ? 96 / 72 : 1);
}

/** `{width, height}` in pixels of PNG or SVG bytes, or null. */
export function sizeOf(bytes) {
  if (bytes.subarray(0, 8).toString("hex") === PNG) {
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  const start = /<svg\b[^>]*>/.exec(bytes.subarray(0, 2000).toString("utf8"))?.[0];
  if (!start) return null;
  const [width, height] = [lengthOf(start, "width"), lengthOf(start, "height")];
  if (width && height) return { width, height };
  const box = /\bviewBox="[\d.-]+[ ,]+[\d.-]+[ ,]+([\d.]+)[ ,]+([\d.]+)"/.exec(start);
  return box && { width: number(box[1]), height: number(box[2]) };
}

/** Attributes for a picture shown at `wanted` (pixels, or nothing), keeping its shape. */
export function shownSize(bytes, wanted) {
  const size = bytes && sizeOf(bytes);
  if (!size || /%$/.test(wanted ?? "")) return { width: wanted };
  const width = number(wanted) || size.width;
  return { width: Math.round(width), height: Math.round((size.height * width) / size.width) };
}
