"""A particle filter (Gordon, Salmond & Smith 1993): many states that a player considers possible, followed through a game.

Each particle is a state. With every step of which the player sees something, particles are drawn at random and stepped:
by the player's own action, or at random for anybody else, including unseen steps. Those in which the player would have
seen what they saw are kept, until there are as many as before. The more likely a state is, if the others act at random,
the more often it is among them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import Game
from counterplay.core.language.actions import action_stack
from counterplay.core.language.kept_states import keep_state, kept_state
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import words
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import pick_evenly
from counterplay.core.types import State

MOST_SILENT = 100
"""The maximum number of unseen steps in a row."""
PATIENCE = 200
"""The maximum number of attempts per particle to find one that agrees with what was seen."""


class NoneAgrees(CounterplayError):
    """No particle is consistent with what was seen."""


class ParticleFilter:
    """A number of states that `player` considers possible, followed through playthroughs of a game: one that continues
    the last is followed from its end."""

    def __init__(self, game: Game, player: int, number: int, seed: int = 0) -> None:
        if game.has_repetition:
            raise Unsuitable(f"{game.spec} has a repetition rule, which beliefs do not support")
        self.game, self.player, self.number, self.seed = game, player, number, seed
        self._out = action_stack(game)
        self._begin()

    def _begin(self) -> None:
        """All particles at the start of the game."""
        self._rng = Rng(self.seed)
        self._followed: list[int] = []
        self._room, self._next = self._make_room(), self._make_room()
        fill(self.game, self.game.essence(self.game.initial()), self._room, self.number)

    def _make_room(self) -> Any:
        if not self.game.compiles:
            return [None] * self.number
        from counterplay.core.native.kept_states import state_words

        return np.zeros(self.number * state_words(self.game.frozen.state_class), np.int64)

    def follow(self, p: Playthrough, most: int | None = None) -> list[Any]:
        """The particles after a playthrough, which must begin at the start of the game: all, or some at random."""
        if p.states[0] != self.game.initial():
            raise CounterplayError(
                "a belief needs everything seen since the start of the game: give moves, not a position"
            )
        if p.actions[: len(self._followed)] != self._followed:
            self._begin()
        for ply in range(len(self._followed), len(p)):
            self._see(p.states[ply], p.actions[ply])
            self._followed.append(p.actions[ply])
        if most is None or most >= self.number:
            return [particle(self.game, self._room, i) for i in range(self.number)]
        drawn = Rng(self.seed + len(p))
        return [particle(self.game, self._room, drawn.below(self.number)) for _ in range(most)]

    def _see(self, s: State, action: int) -> None:
        """What the player sees of an action in `s`, if anything, in every particle."""
        game, player = self.game, self.player
        before = game.essence(s)
        seen = words(game.information(game.result(before, action), player))
        if seen == words(game.information(before, player)):
            return
        told = np.array(seen, np.int64)
        rooms, attempts = (self._room, self._next), PATIENCE * self.number
        kept = int(stepped(game, player, action, told, *rooms, self.number, attempts, self._out, self._rng))
        if not kept:
            self._followed = [-1]  # the next call starts over
            raise NoneAgrees(f"none of {self.number:,} states agrees with what was seen: take a larger sample")
        for i in range(kept, self.number):
            copy(game, self._next, self._rng.below(kept), i)
        self._room, self._next = self._next, self._room


@kernel
def fill(game: Game, s: State, room: Any, number: int) -> None:
    """Store `number` copies of `s`."""
    for i in range(number):
        keep_state(room, i, s)


@kernel
def particle(game: Game, room: Any, index: int) -> State:
    """One of the stored states."""
    return kept_state(room, index, game)


@kernel
def copy(game: Game, room: Any, origin: int, target: int) -> None:
    """Store a copy of one of the states."""
    keep_state(room, target, kept_state(room, origin, game))


@kernel
def stepped(
    game: Game, player: int, action: int, seen: Any, old: Any, new: Any, number: int, attempts: int, out: Any, rng: Rng
) -> int:
    """Fill `new` with particles of `old` after a step of which `player` saw `seen`; returns how many were found within
    a number of attempts, at most `number`."""
    found = 0
    for _ in range(attempts):
        s = kept_state(old, rng.below(number), game)
        agrees = False
        for _ in range(MOST_SILENT):
            if game.is_terminal(s):
                break
            known = words(game.information(s, player))
            t = game.result(s, action if game.to_move(s) == player else pick_evenly(game, s, seen, 0, out, rng))
            told = words(game.information(t, player))
            silent, agrees = True, True
            for i in range(len(told)):
                silent = silent and told[i] == known[i]
                agrees = agrees and told[i] == seen[i]
            s = game.essence(t)
            if not silent:
                break
            agrees = False
        if agrees:
            keep_state(new, found, s)
            found += 1
            if found == number:
                break
    return found
