
// A recorded search in a notebook: the app's drawing of the tree, the sentence of each step, and buttons to step.

const DARK_THEMES = 'body[data-jp-theme-light="false"], body.vscode-dark, body[data-theme="dark"]';

function render({ model, el }) {
  const story = { ...JSON.parse(model.get("story")), children: undefined };
  const dark = document.querySelector(DARK_THEMES) !== null;
  const root = document.createElement("div");
  root.className = "cpn cpn-trace";
  root.tabIndex = 0;
  root.classList.toggle("body--dark", dark);
  root.innerHTML = `<p class="cpn-title"></p><div class="cpn-tree" role="img"></div><p class="cpn-status" aria-live="polite"></p>
    <div class="cpn-controls"><button data-by="first">|◀</button><button data-by="-1">‹ Back</button>
    <button data-by="1">Next ›</button><button data-by="last">▶|</button>
    <input type="range" min="0" value="0" aria-label="step"><span class="cpn-where"></span></div>`;
  el.appendChild(root);
  const last = story.steps.length - 1, slider = root.querySelector("input"), tree = root.querySelector(".cpn-tree");
  const state = { opened: new Set(), closed: new Set() };
  let step = 0;
  slider.max = Math.max(last, 1);
  root.querySelector(".cpn-title").textContent = story.spec ?? "";
  const paint = () => {
    const size = { width: Math.max(tree.clientWidth - 2, 320), height: tree.clientHeight - 4, font: tree.clientWidth < 480 ? 14 : 17 };
    const drawn = drawing(story, step, size, dark ? DARK : LIGHT, state);
    tree.innerHTML = drawn.svg;
    if (drawn.width > tree.clientWidth) tree.scrollLeft = drawn.nowX - tree.clientWidth / 2;
    if (drawn.height > tree.clientHeight) tree.scrollTop = drawn.nowY - tree.clientHeight / 2;
    tree.setAttribute("aria-label", story.steps[step].words);
    root.querySelector(".cpn-status").textContent = story.steps[step].words;
    root.querySelector(".cpn-where").textContent = `step ${step + 1} of ${last + 1}`;
    slider.value = step;
  };
  const go = (to) => { step = Math.max(0, Math.min(to, last)); paint(); };
  root.querySelector(".cpn-controls").addEventListener("click", (event) => {
    const by = event.target.dataset.by;
    if (by) go(by === "first" ? 0 : by === "last" ? last : step + Number(by));
  });
  slider.addEventListener("input", () => go(Number(slider.value)));
  tree.addEventListener("click", (event) => {
    const node = event.target.closest("[data-node]");
    if (!node) return;
    const k = Number(node.dataset.node), open = state.closed.has(k) || !childrenOf(story)[k].length;
    state[open ? "opened" : "closed"].add(k);
    state[open ? "closed" : "opened"].delete(k);
    paint();
  });
  root.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || event.target === slider) return;
    event.preventDefault();
    event.stopPropagation();
    go(step + by);
  });
  const watcher = new ResizeObserver(paint);
  watcher.observe(tree);
  return () => watcher.disconnect();
}

export default { render };
