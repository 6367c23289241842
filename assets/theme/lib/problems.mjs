// What is wrong with the book, collected so that one build names all of it.

export class Problems {
  #found = [];

  /** `place` names the page and the cell or node. */
  add(place, message) {
    this.#found.push(`${place}: ${message}`);
  }

  get any() {
    return this.#found.length > 0;
  }

  toString() {
    return [...new Set(this.#found)].join("\n");
  }
}
