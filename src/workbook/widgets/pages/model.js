// The picture without a document: one position through the manager's table and the kernel's.
import WORDS from "./words.json" with { type: "json" };
import { number, say } from "../common/wording.js";

const list = (text) => (text ? text.split(" ").map(Number) : []);

export class PagesModel {
  constructor(data) {
    Object.assign(this, { block: data.block, table: list(data.table), sizes: list(data.pages) });
    this.choose(data.page);
  }

  /** Read the blocks in pages of `page` slots: block b is pages b · r to b · r + r − 1. */
  choose(page) {
    this.page = page;
    this.each = this.block / page;
    const parts = Array.from({ length: this.each }, (_, i) => i);
    this.pages = this.table.flatMap((b) => parts.map((i) => b * this.each + i));
  }

  get last() {
    return this.table.length * this.block - 1;
  }

  get looks() {
    const kinds = { copied: this.page > 1, held: this.page > 1, other: this.each > 1 };
    return new Set(["copied", ...Object.keys(kinds).filter((kind) => kinds[kind])]);
  }

  note() {
    const { table, block, each, page } = this;
    return say(WORDS.note, { blocks: table.length, block, each, page });
  }

  /** Entry, number and slot of a position in either table. */
  place(position) {
    const entry = Math.floor(position / this.block);
    const pageEntry = Math.floor(position / this.page);
    return {
      position,
      entry,
      number: this.table[entry],
      slot: position % this.block,
      pageEntry,
      pageNumber: this.pages[pageEntry],
      pageSlot: position % this.page,
      place: this.table[entry] * this.block + (position % this.block),
    };
  }

  sentence(position) {
    return say(WORDS.step, this.place(position));
  }

  blockLabel(i, position) {
    const now = this.place(position).entry === i;
    return say(WORDS.blockEntry, { i, number: this.table[i], each: this.each, now });
  }

  pageLabel(i, position) {
    const now = this.place(position).pageEntry === i;
    const block = this.table[Math.floor(i / this.each)];
    return say(WORDS.pageEntry, { i, number: this.pages[i], block, now });
  }

  slotsLabel(position) {
    return say(WORDS.slots, { number: this.place(position).number });
  }

  caption() {
    return say(WORDS.caption, { page: this.page, block: this.block });
  }

  /** The rows of the table: the kernel's entry, positions, block, its slots, page. */
  rows() {
    const span = (first) => {
      const end = first + this.page - 1;
      return say(WORDS.span, { first, end, many: this.page > 1 });
    };
    return this.pages.map((page, i) => {
      const first = i * this.page;
      const block = this.table[Math.floor(i / this.each)];
      return [number(i), span(first), block, span(first % this.block), page];
    });
  }
}
