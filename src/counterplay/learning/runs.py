"""Runs: each training run is a folder, written so that it can be killed at any moment and resume where it was.

    config.json      what is trained, and how: fixed from the start, except for how long
    checkpoint.npz   everything needed to continue: weights, the random state, the progress
    metrics.jsonl    a line for each save
    model.npz        the current model, for players

Every file is written atomically, the checkpoint last: whatever it does not mention has not happened.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.archive import read_archive, write_archive
from counterplay.core.formats.files import hold, write_whole
from counterplay.evaluation.model import OF_A_RUN, Model, runs_folder

FORMAT = "counterplay run 1"


class Run:
    """The folder of one training run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: IO[bytes] | None = None

    @property
    def config(self) -> dict[str, Any]:
        """What is trained, and how."""
        try:
            found = json.loads((self.folder / "config.json").read_text())
        except FileNotFoundError:
            raise CounterplayError(f"{str(self.folder)!r} holds no run: it has no config.json") from None
        except (OSError, ValueError) as wrong:
            raise CounterplayError(f"cannot read {str(self.folder / 'config.json')!r}: {wrong}") from None
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise CounterplayError(f"{str(self.folder)!r} holds no run of this version of Counterplay")
        games, seconds = budget(found).values()
        fits = all(isinstance(found.get(name), str) for name in ("game", "method"))
        fits = fits and (games is None or (type(games) is int and games > 0))
        if not fits or not (seconds is None or (type(seconds) in (int, float) and seconds > 0)):
            raise CounterplayError(
                f"{str(self.folder / 'config.json')!r} is damaged: it does not say what to train, or for how long"
            )
        return found

    @property
    def model(self) -> Path:
        """The file of what it has learned so far."""
        return self.folder / OF_A_RUN

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return (self.folder / "config.json").exists()

    def begin(self, config: Mapping[str, Any], *, usual: Mapping[str, Any] | None = None, longer: bool = False) -> bool:
        """Begin a run, or resume the one in the folder: with the same config, but with `longer` for its budget. What
        its config does not name is as in `usual`: an option may be newer than the run. Returns whether the run is
        new."""
        wanted = {"format": FORMAT, **config}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as wrong:
            why = (wrong.strerror or str(wrong)).lower()
            raise CounterplayError(f"cannot create the folder {str(self.folder)!r}: {why}") from None
        is_new = not self.exists
        if not is_new:
            before = {**(usual or {}), **self.config}
            require_same(self.folder, {**before, **budget(wanted)} if longer else before, wanted)
            self.hold()
        if is_new or before != wanted:
            self.close()  # a rewritten file is a different file
            write_whole(self.folder / "config.json", json.dumps(wanted, indent=2) + "\n")
            self.hold()
        return is_new

    def abandon(self) -> None:
        """Undo a beginning that failed, so that another run can use the folder."""
        if not (self.folder / "checkpoint.npz").exists():
            (self.folder / "config.json").unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                self.folder.rmdir()  # if it is empty

    def hold(self) -> None:
        """Lock the folder against other training."""
        self._lock = hold(self.folder / "config.json", f"another program is training in {str(self.folder)!r}")

    def close(self) -> None:
        """Release the lock."""
        if self._lock:
            self._lock.close()

    # Progress.

    def metrics(self) -> list[dict[str, Any]]:
        """The lines so far; a truncated or damaged one does not count."""
        try:
            lines = (self.folder / "metrics.jsonl").read_text(errors="replace").splitlines()
        except OSError:
            return []
        found = []
        for line in lines:
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return [row for row in found if is_step(row)]

    def save(
        self, head: Mapping[str, Any], arrays: Mapping[str, np.ndarray], model: Model, row: Mapping[str, Any]
    ) -> None:
        """Save a finished step. `head` has the number of `lines` of metrics including this one."""
        lines = [*self.metrics()[: int(head["lines"]) - 1], dict(row)]
        write_whole(self.folder / "metrics.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        model.save(self.model)
        write_archive(self.folder / "checkpoint.npz", {"format": FORMAT, **head}, arrays)

    def checkpoint(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The saved state of the run; None if there is none yet."""
        file = self.folder / "checkpoint.npz"
        if not file.exists():
            return None
        found = read_archive(file, FORMAT)
        if found is None:
            raise CounterplayError(f"{str(file)!r} is damaged; without it, the run starts over")
        return found


def budget(config: Mapping[str, Any]) -> dict[str, Any]:
    """The length of training in a config."""
    return {name: config.get(name) for name in ("games", "seconds")}


def is_step(row: Any) -> bool:
    """Whether a line of metrics is valid: numbers by name, including games and seconds."""
    if not isinstance(row, dict) or any(row.get(name) is None for name in ("games", "seconds")):
        return False
    return all(value is None or isinstance(value, (int, float)) for value in row.values())


def require_same(folder: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to continue a run with other settings."""
    names = [*before, *(name for name in now if name not in before)]
    different = [name for name in names if before.get(name) != now.get(name)]
    if different:
        told = ", ".join(f"{name} was {before.get(name)!r} and is {now.get(name)!r}" for name in different)
        raise CounterplayError(f"{str(folder)!r} holds another run ({told}); choose another folder for a new one")


def restore(target: Mapping[str, np.ndarray], saved: Mapping[str, Any], file: Path) -> None:
    """Copy saved arrays back into place."""
    for name, part in target.items():
        if name not in saved or saved[name].shape != part.shape:
            raise CounterplayError(f"{str(file)!r} is damaged, or another version wrote it: its parts are inconsistent")
        part[...] = saved[name]


def usual_folder(game: str, method: str) -> Path:
    """The default folder of a run."""
    import time

    name = "".join(c if c.isalnum() or c in "-._" else "-" for c in Path(game).name)
    return runs_folder() / f"{name}-{method}-{time.strftime('%Y%m%d-%H%M%S')}"


def list_runs(folder: Path) -> list[Run]:
    """The runs in a folder, or the run itself if the folder is one."""
    if (folder / "config.json").exists():
        return [Run(folder)]
    if not folder.is_dir():
        return []
    return [Run(each) for each in sorted(folder.iterdir()) if (each / "config.json").exists()]
