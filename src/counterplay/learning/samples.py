"""Samples to fit weights to: states of playthroughs, each with a label, encoded in blocks that follow each other.

A source is a function that gives its playthroughs anew each time it is called: nothing but one block is ever in memory, so
that the number of positions is bounded only by patience. A label is what the viewer of a state is to expect, in the game's
units. Whole playthroughs are held out, never single states: neighbours are too much alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.features import Features
from counterplay.core.kernel import kernel

BLOCK = 1 << 14
"""States of a block."""

Lesson = tuple[Sequence[Any], Sequence[float]]
"""The states of a playthrough that are learned from, and their labels."""
Source = Callable[[], Iterable[Lesson]]


class Block(NamedTuple):
    """Encoded states."""

    index: Any  # int32 [states, room]
    value: np.ndarray  # float32 [states, room]
    used: np.ndarray  # int64 [states]
    stage: np.ndarray  # int64 [states]
    label: np.ndarray  # float64 [states]
    held: np.ndarray  # bool [states] held out


def blocks(game: Any, source: Source, hold_out: float) -> Iterator[Block]:
    """All samples of a source, encoded; every so many-th playthrough is held out."""
    block, n = empty(game), 0
    for number, (states, labels) in enumerate(source()):
        held = is_held_out(number, hold_out)
        for s, label in zip(states, labels, strict=True):
            encode(game, s, block.index, block.value, block.used, block.stage, n)
            block.label[n], block.held[n] = label, held
            n += 1
            if n == BLOCK:
                yield block
                block, n = empty(game), 0
    if n:
        yield Block(*(part[:n] for part in block))


def is_held_out(number: int, share: float) -> bool:
    """Whether a playthrough is held out: evenly spread ones are."""
    return int((number + 1) * share) > int(number * share)


def empty(game: Any) -> Block:
    """Room for a block."""
    return Block(
        np.zeros((BLOCK, game.learned_room), np.int32),
        np.zeros((BLOCK, game.learned_room), np.float32),
        np.zeros(BLOCK, np.int64),
        np.zeros(BLOCK, np.int64),
        np.zeros(BLOCK),
        np.zeros(BLOCK, bool),
    )


@kernel
def encode(game: Any, s: Any, index: Any, value: Any, used: Any, stage: Any, n: int) -> None:
    """Write a state into row `n` of a block."""
    used[n] = 0
    game.learned_encode(s, Features(index[n], value[n], used[n : n + 1]))
    stage[n] = game.stage(s)
