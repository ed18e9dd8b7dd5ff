"""The alpha-beta engine with its table on Connect Four: against OpenSpiel's and easyAI's alpha-beta, with two threads,
and how well it keeps a deadline.

With a table, a shallow tree has so few nodes that starting the search would take most of the time. So all sides first
search the same positions to the same depth and must find the same values; then each is timed at a depth that keeps it
busy, and nodes per second are compared.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from benchmarks import openspiel
from benchmarks.measure import Comparison, Differs, Duration, Outcome, Skipped, race
from benchmarks.speed.alpha_beta import Centred, Counted, centred
from counterplay import load
from counterplay.games.connect_four import ConnectFour, State
from counterplay.search.engine.decide import decide
from counterplay.search.engine.techniques import SOUND, Technique

NAME = "engine"
OPENINGS = ("", "4", "1 7", "4 4 3")
SHALLOW = 6
"""The ply at which values are compared: OpenSpiel and easyAI can still reach it, and nobody can have won yet."""
DEEP = 13
TABLE_MB = 1
TACTICS = ("4 1 4 1 4", "4 4 3 1 5", "1 7 2 6 3 5", "4 3 3 4 5 5")
EASY = 4
"""The depth up to which easyAI answers in seconds."""

PLAIN = Technique.TABLE | Technique.PVS
ALL = SOUND & ~Technique.MTDF

OPENSPIEL_TARGET, EASYAI_TARGET, THREADS_TARGET = 100.0, 5000.0, 1.7


class Silent(ConnectFour):
    """Connect Four without an estimate: only wins count."""

    def evaluate(self, s: State, player: int) -> float:
        return 0.0


def run(quick: bool) -> Iterator[Outcome]:
    """All comparisons."""
    yield against_openspiel(2 if quick else 5)
    yield sharpened(2 if quick else 5)
    yield against_easyai(1 if quick else 3)
    yield two_threads(0.3 if quick else 3.0)
    for spec in ("connect-four", "othello", "hex:5"):
        for seconds in (0.01, 0.1, 1.0):
            yield deadline(spec, seconds, 3 if quick else 10)


def our_turn(techniques: Technique = PLAIN) -> tuple[float, int]:
    """CPU seconds and nodes of one deep search."""
    game = Centred()
    started = time.process_time()
    found = decide(game, game.initial(), depth=DEEP, techniques=techniques, table=TABLE_MB)
    return time.process_time() - started, found.nodes


def compare(peer: str, target: float, turns: int, theirs: Any, nodes: int) -> Comparison:
    """Race for nodes per second; `theirs` is a turn of the peer at `nodes` nodes."""
    _, ours_nodes = our_turn()
    seconds, their_seconds = race(lambda: our_turn()[0], theirs, turns)
    work = f"connect-four with table (ours to depth {DEEP}: {ours_nodes:,} nodes)"
    return Comparison(NAME, work, "nodes/s", ours_nodes / seconds, peer, nodes / their_seconds, target)


def shallow_values() -> list[float]:
    """Our values of the openings at the shallow depth."""
    game = Centred()
    return [
        decide(game, game.start(moves).state, depth=below(moves), techniques=ALL, table=1).value for moves in OPENINGS
    ]


def sign(value: float) -> int:
    """The winner, by sign."""
    return (value > 0) - (value < 0)


def tactical_outcomes() -> list[int]:
    """The winners of the tactical openings within a few plies."""
    game = Silent()
    return [sign(decide(game, game.start(moves).state, depth=EASY, techniques=ALL, table=1).value) for moves in TACTICS]


def below(moves: str) -> int:
    """The plies from an opening to the ply of comparison."""
    return SHALLOW - len(moves.split())


# OpenSpiel.


def against_openspiel(turns: int) -> Outcome:
    """OpenSpiel's alpha-beta: Python over states in C++, without a table."""
    if openspiel.pyspiel is None:
        return Skipped(NAME, "connect-four with table", "OpenSpiel", openspiel.MISSING)
    from open_spiel.python.algorithms.minimax import alpha_beta_search  # type: ignore[import-untyped]

    game = openspiel.pyspiel.load_game("connect_four")

    def search(state: Any, depth: int = SHALLOW) -> float:
        mover = state.current_player()
        # OpenSpiel asks for the value to the player at the root
        judge = centred if mover == 0 else lambda s: -centred(s)
        value, _ = alpha_beta_search(game, state, judge, depth, mover)
        return float(value)

    def at(moves: str) -> Any:
        state = game.new_initial_state()
        for move in moves.split():
            state.apply_action(int(move) - 1)
        return state

    values = [search(at(moves), below(moves)) for moves in OPENINGS]
    if values != shallow_values():
        return Differs(NAME, "connect-four", "OpenSpiel", f"we find {shallow_values()}, OpenSpiel {values}")
    counted = Counted(game.new_initial_state(), [0])
    search(counted)

    def turn() -> float:
        started = time.process_time()
        search(game.new_initial_state())
        return time.process_time() - started

    return compare("OpenSpiel", OPENSPIEL_TARGET, turns, turn, counted.nodes[0])


