// Requests with a length each come one after the other, then end in the same order. What happens if
// each reserves one run of slots as long as it may become, and what if memory comes in blocks?
// The same rules as arrivals.py; a test compares the two.
import { Engine } from "../common/engine.js";
import { Recorder } from "../common/trace.js";

/** The first free run of `length` slots, or null; and the longest free run. */
function firstFit(slots, length) {
  let [start, longest, found] = [0, 0, null];
  for (let at = 0; at <= slots.length; at++) {
    if (at < slots.length && slots[at] === null) continue;
    longest = Math.max(longest, at - start);
    if (found === null && at - start >= length) found = start;
    start = at + 1;
  }
  return { found, longest };
}

class Contiguous {
  constructor({ slots, most }) {
    this.slots = new Array(slots).fill(null);
    this.most = most;
    this.recorder = new Recorder("contiguous", slots, 1, null);
  }

  room() {
    const { found, longest } = firstFit(this.slots, this.most);
    return { fits: found !== null, wanted: this.most, room: longest };
  }

  admit(seq, length) {
    const { found } = firstFit(this.slots, this.most);
    this.slots.fill(seq, found, found + this.most);
    this.recorder.add("create", { seq });
    this.recorder.add("allocate", { seq, block: found, n: this.most });
    this.recorder.add("write", { seq, block: found, n: length });
  }

  release(seq) {
    const start = this.slots.indexOf(seq);
    this.recorder.add("release", { seq, block: start });
    this.slots = this.slots.map((holder) => (holder === seq ? null : holder));
  }
}

class Paged {
  constructor({ slots, blockSize }) {
    this.engine = new Engine(Math.floor(slots / blockSize), blockSize);
    this.recorder = this.engine.recorder;
  }

  room(length) {
    const [wanted, room] = [this.engine.blocksNeeded(length), this.engine.pool.room];
    return { fits: wanted <= room, wanted, room };
  }

  admit(seq, length) {
    this.engine.begin(seq);
    this.engine.grow(seq, length);
    this.engine.fill(seq, length);
  }

  release(seq) {
    this.engine.drop(seq);
  }
}

function run(side, lengths, names) {
  const { recorder } = side;
  const queue = [];
  const seqs = names.map((name) => recorder.seq(name));
  const enter = (seq) => {
    const { wanted, room } = side.room(lengths[seq]);
    recorder.add("admit", { seq, n: wanted, i: room });
    side.admit(seq, lengths[seq]);
  };
  for (const seq of seqs) {
    recorder.step("arrive", seq, lengths[seq]);
    const { fits, wanted, room } = side.room(lengths[seq]);
    if (fits && !queue.length) enter(seq);
    else {
      recorder.add("refuse", { seq, n: wanted, i: room });
      queue.push(seq);
    }
  }
  for (const seq of seqs) {
    recorder.step("end", seq);
    side.release(seq);
    while (queue.length && side.room(lengths[queue[0]]).fits) enter(queue.shift());
  }
  return recorder.trace;
}

/** Both traces for requests of these lengths. */
export function simulate({ lengths, names, slots, most, blockSize }) {
  return {
    contiguous: run(new Contiguous({ slots, most }), lengths, names),
    paged: run(new Paged({ slots, blockSize }), lengths, names),
  };
}
