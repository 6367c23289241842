// Trees as MyST writes them, and a site around them.

import { Page } from "../lib/page.mjs";
import { Site, readEntry } from "../lib/site.mjs";

export const text = (value) => ({ type: "text", value });
export const paragraph = (...children) => ({
  type: "paragraph",
  children: children.map((child) => (typeof child === "string" ? text(child) : child)),
});
export const block = (children, more = {}) => ({ type: "block", children, ...more });
export const codeCell = (value, { tags = [], outputs = [], ...more } = {}) => ({
  type: "block",
  kind: "notebook-code",
  data: { tags },
  children: [
    { type: "code", lang: "python", executable: true, value, visibility: more.visibility },
    { type: "outputs", children: outputs.map((made) => ({ type: "output", jupyter_data: made })) },
  ],
  ...more,
});
export const displayed = (data, metadata = {}) => ({
  output_type: "display_data",
  metadata,
  data: Object.fromEntries(
    Object.entries(data).map(([mime, value]) => [mime, typeof value === "string" ? { content: value } : value]),
  ),
});

export const opening = [
  { type: "blockquote", children: [paragraph("One claim.")] },
  paragraph({
    type: "emphasis",
    children: [text("About 67 minutes: 42 to read and run, 25 for the exercises. Needs chapters 0 and 1.")],
  }),
];

/** Content of one page, as in `/content/<slug>.json`. */
export function content(slug, title, blocks, more = {}) {
  return {
    slug,
    location: `/chapters/${slug}.ipynb`,
    frontmatter: { title, ...more.frontmatter },
    mdast: { type: "root", children: blocks },
    references: { cite: { data: more.cited ?? {} } },
  };
}

/** A site of these pages; the first one is the front page. */
export function siteOf(contents, { options = {}, base = "/book", assets = new Map(), running = null } = {}) {
  const entries = contents.map((each, at) => readEntry(each, at === 0 ? null : "Part I", at === 0));
  const config = { title: "A book", options, projects: [{ title: "A book", description: "About." }] };
  return new Site({ config, entries, assets, base, running });
}

/** HTML of a page that holds only these blocks, and the problems that were met. */
export function render(blocks, more = {}) {
  const site = siteOf([content("front", "Front", []), content("page", "1 · Page", blocks, more)], more);
  const page = new Page(site, site.entries[1]);
  return { html: String(page.render()), page, site, problems: String(site.problems) };
}
