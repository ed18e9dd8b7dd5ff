"""`play_match` and `tournament`: who is stronger, and how certain is that? `results` reads their files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from counterplay.api import onlookers
from counterplay.api.match_result import MatchResult
from counterplay.api.position import AnyGame, game_of
from counterplay.arena.event import Event
from counterplay.arena.openings import read_openings, usual_plies
from counterplay.arena.plan import Fixture, Plan, is_duel, whole_rounds
from counterplay.arena.referee import MARGIN, Control, Played
from counterplay.arena.sprt import Sprt
from counterplay.arena.standing import Standing
from counterplay.arena.store import Store, usual_file
from counterplay.core.errors import CounterplayError, UnknownGame
from counterplay.core.game import Game
from counterplay.core.registry import is_spec_of, load, names_file
from counterplay.players.human import Human
from counterplay.players.specs import player
from counterplay.scale.crew import require_cluster

FEW, MANY = 20, 100_000
"""The default number of games in a match; the maximum if a test ends it."""
Progress = Callable[[int, int], None]
"""Receives the number of games done, and of all games."""


def play_match(
    game: AnyGame,
    *players: str,
    games: int | None = None,
    openings: str | Path | None = None,
    plies: int | None = None,
    seed: int = 0,
    time: float | None = None,
    clock: str = "",
    margin: float | None = None,
    sprt: str = "",
    judge: str = "",
    workers: int = 1,
    cluster: str = "",
    output: str | Path | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """Play a match between players, every opening from each side.

    `games` is 20 by default, or as many as the test `sprt` takes ("0,10": is the difference 0 or 10 Elo?). Games begin with
    `plies` random plies, or with the openings in the file `openings`. `time` is the seconds per action; `clock`, such as
    "60+0.5", the seconds per game and the increment per action. `workers` processes play at once (0: this one), or all
    cores of a Ray `cluster` (auto, its address, or local:2x1 for two simulated nodes). The games are kept in the file
    `output`; the same call with the same file continues.
    """
    rules, control = game_of(game), control_of(time, clock, margin)
    plan = match_plan(rules, spec_of(game, rules), players, games, openings, plies, seed, control, sprt, judge)
    return play(rules, plan, output, workers, progress, cluster)


def tournament(
    game: AnyGame,
    *players: str,
    games: int = 10,
    gauntlet: bool = False,
    openings: str | Path | None = None,
    plies: int | None = None,
    seed: int = 0,
    time: float | None = None,
    clock: str = "",
    margin: float | None = None,
    judge: str = "",
    workers: int = 1,
    cluster: str = "",
    output: str | Path | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """Play a tournament among many players, `games` per pair, and rate them all; with `gauntlet` only the first plays the
    others. The other options are those of `play_match`."""
    rules, control = game_of(game), control_of(time, clock, margin)
    plan = tournament_plan(rules, spec_of(game, rules), players, games, gauntlet, openings, plies, seed, control, judge)
    return play(rules, plan, output, workers, progress, cluster)


def results(file: str | Path, *, game: AnyGame = "") -> MatchResult:
    """The results that `play_match` or `tournament` wrote. `game` names the rules if they are your own file; it is run."""
    store = Store.existing(Path(file))
    try:
        return read_results(store, game)
    finally:
        store.close()


def read_results(store: Store, game: AnyGame = "") -> MatchResult:
    """The results so far of the games in an open file."""
    spec = store.plan.game
    if not game and names_file(spec):
        raise CounterplayError(
            f"{str(store.path)!r} has games of {spec}, and showing them runs that file: if you trust it, add --game {spec}"
        )
    rules = game_of(game or spec)
    if not is_spec_of(spec, rules):
        raise CounterplayError(f"{str(store.path)!r} has games of {spec}, not of {spec_of(game, rules)}")
    return MatchResult(Standing(rules, store))


# From the user's request to an event.


def spec_of(game: AnyGame, rules: Game) -> str:
    """The game as named in the plan."""
    return game if isinstance(game, str) else rules.spec


def match_plan(
    rules: Game,
    game: str,
    players: Sequence[str],
    games: int | None,
    openings: str | Path | None,
    plies: int | None,
    seed: int,
    control: Control,
    sprt: str,
    judge: str,
) -> Plan:
    """The plan of a match."""
    test = read_sprt(sprt) if sprt else ()
    if test and not is_duel(rules):
        raise CounterplayError(f"--sprt is for two players with opposite interests, which {game} does not have")
    whole = whole_rounds((MANY if test else FEW) if games is None else games, rules.players)
    return make_plan(rules, game, players, whole, "match", openings, plies, seed, control, test, judge)


def tournament_plan(
    rules: Game,
    game: str,
    players: Sequence[str],
    games: int,
    gauntlet: bool,
    openings: str | Path | None,
    plies: int | None,
    seed: int,
    control: Control,
    judge: str,
) -> Plan:
    """The plan of a tournament."""
    form, whole = "gauntlet" if gauntlet else "round-robin", whole_rounds(games, rules.players)
    return make_plan(rules, game, players, whole, form, openings, plies, seed, control, judge=judge)


def play(
    rules: Game, plan: Plan, output: str | Path | None, workers: int, progress: Progress | None, cluster: str = ""
) -> MatchResult:
    """Play all games of a plan that are not in its file yet."""
    event = open_event(rules, plan, None if output is None else Path(output), workers, cluster)
    for onlooker in onlookers.MATCHES:
        progress = progress or onlooker(event)

    def heard(fixture: Fixture, played: Played) -> None:
        if progress is not None:
            progress(len(event.played), event.total)

    try:
        travels = can_be_loaded(rules, plan.game)
        if cluster and not travels:
            raise CounterplayError(
                f"no node of a cluster can load {plan.game}, which this program defines: save it in a file and name "
                f"that file"
            )
        event.run(workers if travels else 0, heard, cluster if travels else "")
        return MatchResult(Standing(rules, event.store))
    finally:
        event.stop()
        event.store.close()


def can_be_loaded(rules: Game, spec: str) -> bool:
    """Whether another process gets the same game by its spec."""
    try:
        return load(spec) == rules
    except UnknownGame:
        return False


def make_plan(
    rules: Game,
    game: str,
    players: Sequence[str],
    games: int,
    form: str,
    openings: str | Path | None,
    plies: int | None,
    seed: int,
    control: Control,
    sprt: tuple[float, ...] = (),
    judge: str = "",
) -> Plan:
    """The plan for the request, with players and openings checked."""
    if openings is not None and plies is not None:
        raise CounterplayError("--openings and --plies cannot be combined")
    specs = [spec.strip() for spec in players]  # as typed: without a budget of its own, a player follows the clock
    for spec in [*specs, judge] if judge else specs:
        with player(spec) as made:
            made.require(rules)
            if isinstance(made, Human):
                raise CounterplayError("a person cannot play in a match; use `counterplay play GAME`")
    given = tuple(read_openings(rules, Path(openings))) if openings is not None else ()
    drawn = 0 if given else usual_plies(rules) if plies is None else plies
    plan = Plan(game, tuple(specs), games, form, seed, drawn, given, control, sprt, judge)
    plan.check(rules)
    return plan


def control_of(seconds: float | None, clock: str, margin: float | None) -> Control:
    """The time control."""
    margin = MARGIN if margin is None else margin
    if seconds is not None and not 0 < seconds < float("inf"):
        raise CounterplayError(f"--time {seconds:g}: give a number of seconds, more than 0")
    if not 0 <= margin < float("inf"):
        raise CounterplayError(f"--margin {margin:g}: give a number of seconds, 0 or more")
    if not clock:
        return Control(seconds, None, 0.0, margin)
    base, _, increment = clock.partition("+")
    try:
        times = float(base), float(increment or 0)
    except ValueError:
        times = 0.0, 0.0
    if not (0 < times[0] < float("inf") and 0 <= times[1] < float("inf")):
        raise CounterplayError(
            f"--clock {clock!r}: give seconds and, after a +, seconds for each action, such as 60+0.5"
        )
    return Control(seconds, *times, margin)


def read_sprt(text: str) -> tuple[float, ...]:
    """A sequential test from text: elo0,elo1 and optionally alpha,beta."""
    try:
        test = Sprt(*(float(part) for part in text.split(",")))
    except (ValueError, TypeError):
        raise CounterplayError(f"--sprt {text!r}: give two differences in Elo, such as 0,10") from None
    if not (-4000 < test.elo0 < test.elo1 < 4000 and 0 < test.alpha < 0.5 and 0 < test.beta < 0.5):
        raise CounterplayError(
            f"--sprt {text!r}: the first difference must be the smaller one, and error rates below 0.5"
        )
    return tuple(test)


def open_event(rules: Game, plan: Plan, output: Path | None, workers: int, cluster: str = "") -> Event:
    """The event with its file."""
    require_cluster(cluster)
    if not 0 <= workers <= 1024:
        raise CounterplayError(f"--workers {workers}: from 0 (in this process) to 1024")
    return Event(rules, plan, Store(output or usual_file(plan.game)))
