// A board: cells, the pieces on them, and the actions that they allow.
//
// The server sends a scene (web/board.py): where cells are, the pieces, every legal action as a path of cells. Dragging,
// clicking, keys, partial moves and the choice between actions with the same path are handled here; the server receives
// only the chosen action.

const NS = "http://www.w3.org/2000/svg";
const SLIDE = 150; // milliseconds
const FAR = 5; // pixels that turn a click into a drag
const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

function shape(tag, attributes = {}, parent = null) {
  const made = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (parent) parent.appendChild(made);
  return made;
}

class Board {
  constructor(root, emit) {
    this.root = root;
    this.emit = emit;
    this.pieces = []; // {look, cell, x, y, element}: the pieces shown
    this.made = []; // the cells clicked so far
    this.focused = 0;
    this.svg = shape("svg", { role: "group", "font-family": "sans-serif" }, root);
    this.layers = {};
    for (const name of ["ground", "marks", "pieces", "over", "dots", "arrows", "cells", "lifted"])
      this.layers[name] = shape("g", { class: `cp-${name}` }, this.svg);
    this.choice = root.appendChild(document.createElement("div"));
    this.choice.className = "cp-choice";
    this.choice.hidden = true;
    this.undo = root.appendChild(document.createElement("button"));
    this.undo.className = "cp-half";
    this.undo.type = "button";
    this.undo.textContent = "↶ take back this half";
    this.undo.hidden = true;
    this.undo.addEventListener("click", () => this.back());
    this.svg.addEventListener("pointerdown", (e) => this.press(e));
    this.svg.addEventListener("pointermove", (e) => this.move(e));
    this.svg.addEventListener("pointerup", (e) => this.release(e));
    this.svg.addEventListener("pointercancel", () => this.drop());
    this.svg.addEventListener("pointerleave", () => this.hover(-1));
    this.svg.addEventListener("mousedown", (e) => this.keepFocus(e));
    this.svg.addEventListener("keydown", (e) => this.key(e));
  }

  // Showing.

  show(scene) {
    if (!scene || (this.scene && this.scene.key === scene.key)) return;
    const before = this.scene;
    this.drop();
    this.scene = scene;
    this.made = [];
    this.busy = false;
    this.svg.setAttribute("viewBox", `0 0 ${scene.width} ${scene.height}`);
    this.svg.setAttribute("aria-label", scene.label || "board");
    this.svg.style.aspectRatio = `${scene.width} / ${scene.height}`;
    this.root.closest(".cp-left")?.style.setProperty("--cp-aspect", scene.width / scene.height);
    for (const name of ["ground", "over"]) {
      const layer = this.layers[name];
      if (!before || before[name] !== scene[name]) layer.innerHTML = scene[name];
      layer.classList.toggle("cp-turned", scene.flipped);
      if (scene.flipped) layer.setAttribute("transform", `rotate(180 ${scene.width / 2} ${scene.height / 2})`);
      else layer.removeAttribute("transform");
    }
    const turned = before && before.flipped !== scene.flipped;
    const moved = before && before.width === scene.width && before.height === scene.height && !turned && !still();
    this.place(moved, scene.moved);
    this.lay();
    this.refresh();
  }

  // A point of the scene in the current view.
  at(x, y) {
    return this.scene.flipped ? [this.scene.width - x, this.scene.height - y] : [x, y];
  }

  // The pieces of the scene: each moves on from where it was shown, if it can be identified.
  place(moved, ways) {
    const old = this.pieces.slice();
    const fresh = this.scene.pieces.map(([look, cell, x, y]) => ({ look, cell, x, y }));
    const take = (piece, like) => {
      const i = old.findIndex(like);
      if (i < 0) return false;
      piece.from = old.splice(i, 1)[0];
      return true;
    };
    const same = (a, b) => Math.abs(a.x - b.x) + Math.abs(a.y - b.y) < 1;
    for (const p of fresh) take(p, (o) => o.look === p.look && same(o, p));
    for (const [from, to] of ways)
      for (const p of fresh)
        if (!p.from && p.cell === to && take(p, (o) => o.cell === from)) break;
    for (const p of fresh) if (!p.from) take(p, (o) => same(o, p));
    for (const p of fresh) {
      if (p.from) continue;
      const near = old.filter((o) => o.look === p.look).sort((a, b) => Math.hypot(a.x - p.x, a.y - p.y) - Math.hypot(b.x - p.x, b.y - p.y));
      if (near.length) take(p, (o) => o === near[0]);
    }
    for (const o of old) this.vanish(o.element, moved);
    this.pieces = fresh.map((p) => this.put(p, moved));
  }

