"""Certain wins: AND-OR search over a player's beliefs (Russell & Norvig, on Kriegspiel).

A win is *guaranteed* if a plan that depends on what the player will see wins in every state that they consider
possible, whatever the others and chance do. It is *probabilistic* if they win with probability 1 by mixing their
actions: no single plan does, but whenever it fails they are no worse off and try again. It is *accidental* if an action
wins at once with luck, in some of the states.

The search unfolds the beliefs at the player's turns, by actions that can never end the game without a win. Over this
graph a guaranteed win is a least fixed point (an action all of whose outcomes are won). For wins with probability 1
(Chatterjee, Doyen, Henzinger & Raskin 2007), it finds the largest set of beliefs that the player can stay in and in
which, for each state that may be the true one, some of their actions lead to a win whatever the others do; drawing
uniformly from all actions that stay in the set then wins sooner or later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from counterplay.core.errors import Unsuitable
from counterplay.core.game import Game
from counterplay.core.types import State
from counterplay.hidden.beliefs import Belief, Observer

States = frozenset[int]
"""A belief, as numbers of states."""
Turn = dict[int, States]
"""The possible states at the player's next turn, by the number of what they see until then; wins are left out."""

MOST_BELIEFS = 200_000
REPORTED = 100
"""The number of beliefs between two reports."""
MOST_STEPS = 1_000
"""The maximum number of the others' actions between two turns of the player."""


class Prospect(NamedTuple):
    """What an action guarantees."""

    action: int
    guaranteed: int | None  # within how many of their own actions, including this one; None: not guaranteed
    probabilistic: bool
    accidental: int  # in how many of the states it wins immediately


class Prospects(NamedTuple):
    """What a belief guarantees, the best action first."""

    actions: tuple[Prospect, ...]
    states: int  # possible states
    beliefs: int  # beliefs examined

    @property
    def best(self) -> Prospect:
        """The prospect of the best action."""
        return self.actions[0]


def prospects(
    game: Game,
    player: int,
    belief: Belief,
    most: int = MOST_BELIEFS,
    report: Callable[[int], None] | None = None,
) -> Prospects:
    """What `player`, the player to move, can be sure of in a belief. `report` receives the number of beliefs found so
    far."""
    if not belief or any(game.is_terminal(s) or game.to_move(s) != player for s in belief):
        raise Unsuitable("there is nothing to choose: it is not the player's turn")
    search = BeliefSearch(game, player, most)
    root = search.unfold(belief, report)
    plans, kept = search.guaranteed(), search.probabilistic()
    found = []
    for action in search.observer.steps(next(iter(belief))):
        after = search.graph[root].get(action)
        sure = after is not None and all(b in plans for b in after.values())
        found.append(
            Prospect(
                action,
                1 + max((plans[b] for b in (after or {}).values()), default=0) if sure else None,
                after is not None and root in kept and all(b in kept for b in after.values()),
                sum(search.turn(s, action) == {} for s in search.beliefs[root]),
            )
        )
    order = sorted(found, key=lambda p: (p.guaranteed or float("inf"), not p.probabilistic, -p.accidental))
    return Prospects(tuple(order), len(belief), len(search.graph))


