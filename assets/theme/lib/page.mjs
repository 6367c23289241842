// One page: its tree becomes HTML, and what it needs (outline, equations, pictures) is noted.

import { figureId } from "./figures.mjs";
import { RefusedHtml, elementsOf, readFragment, writeFragment } from "./fragment.mjs";
import { html, join, NOTHING } from "./html.mjs";
import { asking } from "./nodes/asking.mjs";
import { blocks } from "./nodes/blocks.mjs";
import { cell, cells } from "./nodes/cells.mjs";
import { references } from "./nodes/references.mjs";
import { text } from "./nodes/text.mjs";
import { childrenOf } from "./tree.mjs";

const HANDLERS = { ...text, ...blocks, ...asking, ...cells, ...references };
const SHORTEST_ALT = 20;

export class Page {
  outline = [];
  footnotes = [];
  footnotesMet = new Set();
  hasMath = false;
  hasPictures = false;
  listsReferences = false;
  pictures = 0;
  inLink = false;
  #ids = new Set();
  #block = null;

  constructor(site, entry) {
    this.site = site;
    this.entry = entry;
    this.url = entry.url;
    this.terms = site.terms;
    this.cited = entry.cited;
  }

  render() {
    return this.node(this.entry.root);
  }

  node(node) {
    if (node.type === "block") this.#block = node;
    const handler = HANDLERS[node.type];
    if (!handler) {
      this.problem(node, `nothing draws a node of the type “${node.type}”${node.name ? ` (${node.name})` : ""}`);
      return NOTHING;
    }
    return handler(node, this);
  }

  children(node) {
    return this.all(childrenOf(node));
  }

  all(nodes) {
    return join(nodes.map((node) => this.node(node)));
  }

  /** The children of something that is a link already: links can't lie in one another. */
  within(node) {
    const outer = this.inLink;
    this.inLink = true;
    const content = this.children(node);
    this.inLink = outer;
    return content;
  }

  cell(node) {
    return cell(node, this);
  }

  contents() {
    return this.site.contentsList();
  }

  /** The node's id in the page, or null; a second node with the same one is a problem. */
  idOf(node) {
    const id = node.html_id ?? (node.type === "block" ? node.identifier : null);
    if (!id) return null;
    if (this.#ids.has(id)) this.problem(node, `a second node with the id “${id}”`);
    this.#ids.add(id);
    return id;
  }

  /** The id of a figure's place; null for a picture without a number, or one shown again. */
  figureId(number) {
    const id = number && figureId(number);
    if (!id || this.#ids.has(id)) return null;
    this.#ids.add(id);
    return id;
  }

  href(url) {
    return this.site.href(url);
  }

  asset(path, node) {
    if (!path?.startsWith("/")) {
      this.problem(node, `the file ${path} isn't part of the book`);
      return "";
    }
    return this.site.asset(path);
  }

  keep(content, extension) {
    return this.site.keep(content, extension);
  }

  /** An output's text, whether it stands in the page's data or in a file of its own. */
  read(data) {
    return data.content ?? (data.path ? this.site.readAsset(data.path) : "");
  }

  equation(node, display) {
    this.hasMath = true;
    try {
      return this.site.equations.render(node.value, { display });
    } catch (error) {
      this.problem(node, error.message);
      return html`<code>${node.value}</code>`;
    }
  }

  /** HTML of an output or a citation, read strictly. */
  fragment(source, node) {
    try {
      const nodes = readFragment(source);
      for (const part of elementsOf(nodes)) {
        if (part.name === "img" && (part.attributes.alt ?? "").length < SHORTEST_ALT) {
          this.problem(node, `a picture without alt text (it has “${part.attributes.alt ?? ""}”)`);
        }
      }
      return writeFragment(nodes, (url) => this.#picture(url, node));
    } catch (error) {
      if (!(error instanceof RefusedHtml)) throw error;
      this.problem(node, `HTML that this page doesn't take: ${error.message}`);
      return NOTHING;
    }
  }

  #picture(url, node) {
    const match = /^data:image\/(svg\+xml|png);base64,([A-Za-z0-9+/=]+)$/.exec(url);
    if (!match) {
      this.problem(node, `a picture that isn't in the notebook itself: ${url.slice(0, 60)}`);
      return "";
    }
    return this.site.keep(Buffer.from(match[2], "base64"), match[1] === "png" ? "png" : "svg");
  }

  problem(node, message) {
    const line = node.position?.start?.line;
    const places = [
      this.entry.location,
      this.#block?.identifier && `cell ${this.#block.identifier}`,
      line && `line ${line}`,
    ];
    this.site.problems.add(places.filter(Boolean).join(", "), message);
  }
}
