// The front page: title, cover, where to start, what is in the book, how to cite it.

import { drawCover } from "./cover.mjs";
import { html } from "./html.mjs";
import { childrenOf, nodesOf } from "./tree.mjs";

/** Counts over all chapters, each with its word. */
function sums(site) {
  const chapters = site.entries.filter((entry) => entry.minutes);
  const all = (of) => chapters.reduce((sum, entry) => sum + of(entry), 0);
  const predictions = (entry) =>
    [...nodesOf(entry.root)].filter((node) => node.type === "prediction").length;
  return [
    [chapters.length, "chapters"],
    [Math.round(all((entry) => entry.minutes.total) / 60), "hours"],
    [all((entry) => entry.exercises.all), "exercises with checks"],
    [all(predictions), "predictions"],
  ];
}

/** The opening. Two ways to begin: reading here, and building on one's own machine. */
export function hero(site, page, cover) {
  const { entry } = page;
  const first = site.entries.find((each) => each.number);
  const counted = sums(site).map(([count, what]) => html`<li><strong>${count}</strong> ${what}</li>`);
  const reading = first && html`<a class="button first start-reading" rel="next" href="${site.href(first.url)}">Start reading</a>`;
  return html`<header class="hero">
<div class="hero-words"><h1>${entry.name.replace(/, /, ",\n")}</h1>
<p class="subtitle">${entry.subtitle}</p>
<p class="starts">${reading}
<a class="button" href="#how-to-run-it">Start building</a></p>
<p class="going-on needs-script" hidden></p></div>
<div class="hero-picture">${drawCover(cover, page)}</div>
<ul class="sums">${counted}<li>no GPU, no account</li></ul>
</header>`;
}

const isContents = (block) =>
  block.data?.part === "toc:project" ||
  childrenOf(block).some((node) => node.type === "toc" || node.data?.part === "toc:project");

/** The page's nodes by their headings of the second level; what comes before has none. */
function sectionsOf(root) {
  const sections = [{ heading: null, nodes: [] }];
  const nodes = childrenOf(root).flatMap((block) => (block.data?.part ? [block] : childrenOf(block)));
  for (const node of nodes) {
    if (node.type === "heading" && node.depth === 2) sections.push({ heading: node, nodes: [] });
    else sections.at(-1).nodes.push(node);
  }
  return sections;
}

/** The text in sections: the opening words, then the contents, then the others in their order. */
export function frontSections(page, root) {
  const [opening, ...others] = sectionsOf(root);
  const path = others.filter((section) => section.nodes.some(isContents));
  const rest = others.filter((section) => !path.includes(section));
  const drawn = [...path, ...rest].map(({ heading, nodes }) =>
    html`<section class="front-section">${page.node(heading)}<div>${page.all(nodes)}</div></section>`);
  return html`<div class="opening">${page.all(opening.nodes)}</div>${drawn}`;
}

/** How to cite the book, in a sentence and for BibTeX. */
export function citation(site) {
  const { authors, year, title, address } = site;
  const licence = site.licence.content?.id;
  const by = authors.length > 0 && `${authors.join(", ")}: `;
  const fields = [
    ["title", title],
    ["author", authors.join(" and ") || `{The authors of ${title}}`],
    ["year", year],
    ["note", licence],
    ["url", address],
  ].filter(([, value]) => value);
  const width = Math.max(...fields.map(([name]) => name.length));
  const lines = fields.map(([name, value]) => `  ${name.padEnd(width)} = {${value}}`);
  const bibtex = `@book{paged-attention-cell-by-cell,\n${lines.join(",\n")}\n}`;
  return html`<section class="front-section"><h2 id="how-to-cite">How to cite</h2><div>
<p>${by}<cite>${title}</cite>${year && `, ${year}`}.${licence && ` Text and pictures: ${licence}.`}</p>
<div class="code"><pre><code>${bibtex}</code></pre></div></div></section>`;
}
