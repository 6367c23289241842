// The worker of a page that runs, with a Pyodide of a few lines in the place of the real one.

import assert from "node:assert/strict";
import { mkdtempSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

// It shows what it was given, asks for a file by its name as Pyodide does, and runs cells by shouting.
const PYODIDE = `
export async function loadPyodide({ indexURL, lockFileContents }) {
  const library = await (await self.fetch(indexURL + "python_stdlib.zip")).text();
  const given = { library, lock: lockFileContents };
  return {
    unpackArchive: (bytes) => { given.book = new TextDecoder().decode(bytes); },
    runPython: (code) => (code.includes("platform") ? "3.13.2" : null),
    pyimport: () => ({ Page: (post) => ({
      run(id, source, line) {
        post(JSON.stringify({ kind: "stream", name: "stdout", text: source + line + JSON.stringify(given) }));
        post(JSON.stringify({ kind: "widget", model: "m", content: {} }));
        return JSON.stringify({ ok: true, digest: "abc" });
      },
      hear(model, content) { post(JSON.stringify({ kind: "widget", model, content: JSON.parse(content) })); },
    }) }),
  };
}`;
let number = 0;

/** A folder as the book's build writes it, and a worker of its own that starts from there. */
async function worker({ asHostUnpacks = false, without = "" } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "run-worker-"));
  for (const name of ["_run", "_python"]) mkdirSync(join(folder, name));
  const pack = (text) => (asHostUnpacks ? Buffer.from(text) : gzipSync(text));
  const files = { "../_python/python_stdlib.zip.gz": pack("library"), "book.zip.gz": pack("engine") };
  const list = Object.entries(files).map(([path, content]) => ({ path, bytes: content.length }));
  const manifest = { python: "../_python/", files: list, lock: { packages: {} } };
  const all = { ...files, "manifest.json": JSON.stringify(manifest), "../_python/pyodide.js": PYODIDE };
  for (const [path, content] of Object.entries(all)) writeFileSync(join(folder, "_run", path), content);

  const told = [];
  const asked = [];
  globalThis.self = globalThis;
  globalThis.postMessage = (message) => told.push(message);
  globalThis.fetch = async (url) => {
    asked.push(url.pathname.split("/").at(-1));
    if (url.pathname.endsWith(without || "/")) return new Response("", { status: 404, statusText: "Not Found" });
    return new Response(readFileSync(url));
  };
  await import(`../static/run-worker.js?${(number += 1)}`);
  const send = (message) => globalThis.onmessage({ data: message });
  await send({ kind: "start", base: `${pathToFileURL(join(folder, "_run")).href}/` });
  return { told, asked, send, total: list.reduce((sum, { bytes }) => sum + bytes, 0) };
}

test("it loads what the manifest names, says how far it is, and is ready", async () => {
  const { told, asked, total } = await worker();
  assert.deepEqual(asked.sort(), ["book.zip.gz", "manifest.json", "python_stdlib.zip.gz"]);
  const loading = told.filter(({ kind }) => kind === "loading");
  assert.deepEqual(loading.at(-1), { kind: "loading", done: total, total });
  assert.deepEqual(told.at(-1), { kind: "ready", python: "3.13.2" });
});

for (const asHostUnpacks of [false, true]) {
  test(`files reach Python unpacked, ${asHostUnpacks ? "by the host" : "by the worker"}`, async () => {
    const { told, send } = await worker({ asHostUnpacks });
    await send({ kind: "run", id: "c1", source: "x", line: 7 });
    const [{ text }] = told.filter(({ kind }) => kind === "stream");
    assert.equal(text, `x7${JSON.stringify({ library: "library", lock: { packages: {} }, book: "engine" })}`);
  });
}

test("what a cell gives carries its id, what a picture gives doesn't, and at the end it is done", async () => {
  const { told, send } = await worker();
  await send({ kind: "run", id: "c1", source: "x", line: 1 });
  const [stream, widget, done] = told.slice(-3);
  assert.equal(stream.id, "c1");
  assert.deepEqual(widget, { kind: "widget", model: "m", content: {} });
  assert.deepEqual({ ...done, ms: typeof done.ms }, { kind: "done", id: "c1", ok: true, digest: "abc", ms: "number" });
});

test("a button of a picture reaches Python", async () => {
  const { told, send } = await worker();
  await send({ kind: "widget", model: "m", content: { call: "free" } });
  assert.deepEqual(told.at(-1), { kind: "widget", model: "m", content: { call: "free" } });
});

test("a file that isn't there is named, with what the host said", async () => {
  const { told } = await worker({ without: "book.zip.gz" });
  assert.equal(told.at(-1).kind, "failed");
  assert.match(told.at(-1).text, /\/_run\/book\.zip\.gz: 404 Not Found$/);
});

test("once it runs, it asks nobody for anything", async () => {
  await worker();
  await assert.rejects(globalThis.fetch("https://example.org/"), /asks nobody for anything/);
});
