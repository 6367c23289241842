// Code with its words marked, done while building: the page needs no script for it.

import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import json from "highlight.js/lib/languages/json";
import powershell from "highlight.js/lib/languages/powershell";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import yaml from "highlight.js/lib/languages/yaml";

import { html, trusted } from "./html.mjs";

const NAMES = { ipython3: "python", py: "python", sh: "bash", shell: "bash", console: "bash", "c++": "cpp", c: "cpp", yml: "yaml" };
const PLAIN = new Set([undefined, "", "text", "txt", "none", "plaintext"]);

for (const [name, language] of Object.entries({ bash, cpp, json, powershell, python, rust, yaml })) {
  hljs.registerLanguage(name, language);
}

/** Markup of a piece of code. A language that isn't known is an error: it would go unmarked unseen. */
export function highlight(code, language) {
  if (PLAIN.has(language)) return html`${code}`;
  const name = NAMES[language] ?? language;
  if (!hljs.getLanguage(name)) {
    throw new Error(`code in the language "${language}", which lib/highlight.mjs doesn't know`);
  }
  return trusted(hljs.highlight(code, { language: name }).value);
}
