"""Every legal move of a position that a table knows: won, drawn or lost, and in how many plies."""

from __future__ import annotations

import threading
from collections import OrderedDict
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from nicegui import background_tasks, ui

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.endgame.store import Tables, table_files
from counterplay.endgame.table import TableEntry
from counterplay.players.wording import is_won_or_lost, plain, plural
from counterplay.web.board import pointers
from counterplay.web.frame import buttons, heading
from counterplay.web.variations import MoveNode

if TYPE_CHECKING:
    from counterplay.web.analyse import AnalysePage

MOST = 4
"""Games whose tables stay open."""
WON, DRAWN, LOST = "won", "drawn", "lost"


class SolvedMove(NamedTuple):
    """A table's verdict on a move."""

    action: int
    text: str
    kind: str  # WON, DRAWN or LOST: the colour
    words: str


class TableShelf:
    """The tables in a folder, opened when needed; tables built later are found as well."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lock = folder, threading.Lock()
        self.opened: OrderedDict[tuple[str, int], Tables | None] = OrderedDict()

    def moves(self, game: Game, s: Any) -> tuple[str, list[SolvedMove]] | None:
        """The table's verdict on a position, and on each move, the best first; None if it does not know them."""
        if not self.folder.is_dir() or game.is_terminal(s) or game.to_move(s) == CHANCE:
            return None
        with self.lock:
            tables = self.open(game)
            found = tables.ranked(s) if tables else None
        if found is None:
            return None
        here, actions = found
        mover = game.to_move(s)
        best = actions[0][1]
        moves = [
            SolvedMove(action, game.action_text(s, action), kind(game, entry, best, mover), words(game, entry, mover))
            for action, entry in actions
        ]
        return words(game, here, mover), moves

    def open(self, game: Game) -> Tables | None:
        """The tables of a game; None if there are none."""
        key = (game.spec, self.folder.stat().st_mtime_ns)
        if key not in self.opened:
            there = any(file.head["game"] == game.spec for file in table_files(self.folder))
            self.opened[key] = Tables(self.folder, game) if there else None
            while len(self.opened) > MOST:
                self.opened.popitem(last=False)
        return self.opened[key]


def kind(game: Game, entry: TableEntry, best: TableEntry, mover: int) -> str:
    """The colour of a move: for two players, who wins or whether it draws; otherwise whether it is as good as the best."""
    value = entry.to(mover)
    if game.players == 2 and not game.has_chance:
        return WON if value > 0 else LOST if value < 0 else DRAWN
    if entry == best:
        return WON
    return DRAWN if value == best.to(mover) else LOST


def words(game: Game, entry: TableEntry, mover: int) -> str:
    """A table's answer in words."""
    value = entry.to(mover)
    if not is_won_or_lost(game) or game.has_chance:
        return plain(value, entry.plies)
    if not value:
        return "drawn"
    return f"{'won' if value > 0 else 'lost'} in {plural(entry.plies or 0)}"


class SolvedMoves:
    """The card with the moves."""

    def __init__(self, page: AnalysePage) -> None:
        self.page = page
        self.known: dict[MoveNode, list[SolvedMove]] = {}

    def build(self) -> None:
        """The card, hidden until a table has the position."""
        with ui.column().classes("cp-card cp-solved-card") as self.card:
            heading("Every move, by the table", 2)
            self.facts = ui.label("").classes("cp-dim cp-solved-facts")
            self.moves = ui.html("", sanitize=False).classes("cp-list cp-solved")
            buttons(self.moves, "action", self.page.act)
        self.card.set_visibility(False)

    def restart(self) -> None:
        """Look up the current position."""
        self.card.set_visibility(False)
        background_tasks.create(self.run(self.page.tree.here), name="table")

    async def run(self, node: MoveNode) -> None:
        """Probe the tables in the background."""
        page, p = self.page, self.page.tree.p
        try:
            found = await page.house.desk.run(page.house.solved.moves, p.game, p.state)
        except CounterplayError as wrong:
            found = str(wrong), []
        if found is None or node is not page.tree.here:
            return
        self.known[node] = found[1]
        with page.client:
            self.show(*found)
            page.live.show(node)

    def show(self, here: str, moves: list[SolvedMove]) -> None:
        """The moves, each to click on."""
        self.facts.set_text(f"{here[:1].upper()}{here[1:]}")
        self.moves.set_content(
            "".join(
                f'<button data-action="{move.action}" class="cp-move-{move.kind}">{escape(move.text)} '
                f"<small>{escape(move.words)}</small></button>"
                for move in moves
            )
        )
        self.card.set_visibility(True)

    def arrows(self, node: MoveNode) -> list[list[Any]]:
        """Every move on the board, in its colour; nothing if no table knows the position."""
        moves = self.known.get(node, [])
        found = pointers(self.page.tree.p, [move.action for move in moves]) if moves else []
        return [[*ends, moves[rank].kind] for *ends, rank in found]
