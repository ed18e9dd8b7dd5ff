"""A class of endings as a graph, part by part: the successors of each of its indices.

A move to another class is an end, a sink, whose value and distance that class's table has. A position without a number
of its own (a pawn may be taken en passant) is a node after all others.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.workspace import Array, Workspace, i8, i16, i32, i64
from counterplay.endgame.endings import CLASS, NOTHING, SWAPPED, SolvedEndings
from counterplay.endgame.graph import ABSENT

FARTHEST = 1 << 12
"""The maximum distance in plies of an entry in another class."""
SINKS = 2 * FARTHEST + 1
"""Ends that represent other classes: a draw, and a win of either side at each distance."""
COMPLETE, FULL, UNNUMBERED = range(3)
"""Why `follow` returned: everything is expanded; memory is full; a position belongs to no class, though the game
continues."""


class Part(NamedTuple):
    """Some indices of a class, followed by their successors without a number."""

    degree: np.ndarray  # int16 [nodes], the number of successors
    mover: np.ndarray  # int8 [nodes], or ABSENT
    entry: np.ndarray  # int16 [nodes], as in `SolvedEndings` at an end; NOTHING if it is not a position; else 0
    successors: np.ndarray  # int32 [edges]: a node; or -1 - i, the part's i-th position without a number


class Unfolding(Workspace):
    """Working memory for a part."""

    out: ActionStack
    edges: i64
    extras: i64  # positions without a number
    most_edges: i64
    most_extras: i64
    degree: Array[i16, "nodes"]
    mover: Array[i8, "nodes"]
    entry: Array[i16, "nodes"]
    successors: Array[i32, "many"]
    parent: Array[i64, "rest"]  # of a position without a number: the index before it, and the action
    action: Array[i64, "rest"]

    def __init__(self, game: Game, indices: int, edges: int, extras: int) -> None:
        self.out = cast(ActionStack, action_stack(game))
        self.most_edges, self.most_extras = edges, extras
        self.degree, self.mover = np.zeros(indices + extras, np.int16), np.zeros(indices + extras, np.int8)
        self.entry, self.successors = np.zeros(indices + extras, np.int16), np.zeros(edges, np.int32)
        self.parent, self.action = np.zeros(extras, np.int64), np.zeros(extras, np.int64)

    def part(self, indices: int) -> Part:
        """A copy of what was expanded."""
        nodes = indices + self.extras
        return Part(
            self.degree[:nodes].copy(),
            self.mover[:nodes].copy(),
            self.entry[:nodes].copy(),
            self.successors[: self.edges].copy(),
        )


@kernel
def follow(game: Any, k: int, count: int, solved: SolvedEndings, work: Unfolding, start: int, end: int) -> int:
    """Expand the indices from `start` to `end` of class `k`, which has `count`; returns why it stopped."""
    out = work.out
    work.edges = 0
    work.extras = 0
    indices = end - start
    i = 0
    while i < indices + work.extras:
        work.degree[i] = 0
        work.entry[i] = 0
        if i < indices:
            s = game.ending_state(k, start + i)
            if not game.is_ending(k, start + i, s):
                work.mover[i] = ABSENT
                work.entry[i] = NOTHING
                i += 1
                continue
        else:
            s = game.result(game.ending_state(k, work.parent[i - indices]), work.action[i - indices])
        work.mover[i] = game.to_move(s)
        if game.is_terminal(s):
            won = game.utility(s, 0)
            work.entry[i] = 1 if won > 0 else -1 if won < 0 else 0
            i += 1
            continue
        first = len(out)
        game.actions(s, out.fresh())
        options = len(out) - first
        if work.edges + options > work.most_edges or work.extras + options > work.most_extras:
            out.truncate(first)
            return FULL
        for j in range(first, len(out)):
            after = game.result(s, out[j])
            number = game.ending_number(after)
            if number >= 0 and number >> SWAPPED == k << 1:
                work.successors[work.edges] = number & ((1 << SWAPPED) - 1)
            elif number >= 0:
                if solved.offset[number >> CLASS] < 0:
                    return UNNUMBERED
                work.successors[work.edges] = count + FARTHEST + solved.entry(number)
            elif game.is_terminal(after):
                won = game.utility(after, 0)
                work.successors[work.edges] = count + FARTHEST + (1 if won > 0 else -1 if won < 0 else 0)
            elif i < indices:
                work.parent[work.extras] = start + i
                work.action[work.extras] = out[j]
                work.extras += 1
                work.successors[work.edges] = -work.extras
            else:
                return UNNUMBERED
            work.edges += 1
        work.degree[i] = options
        out.truncate(first)
        i += 1
    return COMPLETE
