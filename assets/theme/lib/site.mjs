// The whole book as MyST hands it over: its pages in order, and what they have in common.

import { createHash } from "node:crypto";

import { gatherExercises, openChapter, splitTitle } from "./chapter.mjs";
import { contentsList } from "./contents.mjs";
import { readFigures } from "./figures.mjs";
import { readTerms } from "./glossary.mjs";
import { checkOptions } from "./launch.mjs";
import { Equations } from "./math.mjs";
import { gatherPredictions } from "./predictions.mjs";
import { Problems } from "./problems.mjs";
import { countPoints, gatherQuizzes } from "./quizzes.mjs";
import { readRunning } from "./running.mjs";
import { siteAddress } from "./sharing.mjs";
import { nodesOf } from "./tree.mjs";

/** What one page is, before it is drawn. */
export function readEntry(content, part, isIndex) {
  const opening = openChapter(content.mdast);
  const root = gatherExercises(gatherQuizzes(gatherPredictions(opening?.root ?? content.mdast)));
  return {
    slug: content.slug,
    url: isIndex ? "/" : `/${content.slug}`,
    location: content.location.replace(/^\//, ""),
    title: content.frontmatter.title,
    ...splitTitle(content.frontmatter.title),
    subtitle: content.frontmatter.subtitle,
    description: content.frontmatter.description,
    part,
    isIndex,
    notebook: content.frontmatter.exports?.find((file) => file.format === "ipynb"),
    claim: opening?.claim,
    minutes: opening?.minutes,
    exercises: opening?.exercises,
    points: opening ? countPoints(root) : 0,
    root,
    cited: content.references?.cite?.data ?? {},
  };
}

/** Labels of everything that the book cites, and the page that lists it all. */
function readWorks(entries) {
  const lists = (entry) => [...nodesOf(entry.root)].some((node) => node.type === "bibliography");
  const labels = [...new Set(entries.flatMap((entry) => Object.keys(entry.cited)))];
  return { url: entries.find(lists)?.url ?? null, labels };
}

/** "6 · When memory runs out; 9 · …" as numbers and names, without the chapters that are there. */
function readPlanned(words, entries) {
  const named = (words ?? "").split(";").map((title) => splitTitle(title.trim()));
  return named
    .filter(({ number }) => number && !entries.some((entry) => entry.number === number))
    .map(({ number, name }) => ({ number: Number(number), name }));
}

export class Site {
  problems = new Problems();
  equations = new Equations();
  #kept = new Map();
  #used = new Set();

  constructor({ config, entries, assets, base, running = null }) {
    this.title = config.title ?? config.projects[0].title;
    this.description = config.projects[0].description ?? "";
    this.options = config.options ?? {};
    this.licence = config.projects[0].license ?? {};
    this.base = base;
    this.authors = (config.projects[0].authors ?? []).map(({ name }) => name);
    this.year = /^\d{4}/.exec(config.projects[0].date ?? "")?.[0];
    this.address = siteAddress(this.options.site_url, base);
    this.planned = readPlanned(this.options.planned, entries);
    this.entries = entries;
    this.assets = assets;
    this.running = running;
    this.terms = readTerms(entries);
    this.figures = readFigures(entries);
    this.works = readWorks(entries);
    checkOptions(this.options);
  }

  /** Address of a page of the book (`/`, `/glossary`, `/glossary#term-block`) below the base path. */
  href(url) {
    if (url.startsWith("#")) return url;
    const [path, fragment] = url.split("#");
    const folder = path === "/" ? "/" : `${path.replace(/\/$/, "")}/`;
    return `${this.base}${folder}${fragment ? `#${fragment}` : ""}`;
  }

  /** Address of a file that MyST collected. */
  asset(path) {
    this.#used.add(path);
    return `${this.base}/files${path}`;
  }

  readAsset(path) {
    return this.assets.get(path)?.toString("utf8") ?? "";
  }

  /** Keeps a picture's bytes as a file, once however often it is shown; returns its address. */
  keep(content, extension) {
    const name = `/${createHash("sha256").update(content).digest("hex").slice(0, 16)}.${extension}`;
    this.#kept.set(name, content);
    return `${this.base}/files${name}`;
  }

  /** Path and bytes of every file that a drawn page points to. */
  *files() {
    for (const [path, content] of this.assets) if (this.#used.has(path)) yield [path, content];
    yield* this.#kept;
  }

  chapter(number) {
    return this.entries.find((entry) => entry.number === number);
  }

  contentsList() {
    return contentsList(this);
  }

  /** Everything that any page cites, in the order of the entries' texts. */
  bibliography() {
    const all = new Map();
    for (const entry of this.entries) {
      for (const [label, cited] of Object.entries(entry.cited)) all.set(label, { ...cited, label });
    }
    return [...all.values()].sort((a, b) => a.html.localeCompare(b.html, "en"));
  }

  /** The pages before and after an entry. */
  around(entry) {
    const at = this.entries.indexOf(entry);
    return { previous: this.entries[at - 1], next: this.entries[at + 1] };
  }
}

/** Reads all of it from MyST's content server. */
export async function loadSite(server, base) {
  const get = async (path) => {
    const response = await fetch(server + path);
    if (!response.ok) throw new Error(`MyST has no ${path} (${response.status})`);
    return response;
  };
  const json = async (path) => (await get(path)).json();
  const config = await json("/config.json");
  const project = config.projects[0];
  const entries = [readEntry(await json(`/content/${project.index}.json`), null, true)];
  let part = null;
  for (const page of project.pages) {
    if (!page.slug) part = page.title;
    else {
      const inPart = page.level > 1 ? part : null;
      entries.push(readEntry(await json(`/content/${page.slug}.json`), inPart, false));
    }
  }
  const assets = new Map();
  for (const path of await json("/public.json")) {
    assets.set(path, Buffer.from(await (await get(path)).arrayBuffer()));
  }
  return new Site({ config, entries, assets, base, running: readRunning() });
}
