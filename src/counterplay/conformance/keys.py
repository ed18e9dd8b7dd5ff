"""Keys identify positions, and symmetric forms are the same position turned around."""

from __future__ import annotations

from typing import Any

from counterplay.core.answers import TOLERANCE
from counterplay.core.calling import ask, refuse
from counterplay.core.game import CHANCE, Game
from counterplay.core.pulse import within
from counterplay.core.purity import told
from counterplay.core.rules import legal, payoff
from counterplay.core.survey import SampledPosition
from counterplay.search.suitability import has_key


def keys(game: Game, positions: list[SampledPosition]) -> str:
    """Positions with the same key must be the same position, as far as can be told."""
    if not has_key(game):
        return "none: its states have no hash and equality of their own"
    seen: dict[int, SampledPosition] = {}
    for position in within(positions):
        key = ask(game, "key", position.state)
        if not hasattr(key, "__index__") or not -(2**63) <= int(key) < 2**64:
            raise refuse(game, "key", f"`key` returns {key!r}; it must be an int of 64 bits")
        other = seen.setdefault(int(key), position)
        if other.state != position.state and _face(game, other) != _face(game, position):
            raise refuse(
                game, "key", f"`key` is {int(key)} for two different positions: {other.state} and {position.state}"
            )
    return f"{len(seen)} keys for {len(positions)} positions, none confused"


def _face(game: Game, position: SampledPosition) -> Any:
    """Everything that distinguishes a position."""
    if position.options:
        return position.mover, sorted(legal(game, position.state))
    return [payoff(game, position.state, player) for player in range(game.players)]


def symmetries(game: Game, positions: list[SampledPosition]) -> str:
    """A symmetric form must offer the corresponding actions, lead to corresponding states and have the same value."""
    if game.symmetries == 1:
        return "none declared"
    for position in within(positions):
        for k in range(game.symmetries):
            check_form(game, position, k)
    return f"{game.symmetries} forms of {len(positions)} positions agree"


def check_form(game: Game, position: SampledPosition, k: int) -> None:
    """One symmetric form of one position."""
    s, mover, options, _ = position
    t = ask(game, "symmetric", s, k)
    if k == 0 and t != s:
        raise refuse(game, "symmetric", "`symmetric(s, 0)` must be `s` itself")
    alone = legal(game, s)  # without history, as for the form
    if bool(game.is_terminal(t)) != (not alone):
        raise refuse(game, "symmetric", f"form {k} of {told(s)} and the position differ in whether the game is over")
    if not options:
        if any(abs(payoff(game, s, p) - payoff(game, t, p)) > TOLERANCE for p in range(game.players)):
            raise refuse(game, "symmetric", f"form {k} of {told(s)} has a different utility")
        return
    if mover == CHANCE:
        return
    mapped = {action: ask(game, "symmetric_action", action, k) for action in alone}
    if sorted(mapped.values()) != sorted(legal(game, t)):
        raise refuse(
            game,
            "symmetric_action",
            f"form {k} of {told(s)} does not offer the actions that `symmetric_action` maps to",
        )
    action = options[0]
    if game.symmetric(game.result(s, action), k) != game.result(t, mapped[action]):
        raise refuse(
            game,
            "symmetric",
            f"action {action} and its image lead to states that are not symmetric: {told(s)}, form {k}",
        )
