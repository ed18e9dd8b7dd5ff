"""Samples to fit weights to: states of playthroughs, each with a label, encoded in consecutive blocks.

A source is a function that returns its playthroughs, from the beginning at each call. It is read once: encoded blocks
wait in a temporary file for the passes over them, so a label may be slow to compute, and the number of positions is
bounded by the disk, not by memory. A label is the expected payoff of the state's viewer, in the game's units. Whole
playthroughs are held out, never single states: neighbours are too much alike.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.language.features import Features
from counterplay.core.language.kernel import kernel
from counterplay.core.types import State
from counterplay.evaluation.encoding import EncodedGame

BLOCK = 1 << 14
"""States of a block."""

Lesson = tuple[Sequence[Any], Sequence[float]]
"""The states of a playthrough that are learned from, and their labels."""
Source = Callable[[], Iterable[Lesson]]
Hear = Callable[[str], None]
"""Receives the progress of a fit, a line at a time."""


class Block(NamedTuple):
    """Encoded states."""

    index: Any  # int32 [states, room]
    value: np.ndarray  # float32 [states, room]
    used: np.ndarray  # int64 [states]
    stage: np.ndarray  # int64 [states]
    label: np.ndarray  # float64 [states]
    held: np.ndarray  # bool [states] held out


Rows = TypeVar("Rows", bound=tuple[np.ndarray, ...])


class Spool(Generic[Rows]):
    """Blocks in a temporary file, each a named tuple of arrays of equal length: written once, read any number of times,
    one in memory at a time. The file is deleted with the spool."""

    def __init__(self, blocks: Iterable[Rows]) -> None:
        try:
            self.file = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the spool)
        except OSError as wrong:
            raise cannot_spool(wrong) from None
        self.starts: list[int] = []
        self.rows = 0
        for block in blocks:
            self.kind: Any = type(block)
            self.starts.append(self.file.tell())
            self.rows += len(block[0])
            try:
                for part in block:
                    np.save(self.file, part, allow_pickle=False)
                self.file.flush()
            except OSError as wrong:
                raise cannot_spool(wrong) from None

    def __enter__(self) -> Spool[Rows]:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def __len__(self) -> int:
        """The number of blocks."""
        return len(self.starts)

    def __getitem__(self, k: int) -> Rows:
        """Block `k`."""
        self.file.seek(self.starts[k])
        return self.kind(*(np.load(self.file, allow_pickle=False) for _ in self.kind._fields))

    def __iter__(self) -> Iterator[Rows]:
        return (self[k] for k in range(len(self)))


def cannot_spool(wrong: OSError) -> CounterplayError:
    """Why encoded positions cannot be stored, in a sentence."""
    why = (wrong.strerror or str(wrong)).lower()
    return CounterplayError(f"cannot keep encoded positions in the temporary folder: {why} (TMPDIR names another)")


def blocks(game: EncodedGame, source: Source, hold_out: float) -> Iterator[Block]:
    """All samples of a source, encoded; every n-th playthrough is held out."""
    block, n = empty(game), 0
    for number, (states, labels) in enumerate(source()):
        held = is_held_out(number, hold_out)
        for s, label in zip(states, labels, strict=True):
            encode(game, s, block.index, block.value, block.used, block.stage, n)
            block.label[n], block.held[n] = label, held
            n += 1
            if n == BLOCK:
                yield filled(block, n)
                block, n = empty(game), 0
    if n:
        yield filled(block, n)


def filled(block: Block, n: int) -> Block:
    """The first `n` rows of a block, as wide as the longest of them."""
    widest = int(block.used[:n].max())
    index, value, *others = (part[:n] for part in block)
    return Block(index[:, :widest], value[:, :widest], *others)


def is_held_out(number: int, share: float) -> bool:
    """Whether a playthrough is held out: every n-th one is."""
    return int((number + 1) * share) > int(number * share)


def empty(game: EncodedGame) -> Block:
    """An empty block."""
    return Block(
        np.zeros((BLOCK, game.learned_room), np.int32),
        np.zeros((BLOCK, game.learned_room), np.float32),
        np.zeros(BLOCK, np.int64),
        np.zeros(BLOCK, np.int64),
        np.zeros(BLOCK),
        np.zeros(BLOCK, bool),
    )


@kernel
def encode(
    game: EncodedGame, s: State, index: np.ndarray, value: np.ndarray, used: np.ndarray, stage: np.ndarray, n: int
) -> None:
    """Write a state into row `n` of a block."""
    used[n] = 0
    game.learned_encode(s, Features(index[n], value[n], used[n : n + 1]))
    stage[n] = game.stage(s)
