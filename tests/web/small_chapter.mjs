// A chapter of a few cells, drawn by the theme into a folder, with a worker that plays Python:
// `node small_chapter.mjs FOLDER BASE`. What its cells do is said in `fake_worker.js`.

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { Page } from "../../assets/theme/lib/page.mjs";
import { drawPage, fullPage } from "../../assets/theme/lib/shell.mjs";
import { themeFiles } from "../../assets/theme/lib/theme-files.mjs";
import { block, codeCell, content, displayed, opening, paragraph, siteOf, text } from "../../assets/theme/test/helpers.mjs";

const [out, base] = process.argv.slice(2);
const ALT = "Two blocks side by side, the first one filled.";
const DRAWING = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30"><rect width="28" height="28"/></svg>').toString("base64");
const picture = `<img class="pa-still" src="data:image/svg+xml;base64,${DRAWING}" alt="${ALT}" width="60" height="30">`;
const caption = (digest) => ({
  "text/html": `<p class="figure-caption"><strong>Figure 1.1</strong> Two blocks. <small>data <code>${digest}</code></small></p>`,
  "text/plain": `**Figure 1.1** Two blocks. [data ${digest}]`,
});
const say = (message) => `# say ${JSON.stringify(message)}`;
const printed = (words) => ({ output_type: "stream", name: "stdout", text: words });
const print = (words) => say({ kind: "stream", name: "stdout", text: words });
const result = (words) => ({ ...displayed({ "text/plain": words }), output_type: "execute_result" });
const show = (...outputs) => outputs.map((data) => say({ kind: "data", data, metadata: {} })).join("\n");

const cells = [];
function cell(name, source, outputs = [], tags = [], more = {}) {
  cells.push({ id: name, source, tags, digest: "", outputs: [] });
  return codeCell(source, { tags, outputs, identifier: name, html_id: name, ...more });
}

const folded = (kind, title, ...children) => ({
  type: "admonition", kind, class: "dropdown", children: [{ type: "admonitionTitle", children: [text(title)] }, ...children],
});
const exercise = {
  type: "exercise", enumerator: "1", html_id: "ex-1",
  children: [{ type: "admonitionTitle", children: [text("Add")] }, paragraph("5 minutes · difficulty 1 of 3"), paragraph("Write `add`.")],
};

const blocks = [
  block(opening),
  cell("imports", `${["a", "b", "c", "d", "e"].map((name) => `import ${name}`).join("\n")}\n# makes tools`),
  cell("hello", `# needs tools\n${print("hello\n")}`, [printed("hello\n")]),
  block([{ type: "heading", depth: 2, html_id: "asking", children: [text("Asking")] }, paragraph("Words before a guess.")]),
  cell("asked", "guess = None  # How many blocks are used?"),
  cell("told", `# source\ncompare(guess, 3, {4: "One more."})`, [printed("seen\nno guess; it is 3\n")]),
  block([paragraph("It is 3, because.")]),
  cell("drawn", show({ "text/html": picture, "text/plain": ALT }, caption("b6b59fa023ff")), [displayed({ "text/html": picture, "text/plain": ALT }), displayed(caption("b6b59fa023ff"))]),
  block([exercise]),
  cell("stub", "def add(a, b):\n    raise NotImplementedError", [], ["stub"]),
  cell("check", "check.add(add)\n# makes checked", [result("check.add(add)\n  not implemented yet; hint(1) and hint(2) are there when you want them.")], ["check"]),
  block([folded("hint", "Hint 1", paragraph("Use `+`."))]),
  cell("solution", "def add_solution(a, b):\n    return a + b\n# makes solution", [], ["solution"]),
  block([paragraph("After the exercise.")]),
  cell("uses", `# needs solution\n${print("3\n")}`, [printed("3\n")]),
  cell("meant", "# needs what_is_not_there", [{ output_type: "error", traceback: ["NameError"] }], ["raises-exception"]),
  cell("timed", print("⏱ 2.0 ms\n"), [printed("⏱ 1.0 ms\n")], ["measured"]),
  cell("torch", "import torch\n# makes tensors", [printed("a tensor\n")], ["needs-torch"]),
  cell("last", "judge.task", [result("judge.task: a task")]),
];

const NAME = "01_small";
const page = content("small", "1 · A small chapter", blocks);
page.location = `/chapters/${NAME}.ipynb`;
const running = { folder: "_run-test", bytes: 4_500_000, chapters: [NAME] };
const site = siteOf([content("front", "Front", []), page], { base, running });
const drawn = new Page(site, site.entries[1]);
const body = drawPage(site, drawn);
if (site.problems.any) throw new Error(String(site.problems));

function write(path, written) {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), written);
}
const files = themeFiles();
files.set("katex/styles.css", site.equations.styleSheet());
for (const [name, bytes] of files) write(join("theme", name), bytes);
for (const [path, bytes] of site.files()) write(join("files", path), bytes);
copyFileSync(new URL("./fake_worker.js", import.meta.url), join(out, "theme/run-worker.js"));
write("small/index.html", String(fullPage(site, drawn, body, `${base}/theme`)));
write(`_run-test/${NAME}.json`, JSON.stringify({ chapter: NAME, edition: "first", cells }));
