"""The plan of a match or tournament: which games are played, numbered, each with its opening and its seeds.

A plan is a pure function of the request, so after an interruption it is clear which games are missing, and a game comes
out the same whenever and wherever it is played, provided that its players are deterministic.
"""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from counterplay.arena.openings import Opening, random_opening
from counterplay.arena.referee import Control
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.rng import STEP, mix
from counterplay.core.language.wide import u64

UNTIMED = Control()


class Fixture(NamedTuple):
    """One game to play."""

    number: int
    round: int
    seats: tuple[int, ...]  # [players] the contestant in each seat
    opening: Opening
    seed: int  # of dice and deals: the same for all games of a round
    lots: tuple[int, ...]  # [players] seeds of those players who draw at random


@dataclass(frozen=True)
class Plan:
    """What to play: every opening once from each side, by every group of contestants."""

    game: str
    contestants: tuple[str, ...]
    games: int  # of each group
    form: str = "match"
    """`match`: all contestants play each other in one group; `round-robin`: every group of as many as the game has
    players; `gauntlet`: those groups in which the first contestant is."""
    seed: int = 0
    plies: int = 0
    openings: tuple[Opening, ...] = ()
    """From a file, in this order and then from the start again; without any, `plies` random plies are drawn."""
    control: Control = UNTIMED
    sprt: tuple[float, ...] = ()
    """A sequential test that may end a match early: elo0, elo1, alpha, beta; empty: none."""
    judge: str = ""
    """The player that ends games whose result is clear; empty: games are played to the end."""

    def check(self, game: Game) -> None:
        """Refuse an impossible plan."""
        least = game.players
        players = "1 player" if least == 1 else f"{least} players"
        if self.form == "match" and len(self.contestants) != least:
            raise CounterplayError(f"a match of {self.game} needs {players}, not {len(self.contestants)}")
        if len(self.contestants) < least:
            raise CounterplayError(f"{self.game} needs at least {players}, not {len(self.contestants)}")
        if self.games < 1:
            raise CounterplayError(f"a match has at least 1 game, not {self.games}")
        if self.plies < 0:
            raise CounterplayError(f"an opening has at least 0 plies, not {self.plies}")
        if self.judge and not is_duel(game):
            raise CounterplayError(
                f"a judge is for two players with opposite interests, which {self.game} does not have"
            )

    def groups(self, players: int) -> list[tuple[int, ...]]:
        """The groups of contestants that play each other."""
        if self.form == "match":
            return [tuple(range(players))]
        found = itertools.combinations(range(len(self.contestants)), players)
        return [group for group in found if self.form == "round-robin" or group[0] == 0]

    def rounds(self, players: int) -> int:
        """The number of openings: each is played from every side."""
        return -(-self.games // players)

    def total(self, players: int) -> int:
        """The total number of games."""
        return self.rounds(players) * len(self.groups(players)) * players

    def fixture(self, game: Game, number: int) -> Fixture:
        """The game with this number, counted from 0: round by round, group by group, side by side."""
        groups = self.groups(game.players)
        turn, side = divmod(number, game.players)
        round, k = divmod(turn, len(groups))
        group = groups[k]
        seats = tuple(group[(seat + side) % game.players] for seat in range(game.players))
        lots = tuple(scatter(self.seed, 3, number, seat) for seat in range(game.players))
        return Fixture(number, round, seats, self.opening(game, round), scatter(self.seed, 2, round), lots)

    def opening(self, game: Game, round: int) -> Opening:
        """The opening of a round."""
        if self.openings:
            return self.openings[round % len(self.openings)]
        return _drawn(game, self.plies, scatter(self.seed, 1, round))

    def labels(self) -> list[str]:
        """Names for the contestants: their specs, numbered if the same one plays twice."""
        seen: Counter[str] = Counter()
        found = []
        for spec in self.contestants:
            seen[spec] += 1
            found.append(spec if seen[spec] == 1 else f"{spec} #{seen[spec]}")
        return found

    def as_data(self) -> dict[str, Any]:
        """The plan for a file."""
        data = asdict(self)
        return data | {
            "contestants": list(self.contestants),
            "openings": [list(each) for each in self.openings],
            "control": self.control._asdict(),
            "sprt": list(self.sprt),
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Plan:
        """The plan in a file's data; ValueError, KeyError or TypeError if there is none."""
        if not all(isinstance(spec, str) for spec in (data["game"], *data["contestants"])):
            raise TypeError("specs are strings")
        return cls(
            **data
            | {
                "contestants": tuple(data["contestants"]),
                "openings": tuple(Opening(*each) for each in data["openings"]),
                "control": Control(**data["control"]),
                "sprt": tuple(data["sprt"]),
            }
        )


@functools.lru_cache(maxsize=64)
def _drawn(game: Game, plies: int, seed: int) -> Opening:
    return random_opening(game, plies, seed)


def scatter(*numbers: int) -> int:
    """A seed made of several numbers, so that neighbours are unrelated."""
    word = u64(0)
    for number in numbers:
        word = mix(word + STEP + u64(number & (1 << 63) - 1))
    return int(word) & (1 << 63) - 1


def is_duel(game: Game) -> bool:
    """Whether one player's gain is the other's loss, so that a score says who is stronger."""
    return game.players == 2 and game.zero_sum


def whole_rounds(games: int, players: int) -> int:
    """This number of games, rounded up to whole rounds."""
    return -(-games // players) * players
