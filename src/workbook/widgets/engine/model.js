// The picture without a document: one trace, seen as a queue, a pool and an index.
import LINE from "../line/words.json" with { type: "json" };
import WORDS from "./words.json" with { type: "json" };
import { visible } from "../common/names.js";
import { standsOf } from "../common/queue.js";
import { forest } from "../common/snapshot.js";
import { say } from "../common/wording.js";
import { PoolModel } from "../pool/model.js";

export class EngineModel extends PoolModel {
  read(data) {
    super.read(data);
    this.stands = standsOf(this.trace);
    const { numBlocks: blocks, blockSize: size } = this.trace;
    this.note = say(WORDS.note, { blocks, size });
  }

  /** Who stands where after a step, oldest first. */
  places(step) {
    return this.stands[step].places;
  }

  /** The blocks of a sequence that runs. */
  blocksOf(seq) {
    return this.state.tables.get(seq) ?? [];
  }

  /** The blocks that the step found in the index. */
  get hits() {
    return new Set(this.events.filter(({ op }) => op === "hit").map(({ block }) => block));
  }

  /** The trees of known prefixes: at least an empty root. */
  roots() {
    const roots = forest(this.state).map(([key, nodes]) => ({
      path: String(key),
      name: key < -1 ? visible(this.trace.keys[-2 - key]) : WORDS.root,
      nodes,
    }));
    return roots.length ? roots : [{ path: "-1", name: WORDS.root, nodes: [] }];
  }

  lawOf(step) {
    return say(WORDS.law, { law: this.law(), used: this.stands[step].used });
  }

  /** The rows of the table: a request each. */
  rowsOf(step) {
    this.at(step, 0, this.trace.numBlocks);
    const size = this.trace.blockSize;
    const found = (seq) => this.events.filter((e) => e.op === "hit" && e.seq === seq).length * size;
    return this.places(step).map((place) => [
      visible(this.trace.seqs[place.name]),
      place.runs ? LINE.runs : LINE.waits,
      place.known,
      place.cached,
      place.ran,
      this.blocksOf(place.name).join(" ") || "–",
      found(place.name),
      place.preempted,
    ]);
  }
}
