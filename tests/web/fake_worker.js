// In place of Python, for the tests of what a page shows: what a cell does stands in its text.
//   # say {"kind": "stream", "name": "stdout", "text": "hello\n"}     that message, with the cell's id
//   # forever                                                         the cell never ends
//   # makes NAME, # needs NAME                                        names, as cells make them
//   # source                                                          what came is printed

const names = new Set();

self.onmessage = ({ data }) => {
  if (data.kind === "start") {
    postMessage({ kind: "loading", done: 3_000_000, total: 6_900_000 });
    postMessage({ kind: "ready", python: "3.14.2" });
  }
  if (data.kind === "run") run(data);
  if (data.kind === "widget") {
    const fault = `${data.model} heard ${data.content.call}`;
    postMessage({ kind: "widget", model: data.model, content: { fault } });
  }
};

function run({ id, source, line }) {
  const say = (message) => postMessage({ id, ...message });
  let ok = true;
  for (const [, word, rest] of source.matchAll(/^ *# (say|forever|makes|needs|source)\b ?(.*)$/gm)) {
    if (word === "forever") for (;;);
    if (word === "makes") names.add(rest);
    if (word === "say") say(JSON.parse(rest));
    if (word === "source") say({ kind: "stream", name: "stdout", text: `${line}: ${source}\n` });
    if (word === "needs" && !names.has(rest)) {
      const evalue = `name '${rest}' is not defined`;
      const where = { id, line: source.slice(0, source.indexOf("# needs")).split("\n").length };
      say({ kind: "error", ename: "NameError", evalue, lines: [{ text: "Traceback (most recent call last):" }, { text: `  cell, line ${where.line}`, where }, { text: `NameError: ${evalue}` }] });
      ok = false;
      break;
    }
  }
  postMessage({ kind: "done", id, ok, ms: 1, digest: "" });
}
