"""What ProbCut relies on: how well the value of a shallow search predicts that of a deep one (Buro 1995, 1997).

For each depth there are a few checks, of increasing depth. A check of depth `shallow` predicts the value of a search of
depth `depth` as `slope * value + offset`, with a standard error. The search trusts a prediction that is outside its
window by `confidence` standard errors or more. The numbers belong to one game and one evaluation, and are kept in a
small JSON file; `counterplay probcut` finds them by regression.
"""

from __future__ import annotations

import json
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.formats.files import read_whole
from counterplay.core.game import Game

FORMAT = "counterplay probcut 1"
ENDING = ".cuts.json"
CHECKS = 2
"""The maximum number of checks at a node."""


class Cut(NamedTuple):
    """How a search of depth `shallow` predicts one of depth `depth`."""

    depth: int
    shallow: int
    slope: float
    offset: float
    error: float  # the standard error of the prediction


class Cuts(NamedTuple):
    """All predictions for a game."""

    game: str  # its spec
    evaluation: str  # the model that evaluated positions; empty: the game's own evaluation
    confidence: float
    positions: int  # the number that the predictions were fitted to
    cuts: tuple[Cut, ...]

    def by_depth(self, deepest: int) -> np.ndarray:
        """[depths, CHECKS, 4] depth of the check (0: none), slope, offset, margin. Beyond the fitted depths, the last
        one of the same parity applies, as many plies above its check."""
        table = np.zeros((deepest, CHECKS, 4))
        fitted = sorted({cut.depth for cut in self.cuts})
        for depth in range(deepest):
            same = [each for each in fitted if each <= depth and (depth - each) % 2 == 0]
            if not same:
                continue
            checks = sorted(cut for cut in self.cuts if cut.depth == same[-1])
            for i, cut in enumerate(sorted(checks, key=lambda cut: cut.shallow)[:CHECKS]):
                table[depth, i] = cut.shallow + depth - same[-1], cut.slope, cut.offset, self.confidence * cut.error
        return table

    def require(self, game: Game) -> None:
        """Reject any game but the one that the numbers were fitted to."""
        if game.spec != self.game:
            raise Unsuitable(
                f"these cuts are for {self.game}; `counterplay probcut {game.spec} -o FILE` finds those for {game.spec}"
            )

    def to_json(self) -> str:
        """The text of a cuts file."""
        rows = [cut._asdict() for cut in self.cuts]
        told = {"format": FORMAT, "game": self.game, "evaluation": self.evaluation, "confidence": self.confidence}
        return json.dumps({**told, "positions": self.positions, "cuts": rows}, indent=1) + "\n"


def shipped_cuts() -> dict[str, Traversable]:
    """The files of cuts that come with the package, by name."""
    folder = files("counterplay") / "models"
    return {file.name.removesuffix(ENDING): file for file in folder.iterdir() if file.name.endswith(ENDING)}


def read_cuts(name: str) -> Cuts:
    """The cuts of a file, or of one that comes with the package."""
    shipped = shipped_cuts().get(name)
    try:
        text = shipped.read_bytes() if shipped else read_whole(Path(name))
        told = json.loads(text)
        if told["format"] != FORMAT:
            raise KeyError
        cuts = tuple(Cut(**row) for row in told["cuts"])
        sound = all(
            1 <= cut.shallow < cut.depth and cut.slope > 0 and np.isfinite([*cut]).all() and cut.error >= 0
            for cut in cuts
        )
        if not sound:
            raise ValueError
        return Cuts(told["game"], told["evaluation"], float(told["confidence"]), int(told["positions"]), cuts)
    except (KeyError, TypeError, ValueError, UnicodeDecodeError):
        raise CounterplayError(
            f"{name!r} is not a file of cuts; `counterplay probcut GAME -o FILE` writes one"
        ) from None
