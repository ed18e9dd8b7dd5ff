"""The common part of all training methods: a budget, and a run that can be interrupted and resumed.

Training proceeds in steps (batches of games, rounds, generations). The content of a step, the model that plays in the
end and what is needed to continue differ by method; the budget, the checkpoints and the end are the same for all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import written
from counterplay.core.formats.saving import Saving
from counterplay.core.game import Game
from counterplay.core.language.rng import Rng
from counterplay.evaluation.model import Model
from counterplay.learning.runs import Run, restore
from counterplay.scale.crew import Fleet

SOONEST = 1.0
"""The minimum number of seconds between two saves of a run."""
MOST_SEED = (1 << 64) - 1

Report = Callable[[dict[str, Any]], None]


def require_ranges(settings: Any, **ranges: tuple[int, int]) -> None:
    """Refuse an option outside its range."""
    for name, (least, most) in ranges.items():
        value = getattr(settings, name)
        if not least <= value <= most:
            raise CounterplayError(f"{name}={written(value)} must be from {least} to {most}")


class Training:
    """Training in progress."""

    method: str
    """The method's name."""
    encoding = ""
    """What the game offers to learn from, if the settings leave that to the game."""
    saves_each = False
    """Whether every step is saved, and a step stopped midway does not count; otherwise steps are saved as often as that
    costs little."""
    rngs: Sequence[Rng]
    """The random numbers that it continues with."""

    def __init__(self, game: Game, settings: Any, games: int | None, seconds: float | None) -> None:
        if games is None and seconds is None:
            raise CounterplayError("training needs an end: a number of games, or a time")
        self.game, self.settings, self.games, self.seconds = game, settings, games, seconds
        self.step, self.spent, self.lines = 0, 0.0, 0
        self.stop = threading.Event()
        """Set it from elsewhere to stop the run early."""

    # What a method defines.

    @property
    def played(self) -> int:
        """Games so far."""
        raise NotImplementedError

    def prepare(self) -> None:
        """Compile, before the clock runs."""
        raise NotImplementedError

    def advance(self) -> dict[str, Any]:
        """One step; returns its metrics."""
        raise NotImplementedError

    def model(self) -> Model:
        """The model for players."""
        raise NotImplementedError

    def parts(self) -> Mapping[str, np.ndarray]:
        """The arrays needed to continue."""
        raise NotImplementedError

    def numbers(self) -> dict[str, Any]:
        """Other numbers needed to continue."""
        return {}

    def restore(self, run: Run, head: Mapping[str, Any], saved: Mapping[str, Any]) -> None:
        """Load the parts and the numbers of a checkpoint; here the parts are memory in use."""
        restore(self.parts(), saved, run.folder / "checkpoint.npz")

    def employ(self, fleet: Fleet) -> None:
        """Let a crew help, in processes or on a cluster, until `close`."""
        raise CounterplayError(f"{self.method} learns in one process: --workers and --cluster are for alphazero and td")

    def close(self) -> None:
        """End the crew's work."""

    # What all methods share.

    @property
    def config(self) -> dict[str, Any]:
        """The run's config, for its folder."""
        fixed = {"game": self.game.spec, "method": self.method, "games": self.games, "seconds": self.seconds}
        found = fixed | asdict(self.settings)
        return found | {"encoding": self.encoding} if self.encoding else found

    @property
    def share(self) -> float:
        """The spent share of the budget."""
        shares = [0.0 if self.games is None else self.played / self.games]
        shares.append(0.0 if self.seconds is None else self.spent / self.seconds)
        return min(max(shares), 1.0)

    def resume(self, run: Run) -> None:
        """Continue a run."""
        found = run.checkpoint()
        if found is None:
            return
        head, saved = found
        try:
            self.restore(run, head, saved)
            self.step, self.spent, self.lines = int(head["step"]), float(head["spent"]), int(head["lines"])
            for rng, word in zip(self.rngs, str(head["word"]).split(), strict=True):
                rng.word.value = int(word)
        except CounterplayError:
            raise
        except (KeyError, TypeError, ValueError, OverflowError):
            file = run.folder / "checkpoint.npz"
            raise CounterplayError(f"{str(file)!r} is damaged: it does not say how far the run is") from None

    def save(self, run: Run, row: dict[str, Any]) -> None:
        """Save the state."""
        self.lines += 1
        word = " ".join(str(rng.word.value) for rng in self.rngs)
        head = {"step": self.step, "spent": self.spent, "lines": self.lines, "word": word} | self.numbers()
        run.save(head, self.parts(), self.model(), row)

    def run(self, run: Run | None, report: Report | None = None) -> None:
        """Train until the budget is spent or `stop` is set."""
        row: dict[str, Any] = {}
        saving = Saving(lambda: self.save(run, row) if run else None, SOONEST, first=0.0)
        is_saved = True
        while self.share < 1.0 and not self.stop.is_set():
            found = self.advance()
            if not found or (self.saves_each and self.stop.is_set()):
                break  # the step was cut short
            row = found
            if report:
                report(row)
            if self.saves_each:
                saving.save()
            else:
                is_saved = saving.if_due()
        if not is_saved:
            saving.save()
