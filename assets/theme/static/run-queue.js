// One Python behind a page, in a worker, and the cells that wait for it, one at a time.

/**
 * `makeWorker()` gives a worker that isn't started; `base` is where Python's files are; `hear(event)`
 * is told {kind: "loading" | "ready" | "begun" | "told" | "ended" | "idle" | "stopped" | "failed", …}.
 * A job is {id, number, source, line, text, mayFail}; `text`, what the page shows of it, comes back
 * when it has ended. After a job that failed and may not, the others are dropped.
 */
export class Queue {
  #worker = null;
  #ready = false;
  #waiting = [];
  #job = null;

  constructor({ makeWorker, base, hear }) {
    Object.assign(this, { makeWorker, base, hear });
  }

  get job() {
    return this.#job;
  }

  get busy() {
    return this.#job !== null || this.#waiting.length > 0;
  }

  /** Whether this text of a cell runs or waits already. */
  has(id, text) {
    return [this.#job, ...this.#waiting].some((job) => job?.id === id && job.text === text);
  }

  isWaiting(id) {
    return this.#waiting.some((job) => job.id === id);
  }

  /** Fetch and begin Python, if it isn't there. */
  start() {
    if (this.#worker) return;
    this.#ready = false;
    let worker;
    try {
      worker = this.makeWorker();
    } catch (error) {
      this.#fail(`This browser can't run it here (${error.message}).`);
      return;
    }
    this.#worker = worker;
    // A worker that was ended may still have sent something.
    worker.onmessage = ({ data }) => this.#worker === worker && this.#told(data);
    worker.onerror = (event) => {
      event.preventDefault?.();
      if (this.#worker === worker) this.#fail(event.message || "Its program didn't load.");
    };
    worker.postMessage({ kind: "start", base: this.base });
  }

  run(jobs) {
    this.#waiting.push(...jobs);
    this.start();
    this.#next();
  }

  /** End Python, and with it whatever it was doing and everything that it knew. */
  stop() {
    const { id = null } = this.#job ?? {};
    const dropped = this.#end();
    this.hear({ kind: "stopped", id, dropped });
  }

  /** A button of a live picture. */
  send(model, content) {
    this.#worker?.postMessage({ kind: "widget", model, content });
  }

  #end() {
    this.#worker?.terminate();
    const dropped = this.#waiting.map((job) => job.id);
    this.#worker = this.#job = null;
    this.#waiting = [];
    this.#ready = false;
    return dropped;
  }

  #fail(text) {
    const { id = null } = this.#job ?? {};
    const dropped = this.#end();
    this.hear({ kind: "failed", text, id, dropped });
  }

  #next() {
    if (!this.#ready || this.#job || !this.#waiting.length) return;
    this.#job = this.#waiting.shift();
    const { id, number, source, line } = this.#job;
    this.hear({ kind: "begun", id });
    this.#worker.postMessage({ kind: "run", id, number, source, line });
  }

  #told(message) {
    if (message.kind === "failed") this.#fail(message.text);
    else if (message.kind === "done") this.#done(message);
    else if (message.kind === "loading") this.hear(message);
    else if (message.kind === "ready") {
      this.#ready = true;
      this.hear(message);
      this.#next();
    } else this.hear({ kind: "told", message });
  }

  #done({ ok, ms }) {
    if (!this.#job) return;
    const { id, text, mayFail } = this.#job;
    this.#job = null;
    const dropped = ok || mayFail ? [] : this.#waiting.splice(0).map((job) => job.id);
    this.hear({ kind: "ended", id, text, ok, ms, dropped });
    if (!this.#waiting.length) this.hear({ kind: "idle" });
    else this.#next();
  }
}