  put(p, moved) {
    let element = p.from && p.from.element;
    if (!element) element = shape("g", { class: "cp-piece" }, this.layers.pieces);
    if (!p.from || p.from.look !== p.look) {
      element.innerHTML = `<g>${this.scene.looks[p.look].svg}</g>`;
      if (p.from && moved) element.firstChild.classList.add("cp-changed");
      if (!p.from && moved && !this.scene.falls) element.firstChild.classList.add("cp-arrived");
    }
    element.classList.toggle("cp-moving", !!moved);
    element.classList.toggle("cp-flipped", this.scene.flipped);
    const [x, y] = this.at(p.x, p.y);
    if (!p.from && moved && this.scene.falls) this.fall(element, x, y);
    else this.seat(element, x, y);
    return { look: p.look, cell: p.cell, x: p.x, y: p.y, element };
  }

  seat(element, x, y) {
    element.style.transform = `translate(${x}px, ${y}px)`;
  }

  fall(element, x, y) {
    element.classList.remove("cp-moving");
    this.seat(element, x, y);
    if (element.animate)
      element.animate([{ transform: `translate(${x}px, -24px)` }, { transform: `translate(${x}px, ${y}px)` }],
        { duration: 120 + y / 2, easing: "cubic-bezier(.55,0,.9,.6)" });
  }

  vanish(element, moved) {
    if (!moved) return element.remove();
    element.classList.add("cp-gone");
    setTimeout(() => element.remove(), SLIDE);
  }

  // The cells that can be clicked now.
  lay() {
    const layer = this.layers.cells;
    layer.replaceChildren();
    this.hits = this.scene.cells.map((cell, i) => {
      const hit = this.outline(i, "cp-cell", layer);
      hit.dataset.cell = i;
      hit.setAttribute("role", "button");
      return hit;
    });
    this.focused = Math.min(this.focused, Math.max(0, this.hits.length - 1));
  }

  outline(i, kind, parent) {
    const corners = this.scene.cells[i].corners.map(([x, y]) => this.at(x, y).join(",")).join(" ");
    return shape("polygon", { class: kind, points: corners }, parent);
  }

  middle(i) {
    return this.at(this.scene.cells[i].x, this.scene.cells[i].y);
  }

  // The effects of the clicks so far: marks, dots, names.
  refresh() {
    const { marks, dots, arrows } = this.layers;
    const scene = this.scene;
    const next = this.nexts();
    marks.replaceChildren();
    const last = this.made.length || scene.falls ? [] : scene.marks;
    for (const i of last) if (!this.isStone(i)) this.outline(i, "cp-last", marks);
    for (const i of scene.alarm) this.outline(i, "cp-alarm", marks);
    for (const i of scene.picks ? this.made : this.made.slice(-1)) this.outline(i, "cp-chosen", marks);
    dots.replaceChildren();
    const occupied = new Set(this.pieces.map((p) => p.cell));
    const single = scene.actions.some((a) => a.path.length === 1);
    const crowded = next.size > 0.6 * (scene.cells.length - occupied.size);
    if (this.made.length || (single && !crowded && !scene.falls)) for (const i of next) this.dot(i, occupied.has(i));
    for (const i of last) if (this.isStone(i)) this.ring(i, dots, 10);
    if (scene.falls) for (const i of scene.marks) this.ring(i, dots, 21);
    for (const i of scene.line) this.won(i, dots);
    arrows.replaceChildren();
    if (!this.made.length) {
      const pointed = this.pointed && this.pointed.key === scene.key ? this.pointed.arrows : [];
      for (const [from, to, rank] of [...pointed].reverse()) this.arrow(from, to, arrows, rank);
      for (const [from, to] of scene.arrows) this.arrow(from, to, arrows, 0);
    }
    const firsts = this.firsts();
    const can = new Set([...next, ...firsts, ...this.made]);
    const zones = new Set([...can].map((i) => scene.cells[i].zone));
    this.hits.forEach((hit, i) => {
      const free = can.has(i) || (scene.cells[i].zone !== "" && zones.has(scene.cells[i].zone));
      hit.classList.toggle("cp-can", free);
      hit.classList.toggle("cp-grab", firsts.has(i) && !single);
      hit.setAttribute("tabindex", i === this.focused ? 0 : -1);
      hit.setAttribute("aria-label", this.name(i) + (this.made.length && next.has(i) ? ", can be reached" : ""));
      hit.setAttribute("aria-pressed", scene.picks ? this.made.includes(i) : this.made.at(-1) === i);
      if (free) hit.removeAttribute("aria-disabled");
      else hit.setAttribute("aria-disabled", "true");
    });
    this.undo.hidden = this.halves().length === 0 || this.busy;
  }

