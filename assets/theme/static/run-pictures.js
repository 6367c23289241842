// Live pictures whose buttons call the engine in this page, as in JupyterLab they call the kernel's.

import { styled } from "./run-nodes.js";

export class Pictures {
  #known = new Map(); // a picture's name in Python -> {traits, model}

  /** `send(name, content)` reaches Python. */
  constructor(send) {
    this.send = send;
  }

  /** Traits of a picture: all of them before it is shown, later those that changed. */
  hear({ model: name, content }) {
    const known = this.#known.get(name) ?? { traits: {}, model: null };
    Object.assign(known.traits, content);
    this.#known.set(name, known);
    for (const [trait, value] of Object.entries(content)) known.model?.set(trait, value);
  }

  /** Draw `data` into `host`, with the buttons of the picture `name`. */
  async mount(host, data, name) {
    const [{ makeModel, mount }] = await Promise.all([import("./pictures.js"), styled("pictures.css", { first: true })]);
    const known = this.#known.get(name);
    const model = makeModel({ data, live: [], fault: "", ...known?.traits });
    if (known) {
      known.model = model;
      model.send = (content) => this.send(name, content);
    }
    mount(host, model.get("data"), model);
  }

  /** Python ended: the pictures say so when a button is pressed. */
  lose() {
    for (const { model } of this.#known.values()) model?.fire("comm_live_update");
    this.#known.clear();
  }
}
