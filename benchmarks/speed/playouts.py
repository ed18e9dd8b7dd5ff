"""Random playouts from the start of a game: moves per second against OpenSpiel, driven from Python (its only way).

The two sides draw from different random streams, so they cannot play the same moves. Instead, the mean length of a
playout and the first player's mean result must agree within what chance allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from random import Random
from statistics import fmean, pvariance
from typing import NamedTuple

from benchmarks import openspiel
from benchmarks.measure import Comparison, Differs, Outcome, Skipped, race, turn
from counterplay.core.playout import Playouts, playouts
from counterplay.core.registry import load

NAME = "playouts"
DOUBT = 4.5
"""Standard errors by which two means may differ. Seeds are fixed: runs that agree once always agree."""


class Event(NamedTuple):
    """A game, and the amount of work."""

    ours: str
    theirs: str
    target: float | None
    playouts: int  # of OpenSpiel in a turn; we play 20 times as many
    by_turns: bool = False  # one of our moves can be several of OpenSpiel's
    slack: float = 0.0  # the relative difference of means allowed if moves have other probabilities


EVENTS = [
    Event("connect-four:playouts=uniform", "connect_four", 10.0, 4000),
    Event("othello", "othello", 10.0, 300),
    Event("hex", "hex(board_size=11)", 10.0, 1000),
    Event("checkers:limit=40,repetitions=0,advances=off", "checkers", 10.0, 300, by_turns=True),
    Event("backgammon", "backgammon(scoring_type=full_scoring)", 20.0, 100, by_turns=True, slack=0.15),
    Event("tic-tac-toe", "tic_tac_toe", None, 10000),
    Event("kuhn-poker", "kuhn_poker", None, 10000),
    Event("leduc-poker", "leduc_poker", None, 5000),
]


def run(quick: bool) -> Iterator[Outcome]:
    """All games."""
    for event in EVENTS:
        yield compare(event, event.playouts // 10 if quick else event.playouts, turns=2 if quick else 7)


def compare(event: Event, count: int, turns: int) -> Outcome:
    """One game: check that both play it alike, then race."""
    work = f"{event.ours}, random playouts"
    if openspiel.pyspiel is None:
        return Skipped(NAME, work, "OpenSpiel", openspiel.MISSING)
    game, theirs = load(event.ours), openspiel.pyspiel.load_game(event.theirs)
    s, our_count = game.initial(), 20 * count
    played = playouts(game, s, our_count)
    sample = openspiel.playouts(theirs, count, Random(1), event.by_turns)
    why = differs(played, sample, event.slack)
    if why:
        return Differs(NAME, work, "OpenSpiel", why)
    seconds, their_seconds = race(
        turn(lambda: playouts(game, s, our_count)),
        turn(lambda: openspiel.playouts(theirs, count, Random(1), event.by_turns)),
        turns,
    )
    rate, their_rate = played.plies / seconds, sum(plies for plies, _ in sample) / their_seconds
    return Comparison(NAME, work, "moves/s", rate, "OpenSpiel", their_rate, event.target)


def differs(played: Playouts, sample: list[tuple[int, float]], slack: float = 0.0) -> str:
    """How our playouts differ from theirs, if they do."""
    for what, ours, theirs in (
        ("plies a playout", played.plies / played.played, [float(plies) for plies, _ in sample]),
        ("to the first player", played.returns[0] / played.played, [value for _, value in sample]),
    ):
        error = sqrt(pvariance(theirs) * (1 / played.played + 1 / len(theirs)))
        if abs(ours - fmean(theirs)) > DOUBT * error + slack * abs(fmean(theirs)) + 1e-9:
            return f"{what}: {ours:.3f} here, {fmean(theirs):.3f} there (standard error {error:.3f})"
    return ""
