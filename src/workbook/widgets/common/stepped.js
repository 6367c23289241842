// What pictures share that are stepped: the frame around their stage, one tab stop for all its parts.
import { Frame } from "./frame.js";
import { Rover } from "./rove.js";

/** A picture's own: `draw(step)` and `parts()`, and where it differs `table`, `point` or `key`. */
export class Stepped {
  /** Put frame and rover around the stage. `words`: its words.json; the rest as `Frame` says. */
  frameIn(words, options) {
    this.frame = new Frame({
      name: words.name,
      question: words.question,
      hint: words.hint,
      draw: (step) => this.draw(step),
      refocus: () => this.rover.at?.focus(),
      key: (event) => this.key(event),
      ...options,
    });
    this.rover = new Rover(
      options.stage,
      () => this.parts(),
      (part) => this.point(part),
    );
  }

  /** Show the picture, at the step it starts with. */
  showIn(el) {
    el.append(this.frame.root);
    this.frame.go(this.frame.step, { quiet: true });
  }

  /** New data from the kernel: `model.read` takes it, and its last step is shown. */
  update(data) {
    this.model.read(data);
    Object.assign(this.frame, { note: this.model.note, last: this.model.last });
    this.frame.stop();
    this.frame.go(this.model.last);
  }

  /** A part has the focus or the mouse (null: none): show what belongs to it. */
  point() {}

  /** True if the key, pressed in the stage, was for the picture. */
  key(event) {
    return this.rover.key(event);
  }

  remove() {
    this.frame.remove();
  }
}
