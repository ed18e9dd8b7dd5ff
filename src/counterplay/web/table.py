"""A game at a table: who sits where, what each may see, taking back, playing again, clocks. No page, no network.

A seat is a spec; `human` is a person. People at one screen share it: if the game has secrets, each sees the board only
after the others have looked away.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from counterplay.arena.referee import forfeited
from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.playthrough import Playthrough

if TYPE_CHECKING:
    from counterplay.core.formats.diagram import Diagram

HUMAN = "human"
LOST = {"resigned": "resigned", "flag": "lost on time"}
"""How a game can end other than by its rules, as written in links."""


class Clocks:
    """Time for each player; the clock of the player to move runs."""

    def __init__(self, players: int, base: float, increment: float) -> None:
        self.left = [base] * players
        self.base, self.increment = base, increment
        self.since: float | None = None
        self.player = 0

    def start(self, player: int) -> None:
        """Start this player's clock."""
        self.player, self.since = player, time.monotonic()

    def set(self, text: str) -> None:
        """Set the clocks to a link's text; anything else changes nothing."""
        times = [float(each) for each in text.split(",") if each.replace(".", "", 1).isdecimal()]
        if len(times) == len(self.left):
            self.left = [min(each, 86_400.0) for each in times]

    def stop(self, earns: bool = True) -> None:
        """Stop the clock: the action is made."""
        if self.since is not None:
            self.left[self.player] -= time.monotonic() - self.since
            self.left[self.player] += self.increment if earns else 0.0
        self.since = None

    def shown(self, player: int) -> float:
        """A clock as text."""
        running = self.since is not None and player == self.player
        return max(0.0, self.left[player] - (time.monotonic() - (self.since or 0.0) if running else 0.0))

    @property
    def has_fallen(self) -> bool:
        """Whether the running clock has run out."""
        return self.since is not None and self.shown(self.player) <= 0.0


def read_clock(text: str) -> tuple[float, float] | None:
    """Seconds and, after a +, seconds for each action; None for no clock."""
    if not text:
        return None
    base, _, increment = text.partition("+")
    try:
        times = float(base), float(increment or 0)
    except ValueError:
        times = 0.0, 0.0
    if not (0 < times[0] <= 86_400 and 0 <= times[1] <= 3_600):
        raise CounterplayError(f"{text!r} is not a clock; write seconds and increment, such as 300+5")
    return times


