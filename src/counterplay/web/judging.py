"""What the Analyse page shows of a position: values in the game's own units, from one side's point of view throughout,
and as a part of a bar; and what an action costs."""

from __future__ import annotations

from math import tanh
from typing import TYPE_CHECKING, Any

from counterplay.core.game import CHANCE, Game
from counterplay.players.wording import is_simulated, worth

if TYPE_CHECKING:
    from counterplay.core.playthrough import Playthrough
    from counterplay.search.decision import Decision, Option

SWINGS = 4.5
"""How many `swing`s (a quiet action's change of the estimate) make a side likely to win: like 5 pawns in chess."""
LINES = 3
"""The number of lines shown."""
LONGEST = 12
"""The maximum number of actions in each."""
ODD, BAD = 0.1, 0.3
"""The part of the bar that an action may cost before it is marked, lightly or plainly."""

Told = dict[str, Any]


def has_sides(game: Game) -> bool:
    """Whether the game is zero-sum for two players, so that one number says how both stand."""
    return game.players == 2 and game.zero_sum


def part(game: Game, value: float, plies: int | None = None) -> float:
    """The part of the bar that a value fills: all of it for a proven win, half if both sides are equal. Estimates of a
    game that counts material are far from its final payoffs, and fill it sooner than by their share."""
    low, high = game.utility_bounds
    if plies is not None and value and has_sides(game):
        return 1.0 if value > 0 else 0.0
    if game.swing and has_sides(game) and low < value < high:
        return 0.5 + 0.5 * tanh(value / (SWINGS * game.swing))
    return min(1.0, max(0.0, (value - low) / ((high - low) or 1.0)))


def valued(game: Game, player: int, value: float, plies: int | None = None, simulated: bool = False) -> Told:
    """A value to `player`: if the game has two sides, from the first one's point of view."""
    view = 0 if has_sides(game) else player
    seen = value if view == player else -value + 0.0
    text = worth(game, seen, plies, simulated)
    return {"view": view, "value": seen, "plies": plies, "text": text, "part": part(game, seen, plies)}


def findings(p: Playthrough, found: Decision) -> Told:
    """The results of a search so far: the best lines, the best first; if chance moves, the value of the position."""
    game, player = p.game, p.to_move
    simulated = is_simulated(found)
    told: Told = {"depth": found.depth, "nodes": found.nodes, "seconds": round(found.seconds, 3)}
    told |= {"proven": found.proven, "simulated": simulated, "lines": []}
    if player == CHANCE:
        told |= valued(game, game.viewer(p.state), found.value or 0.0, None, simulated)
        return told
    for option in best_options(found)[:LINES]:
        line = option.line or (option.action,)
        value = valued(game, player, option.value, option.plies, simulated)
        told["lines"].append({**value, "actions": list(line[:LONGEST]), "moves": texts(p, line[:LONGEST])})
    return told | told["lines"][0] if told["lines"] else told


def best_options(found: Decision) -> tuple[Option, ...]:
    """The evaluated actions, or the chosen one."""
    from counterplay.search.decision import Option

    if found.options:
        chosen = [each for each in found.options if each.action == found.action]
        rest = [each for each in found.options if each.action != found.action]
        first = [each._replace(line=found.line) if not each.line else each for each in chosen]
        return (*first, *rest)
    if found.value is None:
        return ()
    return (Option(found.action, found.value, found.nodes, found.plies, line=found.line),)


def texts(p: Playthrough, line: tuple[int, ...]) -> list[str]:
    """A line, as text."""
    s, written = p.state, []
    for action in line:
        written.append(p.game.action_text(s, action))
        s = p.game.result(s, action)
    return written


def final(p: Playthrough) -> Told:
    """The value of a finished game."""
    told = valued(p.game, 0, p.returns[0])
    return told | {"plies": 0, "part": part(p.game, told["value"], 0)}


def cost(mover: int, best: Told, played: Told) -> float:
    """The part of the bar that `mover` lost by playing to `played` instead of `best`."""
    lost = best["part"] - played["part"]
    return max(0.0, lost if best["view"] == mover else -lost)
