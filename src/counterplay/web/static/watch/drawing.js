// A search tree at a step as an SVG text: what is known by then, laid out so that nothing moves from step to step.

export const LIGHT = {
  paper: "#ffffff", ink: "#1d1b18", dim: "#5d584f", line: "#837c70", faint: "#8a8479", now: "#b45309", fresh: "#1e7a3c",
  end: "#f3efe6", players: ["#b3261e", "#1f4fae", "#1e7a3c", "#8a5a00", "#6f3a96", "#0a6d6d"], onPlayer: "#ffffff",
};
export const DARK = {
  paper: "#16191d", ink: "#f0eee8", dim: "#b6b9c1", line: "#8b919c", faint: "#949aa5", now: "#ffb454", fresh: "#7ddc98",
  end: "#2a2f38", players: ["#ff9a8b", "#9cc0ff", "#7ddc98", "#f0c060", "#d7aef5", "#6fdcdc"], onPlayer: "#10141a",
};
const [PARENT, LABEL, SHAPE, PLAYER, BORN, MORE] = [0, 1, 2, 3, 4, 5];  // more: [event, the number of events elsewhere]

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

/** The children of each node, computed once for each story. */
export function childrenOf(story) {
  if (!story.children) {
    story.children = story.nodes.map(() => []);
    story.nodes.forEach((node, k) => { if (node[PARENT] !== null) story.children[node[PARENT]].push(k); });
  }
  return story.children;
}

/** How every node looks at a step: [above, value, mark, pruned], undefined if nothing is known yet. */
export function looksAt(story, step) {
  const looks = [];
  for (let i = 0; i <= step; i++) for (const [k, ...look] of story.steps[i].set) looks[k] = look;
  return looks;
}

/** The nodes from the root to a step's node. */
export function pathTo(story, k) {
  const path = [];
  for (let node = k; node !== null && node !== undefined; node = story.nodes[node][PARENT]) path.unshift(node);
  return path;
}

function below(story, k, step) {
  let count = 0;
  const waiting = [...childrenOf(story)[k]];
  while (waiting.length) {
    const node = waiting.pop();
    if (story.nodes[node][BORN] <= step) { count++; waiting.push(...childrenOf(story)[node]); }
  }
  return count;
}

/** The nodes laid out: in a small tree all of them, so that each keeps its place from the first step on; in a large one,
    those on the way to the current node, with their siblings, and those that the person opened. */
function chosen(story, step, room, opened, closed) {
  const children = childrenOf(story);
  const leaves = children.filter((below, k) => !below.length).length;
  const whole = leaves <= room;
  const path = new Set(pathTo(story, story.steps[step].at));
  const places = new Map();  // node -> its visible children
  const waiting = [0];
  while (waiting.length) {
    const node = waiting.pop();
    const open = whole ? !closed.has(node) : !closed.has(node) && (path.has(node) || opened.has(node));
    const here = open ? children[node].filter((k) => whole || story.nodes[k][BORN] <= step) : [];
    places.set(node, here);
    waiting.push(...here);
  }
  return { places, whole };
}

/** The length of the longest text at a leaf, in any step: so that neighbours never touch, and nothing moves. */
function longestText(story) {
  if (story.longest === undefined) {
    const isLeaf = (k) => !childrenOf(story)[k].length;
    const labels = story.nodes.map((node, k) => (isLeaf(k) ? node[LABEL].length : 0));
    const values = story.steps.flatMap((step) => step.set.map(([k, , value]) => (isLeaf(k) ? value.length : 0)));
    story.longest = [...labels, ...values].reduce((most, length) => Math.max(most, length), 0);
  }
  return story.longest;
}

/** The length of the longest window or sum beside a node, in any step. */
function longestBeside(story) {
  if (story.widest === undefined) {
    const windows = story.windows || story.sums ? story.steps.flatMap((step) => step.set.map(([, above]) => (above ?? "").length)) : [];
    story.widest = windows.reduce((most, length) => Math.max(most, length), 0);
  }
  return story.widest;
}

