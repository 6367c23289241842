// One Python for one page, in a worker: Pyodide, and the book's own kernel in it (`bookbuild/page`).
//
// From the page: `start` {base} once, `run` {id, source, line}, `widget` {model, content}.
// To the page: `loading` {done, total} in bytes, `ready` {python}, `failed` {text}; of the running cell
// `stream`, `data`, `error`, at its end `done` {id, ok, ms, digest}; `widget` {model, content}.
// Everything comes from the folder `base` of the page's own host, and once it is there, nothing is asked for any more.

const PACKED = /\.gz$/;
let python = null; // the page's Python, once it runs
let running = null; // id of the cell that runs

self.onmessage = async ({ data }) => {
  try {
    if (data.kind === "start") await start(data.base);
    else if (data.kind === "run") run(data);
    else if (data.kind === "widget") python.hear(data.model, JSON.stringify(data.content));
  } catch (error) {
    postMessage({ kind: "failed", text: String(error) });
  }
};

function run({ id, source, line = 1 }) {
  running = id;
  const began = performance.now();
  const { ok, digest } = JSON.parse(python.run(id, source, line));
  running = null;
  postMessage({ kind: "done", id, ok, digest, ms: performance.now() - began });
}

/** A message of the kernel, which doesn't know that it has a page. */
function post(text) {
  const message = JSON.parse(text);
  postMessage(message.kind === "widget" ? message : { ...message, id: running });
}

async function start(base) {
  const manifest = await (await asked(new URL("manifest.json", base))).json();
  const folder = new URL(manifest.python, base).href;
  const [{ loadPyodide }, files] = await Promise.all([
    import(`${folder}pyodide.js`),
    loadAll(manifest.files, base),
  ]);
  // Pyodide asks for its files by their names; they are here already, unpacked.
  const answer = (name, type) => new Response(files.get(name), { headers: { "Content-Type": type } });
  const own = new Map([
    [`${folder}pyodide.asm.wasm`, () => answer("pyodide.asm.wasm", "application/wasm")],
    [`${folder}python_stdlib.zip`, () => answer("python_stdlib.zip", "application/zip")],
  ]);
  self.fetch = async (url) => {
    const give = own.get(String(url));
    if (!give) throw new TypeError(`${url} isn't there: a page that runs asks nobody for anything`);
    return give();
  };
  const pyodide = await loadPyodide({ indexURL: folder, lockFileContents: manifest.lock });
  pyodide.unpackArchive(files.get("book.zip"), "zip", { extractDir: "/lib/book" });
  pyodide.runPython("import sys; sys.path.insert(0, '/lib/book')");
  files.clear(); // 15 MB that nobody needs again
  python = pyodide.pyimport("bookbuild.page").Page(post);
  const version = pyodide.runPython("import platform; platform.python_version()");
  postMessage({ kind: "ready", python: version });
}

/** Unpacked bytes by name, of every file of the manifest; the page hears how far it is. */
async function loadAll(list, base) {
  const total = list.reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  const hear = (bytes) => postMessage({ kind: "loading", done: (done += bytes), total });
  const one = async ({ path }) => {
    const bytes = await load(new URL(path, base), hear);
    return [path.split("/").at(-1).replace(PACKED, ""), bytes];
  };
  return new Map(await Promise.all(list.map(one)));
}

/** A file's bytes. Ours are packed, whatever a host does; one that says so has unpacked them already. */
async function load(url, hear) {
  const { body } = await asked(url);
  const counted = [];
  for (const reader = body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    counted.push(value);
    hear(value.byteLength);
  }
  const whole = new Blob(counted);
  const [one, two] = new Uint8Array(await whole.slice(0, 2).arrayBuffer());
  if (one !== 0x1f || two !== 0x8b) return whole.arrayBuffer();
  return new Response(whole.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function asked(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url.pathname}: ${answer.status} ${answer.statusText}`);
  return answer;
}
