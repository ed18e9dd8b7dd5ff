"""Evaluate: what a leaf is worth, by a playout, by the game's evaluation, or by both."""

from __future__ import annotations

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng
from counterplay.core.rules import has_ended, list_options, payoff, pick_evenly, step
from counterplay.core.types import State
from counterplay.montecarlo.options import BY_ODDS, EVERYWHERE, GREEDY, OWN
from counterplay.montecarlo.simulator import Simulator

SURE = 1e-6
"""The highest odds are about 2 to this."""


def evaluate(game: Game, s: State, ply: int, simulator: Simulator, rng: Rng, out: ActionStack) -> None:
    """Write the value of the leaf `s`, at which the game continues, to `simulator.value`."""
    weight = simulator.mix
    if weight < 1.0:
        play_out(game, s, ply, simulator, rng, out)
    if weight > 0.0:
        for player in range(simulator.width):
            judged = simulator.judged(game, s, player)
            simulator.value[player] = (
                judged if weight == 1.0 else weight * judged + (1.0 - weight) * simulator.value[player]
            )


@kernel
def play_out(game: Game, s: State, ply: int, simulator: Simulator, rng: Rng, out: ActionStack) -> None:
    """Play from `s` to the end, or for the maximum length of a playout; the result goes to `simulator.value`."""
    last = ply + simulator.length
    kind, decisive = simulator.rollout, simulator.decisive == EVERYWHERE
    while not has_ended(game, s, simulator.path, simulator.at(ply)):
        if ply >= last:
            for player in range(simulator.width):
                simulator.value[player] = simulator.judged(game, s, player)
            return
        action, after, went = -1, s, False
        if decisive:
            action = decide_now(game, s, simulator, ply, out)
        if action < 0:
            if kind == OWN:
                action, after = step(game, s, simulator.path, simulator.at(ply), out, rng)
                went = True
            elif kind == GREEDY and game.to_move(s) != CHANCE and rng.uniform() >= simulator.epsilon:
                action = pick_best(game, s, simulator, ply, out)
            elif kind == BY_ODDS and game.to_move(s) != CHANCE:
                action = draw_by_odds(game, s, simulator, ply, rng, out)
            else:
                action = pick_evenly(game, s, simulator.path, simulator.at(ply), out, rng)
        if action < 0 and game.forbids_repetition:
            break  # every action would repeat a position
        simulator.remember(game.to_move(s), action, ply)
        s = after if went else game.result(s, action)
        ply += 1
        simulator.note(game, s, ply)
    simulator.conclude(game, s)


def pick_best(game: Game, s: State, simulator: Simulator, ply: int, out: ActionStack) -> int:
    """The action after which the evaluation is best for the player to move; -1 if there is none."""
    start = len(out)
    list_options(game, s, simulator.path, simulator.at(ply), out)
    best, chosen = -2.0, -1
    for i in range(start, len(out)):
        value = worth_behind(game, s, out[i], simulator)
        if value > best:
            best, chosen = value, out[i]
    out.truncate(start)
    return chosen


def draw_by_odds(game: Game, s: State, simulator: Simulator, ply: int, rng: Rng, out: ActionStack) -> int:
    """An action drawn in proportion to the odds of the player to move after it; -1 if there is none."""
    start = len(out)
    list_options(game, s, simulator.path, simulator.at(ply), out)
    total, chosen = 0.0, -1
    for i in range(start, len(out)):
        value = worth_behind(game, s, out[i], simulator)
        odds = (1.0 + value + SURE) / (1.0 - value + SURE)
        total += odds
        if rng.uniform() * total < odds:  # each keeps its share, whatever comes later
            chosen = out[i]
    out.truncate(start)
    return chosen


def worth_behind(game: Game, s: State, action: int, simulator: Simulator) -> float:
    """What the player to move can expect after an action, from -1 to 1: by the rules if the game is over."""
    player, after = game.to_move(s), game.result(s, action)
    if game.is_terminal(after):
        return simulator.normal(game.utility(after, player))
    return simulator.judged(game, after, player)


def decide_now(game: Game, s: State, simulator: Simulator, ply: int, out: ActionStack) -> int:
    """An immediate win, or the first action after which the next player has none; -1 if there is neither, or no
    threat."""
    player, start = game.to_move(s), len(out)
    if player == CHANCE:
        return -1
    list_options(game, s, simulator.path, simulator.at(ply), out)
    end, chosen = len(out), -1
    safe, threatened = -1, False
    for i in range(start, end):
        if wins(game, game.result(s, out[i]), player, simulator):
            chosen = out[i]
            break
    if chosen < 0:
        for i in range(start, end):
            if loses(game, game.result(s, out[i]), player, simulator, out):
                threatened = True
            elif safe < 0:
                safe = out[i]
        chosen = safe if threatened else -1
    out.truncate(start)
    return chosen


def wins(game: Game, s: State, player: int, simulator: Simulator) -> bool:
    """Whether the game is over in `s` with the best possible result for `player`."""
    return game.is_terminal(s) and simulator.normal(payoff(game, s, player)) >= 1.0


def loses(game: Game, s: State, player: int, simulator: Simulator, out: ActionStack) -> bool:
    """Whether another player, to move in `s`, wins at once."""
    if game.is_terminal(s):
        return False
    other = game.to_move(s)
    if other in (player, CHANCE):
        return False
    start, found = len(out), False
    game.actions(s, out.fresh())
    for i in range(start, len(out)):
        if wins(game, game.result(s, out[i]), other, simulator):
            found = True
            break
    out.truncate(start)
    return found
