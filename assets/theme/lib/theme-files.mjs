// The files that pages load, in a folder named after their contents: a new edition is never shown
// with the styles of an old one.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const HERE = join(dirname(fileURLToPath(import.meta.url)), "..");
const STYLES = [
  ...["base", "layout", "text", "cells", "exercises", "guess", "page-pictures", "margin", "preview"],
  ...["cover", "front", "print"],
];
const GENERATED = "generated"; // looks.css, pictures.js and pictures.css, from `python -m workbook.widgets`

const read = (...path) => readFileSync(join(HERE, ...path));

/** Only the newest font format: every browser that runs the rest reads it. */
function katexStyles() {
  const styles = read("node_modules/katex/dist/katex.min.css").toString("utf8");
  return styles.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("(?:woff|truetype)"\)/g, "");
}

/** Map from a name below the theme's folder to the file's contents. */
export function themeFiles() {
  const files = new Map();
  const looks = existsSync(join(HERE, GENERATED, "looks.css")) ? read(GENERATED, "looks.css") : "";
  const styles = STYLES.map((name) => read("static/css", `${name}.css`));
  files.set("book.css", [looks, ...styles].join("\n"));
  files.set("run.css", read("static/css", "run.css"));
  for (const name of readdirSync(join(HERE, "static"))) {
    if (/\.(js|svg|png)$/.test(name)) files.set(name, read("static", name));
  }
  for (const name of readdirSync(join(HERE, "static/fonts"))) {
    if (/\.(woff2|txt)$/.test(name)) files.set(`fonts/${name}`, read("static/fonts", name));
  }
  files.set("minisearch.js", withoutMap(read("node_modules/minisearch/dist/es/index.js")));
  files.set("highlight.js", asModule(read("node_modules/highlight.js/lib/core.js")));
  files.set("highlight-python.js", asModule(read("node_modules/highlight.js/lib/languages/python.js")));
  files.set("katex/katex.css", katexStyles());
  for (const name of readdirSync(join(HERE, "node_modules/katex/dist/fonts"))) {
    if (name.endsWith(".woff2")) {
      files.set(`katex/fonts/${name}`, read("node_modules/katex/dist/fonts", name));
    }
  }
  for (const name of ["pictures.js", "pictures.css"]) {
    if (existsSync(join(HERE, GENERATED, name))) files.set(name, read(GENERATED, name));
  }
  return files;
}

/** What Node requires, as what a page imports: the package has no file of its core for browsers. */
const asModule = (source) => `const module = { exports: {} };\n${source}\nexport default module.exports;\n`;

const withoutMap = (source) => source.toString("utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");

/** `_theme-` and the first digits of a hash over all files. */
export function themeFolder(files) {
  const hash = createHash("sha256");
  for (const [name, content] of files) hash.update(name).update("\0").update(content);
  return `_theme-${hash.digest("hex").slice(0, 10)}`;
}
