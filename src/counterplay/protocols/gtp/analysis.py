"""Analysis for graphical boards while a program thinks: each action with its visits and its chance of winning.

Two dialects are supported: that of Leela Zero (`lz-analyze`, chances in hundredths of a percent) and that of KataGo
(`kata-analyze`, chances from 0 to 1).
"""

from __future__ import annotations

from counterplay.core.playthrough import Playthrough
from counterplay.protocols.gtp.syntax import COLOURS, Refusal, whole
from counterplay.search.decision import Decision, Option

DIALECTS = {"lz-analyze": "lz", "kata-analyze": "kata"}
INTERVAL = 100
"""Hundredths of a second between reports by default."""


def read_request(arguments: list[str]) -> tuple[int | None, float, int]:
    """The point of view, the seconds between reports, and the most actions to show, from `[COLOUR] [INTERVAL] [WORD
    VALUE]...`; words that only some programs know are skipped."""
    rest = list(arguments)
    player = COLOURS[rest.pop(0).lower()] if rest and rest[0].lower() in COLOURS else None
    interval, most = INTERVAL, 10**6
    if rest and rest[0].isdigit():
        interval = whole(rest.pop(0))
    if len(rest) % 2:
        raise Refusal("syntax error")
    for word, value in zip(rest[::2], rest[1::2], strict=True):
        if word == "interval":
            interval = whole(value)
        elif word == "maxmoves":
            most = whole(value, 1)
    return player, max(interval, 1) / 100, most


def report(p: Playthrough, found: Decision, dialect: str, most: int) -> str:
    """One line: the actions searched, the most visited first."""
    options = found.options or (Option(found.action, found.value or 0.0, found.nodes),)
    best = sorted(options, key=lambda option: (option.action != found.action, -option.visits))
    shown = [option for option in best if option.visits or option.action == found.action][:most]
    return " ".join(describe(p, found, option, order, dialect) for order, option in enumerate(shown))


def describe(p: Playthrough, found: Decision, option: Option, order: int, dialect: str) -> str:
    """One action."""
    low, high = p.game.utility_bounds
    chance = min(max((option.value - low) / (high - low), 0.0), 1.0)
    winrate = f"{round(10_000 * chance)}" if dialect == "lz" else f"{chance:.6f}"
    prior = f"{10_000 // max(len(found.options), 1)}" if dialect == "lz" else f"{1 / max(len(found.options), 1):.6f}"
    line = found.line if option.action == found.action and found.line else (option.action,)
    move = p.game.action_text(p.state, option.action)
    return (
        f"info move {move} visits {option.visits} winrate {winrate} prior {prior} order {order} "
        f"pv {' '.join(line_text(p, line))}"
    )


def line_text(p: Playthrough, line: tuple[int, ...]) -> list[str]:
    """A line of play as text."""
    s, texts = p.state, []
    for action in line:
        texts.append(p.game.action_text(s, action))
        s = p.game.result(s, action)
    return texts
