"""The strength of Monte Carlo tree search at Go: games on 9x9 against GNU Go, with alternating colours.

We have a second of CPU time per move, turned into simulations by the speed of the last move, so a busy machine does not
matter; GNU Go takes as long as its level does. It plays by area and removes dead stones before it passes, so the final
board is the score.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from benchmarks.measure import Outcome, Quota, Skipped
from benchmarks.strength.mcts import Paced
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import load
from counterplay.games.go.rules import Go
from counterplay.players.engines.gtp import Gtp
from counterplay.players.player import Forfeit
from counterplay.players.specs import player

NAME = "go-strength"
SECONDS, GAMES, LEVEL = 1.0, 40, 10
MAJORITY = 0.5 + 1 / GAMES
HOPELESS = -0.98
"""The value at which we resign."""
LONGEST = 400


def run(quick: bool) -> Iterator[Outcome]:
    """The match."""
    yield match(2 if quick else GAMES, 0.02 if quick else SECONDS)


def match(games: int, seconds: float) -> Outcome:
    """The share of the games that we win."""
    work = f"go:9, {Go.expert}, {seconds:g} s of CPU time a move, against GNU Go at level {LEVEL}"
    program = shutil.which("gnugo", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/games"]))
    if program is None:
        return Skipped(NAME, work, "GNU Go", "gnugo is not installed")
    game, won = load("go:9"), 0
    for number in range(games):
        won += play(game, program, number % 2, seconds, number)
    return Quota(NAME, work, won, games, MAJORITY)


def play(game: Game, program: str, side: int, seconds: float, seed: int) -> bool:
    """Whether we win a game as `side`."""
    p, us = game.start(), Ours(game, seconds, seed)
    with Gtp(
        f"{program} --mode gtp --chinese-rules --capture-all-dead --level {LEVEL}", seed=seed, patience=600
    ) as them:
        while not p.is_over and len(p) < LONGEST:
            try:
                p.play(us.choose(p) if p.to_move == side else them.choose(p).action)
            except Forfeit:
                return True
            if us.value < HOPELESS:
                return False
    return p.is_over and p.returns[side] > 0


class Ours(Paced):
    """The default player of `counterplay gtp` for Go."""

    def __init__(self, game: Game, seconds: float, seed: int) -> None:
        super().__init__(seconds)
        self.game, self.seed = game, seed
        self.player = player(Go.expert, seed=seed)
        self.value = 0.0

    def fresh(self) -> Ours:
        return Ours(self.game, self.seconds, self.seed)

    def search(self, position: Playthrough, simulations: int) -> tuple[int, int]:
        self.player.prepare(position)
        self.player.simulations, self.player.otherwise = simulations, None
        found = self.player.choose(position)
        self.value = found.value or 0.0
        return found.action, found.nodes
