"""`beliefs`: what a player considers possible, and which wins are certain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from counterplay.api.position import AnyPosition, find_player, position_of
from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError
from counterplay.core.playthrough import Playthrough
from counterplay.hidden.beliefs import exact_belief
from counterplay.hidden.beliefs import particles as sample
from counterplay.hidden.sure_wins import Prospect, Prospects, prospects

LIMIT = 20
"""The default number of states shown."""


class PossibleState(NamedTuple):
    """A state that a player considers possible."""

    position: str
    share: float  # its probability, or its share of the sample


class PromisedAction(NamedTuple):
    """What an action guarantees, whichever of the possible states is the true one."""

    action: str
    guaranteed: int | None  # within how many actions it wins for sure
    probabilistic: bool  # it wins with probability 1, by mixing
    accidental: int  # in how many of the states it wins immediately


@dataclass(frozen=True, repr=False)
class BeliefResult(Result):
    """The states that a player considers possible, the likeliest first."""

    game: str
    player: str
    possible: tuple[PossibleState, ...]
    beliefs: int | None = None  # how many were searched for certain wins
    actions: tuple[PromisedAction, ...] = ()
    limit: int = LIMIT

    @property
    def rest(self) -> int:
        """How many states `str` leaves out."""
        return max(len(self.possible) - self.limit, 0)

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        told: dict[str, Any] = {"game": self.game, "player": self.player, "states": len(self.possible)}
        told["possible"] = [each._asdict() for each in self.possible[: self.limit]]
        if self.beliefs is not None:
            told |= {"beliefs": self.beliefs, "actions": [each._asdict() for each in self.actions]}
        return told

    def __str__(self) -> str:
        return "\n".join(lines(self))


def beliefs(
    game: AnyPosition,
    *,
    moves: str = "",
    as_: str = "",
    particles: int | None = None,
    wins: bool = False,
    seed: int = 0,
    limit: int = LIMIT,
    progress: Callable[[int], None] | None = None,
) -> BeliefResult:
    """Which states a player considers possible after some moves.

    `as_` is the player, by number from 1 or by name (default: the one to move). `particles` samples that many states,
    by `seed`, if there are too many to list. `wins` searches all beliefs that can follow: a win is guaranteed if the
    player wins whatever the others do, probabilistic if they win with probability 1 by mixing, accidental if an
    action wins immediately in some of the states; `progress` receives the number of beliefs found so far. `str` shows
    at most `limit` states.
    """
    p = position_of(game, None, moves)
    player = find_player(p.game, as_) if as_ else p.to_move
    if not 0 <= player < p.game.players:
        raise CounterplayError("chance is to move: choose a player with --as PLAYER")
    if particles is not None and particles < 1:
        raise CounterplayError(f"--particles must be 1 or more, not {particles}")
    if wins and (particles is not None or p.is_over or p.to_move != player):
        raise CounterplayError("--wins needs the player to move and every possible state, not a sample")
    held = Counter(exact_belief(p, player) if particles is None else sample(p, player, particles, seed))
    found = prospects(p.game, player, frozenset(held), report=progress) if wins else None
    total = sum(held.values())
    possible = [PossibleState(p.game.position_text(s), n / total) for s, n in held.items()]
    possible.sort(key=lambda each: (-each.share, each.position))
    return BeliefResult(
        p.game.spec,
        p.game.player_name(player),
        tuple(possible),
        None if found is None else found.beliefs,
        () if found is None else tuple(promised(p, found)),
        limit,
    )


def promised(p: Playthrough, found: Prospects) -> Iterator[PromisedAction]:
    """What each action promises."""

    def written(each: Prospect) -> str:
        return p.game.action_text(p.state, each.action)

    for each in found.actions:
        yield PromisedAction(written(each), each.guaranteed, each.probabilistic, each.accidental)


def lines(found: BeliefResult) -> Iterator[str]:
    """The result in words."""
    yield f"{found.player} considers {counted(len(found.possible), 'state')} possible:"
    even = len({each.share for each in found.possible}) == 1
    for each in found.possible[: found.limit]:
        yield f"  {each.position}" if even else f"  {each.share:6.1%}  {each.position}"
    if found.beliefs is None:
        return
    yield f"{counted(found.beliefs, 'belief')} searched:"
    width = max(len(each.action) for each in found.actions)
    for promise in found.actions:
        yield f"  {promise.action:{width}}  {in_words(promise, len(found.possible))}"


def in_words(each: PromisedAction, states: int) -> str:
    """What an action promises."""
    luck = f"wins immediately in {each.accidental} of {states}" if each.accidental else ""
    if each.guaranteed is not None:
        return f"a guaranteed win, within {counted(each.guaranteed, 'action')}"
    if each.probabilistic:
        return "a win with probability 1, by mixing" + (f"; {luck}" if luck else "")
    return f"accidental: {luck}" if luck else "nothing sure"


def counted(n: int, what: str) -> str:
    """1 state, 2 states."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"
