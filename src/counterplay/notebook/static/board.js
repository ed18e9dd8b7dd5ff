
// A playthrough in a notebook: the app's board, and buttons under it.

const DARK_THEMES = 'body[data-jp-theme-light="false"], body.vscode-dark, body[data-theme="dark"]';

function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "cpn";
  root.classList.toggle("body--dark", document.querySelector(DARK_THEMES) !== null);
  root.innerHTML = `<div class="cp-board"><div class="cp-stage"></div></div><div class="cpn-others"></div>
    <p class="cpn-status" aria-live="polite"></p><div class="cpn-controls">
    <button data-do="think">Computer's move</button><button data-do="undo">Undo</button><button data-do="again">Start again</button></div>`;
  el.appendChild(root);
  const board = new Board(root.querySelector(".cp-stage"), (name, told) => model.send({ do: name, ...told }));
  board.svg.setAttribute("preserveAspectRatio", "xMinYMin"); // in line with the words and buttons under it
  const showScene = () => board.show(model.get("scene"));
  const showStatus = () => { root.querySelector(".cpn-status").textContent = model.get("status"); };
  const showOthers = () => {
    const made = model.get("others").map((text) => {
      const button = document.createElement("button");
      button.textContent = text;
      button.addEventListener("click", () => model.send({ do: "write", text }));
      return button;
    });
    root.querySelector(".cpn-others").replaceChildren(...made);
  };
  root.querySelector(".cpn-controls").addEventListener("click", (event) => {
    const what = event.target.dataset.do;
    if (!what) return;
    if (what === "think") root.querySelector(".cpn-status").textContent = "thinking ...";
    model.send({ do: what });
  });
  const heard = { "change:scene": showScene, "change:status": showStatus, "change:others": showOthers };
  for (const [name, show] of Object.entries(heard)) { model.on(name, show); show(); }
  return () => { for (const [name, show] of Object.entries(heard)) model.off(name, show); };
}

export default { render };