  name(i) {
    const counts = new Map();
    for (const p of this.pieces)
      if (p.cell === i) counts.set(this.scene.looks[p.look].name, (counts.get(this.scene.looks[p.look].name) || 0) + 1);
    const words = [...counts].map(([look, n]) => (n > 1 ? `${n} ${look}s` : look));
    return [this.scene.cells[i].name, ...(words.length ? words : this.scene.empty ? [this.scene.empty] : [])].join(", ");
  }

  dot(i, occupied) {
    const [x, y] = this.middle(i);
    if (occupied || this.scene.cells[i].word) this.outline(i, "cp-target", this.layers.dots);
    else shape("circle", { class: "cp-dot", cx: x, cy: y, r: 7 }, this.layers.dots);
  }

  won(i, parent) {
    const [x, y] = this.middle(i);
    shape("circle", { class: "cp-won", cx: x, cy: y, r: 8 }, parent);
  }

  // Whether a stone lies on a crossing, in which case no square is marked.
  isStone(i) {
    return this.pieces.some((p) => p.cell === i && /^(black|white) stone$/.test(this.scene.looks[p.look].name));
  }

  // The last move on a stone, or on a board whose front hides the ground.
  ring(i, parent, r) {
    const [x, y] = this.middle(i);
    shape("circle", { class: r > 15 ? "cp-last-ring" : "cp-last-ring cp-on-stone", cx: x, cy: y, r }, parent);
  }

  // Arrows that come and go while a scene stays, such as those of a search: [from, to, rank], the best with rank 0; or with a word for their colour.
  point(key, arrows) {
    this.pointed = { key, arrows };
    if (this.scene && this.scene.key === key) this.refresh();
  }

  // The mouse leaves the focus on the page, whose keys may differ from the board's.
  keepFocus(e) {
    e.preventDefault();
    const focused = document.activeElement;
    if (focused && focused !== document.body && !this.svg.contains(focused)) focused.blur();
  }

  arrow(from, to, parent, rank) {
    const [a, b] = this.middle(from);
    const [x, y] = this.middle(to);
    const length = Math.hypot(x - a, y - b);
    parent = shape("g", { class: `cp-rank-${rank}` }, parent);
    if (length < 1) return void this.outline(to, "cp-hint", parent);
    const [u, v] = [(x - a) / length, (y - b) / length];
    const [tipX, tipY] = [x - 4 * u, y - 4 * v];
    const [neckX, neckY] = [tipX - 18 * u, tipY - 18 * v];
    shape("line", { class: "cp-arrow", x1: a, y1: b, x2: neckX, y2: neckY }, parent);
    const head = [[tipX, tipY], [neckX - 12 * v, neckY + 12 * u], [neckX + 12 * v, neckY - 12 * u]];
    shape("polygon", { class: "cp-arrow-head", points: head.map((each) => each.join(",")).join(" ") }, parent);
  }

  // The meaning of clicks. An action is a path of cells or, if the order does not matter, pairs of origin and target.

