"""Monte Carlo counterfactual regret minimization (Lanctot and others 2009), for trees too large to hold.

The rules themselves are walked, and only what is met is stored, in a table of information sets that grows. *External
sampling* tries all actions of one player and draws those of the others and of chance; *outcome sampling* draws a single
history and weighs it by how likely it was to be drawn. Both are unbiased, so the average strategy approaches an
equilibrium as in CFR, in more iterations of far less work. An iteration updates every player once.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng, mix
from counterplay.core.language.state import words
from counterplay.core.language.wide import u64
from counterplay.core.language.workspace import Array, Workspace, f64, i64
from counterplay.core.rules import pick

FIRST_ROOM = 1 << 12
MEGABYTES = 4096
"""The default limit of memory for training, in megabytes."""
EXPLORATION = 0.6
"""How often outcome sampling tries an action uniformly instead of by its current strategy, as in OpenSpiel."""

RAREST = 1e-150
"""Outcome sampling learns nothing from a history less likely than this: the weight would overflow."""


class OutOfMemory(CounterplayError):
    """Training that has met more information sets than it can store."""


class SetTable(Workspace):
    """Information sets by what a player knows, with regrets and sums for their actions."""

    sets: i64  # in use
    numbers: i64  # in use: actions of all sets
    iterations: i64  # so far
    full: bool  # whether a set did not fit
    room: i64  # capacity in sets
    number_room: i64  # capacity in numbers
    mask: i64  # of a hash
    slots: Array[i64, "any"]  # by hash: the number of a set + 1, 0 if there is none
    keys: Array[i64, "room", "width"]  # words of a key: the player's number comes first
    start: Array[i64, "any"]  # [sets + 1] where its actions begin
    actions: Array[i64, "number_room"]
    regrets: Array[f64, "number_room"]
    sums: Array[f64, "number_room"]
    values: Array[f64, "number_room"]  # of actions while they are tried: a set occurs once on a path

    def __init__(self, width: int, room: int, number_room: int) -> None:
        self.width, self.room, self.number_room, self.mask = width, room, number_room, 2 * room - 1
        self.slots, self.start = np.zeros(2 * room, np.int64), np.zeros(room + 1, np.int64)

    # What kernels call.

    def slot_of(self, mover: int, key: tuple[int, ...]) -> int:
        """The slot of a set, or the free slot where it would go."""
        h = mix(u64(mover + 1))
        for i in range(len(key)):
            h = mix(h ^ u64(key[i]))
        slot = int(h & u64(self.mask))
        while self.slots[slot] != 0:
            k = self.slots[slot] - 1
            same = self.keys[k, 0] == mover
            for i in range(len(key)):
                same = same and self.keys[k, 1 + i] == key[i]
            if same:
                break
            slot = (slot + 1) & self.mask
        return slot

    def seek(self, mover: int, key: tuple[int, ...]) -> int:
        """The number of a set, -1 if there is none."""
        return self.slots[self.slot_of(mover, key)] - 1

    def find(self, mover: int, key: tuple[int, ...], out: ActionStack, start: int, count: int) -> int:
        """The number of a set; at its first visit it is added, with `count` actions from `start` on in `out`. -1 if it
        does not fit."""
        slot = self.slot_of(mover, key)
        if self.slots[slot] != 0:
            return self.slots[slot] - 1
        k, end = self.sets, self.numbers
        if k >= self.room or end + count > self.number_room:
            self.full = True
            return -1
        self.slots[slot] = k + 1
        self.keys[k, 0] = mover
        for i in range(len(key)):
            self.keys[k, 1 + i] = key[i]
        for i in range(count):
            self.actions[end + i] = out[start + i]
        self.start[k] = end
        self.start[k + 1] = end + count
        self.sets, self.numbers = k + 1, end + count
        return k

    def is_half_full(self) -> bool:
        """Whether it is time for a larger table."""
        return self.sets > self.room // 2 or self.numbers > self.number_room // 2

    def total(self, k: int) -> float:
        """The sum of a set's positive regrets."""
        total = 0.0
        for i in range(self.start[k], self.start[k + 1]):
            total += max(self.regrets[i], 0.0)
        return total

    def probability(self, k: int, i: int, total: float) -> float:
        """The probability of the action at `i` in set `k`, whose positive regrets add up to `total`."""
        return max(self.regrets[i], 0.0) / total if total > 0 else 1.0 / (self.start[k + 1] - self.start[k])

    def draw(self, k: int, total: float, even: float, u: float) -> int:
        """The index of an action of set `k`, drawn by its probability, of which a share `even` is uniform; u is in
        [0, 1)."""
        start, end = self.start[k], self.start[k + 1]
        for i in range(start, end - 1):
            u -= even / (end - start) + (1.0 - even) * self.probability(k, i, total)
            if u < 0:
                return i
        return end - 1


