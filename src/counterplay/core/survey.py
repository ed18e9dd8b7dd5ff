"""Random playthroughs in plain Python: every answer of every rule is checked, and a wrong one is reported with its
line."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from counterplay.core.answers import (
    LegalOptions,
    answer,
    check_end,
    check_estimate,
    check_information,
    check_mover,
    check_options,
    check_state,
    check_utilities,
)
from counterplay.core.calling import ask, refuse, watching
from counterplay.core.errors import BrokenGame
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.bits import signed
from counterplay.core.language.rng import Rng
from counterplay.core.pulse import beat
from counterplay.core.purity import ask_twice, draw_twice
from counterplay.core.repetition import is_new
from counterplay.core.rules import has_ended
from counterplay.core.types import State

LIMIT = 5_000
"""Plies after which a playthrough counts as endless."""
CAREFUL, SELDOM = 500, 16
"""How many positions are checked fully, calling each rule twice, before only one in `SELDOM` is."""
SAMPLE = 400
"""Positions on which the slower invariants are tried."""


class SampledPosition(NamedTuple):
    """A position that random play reached."""

    state: State
    mover: int
    options: tuple[int, ...]  # empty if the game is over
    memory: int = 0  # identifies what the mover has seen and done before, in a game with secrets


class Survey(NamedTuple):
    """What random play found."""

    playthroughs: int
    finished: int
    longest: int  # plies
    positions: list[SampledPosition]
    movers: frozenset[int]
    is_hurried: bool  # time ran out during a playthrough

    def spread(self, count: int = SAMPLE) -> list[SampledPosition]:
        """Some positions, from all stages."""
        return self.positions[:: max(1, len(self.positions) // count)]


class Memories:
    """What each player has seen and done at their own decisions in a playthrough, as a number that identifies it."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[int, Any, int], int] = {}
        self.now: dict[int, int] = {}

    def begin(self) -> None:
        """Forget everything: a new playthrough begins."""
        self.now = {}

    def of(self, player: int) -> int:
        """What a player remembers."""
        return self.now.get(player, 0)

    def add(self, player: int, known: Any, action: int) -> None:
        """Record that a player who knew `known` took `action`."""
        step = self.of(player), known, action
        self.now[player] = self.numbers.setdefault(step, len(self.numbers) + 1)


def smoke(game: Game) -> None:
    """Two short random playthroughs: enough to find most mistakes before a user's game is compiled."""
    survey(game, playthroughs=2, seconds=3.0, limit=1_000)


def survey(game: Game, playthroughs: int, seconds: float, limit: int = LIMIT, seed: int = 0) -> Survey:
    """Play at random in plain Python and check each answer of each rule; raises at the first wrong one."""
    rng, deadline = Rng(seed), time.monotonic() + seconds
    positions: list[SampledPosition] = []
    memories = Memories()
    played = finished = longest = 0
    hurried = False
    with watching():
        while played < playthroughs and (played == 0 or time.monotonic() < deadline):
            plies = _play(game, rng, limit, deadline, positions, memories)
            hurried = plies is None
            if hurried and played:
                break  # time ran out during a playthrough
            played += 1
            finished += not positions[-1].options
            longest = max(longest, plies or 0)
            beat()
    movers = frozenset(position.mover for position in positions if position.options)
    return Survey(played, finished, longest, positions, movers, hurried)


def _play(
    game: Game, rng: Rng, limit: int, deadline: float, positions: list[SampledPosition], memories: Memories
) -> int | None:
    """The length of one playthrough; None if time ran out."""
    s = ask(game, "initial")
    wanted = type(s)
    path: dict[int, int] = {}
    memories.begin()
    for ply in range(limit):
        careful = len(positions) < CAREFUL or len(positions) % SELDOM == 0
        check_state(game, "initial" if ply == 0 else "result", s, wanted)
        if game.has_repetition:
            path[ply] = signed(answer(game, careful, "repetition_key", s))
        ended = check_end(game, s, careful)
        mover = check_mover(game, s, careful)
        if ended or has_ended(game, s, path, ply):
            check_utilities(game, s, careful)
            positions.append(SampledPosition(s, mover, ()))
            return ply
        listed = check_options(game, s, mover, careful)
        options = listed.actions
        _ = game.frozen  # from here on a rule that sets an attribute of the game is rejected
        if game.forbids_repetition and mover != CHANCE:
            options = tuple(action for action in options if is_new(game, game.result(s, action), path, ply + 1))
        positions.append(SampledPosition(s, mover, options, memories.of(mover)))
        if type(game).evaluate is not Game.evaluate and mover != CHANCE:
            check_estimate(game, s, careful)
        if not options:
            return ply
        if time.monotonic() > deadline:
            return None
        action = _choose(game, s, mover, listed, options, rng, careful)
        if game.has_secrets and mover != CHANCE:
            memories.add(mover, check_information(game, s, mover, careful), action)
        s = (ask_twice if careful else ask)(game, "result", s, action)
    return limit


def _choose(
    game: Game, s: State, mover: int, listed: LegalOptions, options: tuple[int, ...], rng: Rng, careful: bool
) -> int:
    """A random action, by the game's own policy or uniformly; an event by its probability."""
    if mover == CHANCE:
        u = rng.uniform()
        for event, chance in zip(listed.actions, listed.chances, strict=True):
            u -= chance
            if u < 0:
                return event
        return listed.actions[-1]
    if game.has_sample:
        seed = int(rng.bits())
        drawn = draw_twice(game, "sample", s, seed=seed) if careful else ask(game, "sample", s, Rng(seed))
        if drawn not in listed.actions:
            raise refuse(game, "sample", f"`sample` gives {drawn}, which is not among the actions of {s}")
        if drawn in options:  # a policy does not see what would repeat a position
            return int(drawn)
    return options[rng.below(len(options))]


def require_end(found: Survey) -> None:
    """Refuse a game that random play never ended."""
    if not found.finished and not found.is_hurried:
        raise BrokenGame(f"no random playthrough ended within {LIMIT} plies; does `is_terminal` ever return True?")
