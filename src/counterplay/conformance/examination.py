"""The whole examination, in order: each step is a line of the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from counterplay.conformance.compiled import agrees, counts, hooks
from counterplay.conformance.deals import private_deals
from counterplay.conformance.hooks import check_hooks
from counterplay.conformance.keys import keys, symmetries
from counterplay.conformance.names import names
from counterplay.conformance.notation import notation, pictures, position_texts
from counterplay.conformance.report import Caution, Finding
from counterplay.conformance.searches import searches
from counterplay.conformance.secrets import information, resampling, views
from counterplay.core.calling import file_of, watching
from counterplay.core.errors import BrokenGame, CounterplayError
from counterplay.core.game import Game
from counterplay.core.playout import playouts
from counterplay.core.pulse import beat
from counterplay.core.registry import describe, where
from counterplay.core.survey import LIMIT, Survey, require_end, survey

PICTURES = 20
"""The number of positions that are drawn as pictures."""

Step = tuple[str, Callable[[], str]]


def examine(
    game: Game, playthroughs: int, seconds: float, seed: int, begin: Callable[[str], None] = lambda what: None
) -> Iterator[Finding]:
    """The findings, step by step; `begin` receives the name of the next step. If a rule is broken or does not compile,
    the steps that rely on it are skipped."""
    begin("names")
    first = attempt("names", game, lambda: names(game))
    yield first
    if not first.ok:
        return
    begin("rules")
    found: list[Survey] = []

    def rules() -> str:
        found.append(survey(game, playthroughs, seconds, LIMIT, seed))
        return (
            f"{found[0].playthroughs} random playthroughs, {len(found[0].positions)} positions, "
            f"the longest {found[0].longest} plies"
        )

    first = attempt("rules", game, rules)
    yield first
    if not first.ok:
        return
    broken: set[str] = set()
    for what, step in steps(game, found[0], playthroughs, seconds, seed):
        if what == "hooks" and broken & {"learning", "resampling"}:
            continue  # called there as well: compiled code that writes beyond its arrays would break more than itself
        begin(what)
        finding = attempt(what, game, step)
        yield finding
        if not finding.ok:
            broken.add(what)
            if what == "compiles":
                return


def attempt(what: str, game: Game, step: Callable[[], str]) -> Finding:
    """The finding of one step, whatever it raises."""
    try:
        with watching():
            detail = step()
        return Finding(what, True, str(detail), isinstance(detail, Caution))
    except CounterplayError as wrong:
        return Finding(what, False, str(wrong))
    except Exception as wrong:  # a rule that was not called by `ask`
        location = where(wrong, file_of(game))
        return Finding(what, False, f"{location or file_of(game)}: the rules raise {describe(wrong)}")


def steps(game: Game, found: Survey, playthroughs: int, seconds: float, seed: int) -> list[Step]:
    """All steps after the survey."""
    some = found.spread()
    hidden: list[Step] = [
        ("resampling", lambda: resampling(game, found, seed)),
        ("secrets", lambda: views(game, found)),
    ]
    return [
        ("ends", lambda: ends(found)),
        ("players", lambda: players(game, found)),
        ("compiles", lambda: agrees(game, found, playthroughs, seconds, seed)),
        ("tree", lambda: counts(game, found)),
        ("keys", lambda: keys(game, found.positions)),
        ("symmetries", lambda: symmetries(game, some)),
        ("information", lambda: information(game, found)),
        *(hidden if game.has_secrets else ()),
        *([("private deals", lambda: private_deals(game, found))] if game.has_private_deals else ()),
        ("evaluation", lambda: evaluation(game)),
        ("learning", lambda: check_hooks(game, some)),
        ("hooks", lambda: hooks(game, some)),
        ("searches", lambda: searches(game, found)),
        ("notation", lambda: notation(game, some)),
        ("positions", lambda: position_texts(game, some)),
        ("pictures", lambda: pictures(game, found.spread(PICTURES))),
    ]


def ends(found: Survey) -> str:
    """Random play should end."""
    require_end(found)
    if not found.longest:
        raise BrokenGame("the game is over at the start; does `is_terminal` say True too early?")
    if found.finished == found.playthroughs:
        return "every playthrough ended"
    if not found.finished:
        return Caution("time ran out before the first random playthrough ended")
    return Caution(
        f"only {found.finished} of {found.playthroughs} random playthroughs ended within {LIMIT} plies: playouts "
        "and searches to the end may never return; is a move limit or a `repetition` rule missing?"
    )


def players(game: Game, found: Survey) -> str:
    """Everyone should have a turn."""
    idle = [player for player in range(game.players) if player not in found.movers]
    if idle and found.finished:
        names = f"player {idle[0]}" if len(idle) == 1 else f"players {', '.join(map(str, idle))}"
        never = f"never move{'s' if len(idle) == 1 else ''}"
        return Caution(
            f"{names} of {game.players} {never} in {found.playthroughs} random playthroughs; "
            f"is `players = {game.players}` right, and does `to_move` give each player a turn?"
        )
    return f"{len(found.movers - {-1})} of {game.players} players had a turn"


def evaluation(game: Game) -> str:
    """Every estimate was checked in the survey."""
    if type(game).evaluate is Game.evaluate:
        return "none: the game has no `evaluate`"
    low, high = game.evaluation_bounds
    return f"within ({low:g}, {high:g}) on every position"


def speed(game: Game, seed: int) -> tuple[Finding, float]:
    """Random playouts per second."""
    rate = 0.0

    def measure() -> str:
        nonlocal rate
        s, count = game.initial(), 1
        playouts(game, s, 1, seed)
        while not rate:
            started = time.perf_counter()
            playouts(game, s, count, seed)
            spent = time.perf_counter() - started
            beat()
            if spent > 0.3:
                rate = count / spent
            count = max(2 * count, int(count * 0.4 / max(spent, 1e-6)))
        return f"{rate:,.0f} random playouts per second, {'compiled' if game.compiles else 'in plain Python'}"

    return attempt("speed", game, measure), rate
