"""How a match stands, for people and for programs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterplay.arena.event import Event
    from counterplay.arena.result import Result
    from counterplay.arena.standing import Duel, Tally
    from counterplay.arena.statistics import Interval


def counted(event: Event) -> list[Result]:
    """The games that count: where a test was decided, those that decided it."""
    results = event.store.results()
    if event.is_decided and event.trial:
        return [result for result in results if result.round < event.trial.rounds]
    return results


def match_data(event: Event) -> dict[str, Any]:
    """A match for programs."""
    from counterplay.arena.standing import duel, is_duel, tally

    results, plan = counted(event), event.plan
    rows = [tally(event.game, results, i) for i in range(len(plan.contestants))]
    data: dict[str, Any] = {
        "game": plan.game,
        "games": len(results),
        "players": [{"player": label, **tally_data(row)} for label, row in zip(plan.labels(), rows, strict=True)],
    }
    if is_duel(event.game):
        data |= duel_data(duel(results, 0, 1))
    if event.trial:
        test, bounds = event.trial.test, event.trial.test.bounds
        data["sprt"] = {**test._asdict(), "ratio": event.trial.ratio, "bounds": list(bounds)}
        data["sprt"] |= {"accepted": event.trial.verdict or None}
    notes = [{"game": number + 1, "note": note} for number, note in event.store.notes()]
    return data | {"notes": notes, "file": str(event.store.path)}


def tally_data(row: Tally) -> dict[str, Any]:
    """What a contestant achieved, for programs."""
    return {**row._asdict(), "utility_interval": list(row.utility_interval)}


def finite(value: float) -> float | None:
    """JSON knows no infinity."""
    return value if math.isfinite(value) else None


def duel_data(found: Duel) -> dict[str, Any]:
    """The difference of two, for programs."""
    return {
        "wins": found.wins,
        "draws": found.draws,
        "losses": found.losses,
        "score": found.score,
        "pairs": list(found.pairs.values()),
        "elo": finite(found.elo),
        "elo_interval": [finite(end) for end in found.elo_interval],
        "superiority": found.superiority,
    }


def print_match(event: Event) -> None:
    """A match for people."""
    from counterplay.arena.standing import duel, is_duel, tally
    from counterplay.cli.terminal import console

    out, results, plan = console(), counted(event), event.plan
    labels = plan.labels()
    if is_duel(event.game):
        found = duel(results, 0, 1)
        out.print(f"{plan.game}: {labels[0]} against {labels[1]}, {plural(found.games, 'game')}")
        wins = f"{plural(found.wins, 'win')}, {plural(found.draws, 'draw')}, {plural(found.losses, 'loss', 'losses')}"
        out.print(f"  {wins}: score {found.score:.1%}")
        out.print(f"  pairs that gave 0, 1/2, 1, 3/2, 2 points: {' '.join(map(str, found.pairs.values()))}")
        out.print(f"  Elo {signed(found.elo)} (95%: {span(found.elo_interval)}); superior: {found.superiority:.1%}")
    else:
        out.print(f"{plan.game}: {', '.join(labels)}; {plural(len(results), 'game')}")
    if not is_duel(event.game) or event.game.utility_bounds != (-1.0, 1.0):
        width = max(map(len, labels))
        for i, label in enumerate(labels):
            row = tally(event.game, results, i)
            between = f"{row.utility_interval.low:+.3g} to {row.utility_interval.high:+.3g}"
            out.print(f"  {label:{width}}  gets {row.utility:+.3g} a game (95%: {between})")
    if event.trial:
        print_test(event)
    print_forfeits(event)


def print_test(event: Event) -> None:
    """A sequential test for people."""
    from counterplay.cli.terminal import console

    trial = event.trial
    assert trial is not None
    low, high = trial.test.bounds
    answer = {
        "elo1": f"accepted: {trial.test.elo1:+g} Elo rather than {trial.test.elo0:+g}",
        "elo0": f"accepted: {trial.test.elo0:+g} Elo rather than {trial.test.elo1:+g}",
        "": "not decided",
    }[trial.verdict]
    pairs = plural(trial.rounds, "pair")
    console().print(f"  SPRT {answer} (log-likelihood ratio {trial.ratio:+.2f} of {low:.2f} to {high:.2f}, {pairs})")


def print_forfeits(event: Event, most: int = 5) -> None:
    """The games that did not end by the rules."""
    from counterplay.cli.terminal import console

    notes = event.store.notes()
    for number, note in notes[:most]:
        console().print(f"  game {number + 1}: {note}")
    if len(notes) > most:
        console().print(f"  ... and {plural(len(notes) - most, 'game')} more that did not end by the rules")


def plural(count: int, one: str, many: str = "") -> str:
    """1 game, 2 games."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def signed(value: float) -> str:
    """A difference in Elo."""
    return f"{value:+.0f}" if math.isfinite(value) else ("+inf" if value > 0 else "-inf")


def span(between: Interval) -> str:
    """An interval of differences in Elo."""
    return f"{signed(between.low)} to {signed(between.high)}"