def sharpened(turns: int) -> Outcome:
    """The benefit of the other sound techniques: the same depth, fewer nodes, less time."""
    our_turn(ALL)
    plain, sharp = race(lambda: our_turn(PLAIN)[0], lambda: our_turn(ALL)[0], turns)
    work = f"connect-four to depth {DEEP}, all sound techniques"
    return Comparison(NAME, work, "searches/s", 1 / sharp, "table and PVS alone", 1 / plain, None)


# easyAI.


def against_easyai(turns: int) -> Outcome:
    """easyAI's Negamax on the Connect Four that it ships."""
    try:
        from easyAI import Negamax  # type: ignore[import-untyped]
        from easyAI.games.ConnectFour import ConnectFour as EasyConnectFour  # type: ignore[import-untyped]
    except ImportError:
        return Skipped(NAME, "connect-four with table", "easyAI", "easyAI is not installed (pip install easyAI)")

    made = [0]  # moves: easyAI copies the game at each one

    class Theirs(EasyConnectFour):  # type: ignore[misc]
        """The Connect Four that easyAI ships, with its own scoring (who has lost), counting its nodes."""

        def __init__(self, moves: str = "") -> None:
            super().__init__([None, None])
            for move in moves.split():
                self.make_move(int(move) - 1)
                self.switch_player()

        def make_move(self, column: int) -> None:
            made[0] += 1
            super().make_move(column)

    def search(moves: str) -> tuple[float, int]:
        game = Theirs(moves)
        made[0] = 0
        negamax = Negamax(EASY)
        negamax(game)
        return float(negamax.alpha), made[0]

    outcomes = [sign(search(moves)[0]) for moves in TACTICS]
    if outcomes != tactical_outcomes():
        return Differs(NAME, "connect-four", "easyAI", f"we find {tactical_outcomes()}, easyAI {outcomes}")
    _, nodes = search(TACTICS[0])

    def turn() -> float:
        started = time.process_time()
        search(TACTICS[0])
        return time.process_time() - started

    return compare("easyAI", EASYAI_TARGET, turns, turn, nodes)


# Threads and deadlines.


def two_threads(seconds: float) -> Outcome:
    """Nodes per second of the wall clock, two threads against one."""
    game = load("othello")
    s = game.start().state

    def rate(threads: int) -> float:
        found = decide(game, s, seconds=seconds, threads=threads, table=64)
        return found.nodes / found.seconds

    rate(1)
    pairs = [(rate(2), rate(1)) for _ in range(3)]
    two, one = max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)
    return Comparison(NAME, "othello, two threads with one table", "nodes/s", two, "one thread", one, THREADS_TARGET)


def deadline(spec: str, seconds: float, times: int) -> Outcome:
    """The longest wall-clock time of a search with a time budget."""
    game = load(spec)
    decide(game, game.initial(), depth=1)
    worst, cpu = 0.0, 0.0
    for _ in range(times):
        started, worked = time.perf_counter(), time.process_time()
        decide(game, game.initial(), seconds=seconds)
        spent = time.perf_counter() - started
        if spent > worst:
            worst, cpu = spent, time.process_time() - worked
    return Duration(
        NAME, f"{spec}: the longest answer of {times} within {seconds:g} s", worst, cpu, seconds * 1.05 + 0.05
    )
