"""What passes between the process that began a job and its workers: frames, shared values, refusals."""

from __future__ import annotations

import itertools
import pickle
from pathlib import Path
from typing import Any, NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.registry import describe
from counterplay.scale.job import Work

LENGTH = 8
numbers = itertools.count()


class Refused(NamedTuple):
    """Why a job or a unit cannot be worked on, in a sentence."""

    sentence: str


def write_frame(stream: Any, value: Any) -> None:
    """Send a value."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(len(data).to_bytes(LENGTH, "big") + data)
    stream.flush()


def read_frame(stream: Any) -> Any:
    """The next value; None if the other process has ended."""
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        return None
    size = int.from_bytes(head, "big")
    data = stream.read(size)
    return pickle.loads(data) if len(data) == size else None


class Kept:
    """A value in a file, which each process reads once."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @classmethod
    def write(cls, folder: Path, value: Any) -> Kept:
        """Write a value to a folder."""
        number = next(numbers)
        file = folder / str(number)
        try:
            file.write_bytes(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))
        except OSError as wrong:
            raise CounterplayError(f"cannot write {str(file)!r}: {(wrong.strerror or str(wrong)).lower()}") from None
        return cls(file)

    def get(self) -> Any:
        """The value."""
        if self.file not in _read:
            if len(_read) >= 2:
                _read.pop(next(iter(_read)))
            _read[self.file] = pickle.loads(self.file.read_bytes())
        return _read[self.file]

    def release(self) -> None:
        """Release it: no unit needs it any more."""
        self.file.unlink(missing_ok=True)


_read: dict[Path, Any] = {}


def attempt(work: Work, unit: Any) -> Any:
    """A unit's result, or why there is none."""
    try:
        return work(unit)
    except CounterplayError as wrong:
        return Refused(str(wrong))
    except Exception as wrong:
        return Refused(f"a part of the work failed: {describe(wrong)}")


def is_spent(work: Work) -> bool:
    """Whether this process should take no more work."""
    asked = getattr(work, "is_spent", None)
    return bool(asked()) if asked is not None else False


def close(work: Work | None) -> None:
    """Let a workshop end what it started."""
    asked = getattr(work, "close", None)
    if asked is not None:
        asked()
