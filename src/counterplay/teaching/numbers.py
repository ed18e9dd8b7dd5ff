"""Numbers as people write them: 1/2, 0.5, .5, 50%, -3, ∞."""

from __future__ import annotations

import re
from fractions import Fraction

from counterplay.core.errors import CounterplayError

INFINITY = float("inf")
Number = Fraction | float
"""Exact, or an infinity."""

DECIMAL = r"(?:\d+(?:[.,]\d*)?|[.,]\d+)"
WRITTEN = re.compile(rf"([+-]?)({DECIMAL})(?:/({DECIMAL}))?(%?)")
ENDLESS = ("inf", "infinity", "infty", "∞", "oo")
LEAST_PLACES = 2
"""The minimum number of decimals of a rounded answer: 0.33 for 1/3, but not 0.3."""
MOST_DIGITS = 40


def read_number(text: str) -> Number:
    """The number that a person wrote."""
    plain = "".join(text.split()).replace("\N{MINUS SIGN}", "-").lower()
    if plain.lstrip("+-") in ENDLESS and len(plain) - len(plain.lstrip("+-")) <= 1:
        return -INFINITY if plain.startswith("-") else INFINITY
    found = WRITTEN.fullmatch(plain)
    if not found or len(plain) > MOST_DIGITS:
        raise CounterplayError(f"{text.strip()[:MOST_DIGITS]!r} is not a number; write 3, -2, 0.5, 1/2 or inf")
    sign, top, bottom, percent = found.groups()
    below = exact(bottom) if bottom else Fraction(1)
    if not below:
        raise CounterplayError(f"{text.strip()!r} divides by zero")
    value = exact(top) / below / (100 if percent else 1)
    return -value if sign == "-" else value


def exact(text: str) -> Fraction:
    """A decimal as a fraction."""
    return Fraction(text.replace(",", ".").rstrip(".") or "0")


def places(text: str) -> int | None:
    """The number of decimal places written; None for a fraction, a percentage or a whole number."""
    found = re.fullmatch(r"[+-]?\d*[.,](\d+)", "".join(text.split()).replace("\N{MINUS SIGN}", "-"))
    return len(found[1]) if found else None


def agrees(given: str, answer: str, tolerance: float = 0.0) -> bool:
    """Whether an answer is right: exactly, or rounded to the decimal places given (two or more), or within the
    tolerance."""
    mine, right = read_number(given), read_number(answer)
    if mine == right:
        return True
    if isinstance(mine, float) or isinstance(right, float):
        return False  # an infinity and something else
    apart = abs(mine - right)
    if tolerance and apart <= Fraction(tolerance):
        return True
    digits = places(given)
    return digits is not None and digits >= LEAST_PLACES and apart <= Fraction(1, 2 * 10**digits)


def written(value: Number) -> str:
    """A number as an answer: whole, a short decimal, or a fraction."""
    if isinstance(value, float):
        return "∞" if value > 0 else "-∞"
    if value.denominator in (1, 2, 4, 5, 10, 20, 25, 50, 100):
        return f"{float(value):g}"
    return str(value)


def fraction(value: float, most: int = 1000) -> Fraction:
    """The fraction that a computed number approximates."""
    near = Fraction(value).limit_denominator(most)
    if abs(float(near) - value) > 1e-9 * max(1.0, abs(value)):
        raise ValueError(f"{value!r} is not a fraction with a denominator up to {most}")
    return near


def factor(value: Number | int | str) -> str:
    """A number as a factor: in brackets if it is negative."""
    return f"({value})" if str(value).startswith("-") else str(value)
