"""Private deals: a player knows what is public and their hand, and the legal actions depend on what is public."""

from __future__ import annotations

from typing import Any

from counterplay.core.calling import ask, refuse
from counterplay.core.game import CHANCE, Game
from counterplay.core.pulse import within
from counterplay.core.purity import told
from counterplay.core.survey import Survey


def private_deals(game: Game, found: Survey) -> str:
    """What public trees rely on."""
    if game.players != 2:
        raise refuse(game, "private_hands", f"private deals are for two players, not {game.players}")
    knowing: dict[tuple[int, Any, int], Any] = {}
    parts: dict[tuple[int, Any], tuple[Any, int]] = {}
    choices: dict[Any, Any] = {}
    dealt = 0
    for s, mover, options, _ in within(found.positions):
        hands = [int(ask(game, "hand_of", s, player)) for player in range(2)]
        if max(hands) >= game.private_hands:
            raise refuse(
                game, "hand_of", f"`hand_of` gives hand {max(hands)}, but `private_hands` is {game.private_hands}"
            )
        if min(hands) < 0:
            if mover != CHANCE:
                raise refuse(game, "hand_of", f"player {mover} acts in {told(s)} before both players have a hand")
            continue
        dealt += 1
        public = ask(game, "public", s)
        if ask(game, "with_hands", s, *hands) != s:
            raise refuse(game, "with_hands", f"`with_hands` with the hands of {told(s)} gives another state")
        for player in range(2):
            known = ask(game, "information", s, player)
            if knowing.setdefault((player, public, hands[player]), known) != known:
                raise refuse(
                    game,
                    "public",
                    f"player {player} knows {told(known)} in {told(s)}, more than what `public` and `hand_of` give",
                )
            if parts.setdefault((player, known), (public, hands[player])) != (public, hands[player]):
                raise refuse(
                    game, "public", f"`public` or `hand_of` reveals more than player {player} knows in {told(s)}"
                )
        if mover != CHANCE and choices.setdefault(public, (mover, sorted(options))) != (mover, sorted(options)):
            raise refuse(
                game,
                "public",
                f"`public` gives {told(public)} in two states with different actions: they must be the same",
            )
    return f"{dealt} positions: what is public and a hand make up what a player knows"
