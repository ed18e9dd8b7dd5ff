"""Determinization, or perfect-information Monte Carlo (Levy 1989; Ginsberg 2001): deal, search with open cards, average.

Some deals that the player considers possible are drawn, each is searched as if everyone saw everything, and the action
with the best average is played. It plays well if hidden cards will be seen soon, and it has two blind spots (Frank &
Basin 1998): *strategy fusion*, as it counts on choosing differently in deals that it cannot tell apart; and it never
hides or seeks information, which has no use in open games.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from counterplay.core.derived import derive
from counterplay.core.game import Game
from counterplay.core.language.rng import Rng
from counterplay.core.rules import legal
from counterplay.core.types import State
from counterplay.hidden.ismcts import require_searchable
from counterplay.search.decision import Decision, Option, ranked

Judge = Callable[[Any], Sequence[Option]]
"""Values each action in a state by a search with open cards."""


class OpenHand:
    """Everyone sees everything."""

    has_secrets = False
    information = Game.information


def open_hand(game: Game) -> Game:
    """The same game with open cards, for any search for games of perfect information."""
    if not game.has_secrets:
        return game
    made: Game = derive(game, OpenHand)
    return made


def determinize(
    game: Game, s: State, judge: Judge, deals: int, seed: int = 0, possible: Sequence[Any] = ()
) -> Decision:
    """The action in `s` with the best average over some deals, each searched with open cards. `possible` are states that
    the player to move considers possible; without them, the game's `resample` draws them."""
    require_searchable(game)
    hero, rng = int(game.to_move(s)), Rng(seed)
    totals = dict.fromkeys(legal(game, s), 0.0)
    for _ in range(deals):
        for option in judge(possible[rng.below(len(possible))] if possible else game.resample(s, hero, rng)):
            totals[option.action] += option.value
    found = ranked(Option(action, total / deals, deals) for action, total in totals.items())
    return Decision(found[0].action, found[0].value, (found[0].action,), nodes=deals, options=found)
