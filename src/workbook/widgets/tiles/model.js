// The picture without a document: a ragged batch in tiles, what each reads, what each step says.
// The numbers are batch.py's; a page can choose another tile size.
import WORDS from "./words.json" with { type: "json" };
import { say } from "../common/wording.js";

const list = (text) => (text ? text.split(" ").map(Number) : []);

export class TilesModel {
  constructor(data) {
    Object.assign(this, { size: data.size, group: data.group, sizes: list(data.sizes) });
    const tables = data.tables.split(";").map(list);
    this.rows = data.rows.split(";").map((text, at) => {
      const [known, fresh] = list(text);
      return { name: String.fromCharCode(65 + at), known, fresh, table: tables[at] };
    });
    this.choose(data.tokens);
  }

  /** Cut the batch into tiles of at most `most` tokens, the one that reads most keys first. */
  choose(most) {
    this.most = most;
    this.tiles = this.rows.flatMap(({ known, fresh }, row) =>
      Array.from({ length: Math.ceil(fresh / most) }, (_, at) => {
        const end = Math.min((at + 1) * most, fresh);
        return { row, first: at * most, end, keys: known + end };
      }),
    );
    this.tiles.sort((a, b) => b.keys - a.keys);
  }

  get last() {
    return this.tiles.length;
  }

  get tokens() {
    return this.rows.reduce((sum, { fresh }) => sum + fresh, 0);
  }

  get read() {
    return this.tiles.reduce((sum, { keys }) => sum + keys, 0);
  }

  /** Keys that would be read token by token. */
  get single() {
    const one = ({ known, fresh }) => fresh * known + (fresh * (fresh + 1)) / 2;
    return this.rows.reduce((sum, row) => sum + one(row), 0);
  }

  blocks({ row, keys }) {
    return this.rows[row].table.slice(0, Math.ceil(keys / this.size));
  }

  /** Which program answers this new token, counted from 1. */
  program(row, token) {
    const mine = (tile) => tile.row === row && tile.first <= token && token < tile.end;
    return this.tiles.findIndex(mine) + 1;
  }

  /** How the cell of a token and a key looks after program `step` has run. */
  look(row, token, key, step) {
    const at = this.program(row, token);
    const { known } = this.rows[row];
    if (at > step || key >= this.tiles[at - 1].keys) return "free";
    if (key > known + token) return "reserved";
    return key < known ? "held" : "other";
  }

  /** The looks that occur at any step. */
  get looks() {
    return new Set(Object.keys(WORDS.legend));
  }

  note() {
    const { tokens, group, size, rows } = this;
    return say(WORDS.note, { tokens, sequences: rows.length, group, size });
  }

  /** What a program is called by. */
  named(step) {
    const { row, first, end, keys } = this.tiles[step - 1];
    const many = end - first > 1;
    return { step, name: this.rows[row].name, first, end: end - 1, many, keys };
  }

  span(step) {
    const named = this.named(step);
    return `${named.name} ${say(WORDS.span, named)}`;
  }

  sentence(step) {
    if (!step) {
      const idle = this.rows.filter(({ fresh }) => !fresh).map(({ name }) => name);
      return say(WORDS.start, { programs: this.last, tokens: this.tokens, idle });
    }
    const tile = this.tiles[step - 1];
    const many = tile.end - tile.first;
    const blocks = this.blocks(tile);
    const behind = this.rows[tile.row].table.slice(blocks.length);
    const said = say(WORDS.step, {
      ...this.named(step),
      last: this.last,
      rows: many * this.group,
      group: this.group,
      blocks: blocks.length,
      hidden: (many * (many - 1)) / 2,
      cells: many * tile.keys,
      left: behind.length,
      behind,
    });
    if (step < this.last) return said;
    return `${said} ${say(WORDS.end, { read: this.read, single: this.single })}`;
  }

  programLabel(at, step) {
    const when = { now: at === step, done: at < step, ahead: at > step };
    return say(WORDS.program, { ...this.named(at), ...when });
  }

  cellLabel(row, token, key, step) {
    const { name, known, table } = this.rows[row];
    const look = WORDS.legend[this.look(row, token, key, step)];
    const block = table[Math.floor(key / this.size)];
    return say(WORDS.cell, { name, token, position: known + token, key, block, look });
  }

  sequenceLabel({ name, known, fresh, table }) {
    return say(WORDS.sequence, { name, known, new: fresh, several: table.length > 1, table });
  }

  caption() {
    return say(WORDS.caption, { most: this.most });
  }

  /** The rows of the table: token, position, keys it sees, its program, what that reads. */
  table() {
    return this.rows.flatMap(({ name, known, fresh }, row) =>
      Array.from({ length: fresh }, (_, token) => {
        const at = this.program(row, token);
        const blocks = this.blocks(this.tiles[at - 1]).join(" ");
        const reads = say(WORDS.reads, { keys: this.tiles[at - 1].keys, blocks });
        return [`${name} ${token}`, known + token, known + token + 1, at, reads];
      }),
    );
  }
}
