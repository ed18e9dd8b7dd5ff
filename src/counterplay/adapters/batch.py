"""Many games stepped by one call of a kernel: the basis of PettingZoo, Gymnasium and the vector environment.

A learner sees only numbers: an observation, a mask of legal actions and rewards. The index of an action is that of the
game's policy (`policy_index`); in a game without one, such as backgammon, it is the action's index in the list of legal
actions. Chance acts automatically until a player is to move.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod
from typing import Any, Literal

from counterplay.adapters.environments import LIMIT
from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack, NativeActionStack, action_stack
from counterplay.core.language.bits import signed
from counterplay.core.language.features import Features, blank
from counterplay.core.language.kept_states import keep_state, kept_state, words_of, write_numbers, zeroed_row
from counterplay.core.language.kernel import Kernel, kernel
from counterplay.core.language.rng import Rng
from counterplay.core.language.workspace import Array, Workspace, f32, i8, i32, i64
from counterplay.core.playout import most_actions
from counterplay.core.rules import has_ended, list_options, payoff, pick_evenly

SURVEYED = 8
"""Random playouts that show how many actions are legal at once, if a game has no policy."""

BEGIN = -(2**63)
"""Chosen instead of an action to begin the game."""

SHORT = 256
"""The number of actions up to which the whole mask is cleared."""

Observation = Literal["planes", "features", "information", "state"]
KINDS: tuple[str, ...] = ("planes", "features", "information", "state")


def usual_observation(game: Game) -> str:
    """What a learner sees by default: only what the player knows if information is hidden."""
    if game.has_secrets:
        return "information"
    return "planes" if game.plane_shape else "features" if game.feature_names else "state"


def require_observation(game: Game, kind: str) -> None:
    """Refuse an observation that a game does not offer."""
    if kind not in KINDS:
        raise CounterplayError(f"no observation {kind!r}; there are {', '.join(KINDS)}")
    has = {
        "planes": bool(game.plane_shape) and not game.has_secrets,
        "features": bool(game.feature_names) and not game.has_secrets,
        "information": game.has_secrets,
        "state": not game.has_secrets,
    }
    if not has[kind]:
        raise Unsuitable(f"{game.spec} has no {kind} to observe; it has {' and '.join(k for k in KINDS if has[k])}")


class Batch(Workspace):
    """`count` games, each with its state and what a learner sees of it."""

    count: i64
    limit: i64
    restart: bool  # a game that ends begins again at once
    seat: i64  # the player to move after a step, if the others draw their actions
    records: bool  # whether actions are recorded
    room: i64  # words for the states
    longest: i64  # path
    recorded: i64  # recorded plies per game
    lists: i64
    rows: i64
    illegal: i64  # illegal actions so far

    chosen: Array[i64, "count"]  # the index of the action to play, or BEGIN
    mover: Array[i32, "count"]
    rewards: Array[f32, "count", "players"]  # of the last step
    terminated: Array[i8, "count"]
    truncated: Array[i8, "count"]
    mask: Array[i8, "count", "actions"]
    states: Array[i64, "room"]
    ply: Array[i64, "count"]
    path: Array[i64, "count", "longest"]  # repetition keys
    history: Array[i64, "count", "recorded"]  # the actions played, including chance events
    legal: Array[i32, "count"]  # how many actions are legal,
    marked: Array[i32, "lists", "actions"]  # their indices, if the mask is too long to be cleared as a whole,
    action: Array[i64, "rows", "actions"]  # and the action at each index, if the index is not the action itself

    seen: Array[f32, "numbers_seen"]  # what a learner sees, in planes or features,
    known: Array[i64, "words_known"]  # or as words

    rng: Rng
    out: ActionStack | NativeActionStack

    def __init__(
        self, game: Game, count: int, kind: str, limit: int, restart: bool, records: bool, draws: bool
    ) -> None:
        self.count, self.limit, self.restart, self.records = count, limit, restart, records
        self.draws = draws
        self.rng, self.out = Rng(0), action_stack(game)
        self.players, self.actions = game.players, action_count(game)
        self.by_policy = game.policy_size > 0
        self.is_action = self.by_policy and type(game).policy_index is Game.policy_index
        self.is_short = self.actions <= SHORT
        self.rows = 1 if self.is_action else count
        self.lists = 1 if self.is_short else count
        self.sees_planes, self.sees_features = kind == "planes", kind == "features"
        self.sees_information = kind == "information"
        self.shape = observation_shape(game, kind)
        self.size = prod(self.shape)
        in_words = not (self.sees_planes or self.sees_features)
        self.numbers_seen, self.words_known = (1, count * self.size) if in_words else (count * self.size, 1)
        self.longest = limit + 3 if game.has_repetition else 1
        self.recorded = limit + 3 if records else 1
        if game.compiles:
            from counterplay.core.native.kept_states import state_words

            self.room = count * state_words(game.frozen.state_class)
        else:
            self.__dict__["states"] = [None] * count

    @property
    def observation(self) -> Any:
        """What a learner sees of every game."""
        memory = self.seen if self.sees_planes or self.sees_features else self.known
        return memory.reshape(self.count, *self.shape)


class Games:
    """A batch and everything that its kernels need."""

    def __init__(
        self,
        game: Game,
        count: int,
        kind: str = "",
        *,
        limit: int = LIMIT,
        restart: bool = True,
        records: bool = False,
        draws: bool = False,
    ) -> None:
        kind = kind or usual_observation(game)
        require_observation(game, kind)
        if limit < 1:
            raise CounterplayError(f"limit={limit} must be at least 1")
        self.game, self.kind = game, kind
        self.batch = Batch(game, count, kind, limit, restart, records, draws)
        self.observation = self.batch.observation
        self.noted = blank(len(game.feature_names) + 1) if kind == "features" else None
        self.step: Callable[[], int] = self._first_step
        """Play the chosen action in every game; returns how many games ended."""

    def reset(self) -> int:
        """Begin every game; returns how many ended before anyone was to move."""
        self.batch.chosen[:] = BEGIN
        return self.step()

    def _first_step(self) -> int:
        """Take the first step; later ones enter the kernel without checking the types of its arguments."""
        arguments = (self.game, self.batch, self.noted)
        ended = advance(*arguments)
        self.step = entry(advance, arguments)
        return ended

    def seed(self, seed: int) -> None:
        """Restart the stream of dice and deals."""
        self.batch.rng.word.value = seed % 2**64

    def state(self, index: int) -> Any:
        """The state of a game, for inspection."""
        return read_state(self.game, self.batch, index)


def entry(which: Kernel[..., int], arguments: tuple[Any, ...]) -> Callable[[], int]:
    """A function that enters a kernel, which has already run, with these arguments."""
    game: Game = arguments[0]
    if game.compiles:
        from numba import typeof

        from counterplay.core.native.stack import SMALL, state_bytes

        if state_bytes(game.frozen.state_class) <= SMALL:
            entered = which.dispatcher.get_overload(tuple(map(typeof, arguments)))
            return functools.partial(entered, *map(addressed, arguments))
    return functools.partial(which, *arguments)


def addressed(argument: Any) -> Any:
    """A game or a workspace by its address: looking it up each time takes longer than a step."""
    if isinstance(argument, Game):
        return argument.frozen.address
    if isinstance(argument, Workspace):
        return argument.layout.address
    return argument


def action_count(game: Game) -> int:
    """The number of action indices."""
    if game.policy_size:
        return game.policy_size
    most = most_actions(game, SURVEYED, LIMIT)
    size = 16
    while size < 4 * most:
        size *= 2
    return size


def observation_shape(game: Game, kind: str) -> tuple[int, ...]:
    """The shape of what a learner sees of one game."""
    if kind == "planes":
        return tuple(game.plane_shape)
    if kind == "features":
        return (len(game.feature_names),)
    return (len(words_of(seen_numbers(game, game.initial(), 0))),)


def seen_numbers(game: Game, s: Any, player: int) -> Any:
    """What a player knows or, if nothing is hidden, the state."""
    known = game.information(s, player) if game.has_secrets else s
    if not isinstance(known, (int, float, tuple)):
        raise Unsuitable(f"{game.spec} has states that are not numbers; give it planes or features to observe")
    return known


# Kernels.


@kernel
def read_state(game: Any, batch: Batch, index: int) -> Any:
    """The state of a game."""
    return kept_state(batch.states, index, game)


@kernel
def advance(game: Any, batch: Batch, noted: Features | None) -> int:
    """Play the chosen action in every game that continues; returns how many ended. Whoever chooses an illegal action
    loses, and the others win. If BEGIN is chosen, the game begins."""
    ended = 0
    for g in range(batch.count):
        index = batch.chosen[g]
        if not batch.restart and index != BEGIN and (batch.terminated[g] or batch.truncated[g]):
            continue
        batch.terminated[g] = 0
        batch.truncated[g] = 0
        for player in range(game.players):
            batch.rewards[g, player] = 0.0
        s, ply = kept_state(batch.states, g, game), batch.ply[g]
        if index == BEGIN:
            s, ply = game.initial(), 0
        elif 0 <= index < batch.actions and batch.mask[g, index]:
            action = index
            if not batch.is_action:
                action = batch.action[g, index]
            if batch.records:
                batch.history[g, ply] = action
            s, ply = game.result(s, action), ply + 1
        else:
            batch.illegal += 1
            batch.terminated[g] = 1
            ended += 1
            for player in range(game.players):
                batch.rewards[g, player] = (
                    game.utility_bounds[0] if player == batch.mover[g] else game.utility_bounds[1]
                )
            if batch.restart:
                s, ply = game.initial(), 0
        ended += settle(game, batch, g, s, ply, noted)
    return ended


def settle(game: Any, batch: Batch, g: int, s: Any, ply: int, noted: Features | None) -> int:
    """From `s` on, let chance act, and players who draw their actions; record what a learner sees: the end, or the
    player to move and their choice. If games that end begin again, that of the new game. Returns 1 if a game ended."""
    path, out = batch.path[g], batch.out
    ended, begun = 0, ply
    out.truncate(0)
    while True:
        if game.has_repetition:
            path[ply] = signed(game.repetition_key(s))
        over = has_ended(game, s, path, ply)
        if not over and ply < batch.limit:
            if game.has_chance or batch.draws:
                if acts_by_itself(batch, game.to_move(s)):
                    event = pick_evenly(game, s, path, ply, out, batch.rng)
                    if event >= 0:
                        if batch.records:
                            batch.history[g, ply] = event
                        s, ply = game.result(s, event), ply + 1
                        continue
            list_options(game, s, path, ply, out)
            if len(out) > 0:
                break
            over = True
        if over:
            batch.terminated[g] = 1
            for player in range(game.players):
                batch.rewards[g, player] = payoff(game, s, player)
        else:
            batch.truncated[g] = 1
        ended = 1
        if not batch.restart or begun == 0:
            break
        s, ply, begun = game.initial(), 0, 0
        out.truncate(0)
    if len(out) > 0:
        batch.mover[g] = game.to_move(s)
    mark(game, batch, g, s, out)
    keep_state(batch.states, g, s)
    batch.ply[g] = ply
    observe(game, batch, g, s, noted)
    return ended


def acts_by_itself(batch: Batch, player: int) -> bool:
    """Whether chance, or a player who draws actions, acts next without a learner."""
    if batch.draws:
        return player != batch.seat
    return player == CHANCE


def mark(game: Any, batch: Batch, g: int, s: Any, out: Any) -> None:
    """Set the mask to the actions in `out`, and empty `out`."""
    mask = batch.mask[g]
    if batch.is_short:
        for index in range(batch.actions):
            mask[index] = 0
    else:
        for k in range(batch.legal[g]):
            mask[batch.marked[g, k]] = 0
    n = min(len(out), batch.actions)  # a list longer than any that random play found is cut off
    for k in range(n):
        index = k
        if batch.by_policy:
            index = game.policy_index(s, out[k])
        mask[index] = 1
        if not batch.is_short:
            batch.marked[g, k] = index
        if not batch.is_action:
            batch.action[g, index] = out[k]
    batch.legal[g] = n
    out.truncate(0)


def observe(game: Any, batch: Batch, g: int, s: Any, noted: Any) -> None:
    """Write what the player to move sees."""
    if batch.sees_planes:
        game.planes(s, zeroed_row(batch.seen, g, batch.shape))
    elif batch.sees_features:
        seen = zeroed_row(batch.seen, g, batch.shape)
        noted.used[0] = 0
        game.features(s, noted)
        for i in range(noted.used[0]):
            seen[noted.index[i]] += noted.value[i]
    elif batch.sees_information:
        write_numbers(batch.known, g * batch.size, game.information(s, batch.mover[g]))
    else:
        write_numbers(batch.known, g * batch.size, s)
