"""A strip for each seat: the player, their pieces, what they have captured, their clock."""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING

from nicegui import ui

from counterplay.web.phrases import capital
from counterplay.web.strength import levels
from counterplay.web.table import HUMAN, GameTable

if TYPE_CHECKING:
    from counterplay.core.formats.diagram import Diagram, Look
    from counterplay.core.game import Game


def look_of(drawn: Diagram | None, game: Game, player: int, name: str) -> Look | None:
    """A side's pieces."""
    if drawn is None:
        return None
    if game.player_name(player) in drawn.looks:
        return drawn.looks[game.player_name(player)]
    return next((look for look in drawn.looks.values() if look.name.startswith(f"{name.lower()} ")), None)


def sits_on_top(game: Game, player: int, names: list[str]) -> bool:
    """Whether a side's pieces begin in the upper half of the board, so the board is flipped to play them."""
    drawn = game.diagram(game.initial())
    if drawn is None or not drawn.turns or not drawn.pieces:
        return False
    own = [piece.y for piece in drawn.pieces if drawn.looks[piece.look].name.startswith(f"{names[player].lower()} ")]
    rest = [
        piece.y for piece in drawn.pieces if not drawn.looks[piece.look].name.startswith(f"{names[player].lower()} ")
    ]
    return bool(own and rest) and sum(own) / len(own) + 1 < sum(rest) / len(rest)


def taken(table: GameTable, names: list[str], player: int, drawn: Diagram | None) -> list[Look]:
    """The others' pieces that are gone since the start, if a game starts with pieces."""
    first = table.game.diagram(table.p.states[0]) if table.viewer is None and not table.game.has_secrets else None
    if first is None or drawn is None or not first.pieces:
        return []
    gone = Counter(first.looks[piece.look].name for piece in first.pieces)
    gone -= Counter(drawn.looks[piece.look].name for piece in drawn.pieces)
    if sum(gone.values()) == 0 or len(drawn.pieces) >= len(first.pieces):
        return []
    others = [name.lower() for i, name in enumerate(names) if i != player]
    looks = {look.name: look for look in drawn.looks.values()}
    return [looks[name] for name in gone.elements() if name in looks and name.split(" ")[0] in others]


class Strip:
    """One seat beside the board."""

    def __init__(self, table: GameTable, names: list[str], player: int) -> None:
        self.table, self.names, self.player = table, names, player
        self.words = {level.spec: level.word for level in levels(table.game)}
        with ui.element("div").classes(f"cp-strip cp-strip-{player + 1}") as self.row:
            self.icon = ui.html("", sanitize=False).classes("cp-icon")
            with ui.element("div").classes("cp-who"):
                self.name = ui.label().classes("cp-who-name")
                self.level = ui.label().classes("cp-dim")
            self.taken = ui.html("", sanitize=False).classes("cp-taken")
            self.clock = ui.label().classes("cp-clock").props('role="timer"')
        self.clock.set_visibility(table.clocks is not None)

    def show(self, drawn: Diagram | None) -> None:
        """Redraw it."""
        table, game = self.table, self.table.game
        seat = table.seats[self.player]
        look = look_of(drawn, game, self.player, self.names[self.player])
        self.icon.set_content(f'<svg viewBox="-24 -24 48 48" aria-hidden="true">{look.svg}</svg>' if look else "")
        name = capital(self.names[self.player])
        you = len(table.people) == 1 and seat == HUMAN
        self.name.set_text(f"{name} (you)" if you else name)
        self.level.set_text("" if you else "a person" if seat == HUMAN else f"computer, {self.words.get(seat, seat)}")
        self.row.classes(**{"add" if table.waits_for == self.player else "remove": "cp-to-move"})
        pieces = taken(table, self.names, self.player, drawn)
        told = ", ".join(f"{n} {what}" for what, n in Counter(look.name for look in pieces).items())
        shapes = "".join(f'<svg viewBox="-24 -24 48 48">{look.svg}</svg>' for look in pieces)
        self.taken.set_content(
            f'<span role="img" aria-label="has taken {escape(told)}">{shapes}</span>' if pieces else ""
        )

    def tick(self) -> None:
        """The clock."""
        if self.table.clocks is not None:
            left = self.table.clocks.shown(self.player)
            self.clock.set_text(f"{int(left) // 60}:{left % 60:04.1f}")
            self.clock.classes(**{"add" if left < 10 else "remove": "cp-short"})
