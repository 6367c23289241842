// MyST calls this when its content server stands: write every page and everything that pages need.
// Environment: CONTENT_CDN (the server), BUILD_DIRECTORY (where to write), BASE_URL (may be absent).

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { Page } from "./lib/page.mjs";
import { searchRecords } from "./lib/search-records.mjs";
import { sitemap } from "./lib/sharing.mjs";
import { drawPage, fullPage, missingPage } from "./lib/shell.mjs";
import { loadSite } from "./lib/site.mjs";
import { themeFiles, themeFolder } from "./lib/theme-files.mjs";

const out = process.env.BUILD_DIRECTORY;
const base = (process.env.BASE_URL ?? "").replace(/\/+$/, "");

function write(path, content) {
  const file = join(out, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

const site = await loadSite(process.env.CONTENT_CDN, base);
const files = themeFiles();
const pages = site.entries.map((entry) => new Page(site, entry));
const drawn = pages.map((page) => drawPage(site, page));

for (const page of pages) {
  if (page.hasPictures && !files.has("pictures.js")) {
    site.problems.add(page.entry.location, "live pictures, but no pictures.js: build with `make web`");
  }
}
if (site.problems.any) {
  process.stderr.write(`The theme found problems in the book:\n${site.problems}\n`);
  process.exit(1);
}

files.set("katex/styles.css", site.equations.styleSheet());
const folder = themeFolder(files);
pages.forEach((page, at) => {
  const document = fullPage(site, page, drawn[at], `${base}/${folder}`);
  write(join(page.entry.isIndex ? "" : page.entry.slug, "index.html"), String(document));
});
write("404.html", String(missingPage(site, `${base}/${folder}`)));
write("search.json", JSON.stringify(site.entries.flatMap(searchRecords)));
write(".nojekyll", "");
if (site.address) write("sitemap.xml", sitemap(site));
for (const [name, content] of files) write(join(folder, name), content);
for (const [path, content] of site.files()) write(join("files", path), content);
