// The kernel behind a live picture's buttons. It may be busy with other cells, and it may be gone;
// a reader who pressed a button is told which.
import WORDS from "./words.json" with { type: "json" };

const PATIENCE = 400; // ms after which a reader begins to wonder
const GONE = ["dead", "terminating", "restarting", "autorestarting"];

export class Kernel {
  /** `model`: what answers in the kernel; `told(text)` hears what the reader should know. */
  constructor(model, told) {
    Object.assign(this, { model, told, state: "ready" });
    this.hearers = {
      "change:data": () => this.answered(),
      "change:fault": () => model.get("fault") && this.failed(model.get("fault")),
      comm_live_update: () => this.lose(), // a restarted kernel knows nothing of this picture
    };
    for (const [event, hear] of Object.entries(this.hearers)) model.on?.(event, hear);
  }

  /** Ask the kernel to do something. Its answer is new data, or a fault. */
  send(message) {
    if (this.state === "lost" || this.gone()) return this.lose();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.wait(), PATIENCE);
    return this.model.send?.(message);
  }

  wait() {
    if (this.gone()) return this.lose();
    this.state = "busy";
    return this.told(WORDS.busy);
  }

  answered() {
    clearTimeout(this.timer);
    this.state = "ready";
  }

  failed(fault) {
    this.answered();
    this.told(fault);
  }

  lose() {
    clearTimeout(this.timer);
    this.state = "lost";
    this.told(WORDS.lost);
  }

  /** Whether the notebook says that its kernel is no more; where it says nothing, it isn't. */
  gone() {
    const kernel = this.model.widget_manager?.kernel;
    return kernel === null || Boolean(kernel?.isDisposed) || GONE.includes(kernel?.status);
  }

  remove() {
    clearTimeout(this.timer);
    for (const [event, hear] of Object.entries(this.hearers)) this.model.off?.(event, hear);
  }
}