class Learned(NamedTuple):
    """What a table holds."""

    keys: np.ndarray  # [sets, words]
    start: np.ndarray  # [sets + 1]
    actions: np.ndarray  # [actions]
    regrets: np.ndarray  # [actions]
    sums: np.ndarray  # [actions]
    iterations: int


def content(table: SetTable) -> Learned:
    """What a table holds; the arrays are its own."""
    sets, numbers = table.sets, table.numbers
    actions, regrets, sums = table.actions[:numbers], table.regrets[:numbers], table.sums[:numbers]
    return Learned(table.keys[:sets], table.start[: sets + 1], actions, regrets, sums, table.iterations)


def learned(table: SetTable) -> Learned:
    """What a table holds, copied."""
    keys, start, actions, regrets, sums, iterations = content(table)
    return Learned(keys.copy(), start.copy(), actions.copy(), regrets.copy(), sums.copy(), iterations)


def bytes_of(width: int, room: int, number_room: int) -> int:
    """The maximum memory that training with a table of this size takes: the table, a policy made of a full one, and the
    file that it is packed into. (The table from which a larger one is filled takes less than those two.)"""
    table = (3 + width) * room + 4 * number_room
    policy = (1 + width) * room + 4 * number_room
    file = (1 + width) * room + 4 * number_room
    return 8 * (table + policy + file)


def rooms_for(held: Learned, megabytes: int) -> tuple[int, int]:
    """Capacity for this and as much again: sets, and numbers. Refused if training with it takes more than
    `megabytes`."""
    (sets, width), numbers = held.keys.shape, len(held.actions)
    room = max(FIRST_ROOM, 1 << max(2 * sets - 1, 0).bit_length())
    number_room = max(4 * room, 3 * numbers)
    needed = bytes_of(width, room, number_room)
    if needed > megabytes << 20:
        raise OutOfMemory(
            f"{sets:,} information sets were met, and training with more takes {needed >> 20:,} MB, not {megabytes:,}: "
            "--memory N allows more"
        )
    return room, number_room


def holding(held: Learned, megabytes: int = MEGABYTES) -> SetTable:
    """A table that holds this, with capacity for at least as much again."""
    (sets, width), numbers = held.keys.shape, len(held.actions)
    table = SetTable(width, *rooms_for(held, megabytes))
    table.sets, table.numbers, table.iterations = sets, numbers, held.iterations
    table.keys[:sets] = held.keys
    table.start[: sets + 1] = held.start
    table.actions[:numbers], table.regrets[:numbers], table.sums[:numbers] = held[2:5]
    rehash(table)
    return table


@kernel
def rehash(table: SetTable) -> None:
    """Rebuild the slots of all sets."""
    for k in range(table.sets):
        h = mix(u64(table.keys[k, 0] + 1))
        for i in range(1, table.width):
            h = mix(h ^ u64(table.keys[k, i]))
        slot = int(h & u64(table.mask))
        while table.slots[slot] != 0:
            slot = (slot + 1) & table.mask
        table.slots[slot] = k + 1


class Sampler:
    """Training by sampling, a number of iterations at a time."""

    def __init__(self, game: Game, outcome: bool, seed: int = 0, megabytes: int = MEGABYTES) -> None:
        self.game, self.outcome, self.megabytes = game, outcome, megabytes
        self.width = 1 + len(words(game.information(game.initial(), 0)))
        self.table = SetTable(self.width, FIRST_ROOM, 4 * FIRST_ROOM)
        self.rng = Rng(seed)
        self.out = cast(ActionStack, action_stack(game))

    @property
    def count(self) -> int:
        """Iterations so far."""
        return int(self.table.iterations)

    def learned(self) -> Learned:
        """What has been learned so far."""
        return learned(self.table)

    def restore(self, held: Learned) -> None:
        """Continue from what was learned."""
        self.table = holding(held, self.megabytes)

    def run(self, iterations: int) -> None:
        """Run more iterations; 0 only compiles."""
        goal = self.count + iterations
        while True:
            sample_all(self.game, self.game.initial(), self.table, self.out, self.rng, goal - self.count, self.outcome)
            if self.table.full or self.table.is_half_full():
                self.table = holding(content(self.table), self.megabytes)
            if self.count >= goal:
                return


