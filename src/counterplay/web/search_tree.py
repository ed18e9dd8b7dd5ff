"""The component that shows recorded searches: it receives the stories once, and the browser does the rest."""

from __future__ import annotations

import json
from typing import Any

from nicegui import ui

STYLE = """
.cpw { container-type: inline-size; display: flex; flex-direction: column; width: 100%;
  gap: 8px; background: var(--cpw-paper); color: var(--cp-ink);
  --cpw-paper: #ffffff; --cpw-lit: #fde9c8; height: calc(100vh - 84px); min-height: 480px; }
.body--dark .cpw { --cpw-paper: #16191d; --cpw-lit: #5a4310; }
.cpw:fullscreen { height: 100vh; padding: 12px; }
.cpw-panes { display: flex; gap: 12px; flex: 1 1 0; min-height: 0; }
.cpw-builder { display: flex; flex-direction: column; gap: 8px; flex: 1 1 0; min-height: 0; }
.cpw-lists { flex: 1 1 0; min-width: 0; overflow: auto; white-space: nowrap; font-size: 16px; }
.cpw-value { width: 90px; font-size: 18px; min-height: 36px; color: inherit; background: var(--cp-soft);
  border: 1px solid var(--cp-line); border-radius: 8px; padding: 2px 8px; }
.cpw-pane { display: flex; flex-direction: column; flex: 1 1 0; min-width: 0; min-height: 0; gap: 4px; }
.cpw-title { font-size: 15px; line-height: 1.2; font-weight: 600; color: var(--cp-dim); margin: 0; }
.cpw-row { display: flex; flex: 1 1 0; min-height: 0; gap: 12px; position: relative; }
.cpw-tree { flex: 1 1 0; min-width: 0; overflow: auto; scrollbar-gutter: stable; border: 1px solid var(--cp-line);
  border-radius: 8px;
  background: var(--cpw-paper); }
.cpw-tree svg { display: block; } .cpw-tree [data-node] { cursor: pointer; }
.cpw-side { flex: 0 0 auto; max-width: 40%; overflow: auto; display: flex; flex-direction: column; gap: 6px; }
.cpw-code { margin: 0; font-size: 17px; line-height: 1.32; font-family: ui-monospace, Menlo, Consolas, monospace; }
.cpw-code code { display: block; padding: 0 6px; white-space: pre; border-left: 4px solid transparent; }
.cpw-code .cpw-lit { background: var(--cpw-lit); border-left-color: #b45309; font-weight: 700; }
.cpw-board { flex: 1 1 100px; min-height: 96px; max-height: 260px; display: flex; flex-direction: column; }
.cpw-board img { flex: 1 1 0; min-height: 0; object-fit: contain; object-position: left top; }
.cpw-board pre { margin: 0; font-size: 14px; line-height: 1.15; }
.cpw-boarded .cpw-code { font-size: 14px; line-height: 1.25; }
@container (min-width: 1101px) { /* the position beside the pseudocode, so that both are seen whole */
  .cpw-boarded .cpw-side { flex-direction: row; max-width: 50%; }
  .cpw-boarded .cpw-board { order: -1; flex: 0 0 220px; width: 220px; max-height: 300px; }
  .cpw-boarded .cpw-board img { flex: 0 1 auto; width: 220px; }
}
.cpw-legend { list-style: none; margin: 0; padding: 0; font-size: 16px; display: flex; flex-wrap: wrap; gap: 0 18px;
  color: var(--cp-dim); }
.cpw-legend li { display: flex; align-items: center; gap: 6px; } .cpw-legend span { flex: 0 0 22px; display: flex; }
.cpw-words { font-size: 23px; font-weight: 500; line-height: 1.3; margin: 0; min-height: 2.6em; text-wrap: pretty; }
.cpw-two .cpw-words { font-size: 18px; } .cpw-two .cpw-side { display: none; }
.cpw-wrong { color: #b3261e; } .body--dark .cpw-wrong { color: #ff9a8b; }
.cpw-dim { color: var(--cp-dim); font-size: 14px; }
.cpw-facts { display: flex; flex-wrap: wrap; gap: 0 6px; margin: 0; font-size: 18px; font-variant-numeric: tabular-nums; }
.cpw-facts dt { color: var(--cp-dim); } .cpw-facts dd { margin: 0 14px 0 0; font-weight: 600; }
.cpw-controls { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; }
.cpw-controls button, .cpw-controls select { font: inherit; font-size: 16px; min-height: 38px; min-width: 42px;
  padding: 2px 10px; border: 1px solid var(--cp-line); border-radius: 8px; background: var(--cp-soft);
  color: var(--cp-ink); cursor: pointer; }
.cpw-controls .cpw-save { max-width: 104px; }
.cpw-controls button:hover { border-color: var(--cp-strong); }
.cpw-controls .cpw-main { min-width: 104px; background: var(--cp-strong); color: var(--cp-on-strong);
  border-color: var(--cp-strong); }
.cpw-slider { flex: 1 1 120px; accent-color: var(--cp-strong); } .cpw-where { font-size: 16px;
  font-variant-numeric: tabular-nums; }
.cpw-speed { font-size: 15px; }
@container (min-width: 1101px) { /* to be read from the last row */
  .cpw-title, .cpw-legend, .cpw-facts { font-size: 20px; line-height: 1.25; }
  .cpw-code { --fitting: calc((100vh - 300px) / (1.18 * var(--lines))); font-size: clamp(14px, var(--fitting), 20px);
    line-height: 1.18; }
  .cpw-boarded .cpw-code { font-size: clamp(14px, var(--fitting), 16px); }
  .cpw-note { font-size: 20px; margin: 0; } .cpw-board .cpw-dim { font-size: 16px; }
  .cpw-two .cpw-title, .cpw-two .cpw-legend, .cpw-two .cpw-facts { font-size: 16px; }
}
@media (max-width: 800px) {
  .cpw { height: auto; } .cpw-panes, .cpw-row { flex-direction: column; } .cpw-panes, .cpw-row, .cpw-pane { flex: none; }
  .cpw-tree { flex: none; height: 46vh; }  .cpw-legend { font-size: 14px; } .cpw-board { flex: none; height: 130px; }
  .cpw-side { max-width: 100%; overflow: visible; } .cpw-code { font-size: 12.5px; overflow-x: auto; }
  .cpw-words { font-size: 18px; }
  .cpw-title { order: -2; } .cpw-words { order: -1; }
  .cpw-controls { position: sticky; bottom: 0; background: var(--cpw-paper); padding: 6px 0; gap: 4px; }
  .cpw-controls button, .cpw-controls select { padding: 2px 8px; } .cpw-controls .cpw-save { max-width: 84px; }
}
"""


class SearchTree(ui.element, component="static/search_tree.js", esm={"counterplay-watch": "static/watch"}):
    """One or two searches, stepped through in the browser."""

    def __init__(self, stories: list[dict[str, Any]], start: int, query: str) -> None:
        super().__init__()
        ui.add_css(STYLE)
        self.props.update({"start": start, "query": query})
        self.tell(stories)

    def tell(self, stories: list[dict[str, Any]]) -> None:
        """Show these stories."""
        self.props["stories"] = json.dumps(stories, ensure_ascii=False, separators=(",", ":"))
        self.update()
