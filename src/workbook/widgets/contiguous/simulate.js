// Requests with a length each come one after the other, then end in the same order. What happens if
// each reserves one run of slots as long as it may become, and what if memory comes in blocks?
// The same rules as widgets/requests.py; a test compares the two.
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
    const blocks = Math.floor(slots / blockSize);
    this.free = Array.from({ length: blocks }, (_, at) => blocks - 1 - at);
    this.size = blockSize;
    this.tables = new Map();
    this.recorder = new Recorder("paged", blocks, blockSize, [...this.free].reverse());
  }

  room(length) {
    const wanted = Math.ceil(length / this.size);
    return { fits: wanted <= this.free.length, wanted, room: this.free.length };
  }

  admit(seq, length) {
    this.recorder.add("create", { seq });
    const table = [];
    for (let i = 0; i < Math.ceil(length / this.size); i++) {
      const block = this.free.pop();
      table.push(block);
      this.recorder.add("allocate", { seq, block, i });
    }
    table.forEach((block, i) =>
      this.recorder.add("write", { seq, block, n: Math.min(this.size, length - i * this.size) }),
    );
    this.tables.set(seq, table);
  }

  release(seq) {
    this.tables.get(seq).forEach((block, i) => {
      this.recorder.add("release", { seq, block, i });
      this.free.push(block);
    });
    this.tables.delete(seq);
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
