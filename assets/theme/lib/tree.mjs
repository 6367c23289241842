// Questions about MyST syntax trees.

export const childrenOf = (node) => node.children ?? [];

/** The words of a node, without its markup. */
export function textOf(node) {
  if (typeof node.value === "string" && node.type !== "comment") return node.value;
  return childrenOf(node).map(textOf).join("");
}

/** Every node below and with this one, parents first. */
export function* nodesOf(node) {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

export const tagsOf = (block) => block.data?.tags ?? [];
export const hasTag = (block, tag) => tagsOf(block).includes(tag);
export const isCode = (block) => block.type === "block" && block.kind === "notebook-code";

/** Leading title of an admonition-like node, and the other children. */
export function titled(node) {
  const [first, ...rest] = childrenOf(node);
  return first?.type === "admonitionTitle"
    ? { title: childrenOf(first), body: rest }
    : { title: [], body: childrenOf(node) };
}
