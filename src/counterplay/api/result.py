"""What every function returns: attributes, a readable `repr`, and `to_json` for programs."""

from __future__ import annotations

from typing import Any


class Result:
    """The base of all results: `str` gives them in words, `to_json` as plain data."""

    def to_json(self) -> dict[str, Any]:
        """The result as dicts, lists, strings and numbers, the same that the command prints with --json."""
        raise NotImplementedError

    def __str__(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"
