"""Compiled against plain: the same source must mean the same, move by move, count by count, answer by answer.

A 64-bit number that overflows, an index beyond an array's end and a rule that reads what it should not all show here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from counterplay.core.calling import file_of, refuse
from counterplay.core.derived import derive
from counterplay.core.errors import BrokenGame, CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import ActionStack, action_stack
from counterplay.core.language.bits import signed
from counterplay.core.language.features import blank
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng, mix
from counterplay.core.language.wide import u64
from counterplay.core.perft import perft
from counterplay.core.pulse import STEP, beat, within
from counterplay.core.purity import told
from counterplay.core.registry import describe, where
from counterplay.core.repetition import repetition_word
from counterplay.core.rules import has_ended, legal, list_options, payoff, pick
from counterplay.core.survey import LIMIT, SampledPosition, Survey
from counterplay.core.types import State

COLUMNS = ("to_move", "actions", "actions", "key", "information", "sample")
KEY = 3
LEAVES, DEEPEST = 300, 8
"""The approximate maximum number of leaves of a counted tree, and its maximum depth."""
ROOTS = 60
"""The number of positions that are roots of such trees."""
LISTED = 50_000
"""The maximum number of actions listed in plain Python before the comparison breaks off a playthrough."""
OVERFLOW = "does a number grow beyond 64 bits?"


def plain_twin(game: Game) -> Game:
    """The same game with kernels that run as plain Python."""
    twin: Game = derive(game, compiled=False)
    return twin


# Playthroughs.


def agrees(game: Game, found: Survey, playthroughs: int, seconds: float, seed: int) -> str:
    """Compiled and plain play must agree move by move; then compiled play continues alone, with bounds checks."""
    if not game.compiles:
        unfit = "because its states are not @state values"
        why = "by request" if not game.compiled else "as everything does here" if game.frozen.compiles else unfit
        return f"runs in plain Python, {why}"
    shape = (LIMIT + 1, len(COLUMNS))
    compiled, plain = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    values, plain_values = np.zeros((LIMIT + 1, game.players)), np.zeros((LIMIT + 1, game.players))
    path, out, plain_out = np.zeros(LIMIT + 2, np.int64), action_stack(game), ActionStack()

    listed = sum(len(position.options) for position in found.positions)
    longest = max(1, min(LIMIT, LISTED * len(found.positions) // max(1, listed)))

    def native(limit: int, number: int) -> int:
        return _transcript(game, Rng(number), limit, out, path, compiled, values)

    def python(number: int) -> int:
        return int(_transcript.py_func(game, Rng(number), longest, plain_out, path, plain, plain_values))

    traced(game, partial(native, 1, seed), partial(python, seed))  # compile before the clock starts
    deadline, compared = time.monotonic() + seconds, 0
    for number in range(seed, seed + playthroughs):
        played = traced(game, partial(native, longest, number), partial(python, number))
        compare(game, number, (played, python(number)), compiled, plain, values, plain_values)
        compared += 1
        beat()
        if time.monotonic() > deadline:
            break
    alone, deadline = 0, time.monotonic() + STEP / 2
    while time.monotonic() < deadline:
        number = seed + playthroughs + alone
        traced(game, partial(native, longest, number), partial(python, number))
        alone += 1
        beat()
    return f"compiled and plain play agree move for move in {compared} playthroughs; {alone} more met no error"


def traced(game: Game, compiled: Callable[[], Any], plain: Callable[[], Any]) -> Any:
    """The result of compiled code; if it raises, the plain rules are run to find the line."""
    try:
        return compiled()
    except CounterplayError:
        raise
    except Exception as wrong:
        what = describe(wrong)
    try:
        plain()
    except Exception as again:
        location = where(again, file_of(game)) or type(game).__name__
        raise BrokenGame(f"{location}: the rules raise {describe(again)}") from again
    hint = " (an index lies outside its array)" if "out of bounds" in what else f" ({OVERFLOW})"
    raise BrokenGame(f"{file_of(game)}: the compiled rules raise {what}; plain Python does not{hint}")


def compare(
    game: Game, number: int, plies: tuple[int, int], compiled: Any, plain: Any, values: Any, plain_values: Any
) -> None:
    """Reject two transcripts that differ, naming the first rule that differs."""
    last = min(plies)
    for ply in range(last):
        for column, rule in enumerate(COLUMNS):
            if compiled[ply, column] != plain[ply, column]:
                raise refuse(game, rule, _differs(rule, ply, number))
        if not equal(values[ply], plain_values[ply]):
            raise refuse(game, "evaluate", _differs("evaluate", ply, number))
    if compiled[last, KEY] != plain[last, KEY]:  # if one of them ended, only the key and the payoffs are recorded
        raise refuse(game, "key", _differs("key", last, number))
    if plies[0] != plies[1]:
        raise refuse(game, "is_terminal", _differs("is_terminal", last, number))
    if not equal(values[last], plain_values[last]):
        raise refuse(game, "utility", _differs("utility", last, number))


def equal(one: Any, other: Any) -> bool:
    """Whether numbers are the same up to rounding."""
    return bool(np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True))


def _differs(rule: str, ply: int, seed: int) -> str:
    return (
        f"`{rule}` answers differently compiled and in plain Python, at ply {ply} of the random playthrough"
        f" of seed {seed} ({OVERFLOW})"
    )


@kernel
def _transcript(game: Any, rng: Any, limit: int, out: Any, path: Any, whole: Any, real: Any) -> int:
    """Play at random and record every answer: `whole` [ply, COLUMNS], `real` [ply, player]. Returns the plies."""
    s = game.initial()
    ply = 0
    while ply < limit:
        if game.has_repetition:
            path[ply] = signed(game.repetition_key(s))
        whole[ply, KEY] = signed(game.key(s))
        if has_ended(game, s, path, ply):
            for player in range(game.players):
                real[ply, player] = payoff(game, s, player)
            break
        mover = game.to_move(s)
        whole[ply, 0] = mover
        start = len(out)
        list_options(game, s, path, ply, out)
        whole[ply, 1] = len(out) - start
        digest = u64(0)
        for i in range(start, len(out)):
            digest = mix(digest ^ out[i])
        whole[ply, 2] = signed(digest)
        out.truncate(start)
        for player in range(game.players):
            real[ply, player] = game.evaluate(s, player)
        if game.has_secrets:
            whole[ply, 4] = hash(game.information(s, max(mover, 0)))
        action = pick(game, s, path, ply, out, rng)
        whole[ply, 5] = action
        if action < 0 and mover != CHANCE:
            break  # every action is forbidden by repetition
        s = game.result(s, action)
        ply += 1
    return ply


# Trees.


def counts(game: Game, found: Survey) -> str:
    """Searches must see the real tree: perft over the one list that a whole search shares, compiled and plain, is
    compared with a recursion that gives every position its own list."""
    twin, trees, leaves = plain_twin(game), 0, 0
    roots = [position for position in found.spread(ROOTS) if position.options]
    for s, *_ in within(roots):
        for depth, true in enumerate(small_counts(game, s), 1):
            plain = perft(twin, s, depth)
            if plain != true:
                raise refuse(game, "actions", _miscounts("a search in plain Python", s, depth, plain, true))
            if game.compiles:
                compiled = traced(game, partial(perft, game, s, depth), partial(perft, twin, s, depth))
                if compiled != true:
                    raise refuse(game, "actions", _miscounts("a compiled search", s, depth, compiled, true))
            leaves += true
        trees += 1
    return f"searches see the tree as it is: {leaves} leaves below {trees} positions"


def _miscounts(who: str, s: State, depth: int, seen: int, true: int) -> str:
    return (
        f"{who} counts {seen} sequences of {depth} actions from {told(s)}, but there are {true}; do `actions` or `result` "
        f"depend on more than their arguments, or {OVERFLOW.removeprefix('does ').replace('grow', 'grows')}"
    )


def small_counts(game: Game, s: State) -> list[int]:
    """The perft of `s` at each depth, while it is small and not 0."""
    found = [count(game, s, 1, [])]
    while found[-1] <= LEAVES // 4 and len(found) < DEEPEST:
        further = count(game, s, len(found) + 1, [])
        if not 0 < further <= 4 * LEAVES:
            break
        found.append(further)
    return found


def count(game: Game, s: State, depth: int, before: list[int]) -> int:
    """Perft in its plainest form: each position has a fresh list."""
    options = legal(game, s, before)
    if depth == 1:
        return len(options)
    path = [*before, repetition_word(game, s)]
    return sum(count(game, game.result(s, action), depth - 1, path) for action in options)


# Hooks.

WHOLE = (
    *("key", "repetition_key", "ordering", "is_noisy", "is_tense", "is_losing", "allows_null", "policy_index"),
    *("stage", "viewer", "resample", "symmetric", "symmetric_action", "solving_order", "remaining", "features"),
)
REAL = ("evaluate", "sketch", "assured", "features", "planes", "evaluate_with")


def hooks(game: Game, positions: list[SampledPosition]) -> str:
    """Everything that a game offers to search and learning must compile and mean the same."""
    if not game.compiles:
        return "runs in plain Python"
    whole, plain_whole = np.zeros(len(WHOLE), np.int64), np.zeros(len(WHOLE), np.int64)
    real, plain_real = np.zeros(len(REAL)), np.zeros(len(REAL))
    shape, tried = game.plane_shape or (1, 1, 1), 0
    room = len(game.feature_names) + 1
    decisions = [each for each in positions if each.mover != CHANCE and each.options]
    for s, _, options, _ in within(decisions):  # only these: the clock starts after the first, which compiles
        action = options[tried % len(options)]

        def native(s: State = s, action: int = action, seed: int = tried) -> None:
            _answers(game, s, action, Rng(seed), blank(room), np.zeros(shape, np.float32), whole, real)

        def python(s: State = s, action: int = action, seed: int = tried) -> None:
            seen = np.zeros(shape, np.float32)
            _answers.py_func(game, s, action, Rng(seed), blank(room), seen, plain_whole, plain_real)

        traced(game, native, python)
        python()
        for name, one, other in [
            *zip(WHOLE, whole, plain_whole, strict=True),
            *zip(REAL, real, plain_real, strict=True),
        ]:
            if not (one == other if name in WHOLE and name not in REAL else equal(one, other)):
                raise refuse(
                    game, name, f"`{name}` answers differently compiled and in plain Python ({OVERFLOW}): {told(s)}"
                )
        tried += 1
    return f"compiled and plain answers to searches and learning agree on {tried} positions"


@kernel
def _answers(game: Any, s: State, action: int, rng: Any, listed: Any, seen: Any, whole: Any, real: Any) -> None:
    """Record what every hook returns for a position: `whole` [WHOLE], `real` [REAL]."""
    mover = game.to_move(s)
    whole[0], whole[1] = signed(game.key(s)), signed(game.repetition_key(s))
    whole[2] = game.ordering(s, action)
    whole[3], whole[4] = game.is_noisy(s, action), game.is_tense(s)
    whole[5], whole[6] = game.is_losing(s, action), game.allows_null(s)
    if game.policy_size:
        whole[7] = game.policy_index(s, action)
    whole[8], whole[9] = game.stage(s), game.viewer(s)
    if game.has_secrets:
        whole[10] = signed(game.key(game.resample(s, mover, rng)))
    last = game.symmetries - 1
    whole[11], whole[12] = signed(game.key(game.symmetric(s, last))), game.symmetric_action(action, last)
    whole[13], whole[14] = game.solving_order(s, action), game.remaining(s)
    real[0], real[1], real[2] = game.evaluate(s, mover), game.sketch(s, mover), game.assured(s, mover)
    real[5] = game.evaluate_with(s, mover, game.structure(s))
    real[3], real[4] = 0.0, 0.0
    if len(game.feature_names) > 0:
        game.features(s, listed)
        digest = u64(0)
        for i in range(listed.used[0]):
            digest = mix(digest ^ u64(listed.index[i]))
            real[3] += (i + 1) * listed.value[i]
        whole[15] = signed(digest)
    if len(game.plane_shape) > 0:
        game.planes(s, seen)
        flat = seen.ravel()
        for i in range(flat.size):
            real[4] += (i + 1) * flat[i]