  // The cells that can follow the clicks `made` on the way to `action`; null if it is a different action.
  after(action, made) {
    const path = action.path;
    if (!path.length || made.length > path.length) return null;
    if (this.scene.picks) return this.afterPicks(path, made);
    if (!this.scene.any_order) {
      for (let i = 0; i < made.length; i++) if (path[i] !== made[i]) return null;
      return path.slice(made.length, made.length + 1);
    }
    const left = [];
    for (let i = 0; i < path.length; i += 2) left.push([path[i], path[i + 1]]);
    for (let i = 0; i + 1 < made.length; i += 2) {
      const found = left.findIndex(([from, to]) => from === made[i] && to === made[i + 1]);
      if (found < 0) return null;
      left.splice(found, 1);
    }
    if (made.length % 2 === 0) return left.map(([from]) => from);
    const ends = left.filter(([from]) => from === made.at(-1)).map(([, to]) => to);
    return ends.length ? ends : null;
  }

  // The same if all cells but the last can be picked in any order.
  afterPicks(path, made) {
    const left = path.slice(0, -1);
    for (const i of made) {
      const at = left.indexOf(i);
      if (at < 0) return i === path.at(-1) && !left.length ? [] : null;
      left.splice(at, 1);
    }
    return left.length ? left : path.slice(-1);
  }

  // Release a picked cell; in a zone, the last one.
  unpick(i) {
    const zone = this.scene.cells[i].zone;
    const last = this.made.filter((each) => each === i || (zone && this.scene.cells[each].zone === zone)).sort((a, b) => b - a)[0];
    this.made = this.made.filter((each) => each !== last);
    this.refresh();
  }

  nexts(made = this.made) {
    return new Set(this.busy ? [] : this.scene.actions.flatMap((action) => this.after(action, made) || []));
  }

  // The cells where a piece can be picked up: at the start, and again after whole moves.
  firsts() {
    const whole = this.scene.any_order ? this.made.slice(0, this.made.length - (this.made.length % 2)) : [];
    return this.nexts(whole);
  }

  // The cell among `set` that a click on cell `i` means.
  meant(set, i) {
    if (set.has(i)) return i;
    const zone = i >= 0 && this.scene.cells[i].zone;
    if (zone) for (const each of set) if (this.scene.cells[each].zone === zone) return each;
    return -1;
  }

  // The moves of pieces that the clicks so far have made.
  halves(made = this.made) {
    const found = [];
    if (this.scene.picks) return found;
    const step = this.scene.any_order ? 2 : 1;
    for (let i = 0; i + 1 < made.length; i += step) found.push([made[i], made[i + 1]]);
    return found;
  }

  click(i) {
    if (this.busy) return;
    if (this.scene.picks && this.made.includes(i)) return this.unpick(i);
    const next = this.meant(this.nexts(), i);
    const again = this.made.length && this.made.at(-1) === i && next < 0;
    if (next >= 0) return this.step(next);
    const first = again ? -1 : this.meant(this.firsts(), i);
    const whole = this.scene.any_order ? this.made.slice(0, this.made.length - (this.made.length % 2)) : [];
    if (!this.scene.any_order && this.halves().length) this.restore([]);
    this.made = whole;
    if (first >= 0) return this.step(first);
    this.refresh();
  }

  step(i) {
    this.made = [...this.made, i];
    const [last] = this.halves().slice(-1);
    if (last && last[1] === i && (!this.scene.any_order || this.made.length % 2 === 0)) this.shift(...last);
    const ended = this.scene.actions.filter((action) => (this.after(action, this.made) || [0]).length === 0);
    if (ended.length > 1) this.choose(ended, i);
    else if (ended.length) this.act(ended[0]);
    this.refresh();
  }

  act(action) {
    this.busy = true;
    this.choice.hidden = true;
    this.emit("act", { action: action.number, key: this.scene.key });
  }

  // A partial move: the piece goes on.
  shift(from, to) {
    const piece = this.pieces.filter((p) => p.cell === from).at(-1);
    if (!piece) return;
    const [x, y] = this.room(to);
    Object.assign(piece, { cell: to, x, y });
    piece.element.classList.toggle("cp-moving", !still());
    this.layers.pieces.appendChild(piece.element);
    this.seat(piece.element, ...this.at(x, y));
  }