/** The picture. `size` is {width, height, font}; `state` has `opened` and `closed`, sets of nodes. */
export function drawing(story, step, size, colours, state = {}) {
  const opened = state.opened ?? new Set(), closed = state.closed ?? new Set();
  const font = size.font, children = childrenOf(story), nodes = story.nodes;
  const roomy = story.sums ? 4.3 : 2.5;  // with a sum beside each node
  const least = font * Math.max(roomy, Math.min(0.56 * longestText(story) + 0.9, 8)), looks = looksAt(story, step);
  const { places } = chosen(story, step, Math.floor(size.width / least), opened, closed);
  const x = new Map(), depth = new Map([[0, 0]]);
  const order = [], waiting = [0];
  let leaves = 0;
  while (waiting.length) {
    const node = waiting.pop();
    order.push(node);
    const here = places.get(node);
    for (const child of [...here].reverse()) { depth.set(child, depth.get(node) + 1); waiting.push(child); }
    if (!here.length) x.set(node, leaves++);
  }
  for (const node of [...order].reverse()) {
    const here = places.get(node);
    if (here.length) x.set(node, (x.get(here[0]) + x.get(here[here.length - 1])) / 2);
  }
  const levels = Math.max(...depth.values());
  const inner = order.filter((k) => nodes[k][SHAPE] !== "end").map((k) => x.get(k) + 0.5);
  const last = Math.max(0.5, ...inner), beside = font * (longestBeside(story) ? 1.4 + 0.56 * longestBeside(story) : 0);
  const fitting = Math.min(size.width / Math.max(leaves, 1), (size.width - beside) / last);
  const spacing = Math.max(least, Math.min(fitting, font * 9));
  const body = Math.max(leaves * spacing, last * spacing + beside);  // with the window beside the last node
  const width = Math.max(size.width, body), margin = Math.min((width - leaves * spacing) / 2, width - body);
  const top = font * (story.windows ? 1.4 : 2.4), bottom = font * 4.4;
  const rise = Math.max(font * 3.7, Math.min((size.height - top - bottom) / Math.max(levels, 1), font * 9));
  const height = rise * levels + top + bottom;
  const at = (k) => [margin + (x.get(k) + 0.5) * spacing, top + rise * depth.get(k)];
  const path = new Set(pathTo(story, story.steps[step].at));
  const seen = order.filter((k) => nodes[k][BORN] <= step);
  const parts = [`<rect width="${width}" height="${height}" fill="${colours.paper}"/>`];
  const context = { story, step, font, colours, at, path, looks, spacing };
  for (const k of seen) if (nodes[k][PARENT] !== null) parts.push(branch(context, k));
  for (const k of seen) {
    const folded = children[k].length && !places.get(k).length ? below(story, k, step) : 0;
    const hidden = nodes[k][MORE] && looks[k]?.[1] ? "open" : folded && `+${folded}`;
    parts.push(node(context, k, hidden));
  }
  const [nowX, nowY] = at(depth.has(story.steps[step].at) ? story.steps[step].at : 0);
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return {
    svg: `${head} font-family="Roboto, system-ui, Helvetica, Arial, sans-serif" font-size="${font}">${parts.join("")}</svg>`,
    width, height, nowX, nowY,
  };
}

/** A text with a halo of paper, which covers the lines around and inside its letters. */
function text(x, y, words, fill, colours, more = "", halo = 5) {
  return `<text x="${x}" y="${y}" fill="${fill}" text-anchor="middle" stroke="${colours.paper}" stroke-width="${halo}" ` +
    `stroke-linejoin="round" paint-order="stroke" ${more}>${escaped(words)}</text>`;
}

