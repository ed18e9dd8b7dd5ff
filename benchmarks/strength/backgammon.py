"""The strength of the shipped backgammon network, measured with GNU Backgammon: points in games against its own network
without look-ahead, and what its plays lose in that network's opinion.

GNU Backgammon runs this module in its own Python (`gnubg -t -q -p`), so it can be called for its opinion. At first,
neither side looks ahead: each makes the play with the best value by its network's chances of every outcome, without a
cube. Then ours looks one roll ahead. A call mostly sleeps, for ten milliseconds: it is asked for its best play, not
about every one, and several programs run side by side.

Most of a game's result is luck. So points are also given without it: for each roll, its value by our network beyond the
mean of all rolls is subtracted. On average this is zero, whatever the network thinks, so the mean stays unbiased, while
its error is less than a third.
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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Mean, Outcome, Skipped
from counterplay.core.game import CHANCE
from counterplay.core.language.actions import action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.registry import load
from counterplay.core.rules import pick_evenly
from counterplay.search.chance.expectiminimax import expectiminimax

NAME = "backgammon-strength"
GAMES, SECONDS, PROGRAMS = 3000, 1800.0, 8
LEAST_POINTS, MOST_LOST = -0.05, -6.0
DEPTHS = {1: "no look-ahead", 2: "one roll ahead"}
MOST_PLAYS = 4096
ANSWER = "ANSWER "
SCRIPT = """
import sys
sys.path[:0] = {path!r}
sys.argv = ["gnubg"]
import gnubg
from benchmarks.strength.backgammon import judge
judge(gnubg, {model!r}, {depth}, {games}, {seconds}, {seed})
"""


def run(quick: bool) -> Iterator[Outcome]:
    """The games."""
    work = "GNU Backgammon's network"
    program = shutil.which("gnubg", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
    if program is None:
        yield Skipped(NAME, work, "GNU Backgammon", "gnubg is not installed")
        return
    model = os.environ.get("COUNTERPLAY_MODEL", "backgammon")
    for depth, ahead in DEPTHS.items():
        games, seconds, programs = (4, 60.0, 1) if quick else (GAMES, SECONDS, PROGRAMS)
        found = ask(program, model, depth, games, seconds, programs)
        for name, unit, target in (
            ("points", "points a game", LEAST_POINTS),
            ("skill", "points a game without luck", LEAST_POINTS),
            ("lost", "millipoints a play", MOST_LOST),
        ):
            values, what = np.array(found[name]), "plays" if name == "lost" else "games"
            yield Mean(NAME, f"{model}, {ahead}, {len(values):,} {what}", "GNU Backgammon, 0-ply",
                       unit, float(values.mean()), float(values.std() / np.sqrt(len(values))), target)  # fmt: skip


def ask(program: str, model: str, depth: int, games: int, seconds: float, programs: int) -> dict[str, list[float]]:
    """The results of every game and of every play with a choice, from several GNU Backgammons side by side."""
    found: dict[str, list[float]] = {"points": [], "skill": [], "lost": []}
    (Path.home() / ".gnubg").mkdir(exist_ok=True)  # if all create it at once, all but one give up
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for k in range(programs):
            script = Path(folder) / f"judge{k}.py"
            script.write_text(SCRIPT.format(
                path=[os.getcwd(), *sys.path], model=model, depth=depth, games=games // programs, seconds=seconds, seed=k
            ))  # fmt: skip
            running.append(subprocess.Popen([program, "-t", "-q", "-p", str(script)], text=True, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE))  # fmt: skip
        with ThreadPoolExecutor(programs) as readers:  # each is read as it writes: no pipe fills up
            for out, errors in readers.map(subprocess.Popen.communicate, running):
                lines = [line for line in out.splitlines() if line.startswith(ANSWER)]
                if not lines:
                    raise RuntimeError(out[-2000:] + errors[-2000:])
                for name, values in json.loads(lines[-1].removeprefix(ANSWER)).items():
                    found[name] += values
    return found


# Inside GNU Backgammon.


@kernel
def consider(game: Any, s: Any, boards: Any, ended: Any, worth: Any, actions: Any, out: Any) -> int:
    """Every play of `s`: the checkers after it as GNU Backgammon counts them, whether the game is over, and our
    network's value. Returns the number of plays."""
    mover, start = game.to_move(s), len(out)
    game.actions(s, out.fresh())
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
def roll(game: Any, s: Any, player: int, rng: Any, out: Any) -> tuple[Any, float]:
    """The state after the dice have fallen, and the luck of `player`: its value beyond the mean of all rolls."""
    after, mean, start = game.result(s, pick_evenly(game, s, np.empty(0, np.int64), 0, out, rng)), 0.0, len(out)
    game.chance(s, out.fresh())
    for i in range(start, len(out)):
        mean += game.probability(s, out[i]) * prospect(game, game.result(s, out[i]), player, out)
    out.truncate(start)
    return after, prospect(game, after, player, out) - mean