  // The point of a cell's next piece: in its middle, or on top of its pile.
  room(i) {
    const { x, y, corners } = this.scene.cells[i];
    const tops = corners.map((corner) => corner[1]);
    const wide = corners[1][0] - corners[0][0];
    const [low, high] = [Math.min(...tops), Math.max(...tops)];
    if (high - low < 1.6 * wide) return [x, y];
    const piles = Math.min(4, this.pieces.filter((p) => p.cell === i).length);
    const away = (2 * piles + 1) * 0.47 * wide;
    return [x, y < this.scene.height / 2 ? low + away : high - away];
  }

  // Back to the scene, with only the clicks `made`.
  restore(made) {
    this.place(!still(), []);
    this.made = [];
    for (const each of made) {
      this.made = [...this.made, each];
      const [last] = this.halves().slice(-1);
      if (last && last[1] === each && (!this.scene.any_order || this.made.length % 2 === 0)) this.shift(...last);
    }
    this.refresh();
  }

  // Undo a partial move.
  back() {
    this.choice.hidden = true;
    if (this.busy) return;
    const odd = this.scene.any_order ? this.made.length % 2 : 0;
    const fewer = this.scene.any_order ? odd || 2 : 1;
    this.restore(this.made.slice(0, Math.max(0, this.made.length - fewer)));
  }

  // Several actions have the same path, such as promotions: the person picks one, beside its cell.
  choose(actions, i) {
    const [x, y] = this.middle(i);
    this.choice.replaceChildren();
    for (const action of actions) {
      const button = this.choice.appendChild(document.createElement("button"));
      button.type = "button";
      const look = this.scene.looks[action.look];
      button.title = button.ariaLabel = look ? `${action.text}, ${look.name}` : action.text;
      if (look) button.innerHTML = `<svg viewBox="-24 -24 48 48" width="44" height="44">${look.svg}</svg>`;
      else button.textContent = action.text;
      button.addEventListener("click", () => this.act(action));
    }
    this.choice.hidden = false;
    const box = this.svg.getBoundingClientRect();
    const scale = box.width / this.scene.width;
    const width = this.choice.offsetWidth;
    this.choice.style.left = `${Math.max(0, Math.min(box.width - width, x * scale - width / 2))}px`;
    this.choice.style.top = `${y * scale < box.height / 2 ? (y + 26) * scale : (y - 26) * scale - this.choice.offsetHeight}px`;
    this.choice.onkeydown = (e) => { if (e.key === "Escape") this.back(); };
    this.choice.firstChild.focus({ preventScroll: true });
  }

  // The pointer.

  under(e) {
    const found = document.elementsFromPoint(e.clientX, e.clientY).find((each) => each.dataset && each.dataset.cell && this.svg.contains(each));
    return found ? Number(found.dataset.cell) : -1;
  }

  press(e) {
    if (e.button || !this.scene || this.busy) return;
    if (!this.choice.hidden) return this.back();
    const i = this.under(e);
    if (i < 0) return;
    this.focus(i, false);
    const first = this.meant(this.firsts(), i);
    const origin = first >= 0 && this.meant(this.nexts(), i) !== i && this.made.at(-1) !== first;
    const lifts = first >= 0 && (this.made.at(-1) === first || origin || !this.made.length || this.nexts().has(first));
    this.down = { i, x: e.clientX, y: e.clientY, wasChosen: this.made.at(-1) === i };
    if (lifts && !this.scene.picks && this.pieces.some((p) => p.cell === first) && this.goesOn(first)) {
      if (e.pointerId !== undefined) this.svg.setPointerCapture(e.pointerId);
      this.down.piece = this.pieces.filter((p) => p.cell === first).at(-1);
      if (!this.down.wasChosen) {
        this.click(first);
        this.down.selected = true;
      }
      e.preventDefault();
    }
  }

