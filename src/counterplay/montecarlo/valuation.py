"""Evaluate: what a leaf is worth, by a playout, by the game's evaluation, or by both."""

from __future__ import annotations

from typing import Any

import numpy as np

from counterplay.core.game import CHANCE
from counterplay.core.language.kernel import kernel
from counterplay.core.rules import has_ended, list_options, payoff, pick_evenly, step
from counterplay.montecarlo.options import BY_ODDS, DECISIVE, EPSILON, EVERYWHERE, GREEDY, LENGTH, MIX, OWN, ROLLOUT

SURE = 1e-6
"""Odds do not go beyond one to this."""


def evaluate(game: Any, s: Any, ply: int, memory: Any, rng: Any, out: Any) -> None:
    """Writes what the leaf `s`, where the game goes on, is worth to `memory.value`."""
    weight = memory.settings[MIX]
    if weight < 1.0:
        play_out(game, s, ply, memory, rng, out)
    if weight > 0.0:
        for player in range(memory.width):
            judged = memory.judged(game, s, player)
            memory.value[player] = judged if weight == 1.0 else weight * judged + (1.0 - weight) * memory.value[player]


def mix_in(game: Any, s: Any, ply: int, memory: Any, rng: Any, out: Any) -> None:
    """`memory.value` is what a policy says of the leaf `s`: mixes in what a playout gives, where one counts."""
    weight = memory.settings[MIX]
    if weight < 1.0:
        said = np.empty(memory.width)
        for player in range(memory.width):
            said[player] = memory.value[player]
        play_out(game, s, ply, memory, rng, out)
        for player in range(memory.width):
            memory.value[player] = weight * said[player] + (1.0 - weight) * memory.value[player]


@kernel
def play_out(game: Any, s: Any, ply: int, memory: Any, rng: Any, out: Any) -> None:
    """Play from `s` to the end, or as long as a playout may be: what comes of it goes to `memory.value`."""
    last = ply + int(memory.settings[LENGTH])
    kind, decisive = int(memory.settings[ROLLOUT]), memory.settings[DECISIVE] == EVERYWHERE
    while not has_ended(game, s, memory.path, memory.at(ply)):
        if ply >= last:
            for player in range(memory.width):
                memory.value[player] = memory.judged(game, s, player)
            return
        action, after, went = -1, s, False
        if decisive:
            action = decide_now(game, s, memory, ply, out)
        if action < 0:
            if kind == OWN:
                action, after = step(game, s, memory.path, memory.at(ply), out, rng)
                went = True
            elif kind == GREEDY and game.to_move(s) != CHANCE and rng.uniform() >= memory.settings[EPSILON]:
                action = pick_best(game, s, memory, ply, out)
            elif kind == BY_ODDS and game.to_move(s) != CHANCE:
                action = draw_by_odds(game, s, memory, ply, rng, out)
            else:
                action = pick_evenly(game, s, memory.path, memory.at(ply), out, rng)
        if action < 0 and game.forbids_repetition:
            break  # every action would repeat a position
        memory.remember(game.to_move(s), action, ply)
        s = after if went else game.result(s, action)
        ply += 1
        memory.note(game, s, ply)
    memory.end(game, s)


def pick_best(game: Any, s: Any, memory: Any, ply: int, out: Any) -> int:
    """The action behind which the player to move is best off by the evaluation; -1 where there is none."""
    start = len(out)
    list_options(game, s, memory.path, memory.at(ply), out)
    best, chosen = -2.0, -1
    for i in range(start, len(out)):
        value = worth_behind(game, s, out[i], memory)
        if value > best:
            best, chosen = value, out[i]
    out.truncate(start)
    return chosen


def draw_by_odds(game: Any, s: Any, memory: Any, ply: int, rng: Any, out: Any) -> int:
    """An action drawn in proportion to the odds of the player to move behind it; -1 where there is none."""
    start = len(out)
    list_options(game, s, memory.path, memory.at(ply), out)
    total, chosen = 0.0, -1
    for i in range(start, len(out)):
        value = worth_behind(game, s, out[i], memory)
        odds = (1.0 + value + SURE) / (1.0 - value + SURE)
        total += odds
        if rng.uniform() * total < odds:  # each stays with its share, whatever comes later
            chosen = out[i]
    out.truncate(start)
    return chosen


def worth_behind(game: Any, s: Any, action: int, memory: Any) -> float:
    """What the player to move may expect behind an action, from -1 to 1: by the rules where the game is over."""
    player, after = game.to_move(s), game.result(s, action)
    if game.is_terminal(after):
        return memory.normal(game.utility(after, player))
    return memory.judged(game, after, player)


def decide_now(game: Any, s: Any, memory: Any, ply: int, out: Any) -> int:
    """A win at once, or the first action after which the next player has none; -1 where neither is to be had, or where
    nothing threatens."""
    player, start = game.to_move(s), len(out)
    if player == CHANCE:
        return -1
    list_options(game, s, memory.path, memory.at(ply), out)
    end, chosen = len(out), -1
    safe, threatened = -1, False
    for i in range(start, end):
        if wins(game, game.result(s, out[i]), player, memory):
            chosen = out[i]
            break
    if chosen < 0:
        for i in range(start, end):
            if loses(game, game.result(s, out[i]), player, memory, out):
                threatened = True
            elif safe < 0:
                safe = out[i]
        chosen = safe if threatened else -1
    out.truncate(start)
    return chosen


def wins(game: Any, s: Any, player: int, memory: Any) -> bool:
    """Whether the game is over in `s`, and nothing better could have come of it for `player`."""
    return game.is_terminal(s) and memory.normal(payoff(game, s, player)) >= 1.0


def loses(game: Any, s: Any, player: int, memory: Any, out: Any) -> bool:
    """Whether another player, to move in `s`, wins at once."""
    if game.is_terminal(s):
        return False
    other = game.to_move(s)
    if other in (player, CHANCE):
        return False
    start, found = len(out), False
    game.actions(s, out.fresh())
    for i in range(start, len(out)):
        if wins(game, game.result(s, out[i]), other, memory):
            found = True
            break
    out.truncate(start)
    return found
