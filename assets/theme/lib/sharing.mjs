// What others need to show or find the book, once a publisher has said where it will stand.

import { escape, html } from "./html.mjs";

const CARD = { file: "card.png", width: 1200, height: 630 };
const CARD_ALT = "A list of six numbers leads to six blocks of memory, which lie anywhere in a pool of twelve.";

/** `site.options.site_url` without a closing slash, or null. Throws for one that can't be right. */
export function siteAddress(url, base) {
  if (!url) return null;
  const address = url.replace(/\/+$/, "");
  if (!/^https:\/\/[^\s?#]+$/.test(address)) {
    throw new Error("site.options.site_url in myst.yml must begin with https://, and have no ? or #");
  }
  if (base && !address.endsWith(base)) {
    throw new Error(`site.options.site_url in myst.yml (${url}) doesn't end with BASE_URL (${base})`);
  }
  return address;
}

const pageAddress = (site, entry) => `${site.address}${entry.isIndex ? "" : entry.url}/`;

/** Tags of a page's head for search engines and for those who link to it; nothing without an address. */
export function sharingTags(site, entry, { title, description, theme }) {
  if (!site.address) return null;
  const own = pageAddress(site, entry);
  const image = `${site.address}${theme.slice(site.base.length)}/${CARD.file}`;
  const properties = {
    "og:type": entry.isIndex ? "book" : "article",
    "og:site_name": site.title,
    "og:title": title,
    "og:description": description,
    "og:url": own,
    "og:image": image,
    "og:image:width": CARD.width,
    "og:image:height": CARD.height,
    "og:image:alt": CARD_ALT,
  };
  const tags = Object.entries(properties).map(([name, value]) => html`<meta property="${name}" content="${value}">`);
  return html`<link rel="canonical" href="${own}">
${tags}
<meta name="twitter:card" content="summary_large_image">`;
}

/** All pages for search engines. */
export function sitemap(site) {
  const places = site.entries.map((entry) => `<url><loc>${escape(pageAddress(site, entry))}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${places.join("\n")}
</urlset>
`;
}