  // Whether a click on `first` begins a longer path.
  goesOn(first) {
    const whole = this.scene.any_order ? this.made.slice(0, this.made.length - (this.made.length % 2)) : [];
    const next = this.nexts().has(first) ? this.made : whole;
    const made = this.made.at(-1) === first && !this.nexts().has(first) ? this.made : [...next, first];
    return this.nexts(made).size > 0;
  }

  move(e) {
    const down = this.down;
    if (!down) return e.pointerType === "touch" ? undefined : this.hover(this.under(e));
    if (!down.piece || Math.hypot(e.clientX - down.x, e.clientY - down.y) < FAR) return;
    const element = down.piece.element;
    if (!down.dragging) {
      down.dragging = true;
      element.classList.remove("cp-moving");
      element.classList.add("cp-dragged");
      this.layers.lifted.appendChild(element);
    }
    const box = this.svg.getBoundingClientRect();
    const scale = Math.min(box.width / this.scene.width, box.height / this.scene.height);
    const left = box.left + (box.width - this.scene.width * scale) / 2;
    const top = box.top + (box.height - this.scene.height * scale) / 2;
    this.seat(element, (e.clientX - left) / scale, (e.clientY - top) / scale);
    this.hover(this.under(e));
  }

  release(e) {
    const down = this.down;
    if (!down) return;
    this.down = null;
    const i = this.under(e);
    if (down.dragging) {
      this.land(down.piece);
      const next = this.meant(this.nexts(), i);
      if (next >= 0) this.step(next);
      else this.seat(down.piece.element, ...this.at(down.piece.x, down.piece.y));
      return;
    }
    if (i === down.i && !down.selected) this.click(i);
  }

  // Drop a held piece.
  land(piece) {
    piece.element.classList.remove("cp-dragged");
    piece.element.classList.toggle("cp-moving", !still());
    this.layers.pieces.appendChild(piece.element);
  }

  drop() {
    const down = this.down;
    this.down = null;
    if (!down || !down.dragging) return;
    this.land(down.piece);
    this.seat(down.piece.element, ...this.at(down.piece.x, down.piece.y));
  }

  // A preview of the piece that would be there.
  hover(i) {
    if (this.hovered === i) return;
    this.hovered = i;
    if (this.ghost) this.ghost.remove();
    this.ghost = null;
    if (!this.scene || i < 0) return;
    const next = this.meant(this.nexts(), i);
    if (next < 0) return;
    if (this.made.length) this.ghost = this.outline(next, "cp-over-target", this.layers.dots);
    else if (this.scene.ghost) {
      this.ghost = shape("g", { class: "cp-ghost" }, this.layers.pieces);
      this.ghost.innerHTML = this.scene.looks[this.scene.ghost].svg;
      this.seat(this.ghost, ...this.middle(next));
    }
  }

  // Keys.

  key(e) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (ways[e.key]) this.focus(this.beside(this.focused, ...ways[e.key]), true);
    else if (e.key === "Enter" || e.key === " ") this.click(this.focused);
    else if (e.key === "Escape" || e.key === "Backspace") this.back();
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  focus(i, really) {
    this.hits[this.focused] && this.hits[this.focused].setAttribute("tabindex", -1);
    this.focused = i;
    this.hits[i].setAttribute("tabindex", 0);
    if (really) this.hits[i].focus({ preventScroll: true });
  }

  // The nearest cell in a direction.
  beside(i, dx, dy) {
    const [x, y] = this.middle(i);
    let best = i, least = Infinity;
    this.scene.cells.forEach((_, j) => {
      const [u, v] = this.middle(j);
      const along = (u - x) * dx + (v - y) * dy;
      const aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (along > 1 && aside <= along * 1.1 && along + 2 * aside < least) [best, least] = [j, along + 2 * aside];
    });
    return best;
  }
}

export default {
  template: '<div class="cp-stage"></div>',
  props: { scene: Object },
  mounted() {
    this.board = new Board(this.$el, (name, value) => this.$emit(name, value));
    this.$el.board = this.board;
    this.board.show(this.scene);
  },
  methods: {
    point(key, arrows) {
      this.board.point(key, arrows);
    },
  },
  watch: {
    scene(scene) {
      this.board.show(scene);
    },
  },
};
