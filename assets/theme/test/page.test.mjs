import assert from "node:assert/strict";
import { test } from "node:test";

import { block, codeCell, content, displayed, opening, paragraph, render, siteOf, text } from "./helpers.mjs";
import { Page } from "../lib/page.mjs";

const SVG = "data:image/svg+xml;base64,PHN2Zy8+";
const PICTURE = "application/vnd.paged-attention.picture+json";
const ALT = "Four blocks, two of them held.";

test("a node that nothing draws is named with its page, cell and line", () => {
  const odd = { type: "mystDirective", name: "magic", position: { start: { line: 7 } } };
  const { problems } = render([block([odd], { identifier: "c01-abc" })]);
  assert.match(problems, /^chapters\/page\.ipynb, cell c01-abc, line 7: nothing draws .*mystDirective.*magic/);
});

test("pictures need alt text, ids are unique, references lead somewhere", () => {
  const { problems } = render([
    block([{ type: "image", url: "/a.svg", urlSource: "a.svg" }]),
    block([
      { type: "heading", depth: 2, html_id: "x", children: [text("A")] },
      { type: "heading", depth: 2, html_id: "x", children: [text("B")] },
      { type: "crossReference", label: "nowhere", children: [] },
      { type: "cite", label: "nobody", children: [] },
      { type: "link", url: "LICENSE", children: [text("l")] },
      { type: "link", url: "javascript:alert(1)", children: [text("l")] },
    ]),
    codeCell("f", { outputs: [displayed({ "image/png": { path: "/a.png" }, "text/plain": "<Figure size 1x1>" })] }),
    codeCell("g", { outputs: [displayed({ "text/html": `<img src="${SVG}" alt="short">` })] }),
  ]);
  for (const wanted of [/a\.svg has no alt/, /second node with the id “x”/, /“nowhere” leads nowhere/, /no entry “nobody”/, /LICENSE leads to no page/, /javascript:alert/, /no alt text: “<Figure/, /without alt text \(it has “short”/]) {
    assert.match(problems, wanted);
  }
});

test("outputs are text, whatever they hold", () => {
  const evil = "<img src=x onerror=alert(1)>";
  const { html, problems } = render([
    codeCell("x", {
      outputs: [
        { output_type: "stream", name: "stdout", text: evil },
        { output_type: "error", traceback: [`\u001b[31mValueError\u001b[0m: ${evil}`] },
        displayed({ "text/plain": evil }),
      ],
    }),
  ]);
  assert.equal(problems, "");
  assert.ok(!html.includes("<img"));
  assert.ok(!html.includes("\u001b"));
});

test("an output that can't be shown is a problem", () => {
  const { problems } = render([codeCell("x", { outputs: [displayed({ "application/x-odd": "1" })] })]);
  assert.match(problems, /no form that the page can show: application\/x-odd/);
});

test("a live picture keeps the static one, and hostile names stay data", () => {
  const data = { v: 1, picture: "pool", seqs: ["</script><script>alert(1)</script>"] };
  const { html, page, site, problems } = render([
    codeCell("p", {
      outputs: [displayed({ [PICTURE]: JSON.stringify(data), "text/html": `<img src="${SVG}" alt="${ALT}">`, "text/plain": "pool" })],
    }),
  ]);
  assert.equal(problems, "");
  assert.ok(page.hasPictures);
  assert.match(html, /<div class="pa-host"><img src="\/book\/files\/[0-9a-f]{16}\.svg" alt="Four blocks/);
  assert.equal(html.match(/<script/g).length, 1);
  assert.deepEqual(JSON.parse(html.match(/<script[^>]*>(.*)<\/script>/)[1]), data);
  assert.equal([...site.files()].length, 1);
});

test("large picture data stays in a file", () => {
  const assets = new Map([["/d.json", Buffer.from("{}")]]);
  const { html, site } = render(
    [codeCell("p", { outputs: [displayed({ [PICTURE]: { path: "/d.json" }, "text/html": `<img src="${SVG}" alt="${ALT}">` })] })],
    { assets },
  );
  assert.match(html, /data-src="\/book\/files\/d\.json"/);
  assert.ok([...site.files()].some(([path]) => path === "/d.json"));
});

test("a live picture without a static one is a problem", () => {
  const { problems } = render([codeCell("p", { outputs: [displayed({ [PICTURE]: "{}", "text/plain": "x" })] })]);
  assert.match(problems, /without a static one/);
});

test("picture and caption become one figure", () => {
  const { html } = render([
    codeCell("show()", {
      outputs: [
        displayed({ "image/png": { path: "/a.png" }, "text/plain": `'${ALT}'` }, { "image/png": { width: 691, height: 350 } }),
        displayed({ "text/html": '<p class="figure-caption"><strong>Figure 1</strong> x</p>', "text/plain": "x" }),
      ],
    }),
  ]);
  assert.match(html, /<figure><div class="picture"><img src="\/book\/files\/a\.png" width="691" height="350" alt="Four blocks, two of them held\." loading="lazy" decoding="async"><\/div><figcaption><p class="figure-caption">/);
});

test("a solution folds with its output; other hidden code folds alone", () => {
  const outputs = [displayed({ "text/plain": "9 of 9 passed." })];
  const solution = render([codeCell("s = 1", { tags: ["solution"], visibility: "hide", outputs })]).html;
  assert.match(solution, /^<details class="solution"><summary>Solution <span class="when-folded">\(folded\)<\/span><\/summary>/);
  assert.match(solution, /9 of 9 passed[^]*<\/details>$/);
});

test("reports are marked line by line", () => {
  const report = "check.allocator(My<b>)\n  passed  1  fresh\n  FAILED  2  twice\n      why     <b>lost</b>\n  to do   3  more\n  1 of 3 passed.";
  const { html } = render([codeCell("c", { tags: ["check"], outputs: [displayed({ "text/plain": report })] })]);
  for (const part of ['<span class="verdict passed">passed</span>  1', "verdict failed", "verdict todo", '<span class="field">why</span>', "&lt;b&gt;lost"]) {
    assert.ok(html.includes(part), part);
  }
});

test("a bold word that the glossary has links to its entry, elsewhere only", () => {
  const term = { type: "definitionTerm", html_id: "term-block", children: [text("block")] };
  const glossary = content("glossary", "Glossary", [
    block([{ type: "glossary", children: [{ type: "definitionList", children: [term] }] }]),
    block([paragraph({ type: "strong", children: [text("block")] })]),
  ]);
  const bold = block([paragraph({ type: "strong", children: [text("Blocks")] }, { type: "strong", children: [text("nothing")] })]);
  const site = siteOf([content("front", "Front", []), content("one", "1 · One", [bold]), glossary]);
  const drawn = site.entries.map((entry) => String(new Page(site, entry).render()));
  assert.match(drawn[1], /<strong><a class="term" href="\/book\/glossary\/#term-block">Blocks<\/a><\/strong><strong>nothing<\/strong>/);
  assert.ok(!drawn[2].includes('class="term"'));
});

test("a table without headings has headings in its first column", () => {
  const cell = (value, header) => ({ type: "tableCell", header, children: value ? [text(value)] : [] });
  const row = (...children) => ({ type: "tableRow", children });
  const { html } = render([block([{ type: "table", children: [row(cell("", true), cell("", true)), row(cell("0"), cell("How"))] }])]);
  assert.equal(html, '<div class="table"><table><tr><th scope="row">0</th><td>How</td></tr></table></div>');
});

test("equations have no style attributes, and a wrong one is a problem", () => {
  const { html, site } = render([block([{ type: "math", value: "\\frac{a}{b}" }])]);
  assert.ok(!/style="/.test(html));
  assert.match(site.equations.styleSheet(), /^\.katex \.kx0\{.+!important\}/);
  assert.match(render([block([{ type: "inlineMath", value: "\\frac{a" }])]).problems, /KaTeX/);
});

test("code in an unknown language is a problem", () => {
  assert.match(render([block([{ type: "code", lang: "cobol", value: "x" }])]).problems, /cobol/);
});

test("pictures keep their place, and only later ones wait to be seen", () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 330"/>');
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452000000080000000408060000", "hex");
  const assets = new Map([["/a.svg", svg], ["/b.png", png]]);
  const image = (url, width) => ({ type: "image", url, alt: "x", width });
  const { html } = render([block([image("/a.svg", "360"), image("/b.png"), image("/b.png", "50%")])], { assets });
  assert.match(html, /a\.svg" alt="x" width="360" height="165"><img/);
  assert.match(html, /b\.png" alt="x" width="8" height="4" loading="lazy"><img/);
  assert.match(html, /width="50%" loading="lazy">$/);
});

test("a number keeps its unit on its line", () => {
  const { html } = render([block([paragraph("30.3 % of 512 MiB in 2 ms, 4 minutes")])]);
  assert.equal(html, "<p>30.3\u00a0% of 512\u00a0MiB in 2\u00a0ms, 4 minutes</p>");
});

test("a table's caption stands above it, a figure's below", () => {
  const caption = { type: "caption", children: [paragraph("C")] };
  const picture = { type: "image", url: "/a.svg", alt: "x" };
  const table = { type: "table", children: [] };
  assert.match(render([block([{ type: "container", kind: "table", children: [table, caption] }])]).html, /C<\/p><\/figcaption><div class="table">/);
  assert.match(render([block([{ type: "container", kind: "figure", children: [caption, picture] }])]).html, /<div class="picture"><img[^>]*><\/div><figcaption>/);
});

test("long names may break, and short ones don't", () => {
  const code = (value) => ({ type: "inlineCode", value });
  const { html } = render([block([paragraph(code("v1/core/kv_cache_utils.py"), code("refs[block]"), code("a <b> & c, and so on (d)"))])]);
  assert.match(html, /<code>v1\/<wbr>core\/<wbr>kv_<wbr>cache_<wbr>utils\.py<\/code><code>refs\[block\]<\/code><code>a &lt;b&gt; &amp; c, and so on \(d\)<\/code>/);
});

test("a bold sentence of a chapter is a law, elsewhere and in a request to talk it isn't", () => {
  const bold = (words) => block([paragraph({ type: "strong", children: [text(words)] })]);
  const law = (words, ...first) => render([block(first), bold(words)]).html.includes('class="law"');
  assert.ok(law("Every block is in one place.", ...opening));
  assert.ok(!law("Every block is in one place."));
  assert.ok(!law("One place.", ...opening));
  assert.ok(!law("Discuss with a neighbour.", ...opening));
});
