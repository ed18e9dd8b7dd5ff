"""Counting the tree: leaves per second against OpenSpiel, whose states are walked from Python. Counts must be equal."""

from __future__ import annotations

import resource
import shutil
import subprocess
import time
from collections.abc import Iterator
from typing import Any

from benchmarks import openspiel
from benchmarks.measure import Comparison, Differs, Duration, Outcome, Skipped, race, turn
from counterplay.core.perft import perft
from counterplay.core.registry import load

NAME = "perft"

EVENTS = [("connect-four", "connect_four", 7), ("othello", "othello", 6)]
KNOWN = ("checkers", 9, 3_963_680, 5.0)  # a jump is several actions in OpenSpiel; the leaves are published

SHOGI = "usi\nposition startpos\n"
"""Settings that Fairy-Stockfish needs before it counts shogi."""


def run(quick: bool) -> Iterator[Outcome]:
    """All games."""
    for ours, theirs, depth in EVENTS:
        yield compare(ours, theirs, depth - 1 if quick else depth, turns=2 if quick else 7)
    yield alone(*KNOWN)
    yield from chess_trees(4 if quick else 6, turns=1 if quick else 5)
    yield against_stockfish("shogi", "fairy-stockfish", SHOGI, 3 if quick else 5, 1 if quick else 5, 1.0)


def alone(ours: str, depth: int, known: int, limit: float) -> Outcome:
    """A game whose tree no peer counts: the leaves must equal the known number, within seconds."""
    game = load(ours)
    perft(game, game.initial(), 1)  # compile
    started, cpu = time.perf_counter(), time.process_time()
    leaves = perft(game, game.initial(), depth)
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    work = f"{ours}, depth {depth}: {known:,} leaves"
    if leaves != known:
        return Differs(NAME, work, "published", f"{leaves:,} leaves here")
    return Duration(NAME, work, seconds, cpu, limit)


def compare(ours: str, theirs: str, depth: int, turns: int) -> Outcome:
    """One game."""
    work = f"{ours}, depth {depth}"
    if openspiel.pyspiel is None:
        return Skipped(NAME, work, "OpenSpiel", openspiel.MISSING)
    game, start = load(ours), openspiel.pyspiel.load_game(theirs).new_initial_state()
    s = game.initial()
    leaves, their_leaves = perft(game, s, depth), openspiel.perft(start, depth)
    if leaves != their_leaves:
        return Differs(NAME, work, "OpenSpiel", f"{leaves:,} leaves here, {their_leaves:,} there")
    seconds, their_seconds = race(
        turn(lambda: perft(game, s, depth)), turn(lambda: openspiel.perft(start, depth)), turns
    )
    work = f"{work}: {leaves:,} leaves"
    return Comparison(NAME, work, "leaves/s", leaves / seconds, "OpenSpiel", leaves / their_seconds, None)


def against_stockfish(name: str, program: str, setup: str, depth: int, turns: int, goal: float | None) -> Outcome:
    """A tree from the start against Stockfish or Fairy-Stockfish, which count the last ply without playing it, as we do."""
    game = load(name)
    s = game.initial()
    leaves = perft(game, s, depth)
    work, peer = f"{name}, depth {depth}: {leaves:,} leaves", program.title()
    found = shutil.which(program) or shutil.which(program, path="/usr/games")
    if found is None:
        return Skipped(NAME, work, peer, f"{program} is not installed")
    counted, _ = stockfish(found, setup, depth)
    if counted != leaves:
        return Differs(NAME, work, peer, f"{leaves:,} leaves here, {counted:,} there")
    start = min(stockfish(found, setup, 1)[1] for _ in range(turns))  # loading its network does not count
    ours, theirs = race(turn(lambda: perft(game, s, depth)), lambda: stockfish(found, setup, depth)[1] - start, turns)
    return Comparison(NAME, work, "leaves/s", leaves / ours, peer, leaves / max(theirs, 1e-3), goal)


def chess_trees(depth: int, turns: int) -> Iterator[Outcome]:
    """Chess from the start, against Stockfish and python-chess, which all count the last ply without playing it."""
    yield against_stockfish("chess", "stockfish", "", depth, turns, 1.0)
    try:
        import chess
    except ImportError:
        yield Skipped(NAME, f"chess, depth {depth}", "python-chess", "chess is not installed (pip install chess)")
        return
    depth, game = min(depth, 4), load("chess")
    s = game.initial()
    leaves, board = perft(game, s, depth), chess.Board()
    work = f"chess, depth {depth}: {leaves:,} leaves"
    counted = python_chess(board, depth)
    if counted != leaves:
        yield Differs(NAME, work, "python-chess", f"{leaves:,} leaves here, {counted:,} there")
        return
    ours, theirs = race(turn(lambda: perft(game, s, depth)), turn(lambda: python_chess(board, depth)), min(turns, 3))
    yield Comparison(NAME, work, "leaves/s", leaves / ours, "python-chess", leaves / theirs, 200.0)


def stockfish(program: str, setup: str, depth: int) -> tuple[int, float]:
    """Stockfish's count of leaves after the lines `setup`, and the CPU seconds of its whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    told = subprocess.run(
        [program], input=f"{setup}go perft {depth}\nquit\n", capture_output=True, text=True, check=True
    ).stdout
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return int(told.rpartition("Nodes searched: ")[2]), spent


def python_chess(board: Any, depth: int) -> int:
    """python-chess's count of leaves."""
    if depth == 1:
        return int(board.legal_moves.count())
    leaves = 0
    for move in board.legal_moves:
        board.push(move)
        leaves += python_chess(board, depth - 1)
        board.pop()
    return leaves