class BeliefSearch:
    """The graph of beliefs at the player's turns, and the wins in it. States, observations and beliefs are numbered."""

    def __init__(self, game: Game, player: int, most: int = MOST_BELIEFS) -> None:
        self.game, self.player, self.most = game, player, most
        self.observer = Observer(game, player)
        self.beliefs: list[States] = []
        self.graph: list[dict[int, dict[int, int]]] = []  # of each belief: the safe actions and, by each,
        # what the player can see, with their belief then
        self._states: list[Any] = []
        self._numbers: dict[Any, int] = {}  # of states
        self._sights: dict[tuple[Any, ...], int] = {}  # numbers of what is seen from one turn to the next
        self._turns: dict[tuple[int, int], Turn | None] = {}

    def number(self, s: State) -> int:
        """The number of a state."""
        found = self._numbers.setdefault(s, len(self._states))
        if found == len(self._states):
            self._states.append(s)
        return found

    def turn(self, s: int, action: int) -> Turn | None:
        """The possible states at the player's next turn after `action` in `s`; None if the game can end without a
        win."""
        if (s, action) not in self._turns:
            self._turns[s, action] = self._follow(self._states[s], action)
        return self._turns[s, action]

    def _follow(self, s: State, action: int) -> Turn | None:
        game, found = self.game, dict[Any, set[int]]()
        t, seen = self.observer.steps(s)[action]
        waiting: list[tuple[Any, tuple[Any, ...]]] = [(t, (seen,))]
        known = set(waiting)
        while waiting:
            t, sight = waiting.pop()
            if game.is_terminal(t):
                if game.utility(t, self.player) <= 0:
                    return None
            elif game.to_move(t) == self.player:
                found.setdefault(sight, set()).add(self.number(t))
            elif len(sight) > MOST_STEPS:
                raise Unsuitable(f"{game.spec}: the others can act more than {MOST_STEPS:,} times between two turns")
            else:
                steps = self.observer.steps(t).values()
                after = {(u, sight if told is None else (*sight, told)) for u, told in steps} - known
                known |= after
                waiting.extend(after)
        number = {sight: self._sights.setdefault(sight, len(self._sights)) for sight in found}
        return {number[sight]: frozenset(states) for sight, states in found.items()}

    def after(self, belief: States, action: int) -> Turn | None:
        """The same for all states of a belief together."""
        merged: dict[int, set[int]] = {}
        for s in belief:
            turn = self.turn(s, action)
            if turn is None:
                return None
            for sight, states in turn.items():
                merged.setdefault(sight, set()).update(states)
        return {sight: frozenset(states) for sight, states in merged.items()}

    def unfold(self, start: Belief, report: Callable[[int], None] | None = None) -> int:
        """Find every belief that the player can reach without risk; returns the number of the first."""
        numbers: dict[States, int] = {}

        def number_of(belief: States) -> int:
            if belief not in numbers:
                numbers[belief] = len(self.beliefs)
                self.beliefs.append(belief)
                if len(self.beliefs) > self.most:
                    raise Unsuitable(f"{self.game.spec}: there are more than {self.most:,} beliefs, too many to search")
            return numbers[belief]

        root = number_of(frozenset(self.number(s) for s in start))
        while len(self.graph) < len(self.beliefs):
            if report is not None and len(self.graph) % REPORTED == 0:
                report(len(self.beliefs))
            belief = self.beliefs[len(self.graph)]
            options = self.observer.steps(self._states[next(iter(belief))])
            outcomes = {action: self.after(belief, action) for action in options}
            self.graph.append(
                {
                    a: {sight: number_of(b) for sight, b in turn.items()}
                    for a, turn in outcomes.items()
                    if turn is not None
                }
            )
        return root

    def guaranteed(self) -> dict[int, int]:
        """The beliefs with a guaranteed win, and within how many of the player's actions."""
        won: dict[int, int] = {}
        left, rounds = set(range(len(self.graph))), 0
        while True:
            rounds += 1
            new = {b for b in left if any(all(c in won for c in o.values()) for o in self.graph[b].values())}
            if not new:
                return won
            won |= dict.fromkeys(new, rounds)
            left -= new

    def probabilistic(self) -> set[int]:
        """The beliefs in which the player wins with probability 1."""
        kept = set(range(len(self.graph)))
        while True:
            hopeful = self.hopeful({b: self.keeping(b, kept) for b in kept})
            held = {b for b in kept if all((b, s) in hopeful for s in self.beliefs[b])}
            if held == kept:
                return kept
            kept = held

    def keeping(self, belief: int, kept: set[int]) -> dict[int, dict[int, int]]:
        """The actions after which the player's belief is still in `kept`, whatever they see."""
        return {a: o for a, o in self.graph[belief].items() if all(b in kept for b in o.values())}

    def hopeful(self, allowed: dict[int, dict[int, dict[int, int]]]) -> set[tuple[int, int]]:
        """The pairs of a belief and a true state from which some `allowed` actions win, whatever the others do."""
        found: set[tuple[int, int]] = set()
        left = {(b, s) for b in allowed for s in self.beliefs[b]}
        while True:
            new = {
                (b, s)
                for b, s in left
                if any(
                    all(
                        (outcomes[sight], t) in found
                        for sight, states in (self.turn(s, a) or {}).items()
                        for t in states
                    )
                    for a, outcomes in allowed[b].items()
                )
            }
            if not new:
                return found
            found |= new
            left -= new
