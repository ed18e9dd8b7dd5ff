"""Widgets for notebooks, made with anywidget: a board to play on, a search to step through.

Both use the app's own components: `web/static/board.js` with scenes from `web/board.py`, and `web/static/watch/drawing.js`
with stories from `web/scenes.py`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterplay.api.position import player_for
from counterplay.api.trace import TraceResult
from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE
from counterplay.core.playthrough import Playthrough
from counterplay.hidden.trace import history_of
from counterplay.players.wording import in_words, outcome
from counterplay.search.tracing.history import History
from counterplay.search.tracing.trace import Trace
from counterplay.web.board import scene
from counterplay.web.scenes import told_search, told_simulations

if TYPE_CHECKING:

    class AnyWidget:
        """anywidget's class, which a type checker may not know."""

        on_msg: Any
        _repr_mimebundle_: Any

        def __init__(self, **traits: Any) -> None: ...

    class Trait:
        """A synchronized attribute."""

        def __init__(self, default: Any) -> None: ...
        def tag(self, sync: bool) -> Any: ...

    Dict = List = Unicode = Trait
else:
    from anywidget import AnyWidget
    from traitlets import Dict, List, Unicode

HERE, APP = Path(__file__).parent / "static", Path(__file__).parents[1] / "web" / "static"
THOUGHT = 0.5
"""Seconds that the computer thinks for a move."""


def module_of(component: Path, widget: Path) -> str:
    """A component of the app and what a widget adds, as one ES module: only the widget is exported."""
    inner = re.sub(r"^export default ", "const component = ", component.read_text(), flags=re.MULTILINE)
    return re.sub(r"^export (?=const|function|class)", "", inner, flags=re.MULTILINE) + widget.read_text()


class BoardWidget(AnyWidget):
    """A playthrough to play on: the user plays all seats or lets the computer move; the playthrough records every
    action."""

    _esm = module_of(APP / "board.js", HERE / "board.js")
    _css = (APP / "app.css").read_text() + (HERE / "widget.css").read_text()
    scene = Dict({}).tag(sync=True)
    status = Unicode("").tag(sync=True)
    others = List([]).tag(sync=True)  # the texts of actions that are not on the board

    def __init__(self, p: Playthrough, **traits: Any) -> None:
        super().__init__(**traits)
        self.p = p
        self.on_msg(lambda widget, told, buffers: self.hear(told))
        self.settle()

    def hear(self, told: Any) -> None:
        """Carry out a click: play an action, take one back, start over, or let the computer move."""
        asked = told if isinstance(told, dict) else {}
        try:
            if asked.get("do") == "act" and asked.get("key") == self.scene["key"]:
                self.p.play(int(asked["action"]))
            elif asked.get("do") == "write":
                self.p.play(str(asked.get("text")))
            elif asked.get("do") == "undo" and len(self.p):
                self.undo()
            elif asked.get("do") == "again":
                self.p.undo(len(self.p))
            elif asked.get("do") == "think" and not self.p.is_over:
                self.think()
                return
        except (CounterplayError, KeyError, TypeError, ValueError) as wrong:  # from a page that is not ours
            self.status = str(wrong)
            return
        self.settle()

    def undo(self) -> None:
        """Take back the last choice, and the chance events after it."""
        self.p.undo()
        while len(self.p) and self.p.to_move == CHANCE:
            self.p.undo()

    def think(self) -> None:
        """Let the computer move."""
        with player_for(self.p, time=THOUGHT) as chosen:
            found = chosen.choose(self.p)
        p = self.p
        played = f"{p.game.player_name(p.to_move)} played {p.game.action_text(p.state, found.action)}"
        words = in_words(p, found)
        p.play(found.action)
        self.settle(f"{played} ({words}). ")

    def settle(self, words: str = "") -> None:
        """Let chance act, and show the position."""
        p = self.p
        while not p.is_over and p.to_move == CHANCE:
            p.roll()
        self.scene = scene(p, len(p), None, acts=not p.is_over)
        shown = {each["number"] for each in self.scene["actions"]}
        self.others = [] if p.is_over else [p.game.action_text(p.state, a) for a in p.options() if a not in shown]
        self.status = words + (outcome(p) if p.is_over else f"{p.game.player_name(p.to_move)} to move")


class TraceWidget(AnyWidget):
    """A recorded search, stepped through in the browser without Python."""

    _esm = module_of(APP / "watch" / "drawing.js", HERE / "trace.js")
    _css = (HERE / "widget.css").read_text()
    story = Unicode("").tag(sync=True)

    def __init__(self, found: TraceResult, **traits: Any) -> None:
        super().__init__(story=json.dumps(story_of(found), ensure_ascii=False, separators=(",", ":")), **traits)


def story_of(found: TraceResult) -> dict[str, Any]:
    """A trace as the browser shows it."""
    spec = f"{found.trace.player} on {found.game.spec}"
    if isinstance(found.trace, Trace):
        return {"spec": spec, **told_search(History(found.trace, found.game))}
    return {"spec": spec, **told_simulations(history_of(found.trace, found.game))}