function branch({ story, font, colours, at, path, looks }, k) {
  const [x1, y1] = at(story.nodes[k][PARENT]), [x2, y2] = at(k);
  const look = looks[k] ?? ["", "", "", ""], pruned = look[3] === "pruned", best = look[2] === "chosen";
  const stroke = best ? colours.fresh : path.has(k) ? colours.now : pruned ? colours.faint : colours.line;
  const wide = best || path.has(k) ? 4 : 1.6;
  const parts = [`<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${stroke}" stroke-width="${wide}"` +
    `${pruned ? ' stroke-dasharray="5 5"' : ""}/>`];
  const middle = [x1 + 0.66 * (x2 - x1), y1 + 0.66 * (y2 - y1)];
  if (pruned) {  // two short strokes across, as on a blackboard
    const length = Math.hypot(x2 - x1, y2 - y1) || 1, dx = (x2 - x1) / length, dy = (y2 - y1) / length;
    for (const d of [-0.2 * font, 0.2 * font]) {
      const [mx, my] = [middle[0] + d * dx, middle[1] + d * dy], half = 0.6 * font;
      parts.push(`<line x1="${mx - half * dy}" y1="${my + half * dx}" x2="${mx + half * dy}" y2="${my - half * dx}" ` +
        `stroke="${colours.ink}" stroke-width="2.2"/>`);
    }
  } else if (story.nodes[k][LABEL]) {
    const ink = path.has(k) ? colours.now : colours.dim;
    parts.push(text(middle[0], middle[1] + 0.3 * font, story.nodes[k][LABEL], ink, colours, "", 0.55 * font));
  }
  return parts.join("");
}

function node({ story, font, colours, at, path, looks, spacing }, k, hidden) {
  const [x, y] = at(k), [, label, shape, player] = story.nodes[k];
  const [above, value, mark, flag] = looks[k] ?? ["", "", "", ""];
  const pruned = flag === "pruned", here = path.has(k), r = font * 0.9;
  const fill = pruned ? colours.paper : shape === "end" ? colours.end : shape === "chance" ? colours.paper
    : colours.players[Math.max(player, 0) % colours.players.length];
  const stroke = mark === "chosen" ? colours.fresh : here ? colours.now : pruned ? colours.faint : colours.ink;
  const look = `fill="${fill}" stroke="${stroke}" stroke-width="${here || mark === "chosen" ? 4 : 1.4}"`;
  const ink = pruned ? colours.faint : colours.ink;
  const parts = [];
  let under = y + r + 1.05 * font;
  if (shape === "end") {
    const wide = Math.min(Math.max(1.7 * font, (value.length + 1) * 0.62 * font), Math.max(spacing - 6, 1.7 * font));
    parts.push(`<rect x="${x - wide / 2}" y="${y - 0.85 * font}" width="${wide}" height="${1.7 * font}" rx="5" ${look}/>`);
    parts.push(`<text x="${x}" y="${y + 0.36 * font}" fill="${ink}" text-anchor="middle" font-weight="700">${escaped(value)}</text>`);
    under = y + 2 * font;
  } else if (shape === "max" || shape === "min") {
    const tip = shape === "max" ? -r : r;
    parts.push(`<polygon points="${x},${y + tip} ${x - 1.1 * r},${y - 0.8 * tip} ${x + 1.1 * r},${y - 0.8 * tip}" ${look}/>`);
  } else if (shape === "chance") {
    parts.push(`<circle cx="${x}" cy="${y}" r="${r}" ${look}/>` +
      `<text x="${x}" y="${y + 0.36 * font}" fill="${ink}" text-anchor="middle">?</text>`);
  } else {
    parts.push(`<circle cx="${x}" cy="${y}" r="${r}" ${look}/>`);
  }
  if (shape !== "end" && value) { parts.push(text(x, under, value, ink, colours, 'font-weight="700"')); under += 1.1 * font; }
  if (above && !story.windows && !story.sums) parts.push(text(x, y - r - 0.35 * font, above, colours.dim, colours, "", 0.55 * font));
  if (above && (story.sums || (story.windows && here))) parts.push(text(x + (story.sums ? 1.2 : 1.35) * r, y + 0.35 * font, above, colours.ink, colours).replace("middle", "start"));
  if (mark) { parts.push(text(x, under, mark, mark === "chosen" ? colours.fresh : colours.now, colours)); under += 1.1 * font; }
  if (hidden) parts.push(text(x, under, hidden, colours.players[1], colours));
  const told = [label || "root", above, value, mark, pruned ? "pruned" : ""].filter(Boolean).join(", ");
  return `<g data-node="${k}" data-tone="${pruned ? "pruned" : here ? "now" : "plain"}"><title>${escaped(told)}</title>${parts.join("")}</g>`;
}
