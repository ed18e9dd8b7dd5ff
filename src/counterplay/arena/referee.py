"""The referee: plays one game between players, watches clocks and rules, and records what happened.

Whoever exceeds the time, plays an illegal action, crashes or resigns loses: nothing that a player does ends more than
its own game.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

from counterplay.arena.judge import Judge
from counterplay.arena.openings import Opening
from counterplay.core.errors import CounterplayError, IllegalAction
from counterplay.core.game import CHANCE, Game
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import describe
from counterplay.players.clock import Clock
from counterplay.players.player import Forfeit, Player
from counterplay.search.decision import Decision

T = TypeVar("T")

MARGIN = 0.3
"""Seconds of overstepping that do not count: other programs may use the machine as well."""
GRACE = 1.5
"""Seconds to wait beyond that: an engine in its own process reports its errors better."""
THINKING = "thinking"
"""The name of threads in which players think."""
LONGEST = 5_000
"""A game that has not ended after this many plies is aborted."""


class Control(NamedTuple):
    """How much time players have."""

    move: float | None = None  # seconds for each action
    base: float | None = None  # seconds on each player's clock at the start
    increment: float = 0.0  # seconds that each action adds to it
    margin: float = MARGIN

    @property
    def is_timed(self) -> bool:
        """Whether there is a limit at all."""
        return self.move is not None or self.base is not None


class Thought(NamedTuple):
    """What a player reported about one choice."""

    ply: int
    seconds: float
    value: float | None
    depth: int
    nodes: int


class Played(NamedTuple):
    """A finished game."""

    moves: list[str]  # from the opening's end on
    returns: tuple[float, ...]  # [players] what each got
    ended: str  # "rules", "judged", or the reason of a forfeit: time, illegal, resigned, ...; "length": aborted
    note: str  # a sentence about a forfeit or a verdict
    loser: int | None  # the seat that forfeited
    seconds: tuple[float, ...]  # [players] each player's thinking time
    thoughts: list[Thought]


def play(
    game: Game,
    seats: Sequence[Player],
    opening: Opening,
    seed: int = 0,
    control: Control | None = None,
    judge: Judge | None = None,
) -> Played:
    """Play one game from an opening; `seed` is for dice and deals. A judge may end it."""
    control = control or Control()
    p = opening.start(game, seed)
    first = len(p)
    p.roll()
    clocks = [0.0 if control.base is None else control.base] * game.players
    spent = [0.0] * game.players
    thoughts: list[Thought] = []
    ended, note, loser = "rules", "", None
    verdict: tuple[float, ...] | None = None
    mover = 0
    try:
        for mover in range(len(seats)):
            attempt(seats[mover], lambda: seats[mover].prepare(p))  # noqa: B023 (called at once)
        while not p.is_over:
            if len(p) - first >= LONGEST:
                ended, note = "length", f"aborted after {LONGEST} plies"
                break
            mover = p.to_move
            if mover == CHANCE:
                p.roll()
                continue
            clock = None
            if control.is_timed:
                left = () if control.base is None else tuple(clocks)
                clock = Clock(control.move, left, control.increment, control.margin)
            found, seconds = ask(p, seats[mover], clock)
            spent[mover] += seconds
            clocks[mover] += control.increment - seconds
            thoughts.append(Thought(len(p), round(seconds, 6), found.value, found.depth, found.nodes))
            play_choice(p, seats[mover], found.action)
            if judge and (verdict := judge.verdict(p)):
                ended, note = "judged", f"{judge.player.spec} sees {judge.worth:+.2f} for {game.player_name(0)}"
                break
    except Forfeit as lost:
        loser = mover
        ended, note = lost.kind, f"{game.player_name(loser)}, {lost}"
    note = "; ".join([note] * bool(note) + complaints(game, seats))
    returns = verdict or (p.returns if loser is None else forfeited(game, loser))
    return Played(p.moves[first:], returns, ended, note, loser, tuple(round(each, 6) for each in spent), thoughts)


def complaints(game: Game, seats: Sequence[Player]) -> list[str]:
    """Trouble that did not decide the game, such as illegal answers of a service that was asked again."""
    told = [(game.player_name(seat), player.spec, player.complaint()) for seat, player in enumerate(seats)]
    return [f"{name}, {spec}: {complaint}" for name, spec, complaint in told if complaint]


def ask(p: Playthrough, player: Player, clock: Clock | None) -> tuple[Decision, float]:
    """A player's choice and the seconds it took; Forfeit if there is none or it comes too late."""
    limit = float("inf") if clock is None else clock.limit(p.to_move) + clock.margin
    started = time.perf_counter()
    if clock is None:
        found = attempt(player, lambda: player.choose(p))
    else:
        found = attempt(player, lambda: timely(lambda: player.choose(p, clock=clock), limit + GRACE, player.spec))
    seconds = time.perf_counter() - started
    if clock is not None and seconds > limit:
        left = max(limit - clock.margin, 0)
        raise Forfeit(f"{player.spec} took {seconds:.2f} s, and {left:.2f} s were left", "time")
    return found, seconds


def timely(work: Callable[[], T], seconds: float, who: str) -> T:
    """The result of `work` within this many seconds; Forfeit if it takes longer.

    If it does, it still runs in its thread: compiled code cannot be stopped from outside. That is why a worker then
    ends.
    """
    answer: queue.Queue[tuple[T | None, BaseException | None]] = queue.Queue()

    def run() -> None:
        try:
            answer.put((work(), None))
        except BaseException as wrong:
            answer.put((None, wrong))

    threading.Thread(target=run, daemon=True, name=THINKING).start()
    try:
        result, wrong = answer.get(timeout=max(seconds, 0.0))
    except queue.Empty:
        raise Forfeit(f"{who} was still thinking after {seconds:.2f} s", "time") from None
    if wrong is not None:
        raise wrong
    return cast(T, result)


def is_haunted() -> bool:
    """Whether a player who lost on time is still thinking in this process."""
    return any(thread.name == THINKING for thread in threading.enumerate())


def attempt(player: Player, work: Callable[[], T]) -> T:
    """Run a player; any failure forfeits this game and nothing else."""
    try:
        return work()
    except Forfeit:
        raise
    except Exception as wrong:
        what = str(wrong) if isinstance(wrong, CounterplayError) else describe(wrong)
        raise Forfeit(f"{player.spec} fails: {what}") from wrong


def play_choice(p: Playthrough, player: Player, action: Any) -> None:
    """Play the player's choice, if it is legal."""
    try:
        p.play(int(action))
    except IllegalAction as wrong:
        raise Forfeit(f"{player.spec} chose an illegal action: {wrong}", "illegal") from None


def forfeited(game: Game, loser: int) -> tuple[float, ...]:
    """The payoffs after a forfeit: the lowest for the player who forfeits; for the others, the balance or, if the game
    is not zero-sum, the highest."""
    low, high = game.utility_bounds
    rest = -low / (game.players - 1) if game.zero_sum and game.players > 1 else high
    return tuple(low if seat == loser else rest for seat in range(game.players))
