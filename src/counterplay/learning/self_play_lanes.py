"""Self-play as units of work: a lane is a number of games, which one process plays on for a generation.

A unit's result depends only on its network, its games in progress and its seed, so it does not matter which process
works on it, or where. The games travel with the unit and return with the recorded positions; so a lane can be on one
machine in this generation and on another in the next.
"""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple, cast

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.rng import Rng
from counterplay.evaluation.residual import Residual
from counterplay.learning.exact_labels import ExactSearch
from counterplay.learning.games_in_progress import Games, in_progress, search_anew, take_up
from counterplay.learning.self_play import SelfPlay, advance, begin
from counterplay.scale.job import GameParcel, Job, parcel

REMEMBERED, MEGABYTES = 1 << 18, 256
"""The maximum number of cached network answers, and their memory."""
LONG_GAME = 64
"""There is memory for the positions of games of this length, in all slots at once."""


class LaneOptions(NamedTuple):
    """The options that all lanes share."""

    gumbel: bool
    simulations: int
    opening: int
    exact: int
    threads: int


class LanesShared(NamedTuple):
    """Data shared by all lanes."""

    game: GameParcel
    options: LaneOptions


class LaneUnit(NamedTuple):
    """A lane's work in a generation."""

    network: Any  # a shared `Model`
    generation: int  # the number of the network
    slots: int
    positions: int  # the minimum number to record
    seed: int
    games: Games  # in progress; if they are fewer than the slots, new ones begin


class Harvest(NamedTuple):
    """A lane's result."""

    positions: tuple[np.ndarray, ...]  # planes (as small floats), policy, search's value, result
    games: Games  # in progress
    counts: dict[str, float]


class Lane:
    """A process that plays."""

    def __init__(self, game: Game, options: LaneOptions) -> None:
        self.game, self.options = game, options
        self.out = cast(ActionStack, action_stack(game))
        self.truth = ExactSearch(game, options.exact) if options.exact else None
        self.stop = threading.Event()
        """Set it from elsewhere to end a unit early."""
        self._network: tuple[int, Residual] | None = None

    def compile(self) -> None:
        """Compile, before the clock runs."""
        play = self.room(2, 1)
        begin(self.game, play, Rng(0), self.out)
        search_anew(self.game, play, self.out)
        advance(self.game, play, *self.no_answers(2), self.no_questions(2), Rng(0), self.out, self.truth)

    def room(self, slots: int, positions: int) -> SelfPlay:
        """The games of a lane of this size, not yet begun."""
        room = max(4 * positions, positions + LONG_GAME * slots)
        options, kept = self.options, (MEGABYTES << 20) // (4 * self.game.policy_size)
        return SelfPlay(  # a new one for each unit: a used one would pass state on to the next unit
            self.game, slots, options.simulations, gumbel=options.gumbel, opening=options.opening, room=room,
            memory=min(REMEMBERED, kept),
        )  # fmt: skip

    def no_answers(self, slots: int) -> tuple[np.ndarray, np.ndarray]:
        """A placeholder for the network's answers if no game waits for one."""
        return np.zeros((slots, self.game.policy_size), np.float32), np.zeros(slots, np.float32)

    def no_questions(self, slots: int) -> np.ndarray:
        """Memory for the games' questions."""
        return np.zeros((slots, *self.game.plane_shape), np.float32)

    def network(self, unit: LaneUnit) -> Residual:
        """The network of a unit, ready to evaluate positions."""
        if self._network is None or self._network[0] != unit.generation:
            self._network = unit.generation, Residual(self.game, unit.network.get(), self.options.threads)
        return self._network[1]

    def __call__(self, unit: LaneUnit) -> Harvest:
        """Play until enough positions are recorded."""
        network, games, rng = self.network(unit), self.room(unit.slots, unit.positions), Rng(unit.seed)
        self.take_games(games, unit.games, rng)
        planes, started, asking = self.no_questions(unit.slots), time.perf_counter(), 0.0
        logits, values = self.no_answers(unit.slots)
        while games.written < unit.positions and not self.stop.is_set():
            advance(self.game, games, logits, values, planes, rng, self.out, self.truth)
            before = time.perf_counter()
            logits, values = network.answer(planes)
            asking += time.perf_counter() - before
        names = ("games", "positions", "written", "hits", "questions", "drawn", "settled")
        counts = {name: float(getattr(games, name)) for name in names}
        counts |= {"seconds": time.perf_counter() - started, "asking": asking}
        x, policy, thought, result = games.drain()
        return Harvest((x.astype(np.float16), policy, thought, result), in_progress(games), counts)

    def take_games(self, play: SelfPlay, games: Games, rng: Rng) -> None:
        """Begin games, and take up those in progress, each at the start of a search: nothing else carries over from the
        last generation, so a checkpoint, and a unit that travels, need nothing else."""
        play.forget()
        play.count_anew()
        if self.truth is not None:
            self.truth.words[:] = 0
        begin(self.game, play, rng, self.out)
        take_up(play, games)
        if not search_anew(self.game, play, self.out):
            raise CounterplayError("the checkpoint is damaged: its games in progress are of another game")


def open_lane(shared: LanesShared) -> Lane:
    """The workshop of a process that plays."""
    lane = Lane(shared.game.open(), shared.options)
    lane.compile()
    return lane


def lanes_job(game: Game, spec: str, options: LaneOptions) -> Job:
    """The job of self-play."""
    shared = LanesShared(parcel(game, spec), options)
    return Job("the self-play", "counterplay.learning.self_play_lanes:open_lane", shared, "lane")
