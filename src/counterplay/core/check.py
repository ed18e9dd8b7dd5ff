"""Is my game right? The conformance report behind `counterplay check`.

    report = check("my_game.py")
    report.ok, report.findings

First the rules are asked in plain Python about thousands of random positions, every answer checked; then compiled and
plain play are compared move for move; then the invariants that algorithms rely on; last, how fast it is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from counterplay.core.calling import ask, refuse, watching
from counterplay.core.errors import BrokenGame, CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import action_stack
from counterplay.core.language.bits import signed
from counterplay.core.language.kernel import kernel
from counterplay.core.language.rng import Rng, mix
from counterplay.core.language.wide import u64
from counterplay.core.playout import playouts
from counterplay.core.registry import load
from counterplay.core.rules import has_ended, legal, list_options, payoff, pick
from counterplay.core.survey import TOLERANCE, Position, Survey, survey

LIMIT = 5_000
SAMPLE = 400
"""Positions on which the slower invariants are tried."""


class Finding(NamedTuple):
    """One thing that was looked at."""

    what: str
    ok: bool
    detail: str


class Report(NamedTuple):
    """What `check` found."""

    game: str
    findings: tuple[Finding, ...]
    playouts_per_second: float  # compiled where the game compiles; 0 where it was not measured

    @property
    def ok(self) -> bool:
        """Whether everything holds."""
        return all(finding.ok for finding in self.findings)


def check(spec: str | Game, playthroughs: int = 2_000, seconds: float = 10.0, seed: int = 0) -> Report:
    """Examine a game; a file that does not load is raised, all else is in the report."""
    game = load(spec) if isinstance(spec, str) else spec
    findings: list[Finding] = []
    rate = 0.0
    try:
        found = survey(game, playthroughs, seconds, LIMIT, seed)
        findings.append(Finding("rules", True, _surveyed(found)))
    except CounterplayError as wrong:
        return Report(game.spec, (Finding("rules", False, str(wrong)),), 0.0)
    steps: list[tuple[str, Callable[[], str]]] = [
        ("ends", lambda: ends(game, found)),
        ("compiles", lambda: agrees(game, playthroughs, seconds, seed)),
        ("keys", lambda: keys(game, found.positions)),
        ("notation", lambda: notation(game, spread(found.positions))),
        ("positions", lambda: position_texts(game, spread(found.positions))),
        ("symmetries", lambda: symmetries(game, spread(found.positions))),
        ("information", lambda: information(game, found.positions, seed)),
        ("evaluation", lambda: evaluation(game, spread(found.positions))),
        ("planes", lambda: planes(game, spread(found.positions))),
        ("pictures", lambda: pictures(game, spread(found.positions, 20))),
    ]
    for what, step in steps:
        try:
            with watching():
                findings.append(Finding(what, True, step()))
        except CounterplayError as wrong:
            findings.append(Finding(what, False, str(wrong)))
            if what == "compiles":
                break
    else:
        rate = speed(game, seed)
        mode = "compiled" if game.compiles else "in plain Python"
        findings.append(Finding("speed", True, f"{rate:,.0f} random playouts per second, {mode}"))
    return Report(game.spec, tuple(findings), rate)


def spread(positions: list[Position], count: int = SAMPLE) -> list[Position]:
    """Some positions, from all stages."""
    return positions[:: max(1, len(positions) // count)]


def _surveyed(found: Survey) -> str:
    return (
        f"{found.playthroughs} random playthroughs, {len(found.positions)} positions, the longest {found.longest} plies"
    )


def ends(game: Game, found: Survey) -> str:
    """Random play should come to an end."""
    if not found.finished:
        raise BrokenGame(f"no random playthrough ended within {LIMIT} plies; does `is_terminal` ever say True?")
    if found.finished == found.playthroughs:
        return "every playthrough came to an end"
    return f"{found.finished} of {found.playthroughs} playthroughs came to an end within {LIMIT} plies"


# Compiled against plain.

COLUMNS = ("to_move", "actions", "actions", "key", "information", "sample")
KEY = 3


def agrees(game: Game, playthroughs: int, seconds: float, seed: int) -> str:
    """Compiled and plain play must agree move for move."""
    if not game.compiles:
        why = "by its own wish" if not game.compiled else "because its states are not @state values"
        return f"runs in plain Python, {why}"
    import numpy as np

    shape = (LIMIT + 1, len(COLUMNS))
    compiled, plain = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    values, plain_values = np.zeros((LIMIT + 1, game.players)), np.zeros((LIMIT + 1, game.players))
    path, out, plain_out = np.zeros(LIMIT + 2, np.int64), action_stack(game), _plain_list()
    _transcript(game, Rng(seed), 1, out, path, compiled, values)  # compile before the clock runs
    deadline, compared = time.monotonic() + seconds, 0
    for k in range(playthroughs):
        native = _transcript(game, Rng(seed + k), LIMIT, out, path, compiled, values)
        python = _transcript.py_func(game, Rng(seed + k), LIMIT, plain_out, path, plain, plain_values)
        for ply in range(min(native, python)):
            for column, rule in enumerate(COLUMNS):
                if compiled[ply, column] != plain[ply, column]:
                    raise refuse(game, rule, _differs(rule, ply, seed + k))
            if not np.allclose(values[ply], plain_values[ply], rtol=1e-9, atol=1e-12, equal_nan=True):
                raise refuse(game, "evaluate", _differs("evaluate", ply, seed + k))
        last = min(native, python)  # where one of them ended, only the key and the payoffs are written down
        if compiled[last, KEY] != plain[last, KEY]:
            raise refuse(game, "key", _differs("key", last, seed + k))
        if native != python:
            raise refuse(game, "is_terminal", _differs("is_terminal", last, seed + k))
        if not np.allclose(values[last], plain_values[last], rtol=1e-9, atol=1e-12, equal_nan=True):
            raise refuse(game, "utility", _differs("utility", last, seed + k))
        compared += 1
        if time.monotonic() > deadline:
            break
    return f"compiled and plain play agree move for move in {compared} playthroughs"


def _differs(rule: str, ply: int, seed: int) -> str:
    return (
        f"`{rule}` answers differently compiled and in plain Python, at ply {ply} of the random playthrough"
        f" of seed {seed} (does a number grow beyond 64 bits, or an index leave its array?)"
    )


def _plain_list() -> Any:
    from counterplay.core.language.actions import ActionStack

    return ActionStack()


@kernel
def _transcript(game: Any, rng: Any, limit: int, out: Any, path: Any, whole: Any, real: Any) -> int:
    """Play at random and write down every answer: `whole` [ply, COLUMNS], `real` [ply, player]. Returns the plies."""
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


# Invariants.


def keys(game: Game, positions: list[Position]) -> str:
    """Positions with one key must be one position, as far as anybody can tell."""
    if not game.compiles and type(game).key is Game.key:
        return "none: states of plain Python have no key of their own"
    seen: dict[int, Position] = {}
    for position in positions:
        key = ask(game, "key", position.state)
        if not hasattr(key, "__index__") or not -(2**63) <= int(key) < 2**64:
            raise refuse(game, "key", f"`key` returns {key!r}; it must be an int of 64 bits")
        other = seen.setdefault(int(key), position)
        if other.state != position.state and _face(game, other) != _face(game, position):
            raise refuse(
                game, "key", f"`key` is {int(key)} for two different positions: {other.state} and {position.state}"
            )
    return f"{len(seen)} keys for {len(positions)} positions, none confused"


def _face(game: Game, position: Position) -> Any:
    """What anybody can tell of a position."""
    if position.options:
        return position.mover, sorted(legal(game, position.state))
    return [payoff(game, position.state, player) for player in range(game.players)]


def notation(game: Game, positions: list[Position]) -> str:
    """Each action must be read back from what is written, and two actions must not be written alike."""
    tried = 0
    for s, _, options in positions:
        written: dict[str, int] = {}
        for action in options[:50]:
            text = ask(game, "action_text", s, action)
            if not isinstance(text, str) or not text or game.split_moves(text) != [text]:
                raise refuse(game, "action_text", f"`action_text` gives {text!r}; it must be a word without spaces")
            if text in written:
                raise refuse(
                    game,
                    "action_text",
                    f"`action_text` writes the actions {written[text]} and {action} alike: {text!r}",
                )
            written[text] = action
        for text, action in written.items():
            try:
                read = ask(game, "parse_action", s, text)
            except CounterplayError as wrong:
                raise refuse(
                    game, "parse_action", f"`parse_action` does not read {text!r}, action {action}: {wrong}"
                ) from None
            if read != action:
                raise refuse(
                    game, "parse_action", f"`parse_action` reads {text!r} as {read}, but it is action {action}"
                )
            tried += 1
    return f"{tried} actions read back as written"


def position_texts(game: Game, positions: list[Position]) -> str:
    """Each position must be read back from its text."""
    if type(game).parse_position is Game.parse_position:
        return "none: the game has no `parse_position`"
    for position in positions:
        text = ask(game, "position_text", position.state)
        try:
            read = ask(game, "parse_position", text)
        except CounterplayError as wrong:
            raise refuse(game, "parse_position", f"`parse_position` does not read {text!r}: {wrong}") from None
        if read != position.state:
            raise refuse(game, "parse_position", f"`parse_position` reads {text!r} as {read}, not {position.state}")
    return f"{len(positions)} positions read back as written"


def symmetries(game: Game, positions: list[Position]) -> str:
    """A symmetric form must offer the corresponding actions, lead to corresponding states and have the same worth."""
    if game.symmetries == 1:
        return "none declared"
    for s, mover, options in positions:
        for k in range(game.symmetries):
            t = ask(game, "symmetric", s, k)
            if k == 0 and t != s:
                raise refuse(game, "symmetric", "`symmetric(s, 0)` must be `s` itself")
            if bool(game.is_terminal(t)) != (not legal(game, s)):
                raise refuse(
                    game, "symmetric", f"form {k} of {s} ends the game, or goes on, where the position does not"
                )
            if not options:
                if any(abs(payoff(game, s, p) - payoff(game, t, p)) > TOLERANCE for p in range(game.players)):
                    raise refuse(game, "symmetric", f"form {k} of {s} has another utility")
                continue
            alone = legal(game, s)  # apart from any history, as for the form
            mapped = {action: ask(game, "symmetric_action", action, k) for action in alone}
            if mover != CHANCE and sorted(mapped.values()) != sorted(legal(game, t)):
                raise refuse(
                    game, "symmetric_action", f"form {k} of {s} offers other actions than `symmetric_action` maps to"
                )
            action = options[0]
            if mover != CHANCE and game.symmetric(game.result(s, action), k) != game.result(t, mapped[action]):
                raise refuse(
                    game,
                    "symmetric",
                    f"action {action} and its image lead to states that are not symmetric: {s}, form {k}",
                )
    return f"{game.symmetries} forms of {len(positions)} positions agree"


def information(game: Game, positions: list[Position], seed: int) -> str:
    """Who knows the same has the same choice, and `resample` keeps what a player knows."""
    if not game.has_secrets:
        return "open: nothing is hidden"
    choices: dict[tuple[int, Any], tuple[int, ...]] = {}
    for s, mover, options in positions:
        if mover == CHANCE or not options:
            continue
        known = ask(game, "information", s, mover)
        before = choices.setdefault((mover, known), tuple(sorted(options)))
        if before != tuple(sorted(options)):
            raise refuse(
                game,
                "information",
                f"player {mover} knows {known} in two states with different actions: {before} and {sorted(options)}",
            )
    rng = Rng(seed)
    resamples = type(game).resample is not Game.resample
    for s, mover, options in spread(positions) if resamples else []:
        if mover == CHANCE or not options:
            continue
        other = ask(game, "resample", s, mover, rng)
        if game.information(other, mover) != game.information(s, mover) or game.to_move(other) != mover:
            raise refuse(
                game,
                "resample",
                f"`resample` gives {other}, in which player {mover} would know something else than in {s}",
            )
    return f"{len(choices)} information sets met, each with one choice of actions"


def evaluation(game: Game, positions: list[Position]) -> str:
    """The estimate must be a number within its declared bounds."""
    if type(game).evaluate is Game.evaluate:
        return "none: the game has no `evaluate`"
    low, high = game.evaluation_bounds
    for s, mover, options in positions:
        if mover == CHANCE or not options:
            continue
        values = [float(ask(game, "evaluate", s, player)) for player in range(game.players)]
        if not all(low - TOLERANCE <= value <= high + TOLERANCE for value in values):
            raise refuse(
                game,
                "evaluate",
                f"`evaluate` gives {values}, outside the declared evaluation_bounds ({low:g}, {high:g}): {s}",
            )
    return f"within ({low:g}, {high:g}) on {len(positions)} positions"


def planes(game: Game, positions: list[Position]) -> str:
    """Planes must fit their shape, and every action must have its place in the policy."""
    import numpy as np

    if not game.plane_shape:
        return "none: the game declares no `plane_shape`"
    for s, mover, options in positions:
        if mover == CHANCE or not options:
            continue
        ask(game, "planes", s, np.zeros(game.plane_shape, np.float32))
        for action in options if game.policy_size else ():
            index = ask(game, "policy_index", s, action)
            if not 0 <= index < game.policy_size:
                raise refuse(
                    game, "policy_index", f"action {action} has place {index} of a policy of {game.policy_size}: {s}"
                )
    return f"{game.plane_shape[0]} planes of {len(positions)} positions"


def pictures(game: Game, positions: list[Position]) -> str:
    """Every position can be drawn, in the terminal and as well-formed SVG, for every viewer."""
    from xml.etree import ElementTree

    for position in positions:
        for viewer in (None, *range(game.players)):
            text = ask(game, "board", position.state, viewer)
            if not isinstance(text, str):
                raise refuse(game, "board", f"`board` returns {text!r}; it must be text")
            svg = ask(game, "svg", position.state, viewer)
            try:
                ElementTree.fromstring(svg)
            except (ElementTree.ParseError, TypeError) as wrong:
                raise refuse(game, "svg", f"`svg` gives no well-formed SVG: {wrong}") from None
    return f"{len(positions)} positions drawn"


def speed(game: Game, seed: int) -> float:
    """Random playouts per second."""
    s, count = game.initial(), 1
    playouts(game, s, 1, seed)
    while True:
        started = time.perf_counter()
        playouts(game, s, count, seed)
        spent = time.perf_counter() - started
        if spent > 0.3:
            return count / spent
        count = max(2 * count, int(count * 0.4 / max(spent, 1e-6)))
