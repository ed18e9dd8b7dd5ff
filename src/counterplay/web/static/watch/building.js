// A tree that a person builds by clicking: nested lists, as the game `tree` reads them. A path is a list of indices.

export const START = [[3, 5], [2, 9]];

/** The nested lists of a spec such as tree:[[3,5],[2,9]]; for any other spec, a small tree. */
export function listsOf(spec) {
  try {
    const lists = JSON.parse(String(spec).replace(/^tree:/, ""));
    const plain = (part) => typeof part === "number" || (Array.isArray(part) && part.length > 0 && part.every(plain));
    return Array.isArray(lists) && plain(lists) ? lists : START;
  } catch { return START; }
}

/** The part of the tree at a path. */
export const partAt = (lists, path) => path.reduce((part, i) => part[i], lists);

/** The lists with the part at a path replaced; undefined removes it. */
export function replaced(lists, path, part) {
  if (!path.length) return part === undefined ? lists : part;
  const [i, ...rest] = path, copy = [...lists];
  if (rest.length || part !== undefined) copy[i] = rest.length ? replaced(lists[i], rest, part) : part;
  else copy.splice(i, 1);
  return copy.length ? copy : 0;
}

/** The lists with one more move at a path; a leaf becomes a node whose only move is the leaf. */
export function extended(lists, path) {
  const part = partAt(lists, path);
  return replaced(lists, path, Array.isArray(part) ? [...part, 0] : [part, 0]);
}

/** The lists as a story of one step, to be drawn; its `paths` say which node is which. */
export function storyOfLists(lists, selected) {
  const nodes = [], set = [], paths = [];
  const add = (part, parent, path) => {
    const k = nodes.length, inner = Array.isArray(part), max = path.length % 2 === 0;
    nodes.push([parent, path.length ? String(path[path.length - 1] + 1) : "", inner ? (max ? "max" : "min") : "end", path.length % 2, 0]);
    paths.push(path);
    set.push([k, "", inner ? "" : String(part), "", ""]);
    if (inner) part.forEach((child, i) => add(child, k, [...path, i]));
  };
  add(lists, null, []);
  const at = Math.max(paths.findIndex((path) => path.join() === selected.join()), 0);
  return { kind: "tree", nodes, paths, steps: [{ at, set, lines: [], words: "", facts: [] }] };
}
