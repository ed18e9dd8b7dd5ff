"""The syntax of the Go Text Protocol: commands, answers, colours and numbers."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.errors import CounterplayError

COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
"""The player of each colour: the first player is Black."""


class Refusal(CounterplayError):
    """A failed command; the text follows the answer's question mark."""


class Command(NamedTuple):
    """One line: its number, if any, its name, and its arguments."""

    number: str
    name: str
    arguments: list[str]


def read_command(line: str) -> Command | None:
    """The command of a line; None if it is empty or a comment."""
    kept = "".join(
        " " if character == "\t" else character for character in line if character >= " " or character == "\t"
    )
    words = kept.replace("\x7f", "").split("#", 1)[0].split()
    number = words.pop(0) if words and words[0].isascii() and words[0].isdigit() else ""
    return Command(number, words[0] if words else "", words[1:]) if words or number else None


def answer(number: str, text: str, failed: bool = False) -> str:
    """A complete answer, with the empty line that ends it."""
    body = "\n".join(line.rstrip() or " " for line in text.splitlines()) if text else ""
    return f"{'?' if failed else '='}{number}{' ' + body if body else ''}\n\n"


def colour(word: str) -> int:
    """The player that a colour means."""
    if word.lower() not in COLOURS:
        raise Refusal("syntax error")
    return COLOURS[word.lower()]


def whole(word: str, least: int = 0, most: int = 10**9) -> int:
    """A whole number."""
    try:
        number = int(word)
    except ValueError:
        raise Refusal("syntax error") from None
    if not least <= number <= most:
        raise Refusal("syntax error")
    return number


def real(word: str) -> float:
    """A number with or without a point."""
    try:
        number = float(word)
    except ValueError:
        raise Refusal("syntax error") from None
    if not abs(number) < 1e9:
        raise Refusal("syntax error")
    return number


def require_words(arguments: list[str], least: int, most: int | None = None) -> None:
    """Refuse too few or too many arguments."""
    if not least <= len(arguments) <= (least if most is None else most):
        raise Refusal("syntax error")
