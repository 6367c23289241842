// The least a page must do to run its cells: start the worker, send one cell after the other.
// Arguments: the cells to run besides the chapter's own, [{id, source}], at the end.
async (more) => {
  const main = document.querySelector("main");
  const cells = new URL(main.dataset.run, location);
  const theme = document.querySelector('script[type="module"]').src;
  const chapter = await (await fetch(cells)).json();
  const wanted = [...chapter.cells.filter(({ tags }) => !tags.includes("needs-torch")), ...more];
  const said = { chapter, started: performance.now(), messages: {}, widgets: [], loading: [] };
  const worker = new Worker(new URL("run-worker.js", theme), { type: "module" });
  await new Promise((end, stop) => {
    const next = () => {
      if (!wanted.length) return end();
      const { id, source } = wanted.shift();
      said.messages[id] = [];
      worker.postMessage({ kind: "run", id, source, line: 1 });
    };
    worker.onerror = ({ message }) => stop(new Error(message));
    worker.onmessage = ({ data }) => {
      if (data.kind === "failed") return stop(new Error(data.text));
      if (data.kind === "loading") said.loading.push(data);
      else if (data.kind === "widget") said.widgets.push(data);
      else if (data.kind !== "ready") said.messages[data.id].push(data);
      if (data.kind === "ready") said.python = data.python;
      if (["ready", "done"].includes(data.kind)) next();
    };
    worker.postMessage({ kind: "start", base: new URL(".", cells).href });
  });
  worker.terminate();
  return said;
}
