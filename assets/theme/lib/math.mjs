// Equations by KaTeX. It writes style attributes, which the page's security policy forbids, so each
// different style becomes a class, and the classes a style sheet.

import katex from "katex";

import { trusted } from "./html.mjs";

export class Equations {
  #classes = new Map();

  /** Throws with KaTeX's message for an equation that it can't read. */
  render(source, { display }) {
    const text = katex.renderToString(source, { displayMode: display, throwOnError: true, strict: "error" });
    return trusted(this.#withoutStyles(text));
  }

  #withoutStyles(text) {
    return text.replace(/<(\w+)((?:\s[^<>]*)?)>/g, (tag, name, rest) => {
      const style = /\sstyle="([^"]*)"/.exec(rest);
      if (!style) return tag;
      const named = this.#classOf(style[1]);
      const others = rest.replace(style[0], "");
      const grown = /\sclass="/.test(others)
        ? others.replace(/\sclass="/, ` class="${named} `)
        : `${others} class="${named}"`;
      return `<${name}${grown}>`;
    });
  }

  #classOf(style) {
    if (!this.#classes.has(style)) this.#classes.set(style, `kx${this.#classes.size.toString(36)}`);
    return this.#classes.get(style);
  }

  /** The rules of all styles met so far. */
  styleSheet() {
    return [...this.#classes]
      .map(([style, name]) => `.katex .${name}{${style.replace(/;?$/, "").replaceAll(";", "!important;")}!important}`)
      .join("\n");
  }
}
