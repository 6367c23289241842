// Chapters that run in their page: where what they need lies, and what it weighs.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { html } from "./html.mjs";

const TOLD = join(dirname(fileURLToPath(import.meta.url)), "../generated/run.json");

/** What `bookbuild.web.browser` wrote: folder, bytes, names of chapters; null when no page runs. */
export function readRunning() {
  return existsSync(TOLD) ? JSON.parse(readFileSync(TOLD, "utf8")) : null;
}

/** For a page that runs: the address of its cells, beside which the rest lies, and the bytes of a first click. */
export function runningOf(site, entry) {
  const name = /([^/]+)\.ipynb$/.exec(entry.location ?? "")?.[1];
  if (!site.running?.chapters.includes(name)) return null;
  return { cells: `${site.base}/${site.running.folder}/${name}.json`, bytes: site.running.bytes };
}

const megabytes = (bytes) => Math.max(1, Math.round(bytes / 1e6));

/** The button of a page that runs, with what it fetches; nothing for other pages. */
export function runPlace(running) {
  return running && html`<div class="run-page needs-script">
<button type="button" class="button run-start" disabled>Run this page</button>
<p class="run-cost">Fetches Python for your browser, about ${megabytes(running.bytes)} MB, once. Nothing is installed, and what you write stays with you.</p></div>`;
}
