// Which text of each cell ran last, and when: so that a page can say which outputs no longer say
// what the cells above them do.

export class Ledger {
  #clock = 0;
  #ran = new Map(); // place in the page -> {text, ok, at, moved}

  /** A cell ran with this text. */
  note(place, text, ok) {
    const before = this.#ran.get(place);
    this.#clock += 1;
    const moved = before?.text === text ? before.moved : this.#clock;
    this.#ran.set(place, { text, ok, at: this.#clock, moved });
  }

  /** Python ended, and everything that cells had made with it. */
  forget() {
    this.#ran.clear();
  }

  hasRun(place) {
    return this.#ran.has(place);
  }

  /**
   * What a cell with this text is now: "fresh" (it never ran), "changed" (its text did since),
   * "stale" (a cell above it ran later, with a text that was new then), "failed" or "ran".
   */
  mark(place, text) {
    const ran = this.#ran.get(place);
    if (!ran) return "fresh";
    if (ran.text !== text) return "changed";
    if ([...this.#ran].some(([above, { moved }]) => above < place && moved > ran.at)) return "stale";
    return ran.ok ? "ran" : "failed";
  }
}