class GameTable:
    """One playthrough and who plays it."""

    def __init__(
        self, p: Playthrough, seats: Sequence[str], clock: str = "", spec: str = "", position: str | None = None
    ) -> None:
        self.p, self.seats, self.spec, self.position = p, list(seats), spec or p.game.spec, position
        self.future: list[int] = []  # actions taken back, the next one first
        self.loser: int | None = None
        self.why = ""
        times = read_clock(clock)
        self.clock_text = clock
        self.clocks = Clocks(p.game.players, *times) if times else None
        self.handed_to: int | None = None  # the person at the screen, if people must not see each other's secrets
        self._advance()

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [i for i, seat in enumerate(self.seats) if seat == HUMAN]

    def diagram(self) -> Diagram | None:
        """The board as the viewer sees it, if the game has cells."""
        return self.game.diagram(self.p.state, self.viewer)

    def again(self) -> GameTable:
        """The same table for a reloaded page."""
        p = self.game.start(position=self.position, seed=random.randrange(1 << 30))
        for action in self.p.actions:
            p.play(action)
        table = GameTable(p, self.seats, self.clock_text, self.spec, self.position)
        table.loser, table.why, table.handed_to = self.loser, self.why, None
        if table.clocks and self.clocks:
            table.clocks.left = [self.clocks.shown(i) for i in range(self.game.players)]
        return table

    @property
    def game(self) -> Game:
        """The rules."""
        return self.p.game

    # Whose turn it is.

    @property
    def is_over(self) -> bool:
        """Whether the game is over, by the rules, by resignation or on time."""
        return self.loser is not None or self.p.is_over

    @property
    def waits_for(self) -> int | None:
        """The player to choose; None at the end."""
        return None if self.is_over else self.p.to_move

    @property
    def is_persons_turn(self) -> bool:
        """Whether a person is to choose."""
        return self.waits_for in self.people

    @property
    def needs_hand_over(self) -> bool:
        """Whether someone other than the next person is still at the screen."""
        shares = len(self.people) > 1 and self.game.has_secrets
        return shares and self.is_persons_turn and self.handed_to != self.waits_for

    def hand_over(self) -> None:
        """The next person takes the screen, alone."""
        self.handed_to = self.waits_for

    def _advance(self) -> None:
        """Chance acts; then the clock of the next player runs."""
        self.p.roll()
        if self.clocks and not self.is_over:
            self.clocks.start(self.p.to_move)

    # Acting.

    def play(self, action: int | str) -> None:
        """The player to move takes an action; chance follows."""
        if self.is_over:
            raise CounterplayError("the game is over")
        self.check_clock()
        self.p.play(action)
        self.future.clear()
        if self.clocks:
            self.clocks.stop()
        self._advance()

    def undo(self) -> None:
        """Back to the last position in which a person chose (if there is none, or nobody plays: one action)."""
        p = self.p
        states = p.states
        for back in range(1, len(p) + 1):
            mover = self.game.to_move(states[-1 - back])
            if mover in self.people or (not self.people and mover != CHANCE):
                self.future = p.actions[-back:] + self.future
                p.undo(back)
                self._changed()
                return
        raise CounterplayError("there is nothing to take back")

    def redo(self) -> None:
        """Forward to the next position in which a person chooses."""
        if not self.future:
            raise CounterplayError("there is nothing to redo")
        while self.future:
            self.p.play(self.future.pop(0))
            if not self.p.is_over and self.p.to_move != CHANCE and (self.p.to_move in self.people or not self.people):
                break
        self._changed()

    def _changed(self) -> None:
        self.loser, self.why = None, ""
        if self.clocks:
            self.clocks.stop(earns=False)
        self._advance()

    def resign(self, player: int | None = None) -> None:
        """A person resigns: the one to move, or the only one."""
        if self.is_over:
            raise CounterplayError("the game is over")
        mover = self.p.to_move
        self.lose(player if player is not None else mover if mover in self.people else self.people[0], "resigned")

    def lose(self, player: int, why: str) -> None:
        """A player loses outside the rules."""
        self.loser, self.why = player, why
        if self.clocks:
            self.clocks.stop(earns=False)

    def check_clock(self) -> None:
        """Check whether a flag has fallen."""
        if self.clocks and self.clocks.has_fallen and not self.is_over:
            self.lose(self.clocks.player, "lost on time")
            raise CounterplayError(f"{self.game.player_name(self.clocks.player)} has lost on time")

    # Seeing.

    @property
    def viewer(self) -> int | None:
        """The player for whom the board is shown; None sees everything."""
        if not self.game.has_secrets or not self.people or (self.is_over and len(self.people) > 1):
            return None
        return self.p.to_move if self.p.to_move in self.people else self.people[0]

    def moves_shown(self) -> list[str]:
        """The moves as the viewer saw them."""
        viewer = self.viewer
        if viewer is None:
            return self.p.moves
        if len(self.people) > 1:
            return ["?"] * len(self.p)
        return self.p.moves_seen_by(viewer)

    def movers(self) -> list[int]:
        """The player of each action."""
        return [self.game.to_move(s) for s in self.p.states[:-1]]

    @property
    def returns(self) -> tuple[float, ...]:
        """Each player's payoff."""
        return self.p.returns if self.loser is None else forfeited(self.game, self.loser)

    # Sharing.

    @property
    def may_share(self) -> bool:
        """Whether a link would reveal nothing hidden."""
        return self.is_over or self.viewer is None

    def query(self, moves: bool = True, ply: int | None = None) -> str:
        """The table as the query of a link."""
        told = {"game": self.spec}
        if self.position is not None:
            told["position"] = self.position
        if moves and len(self.p):
            told["moves"] = " ".join(self.p.moves[:ply])
        told |= {f"p{i + 1}": seat for i, seat in enumerate(self.seats)}
        if self.clock_text:
            told["clock"] = self.clock_text
        if moves and ply is None:
            told |= {word: str((self.loser or 0) + 1) for word, why in LOST.items() if why == self.why}
            if self.clocks and len(self.p):
                told["left"] = ",".join(f"{self.clocks.shown(i):.1f}" for i in range(self.game.players))
        return urlencode(told)

    def record(self) -> str:
        """The playthrough as text: in the game's own format, if it has one."""
        if not self.game.record_suffix:
            return " ".join(self.p.moves)
        names = [f"{seat}" for seat in self.seats]
        return self.game.playthrough_text(self.p, names, self.returns, {})
