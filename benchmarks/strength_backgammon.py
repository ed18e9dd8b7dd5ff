"""The strength of the backgammon network that comes with the package, by GNU Backgammon: points in games against its own
network without look-ahead, and what its plays lose in that network's eyes.

GNU Backgammon runs this module in its own Python (`gnubg -t -q -p`), so that it judges every position by a call. Neither
side looks ahead: each takes the play behind which it is best off by its network's chances of every outcome, without a cube.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Mean, Outcome, Skipped
from counterplay.core.actions import action_list
from counterplay.core.game import CHANCE
from counterplay.core.kernel import kernel
from counterplay.core.registry import load
from counterplay.core.rng import Rng
from counterplay.core.rules import pick_evenly

NAME = "backgammon-strength"
GAMES, SECONDS = 3000, 1800.0
LEAST_POINTS, MOST_LOST = -0.05, -6.0
MOST_PLAYS = 4096
ANSWER = "ANSWER "
SCRIPT = """
import sys
sys.path[:0] = {path!r}
sys.argv = ["gnubg"]
import gnubg
from benchmarks.strength_backgammon import judge
judge(gnubg, {model!r}, {games}, {seconds})
"""


def run(quick: bool) -> Iterator[Outcome]:
    """The games."""
    work = "GNU Backgammon's network, no look-ahead"
    program = shutil.which("gnubg", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
    if program is None:
        yield Skipped(NAME, work, "GNU Backgammon", "gnubg is not installed")
        return
    model = os.environ.get("COUNTERPLAY_MODEL", "backgammon")
    found = ask(program, model, 4 if quick else GAMES, 60.0 if quick else SECONDS)
    for name, unit, target in (("points", "points a game", LEAST_POINTS), ("lost", "millipoints a play", MOST_LOST)):
        mean, error, number = found[name]
        yield Mean(NAME, f"{model}, {number:,} {'games' if name == 'points' else 'plays'}", "GNU Backgammon, 0-ply",
                   unit, mean, error, target)  # fmt: skip


def ask(program: str, model: str, games: int, seconds: float) -> dict[str, Any]:
    """What GNU Backgammon finds: of each figure the mean, its standard error, and of how many."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "judge.py"
        script.write_text(SCRIPT.format(path=[os.getcwd(), *sys.path], model=model, games=games, seconds=seconds))
        done = subprocess.run([program, "-t", "-q", "-p", str(script)], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith(ANSWER)]
    if not lines:
        raise RuntimeError(done.stdout[-2000:] + done.stderr[-2000:])
    answer: dict[str, Any] = json.loads(lines[-1].removeprefix(ANSWER))
    return answer


# Inside GNU Backgammon.


@kernel
def consider(game: Any, s: Any, boards: Any, ended: Any, worth: Any, actions: Any, out: Any) -> int:
    """Every play of `s`: the checkers behind it as GNU Backgammon counts them, whether that is the end, and what our
    network thinks of it. Returns how many there are."""
    mover, start = game.to_move(s), len(out)
    game.actions(s, out)
    number = min(len(out) - start, actions.size)
    for i in range(number):
        actions[i] = out[start + i]
        after = game.result(s, actions[i])
        ended[i] = game.is_terminal(after)
        worth[i] = game.utility(after, mover) if ended[i] else game.evaluate(after, mover)
        for point in range(1, 26):
            boards[i, 0, point - 1] = int(after.theirs >> 4 * point & 15)
            boards[i, 1, point - 1] = int(after.mine >> 4 * point & 15)
    out.truncate(start)
    return number


@kernel
def roll(game: Any, s: Any, rng: Any, out: Any) -> Any:
    """The state after the dice have fallen."""
    return game.result(s, pick_evenly(game, s, np.empty(0, np.int64), 0, out, rng))


@kernel
def play(game: Any, s: Any, action: int) -> Any:
    """The state after a play."""
    return game.result(s, action)


def judge(gnubg: Any, model: str, games: int, seconds: float) -> None:
    """Play and print what came of it."""
    from counterplay.evaluation.judged import judged
    from counterplay.evaluation.model import find_model

    plain = load("backgammon")
    game = judged(plain, find_model(model, plain))
    gnubg.command("set threads 1")
    cube, context = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0), gnubg.evalcontext(0, 0, 1, 0, 0.0)
    out, rng = action_list(game), Rng(5)
    boards, ended = np.zeros((MOST_PLAYS, 2, 25), np.int64), np.zeros(MOST_PLAYS, np.bool_)
    worth, actions = np.zeros(MOST_PLAYS), np.zeros(MOST_PLAYS, np.int64)

    def their_opinion(number: int) -> np.ndarray:
        values = []
        for board in boards[:number].tolist():
            won, gammon, backgammon, lost_gammon, lost_backgammon = gnubg.evaluate(tuple(board), cube, context)[:5]
            values.append(-(2 * won - 1 + gammon + backgammon - lost_gammon - lost_backgammon))
        return np.array(values)

    points: list[float] = []
    lost: list[float] = []
    started = time.time()
    while len(points) < games and time.time() - started < seconds:
        us, s = len(points) % 2, plain.initial()
        while not plain.is_terminal(s):
            mover = plain.to_move(s)
            if mover == CHANCE:
                s = roll(game, s, rng, out)
                continue
            number = consider(game, s, boards, ended, worth, actions, out)
            best = int(np.argmax(worth[:number]))
            if number > 1 and not ended[:number].any():
                theirs = their_opinion(number)
                if mover == us:
                    lost.append(1000 * float(theirs.max() - theirs[best]))
                else:
                    best = int(np.argmax(theirs))
            s = play(game, s, int(actions[best]))
        points.append(plain.utility(s, us))
    told = {"points": figures(points), "lost": figures([-each for each in lost])}
    print("\n" + ANSWER + json.dumps(told), flush=True)


def figures(values: list[float]) -> tuple[float, float, int]:
    """The mean, its standard error, and of how many."""
    return float(np.mean(values)), float(np.std(values) / np.sqrt(len(values))), len(values)
