"""`probcut`: how well shallow searches of a game predict deep ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterplay.api.position import game_of
from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import require_writable, write_whole
from counterplay.core.game import Game
from counterplay.learning.probcut_fit import LEAST, fit_cuts, sample
from counterplay.players.evaluation_option import EvaluationOption
from counterplay.search.engine.probcut import Cuts
from counterplay.search.suitability import require_suitable

DEEPEST = 20


@dataclass(frozen=True, repr=False)
class ProbcutResult(Result):
    """The numbers for ProbCut, and the file they were written to."""

    file: Path
    cuts: Cuts

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        rows = [cut._asdict() for cut in self.cuts.cuts]
        return {"file": str(self.file), "positions": self.cuts.positions, "cuts": rows}

    def __str__(self) -> str:
        lines = [f"{self.cuts.positions} positions of {self.cuts.game}", "depth  check  slope  offset   error"]
        rows = [
            f"{cut.depth:5}  {cut.shallow:5}  {cut.slope:5.3f}  {cut.offset:6.4f}  {cut.error:6.4f}"
            for cut in self.cuts.cuts
        ]
        return "\n".join([*lines, *rows, f"written to {self.file}"])


def probcut(
    game: str | Game,
    output: str | Path,
    *,
    evaluation: str | None = None,
    positions: int = 300,
    depth: int = 8,
    confidence: float = 1.5,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> ProbcutResult:
    """Find the numbers for ProbCut in `game`, with the `evaluation` of a model or its own: search `positions` of random
    games to `depth`, and predict each depth from shallower ones by least squares. `alphabeta:cuts=OUTPUT` cuts if a
    prediction is outside the window by `confidence` standard errors."""
    if positions < 10 or not LEAST <= depth <= DEEPEST or not confidence >= 0:
        raise CounterplayError(
            f"--positions {positions} --depth {depth} --confidence {confidence:g}: at least 10 positions, a depth from "
            f"{LEAST} to {DEEPEST}, and a confidence of 0 or more"
        )
    chosen, file = game_of(game), Path(output)
    require_suitable(chosen, None, "alphabeta")
    require_writable(file)
    values = sample(EvaluationOption(evaluation).of(chosen), positions, depth, seed, progress or (lambda line: None))
    if len(values) < 10:
        raise CounterplayError(
            f"{chosen.spec}: nearly every search of depth {depth} reaches the end of the game, leaving nothing to predict"
        )
    cuts = Cuts(chosen.spec, evaluation or "", confidence, len(values), tuple(fit_cuts(values)))
    write_whole(file, cuts.to_json())
    return ProbcutResult(file, cuts)