def prospect(game: Any, s: Any, player: int, out: Any) -> float:
    """The value of `s` to `player` by our network, after the best play of the side that has rolled."""
    mover, start, best = game.to_move(s), len(out), -np.inf
    game.actions(s, out.fresh())
    for i in range(start, len(out)):
        after = game.result(s, out[i])
        best = max(best, game.utility(after, mover) if game.is_terminal(after) else game.evaluate(after, mover))
    out.truncate(start)
    return best if mover == player else -best


@kernel
def play(game: Any, s: Any, action: int) -> Any:
    """The state after a play."""
    return game.result(s, action)


class Opponent:
    """GNU Backgammon, which plays and evaluates."""

    def __init__(self, gnubg: Any) -> None:
        self.gnubg = gnubg
        for command in ("threads 1", "automatic game off", "automatic roll off", "player 0 human", "player 1 human"):
            gnubg.command(f"set {command}")
        gnubg.command("new session")  # there are dice only during a game
        self.cube, self.context = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0), gnubg.evalcontext(0, 0, 1, 0, 0.0)

    def choose(self, s: Any, boards: np.ndarray) -> int:
        """The index of the board, among those after its plays, that it chooses."""
        other, own = ([0, *(int(side >> 4 * point & 15) for point in range(1, 26))] for side in (s.theirs, s.mine))
        self.gnubg.command(f"set dice {s.dice >> 3} {s.dice & 7}")
        moves = self.gnubg.findbestmove((tuple(other[1:]), tuple(own[1:])), self.cube, self.context)
        for start, end in zip(moves[::2], moves[1::2], strict=True):
            own[start] -= 1
            if end > 0:
                own[end] += 1
                if other[25 - end] == 1:
                    other[25 - end] = 0
                    other[25] += 1
        same = (boards[:, 0] == own[1:]).all(axis=1) & (boards[:, 1] == other[1:]).all(axis=1)
        if same.sum() != 1:
            raise RuntimeError(f"its play {moves} of {s} is not one of ours")
        return int(np.argmax(same))

    def worth(self, board: np.ndarray) -> float:
        """The value of a board to the side that has just played."""
        own, other = board.tolist()
        won, gammon, backgammon, lost_gammon, lost_backgammon = self.gnubg.evaluate(
            (tuple(own), tuple(other)), self.cube, self.context
        )[:5]
        return float(-(2 * won - 1 + gammon + backgammon - lost_gammon - lost_backgammon))


def judge(gnubg: Any, model: str, depth: int, games: int, seconds: float, seed: int) -> None:
    """Play, looking `depth` decisions ahead (1: only at our own), and print the results."""
    from counterplay.evaluation.judged import judged
    from counterplay.evaluation.model import find_model

    plain = load("backgammon")
    game = judged(plain, find_model(model, plain))
    opponent = Opponent(gnubg)
    out, rng = action_stack(game), Rng(seed)
    boards, ended = np.zeros((MOST_PLAYS, 2, 25), np.int64), np.zeros(MOST_PLAYS, np.bool_)
    worth, actions = np.zeros(MOST_PLAYS), np.zeros(MOST_PLAYS, np.int64)
    points: list[float] = []
    skill: list[float] = []
    lost: list[float] = []
    started = time.time()
    while len(points) < games and time.time() - started < seconds:
        us, s, luck = len(points) % 2, plain.initial(), 0.0
        while not plain.is_terminal(s):
            mover = plain.to_move(s)
            if mover == CHANCE:
                s, lucky = roll(game, s, us, rng, out)
                luck += lucky
                continue
            number = consider(game, s, boards, ended, worth, actions, out)
            best = int(np.argmax(worth[:number]))
            if depth > 1 and mover == us and number > 1:
                best = actions[:number].tolist().index(expectiminimax(game, s, depth).action)
            if number > 1 and not ended[:number].any():
                theirs = opponent.choose(s, boards[:number])
                if mover != us:
                    best = theirs
                else:
                    same = best == theirs
                    lost.append(0.0 if same else 1000 * (opponent.worth(boards[best]) - opponent.worth(boards[theirs])))
            s = play(game, s, int(actions[best]))
        points.append(plain.utility(s, us))
        skill.append(points[-1] - luck)
    print("\n" + ANSWER + json.dumps({"points": points, "skill": skill, "lost": lost}), flush=True)
