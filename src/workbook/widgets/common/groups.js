// Several calls of the engine that a picture shows as one step: a fork, a request's whole run.

/** A picture's steps over a trace: `groups[k]` are the trace's steps of the picture's step k. */
export class Groups {
  constructor(groups) {
    this.groups = groups;
  }

  /** "0 1-3 4": the trace's steps, one part a step of the picture. */
  static read(text) {
    return new Groups(
      text.split(" ").map((part) => {
        const [first, last = first] = part.split("-").map(Number);
        return Array.from({ length: last - first + 1 }, (_, at) => first + at);
      }),
    );
  }

  get last() {
    return this.groups.length - 1;
  }

  /** The trace's step after which the picture's step is drawn. */
  end(step) {
    return this.groups[step].at(-1);
  }

  events(trace, step) {
    return this.groups[step].flatMap((at) => trace.events[at]);
  }

  /** The names of the calls of a step, and the first one's arguments. */
  calls(trace, step) {
    return this.groups[step].map((at) => trace.calls[at]);
  }

  args(trace, step) {
    return trace.args[this.groups[step][0]];
  }
}
