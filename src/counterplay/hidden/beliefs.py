"""Beliefs: the states that a player considers possible after all that they have seen.

A belief is a set of states. It changes with each action: the player's own is the same in all of them, anyone else's can
be any, and of the resulting states those remain in which the player would see what they saw (the filtering of Russell &
Norvig's chapter on partial observation). What others do unseen may or may not have happened. States are kept by their
`essence`, so that states that differ only in how they came about are one. If sets grow too large, a sample replaces
them: particle_filter.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import legal
from counterplay.core.types import State
from counterplay.hidden.particle_filter import ParticleFilter

Belief = frozenset[Any]
"""Essences of states: those that a player considers possible."""

MOST_STATES = 1_000_000


class Observer:
    """What a player sees of each step of a game; each state is queried once.

    If a step leaves their information unchanged, they do not notice it: it is silent.
    """

    def __init__(self, game: Game, player: int) -> None:
        if game.has_repetition:
            raise Unsuitable(f"{game.spec} has a repetition rule, which beliefs do not support")
        self.game, self.player = game, player
        self._steps: dict[Any, dict[int, tuple[Any, Any]]] = {}

    def steps(self, s: State) -> dict[int, tuple[Any, Any]]:
        """For each action (or event) of the essence `s`, the essence of the state after it and what the player sees;
        None if it is silent."""
        if s not in self._steps:
            game, known = self.game, self.game.information(s, self.player)
            after = {action: game.result(s, action) for action in legal(game, s)}
            told = {action: game.information(t, self.player) for action, t in after.items()}
            self._steps[s] = {a: (game.essence(t), None if told[a] == known else told[a]) for a, t in after.items()}
        return self._steps[s]

    def closed(self, states: Iterable[Any]) -> Belief:
        """These states and all states that silent steps lead to."""
        found = set(states)
        waiting = list(found)
        while waiting:
            new = {t for t, told in self.steps(waiting.pop()).values() if told is None} - found
            found |= new
            waiting.extend(new)
        return frozenset(found)

    def update(self, belief: Belief, action: int, seen: Any) -> Belief:
        """The states possible once the player has seen `seen`. If it was their turn, they took `action`."""
        found = set()
        for s in belief:
            mine = self.game.to_move(s) == self.player
            found |= {t for a, (t, told) in self.steps(s).items() if told == seen and (not mine or a == action)}
        return self.closed(found)

    def witnessed(self, p: Playthrough) -> list[tuple[int, Any]]:
        """For each action of which the player saw something, the action and what they saw; the playthrough must begin
        at the start of the game."""
        if p.states[0] != self.game.initial():
            raise CounterplayError(
                "a belief needs everything seen since the start of the game: give moves, not a position"
            )
        steps = zip(p.states[:-1], p.actions, strict=True)
        seen = [(action, self.steps(self.game.essence(s))[action][1]) for s, action in steps]
        return [(action, told) for action, told in seen if told is not None]


def exact_belief(p: Playthrough, player: int, most: int = MOST_STATES) -> Belief:
    """All states that `player` considers possible in a playthrough, which must begin at the start of the game."""
    observer = Observer(p.game, player)
    belief = observer.closed([p.game.essence(p.game.initial())])
    for action, seen in observer.witnessed(p):
        belief = observer.update(belief, action, seen)
        if len(belief) > most:
            raise Unsuitable(
                f"{p.game.player_name(player)} considers more than {most:,} states possible: take a sample of them"
            )
    return belief


def particles(p: Playthrough, player: int, number: int, seed: int = 0) -> list[Any]:
    """A sample of `number` states that `player` considers possible, weighted by probability if the others act at random."""
    return ParticleFilter(p.game, player, number, seed).follow(p)
