"""Monte Carlo tree search over information sets (Cowling, Powley & Whitehouse 2012), for games with secrets.

Each simulation draws a state that the player considers possible and plays it through, but statistics are kept by what
is *known*, not by the state. With `many` observers each player chooses by what they themselves know (MO-ISMCTS); with
one, all choose by what the player at the root knows (SO-ISMCTS): there is less to learn, but the others do not see
their own secrets, and do see the player's. An action's exploration bonus counts the simulations in which it was
possible, since that differs from deal to deal.

Neither is an equilibrium: all deals agree with what the player at the root knows, so in the long run the others act as
if they knew it as well.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.language.state import words
from counterplay.core.language.workspace import Array, Workspace, f64, i64
from counterplay.core.rules import legal, pick
from counterplay.core.types import State
from counterplay.equilibrium.mccfr import SetTable
from counterplay.search.background import run
from counterplay.search.decision import Decision, Option, ranked

DEEPEST = 512
"""The maximum number of turns remembered in a simulation."""
ROOM = 1 << 18
"""The maximum number of actions in information sets."""
C = 0.7
"""The exploration constant, for results between 0 and 1."""
BATCH, FEW = 200, 4
"""Simulations between two looks at the clock; simulations from each given state."""


class Walker(Workspace):
    """The working memory of a simulation."""

    low: f64  # the least that a player can get
    extent: f64  # the most minus the least
    c: f64
    edges: Array[i64, DEEPEST]  # the turns of this simulation, by their index in the table
    movers: Array[i64, DEEPEST]
    played: Array[i64, DEEPEST]  # its actions and events, of all players
    length: i64  # the number of these

    def __init__(self, game: Game, c: float) -> None:
        low, high = game.utility_bounds
        self.low, self.extent, self.c = low, max(high - low, 1e-300), c


def require_searchable(game: Game) -> None:
    """Refuse games in which a position's history matters."""
    if game.has_repetition:
        raise Unsuitable(f"{game.spec} has a repetition rule; `mcts` and `alphabeta` suit such games")


def has_resample(game: Game) -> bool:
    """Whether the game can sample the states that a player considers possible; always true if nothing is hidden."""
    return type(game).resample is not Game.resample or not game.has_secrets


def information_search(
    game: Game,
    s: State,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    many: bool = True,
    c: float = C,
    seed: int = 0,
    possible: Sequence[Any] = (),
) -> Decision:
    """The most tried action in `s` within a number of simulations or seconds, with the average value of each action.
    `possible` are states that the player to move considers possible, such as a belief filter finds; without them, the
    game's `resample` draws them."""
    require_searchable(game)
    if simulations is None and seconds is None:
        raise CounterplayError("a search needs a number of simulations or a time")
    hero = int(game.to_move(s))
    width = 2 + len(words(game.information(game.initial(), 0)))
    table, walker, rng, out = (
        SetTable(width, ROOM, ROOM),
        Walker(game, c),
        Rng(seed),
        cast(ActionStack, action_stack(game)),
    )
    simulate(game, s, hero, many, table, walker, out, rng, 0)  # compiled, or loaded, before the clock starts
    started, done, stopped = time.perf_counter(), 0, threading.Event()
    batch = BATCH if game.compiles else FEW  # in plain Python a large batch would exceed the time

    def work() -> None:
        nonlocal done
        while (simulations is None or done < simulations) and not (done and stopped.is_set()):
            root, more = (possible[rng.below(len(possible))], FEW) if possible else (s, batch)
            more = more if simulations is None else min(more, simulations - done)
            simulate(game, root, hero, many, table, walker, out, rng, more)
            done += more

    run([work], stopped.set, seconds)
    best, found = chosen_action(game, s, hero, table, walker)
    passed = time.perf_counter() - started
    return Decision(best.action, best.value, (best.action,), nodes=done, seconds=passed, options=ranked(found))


def chosen_action(game: Game, s: State, hero: int, table: SetTable, walker: Walker) -> tuple[Option, list[Option]]:
    """The most visited action of `s`, and all actions with their averages."""
    low, extent = walker.low, walker.extent
    known = words(game.information(s, hero))
    found = []
    for action in legal(game, s):
        edge = int(look_up(table, hero, (*known, action)))
        visits, total = (int(table.sums[edge]), float(table.regrets[edge])) if edge >= 0 else (0, 0.0)
        found.append(Option(action, float(low + extent * total / visits) if visits else float(low), visits))
    return max(found, key=lambda option: option.visits), found


@kernel
def look_up(table: SetTable, mover: int, key: tuple[int, ...]) -> int:
    """The index of an action's numbers in an information set; -1 if it was never met."""
    k = table.seek(mover, key)
    return table.start[k] if k >= 0 else -1


@kernel
def simulate(
    game: Game,
    root: State,
    hero: int,
    many: bool,
    table: SetTable,
    walker: Walker,
    out: ActionStack,
    rng: Rng,
    simulations: int,
) -> None:
    """Run simulations, each from a state that `hero` considers possible in `root`."""
    for _ in range(simulations):
        s = game.resample(root, hero, rng)
        depth, growing, length = 0, True, 0
        while not game.is_terminal(s):
            mover = game.to_move(s)
            action = -1
            if growing and not (game.has_chance and mover == CHANCE) and depth < DEEPEST:
                edge = choose(game, s, mover, mover if many else hero, table, walker, out, rng)
                if edge >= 0:
                    growing = table.sums[edge] > 0  # an action that was never tried ends the known part
                    action = int(table.actions[edge])  # uncompiled rules get Python's numbers, not NumPy's
                    walker.edges[depth], walker.movers[depth] = edge, mover
                    depth += 1
                else:
                    growing = False
            if action < 0:
                action = pick(game, s, table.slots, 0, out, rng)
            if length < DEEPEST:
                walker.played[length] = action
                length += 1
            s = game.result(s, action)
        walker.length = length
        for i in range(depth):
            worth = (game.utility(s, int(walker.movers[i])) - walker.low) / walker.extent
            table.sums[walker.edges[i]] += 1.0
            table.regrets[walker.edges[i]] += worth


def choose(
    game: Game, s: State, mover: int, observer: int, table: SetTable, walker: Walker, out: ActionStack, rng: Rng
) -> int:
    """The index of the action to try: one that was never tried, else the one with the greatest upper bound (UCB1; Auer,
    Cesa-Bianchi & Fischer 2002); -1 if the table is full.

    In the table, an action's `sums` are how often it was tried, `regrets` its total result, `values` how often it could
    have been tried.
    """
    start, fresh, best, most = len(out), 0, -1, -1.0
    game.actions(s, out.fresh())
    key = words(game.information(s, observer))
    for i in range(start, len(out)):
        k = table.find(mover, key + (out[i],), out, i, 1)  # noqa: RUF005 (compiled code adds tuples)
        if k < 0:
            best = -1
            break
        edge = table.start[k]
        tried = table.sums[edge]
        table.values[edge] += 1.0
        if tried == 0:
            fresh += 1
            if rng.below(fresh) == 0:
                best = edge
        elif fresh == 0:
            bound = table.regrets[edge] / tried + walker.c * np.sqrt(np.log(table.values[edge]) / tried)
            if bound > most:
                best, most = edge, bound
    out.truncate(start)
    return best
