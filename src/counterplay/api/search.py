"""`search`: ask a player what it would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from counterplay.api.position import AnyPosition, chance_moves, player_for, position_of
from counterplay.api.result import Result
from counterplay.core.playthrough import Playthrough
from counterplay.players.player import Player
from counterplay.players.wording import as_data, in_words, ranking
from counterplay.search.decision import Decision
from counterplay.search.statistics import figures

Progress = Callable[["SearchResult"], None]


@dataclass(frozen=True, repr=False)
class SearchResult(Result):
    """The action that a player chose, and why. Values are from the point of view of the side to move."""

    game: str
    player: str
    action: str | None  # as text; None if chance moves
    value: float | None  # None: the player has no opinion
    line: tuple[str, ...]  # the expected line, this action first
    proven: bool  # the value is exact
    plies: int | None  # how far away a proven end is
    depth: int
    nodes: int
    seconds: float
    actions: tuple[dict[str, Any], ...]  # the verdict on each action, if the player values each
    text: str  # all this in words
    decision: Decision  # the same with actions as numbers
    data: dict[str, Any] = field(compare=False)

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return self.data

    def __str__(self) -> str:
        return self.text


def search(
    game: AnyPosition,
    player: str = "",
    *,
    position: str | None = None,
    moves: str = "",
    depth: int | None = None,
    time: float | None = None,
    nodes: int | None = None,
    simulations: int | None = None,
    all: bool = False,
    progress: Progress | None = None,
) -> SearchResult:
    """The best action of a position.

    `player` is a spec such as "alphabeta:depth=6" (default: the best for the game). A depth, a time in seconds, nodes or
    simulations override the spec. With `all` every action gets its value. `progress` receives the best so far.
    """
    p = position_of(game, position, moves)
    with player_for(p, player, depth=depth, time=time, nodes=nodes, simulations=simulations) as chosen:
        return ask(p, chosen, all, progress)


def ask(p: Playthrough, chosen: Player, all: bool = False, progress: Progress | None = None) -> SearchResult:
    """A player's verdict on a position."""

    def heard(found: Decision) -> None:
        if progress is not None:
            progress(result(p, chosen.spec, found, all))

    question = chosen.appraise if chance_moves(p) else chosen.rank if all else chosen.choose
    return result(p, chosen.spec, question(p, heard if progress is not None else None), all)


def result(p: Playthrough, player: str, found: Decision, all: bool) -> SearchResult:
    """A decision in the game's own words."""
    told, judged = as_data(p, found), ranking(p, found, all)
    mover = p.game.player_name(p.to_move)
    does = "moves" if told["action"] is None else f"plays {told['action']}"
    return SearchResult(
        game=p.game.spec,
        player=player,
        action=told["action"],
        value=found.value,
        line=tuple(told["line"]),
        proven=found.proven,
        plies=found.plies,
        depth=found.depth,
        nodes=found.nodes,
        seconds=found.seconds,
        actions=tuple(judged.get("actions", ())),
        text=f"{mover} {does}  ({in_words(p, found)}; {found.seconds:.2f} s)",
        decision=found,
        data={
            "game": p.game.spec,
            "player": player,
            **told,
            "counts": {**found.counts, **figures(found)},
            **judged,
        },
    )
