// A state as plain data: what a test compares with Python's, and the index as a picture lists it.

/** Everything in a state as plain data, in the form of Python's `State.snapshot`. */
export function snapshot(state) {
  const plain = (map) => Object.fromEntries([...map].map(([key, list]) => [key, [...list]]));
  return {
    refs: [...state.refs],
    free: state.free && [...state.free],
    tables: plain(state.tables),
    filled: plain(state.filled),
    runs: plain(state.runs),
    cached: [...state.cached],
    index: forest(state),
    waiting: [...state.waiting],
  };
}

/** The index as nested lists: [root, [[key, blocks, children], …]]. */
export function forest(state) {
  const roots = new Map();
  const lists = new Map();
  for (const [path, blocks] of state.index) {
    const cut = path.lastIndexOf("/");
    const parent = path.slice(0, cut);
    const children = [];
    lists.set(path, children);
    if (!parent.includes("/") && !roots.has(parent)) {
      roots.set(parent, []);
      lists.set(parent, roots.get(parent));
    }
    lists.get(parent).push([Number(path.slice(cut + 1)), [...blocks], children]);
  }
  return [...roots].map(([root, children]) => [Number(root), children]);
}