@kernel
def sample_all(
    game: Game, root: Any, table: SetTable, out: ActionStack, rng: Rng, iterations: int, outcome: bool
) -> None:
    """Run iterations, fewer if the table becomes half full. One that finds the table full does not count."""
    for _ in range(iterations):
        for player in range(game.players):
            if outcome:
                outcome_value(game, root, player, 1.0, 1.0, 1.0, table, out, rng)
            else:
                external_value(game, root, player, table, out, rng)
        if table.full:
            return
        table.iterations += 1
        if table.is_half_full():
            return


def chance_event(game: Game, s: Any, table: SetTable, out: ActionStack, rng: Rng) -> int:
    """A chance event by its probability. (No rule of repetition applies, so any value serves as the path.)"""
    return pick(game, s, table.slots, 0, out, rng)


def enter(game: Game, s: Any, mover: int, table: SetTable, out: ActionStack) -> int:
    """The information set of the player to move."""
    start = len(out)
    game.actions(s, out.fresh())
    k = table.find(mover, words(game.information(s, mover)), out, start, len(out) - start)
    out.truncate(start)
    return k


@kernel
def external_value(game: Game, s: Any, player: int, table: SetTable, out: ActionStack, rng: Rng) -> float:
    """An estimate of what `player` earns from `s`; updates their regrets and the next player's average on the way."""
    if table.full:
        return 0.0  # this iteration does not count
    if game.is_terminal(s):
        return game.utility(s, player)
    mover = game.to_move(s)
    if game.has_chance and mover == CHANCE:
        return external_value(game, game.result(s, chance_event(game, s, table, out, rng)), player, table, out, rng)
    k = enter(game, s, mover, table, out)
    if k < 0:
        return 0.0
    start, end, total = table.start[k], table.start[k + 1], table.total(k)
    if mover != player:
        if mover == (player + 1) % game.players:  # by the opponent's turns each player is averaged once an iteration
            for i in range(start, end):
                table.sums[i] += table.probability(k, i, total)
        chosen = int(table.actions[table.draw(k, total, 0.0, rng.uniform())])
        return external_value(game, game.result(s, chosen), player, table, out, rng)
    value = 0.0
    for i in range(start, end):
        table.values[i] = external_value(game, game.result(s, int(table.actions[i])), player, table, out, rng)
        value += table.probability(k, i, total) * table.values[i]
    if not table.full:
        for i in range(start, end):
            table.regrets[i] += table.values[i] - value
    return value


@kernel
def outcome_value(
    game: Game,
    s: Any,
    player: int,
    own: float,
    others: float,
    drawn: float,
    table: SetTable,
    out: ActionStack,
    rng: Rng,
) -> float:
    """The same along one history. `own` and `others` are the probabilities of reaching `s` by the player's strategy and
    by all others', chance included; `drawn` is that of having drawn it."""
    if game.is_terminal(s):
        return game.utility(s, player)
    mover = game.to_move(s)
    if game.has_chance and mover == CHANCE:
        event = chance_event(game, s, table, out, rng)
        p = game.probability(s, event)
        return outcome_value(game, game.result(s, event), player, own, others * p, drawn * p, table, out, rng)
    k = enter(game, s, mover, table, out)
    if k < 0:
        return 0.0
    start, end, total = table.start[k], table.start[k + 1], table.total(k)
    even = EXPLORATION if mover == player else 0.0
    chosen = table.draw(k, total, even, rng.uniform())
    p = table.probability(k, chosen, total)
    taken = even / (end - start) + (1.0 - even) * p
    further = game.result(s, int(table.actions[chosen]))
    if mover == player:
        below = outcome_value(game, further, player, own * p, others, drawn * taken, table, out, rng)
    else:
        below = outcome_value(game, further, player, own, others * p, drawn * taken, table, out, rng)
    worth = below / taken  # of the chosen action; the others count 0 this time
    value = p * worth
    if mover == player and not table.full and drawn > RAREST:
        weight = others / drawn
        for i in range(start, end):
            table.sums[i] += own / drawn * table.probability(k, i, total)
        for i in range(start, end):
            table.regrets[i] += weight * ((worth if i == chosen else 0.0) - value)
    return value
