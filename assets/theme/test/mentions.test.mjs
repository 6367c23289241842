import assert from "node:assert/strict";
import { test } from "node:test";

import { Page } from "../lib/page.mjs";
import { block, codeCell, content, displayed, paragraph, siteOf, text } from "./helpers.mjs";

const figure = (caption) => codeCell("show()", {
  outputs: [
    displayed({ "text/html": '<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="A picture of nothing at all.">' }),
    displayed({ "text/html": `<p class="figure-caption"><strong>${caption}</strong> x</p>` }),
  ],
});
const bibliography = content("bibliography", "Bibliography", [block([{ type: "bibliography" }])], {
  cited: Object.fromEntries(["kwon2023", "dao2022", "dao2024"].map((label) => [label, { html: label }])),
});

function drawn(...blocks) {
  const site = siteOf([
    content("front", "Front", []),
    content("one", "1 · One", [figure("Figure 1.2 ·")]),
    content("two", "2 · Two", blocks),
    bibliography,
  ]);
  return { html: String(new Page(site, site.entries[2]).render()), site };
}

test("a mentioned figure is linked, in this chapter and in another one", () => {
  const { html, site } = drawn(figure("Figure 2.1 ·"), block([paragraph("See figure 2.1, figure 1.2 and figure 9.9.")]));
  assert.match(html, /<figure id="figure-2-1">/);
  assert.match(html, /<a class="reference" href="#figure-2-1">figure\u00a02\.1<\/a>, <a class="reference" href="\/book\/one\/#figure-1-2">figure\u00a01\.2<\/a> and figure 9\.9\./);
  assert.match(String(new Page(site, site.entries[1]).render()), /<figure id="figure-1-2">/);
});

test("a live picture's caption has its figure's place, and doesn't link to itself", () => {
  const caption = paragraph({ type: "strong", children: [text("Figure 2.3 · Steps.")] }, " As in figure 1.2.");
  const { html } = drawn(block([caption]));
  assert.match(html, /<p id="figure-2-3" class="figure-caption"><strong>Figure 2\.3\u00a0· Steps\.<\/strong> As in <a/);
});

test("works lead to the bibliography: by name and year, or by a name that only one has", () => {
  const { html } = drawn(block([paragraph("(Kwon et al., 2023), Kwon et al., Dao et al. 2024, Dao et al., Nobody et al., 2023")]));
  assert.equal(html.match(/class="cite"/g).length, 3);
  assert.match(html, /href="\/book\/bibliography\/#cite-kwon2023">Kwon et al\., 2023<\/a>/);
  assert.match(html, /#cite-dao2024">Dao et al\. 2024<\/a>, Dao et al\., Nobody/);
});

test("papers and reports lead out; other words with a sign in them don't", () => {
  const { html } = drawn(block([paragraph("arXiv 2309.06180, arXiv:1805.02867, vllm-project/vllm#12224, a/b, C#1 and 3/4#5x")]));
  for (const address of ["https://arxiv.org/abs/2309.06180", "https://arxiv.org/abs/1805.02867", "https://github.com/vllm-project/vllm/issues/12224"]) {
    assert.ok(html.includes(`href="${address}"`), address);
  }
  assert.equal(html.match(/<a /g).length, 3);
});

test("nothing is linked inside a link or a heading", () => {
  const mention = "figure 1.2, chapter 1, arXiv 2309.06180 (Kwon et al., 2023)";
  const { html } = drawn(
    block([paragraph({ type: "link", url: "/one", children: [text(mention)] })]),
    block([{ type: "heading", depth: 2, html_id: "h", children: [text(mention)] }]),
  );
  assert.equal(html.match(/<a /g).length, 2); // the link itself, and the heading's anchor
});
