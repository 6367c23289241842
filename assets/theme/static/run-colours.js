// Code with its words marked, as the build does it, for what a reader changes. Its marks are read
// strictly, too.

import { nodesOf } from "./run-nodes.js";

let marker = null;

/** Fetch what marks code. Without it code is shown plain. */
export async function loadColours() {
  try {
    const [{ default: core }, { default: python }] = await Promise.all([
      import("./highlight.js"),
      import("./highlight-python.js"),
    ]);
    core.registerLanguage("python", python);
    marker = core;
  } catch {
    marker = null;
  }
}

/** Nodes for a piece of Python. */
export function coloured(code) {
  const marked = marker && nodesOf(marker.highlight(code, { language: "python" }).value);
  return marked ?? [document.createTextNode(code)];
}
