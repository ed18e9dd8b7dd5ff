"""The results of a match or tournament, as text and as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from counterplay.api.result import Result
from counterplay.arena.plan import is_duel
from counterplay.arena.standing import Duel, Standing
from counterplay.arena.statistics import Interval

NOTES = 5
"""The maximum number of forfeits reported one by one."""
HELD = "wins and losses do not connect all players: for the ratings, one drawn game was added for each pair that met"


@dataclass(frozen=True, repr=False)
class MatchResult(Result):
    """The results of a match or tournament. `standing` has everything."""

    standing: Standing

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.standing.results)

    @property
    def file(self) -> str:
        """The SQLite file that keeps the games."""
        return str(self.standing.path)

    @property
    def duel(self) -> Duel:
        """Wins, draws, losses, score and the difference in Elo, from the first player's point of view."""
        return self.standing.duel(0, 1)

    @property
    def remark(self) -> str:
        """A caveat about the ratings; empty if there is none."""
        rated = self.standing.plan.form != "match" and self.standing.rounds
        return HELD if rated and self.standing.ratings().is_held else ""

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return as_data(self.standing)

    def __str__(self) -> str:
        lines = match_lines if self.standing.plan.form == "match" else tournament_lines
        return "\n".join(lines(self.standing))


# As plain data.


def as_data(standing: Standing) -> dict[str, Any]:
    """All results as plain data."""
    plan = standing.plan
    data: dict[str, Any] = {"game": plan.game, "form": plan.form, "games": len(standing.results)}
    data["players"] = [player_data(standing, i) for i in range(len(standing.labels))]
    if plan.form != "match":
        ratings = standing.ratings()
        for row, points, between in zip(data["players"], ratings.points, ratings.intervals, strict=True):
            row |= {"rating": points, "rating_interval": [finite(end) for end in between]}
        data |= {"held": ratings.is_held, "crosstable": standing.crosstable()}
    elif is_duel(standing.game):
        data |= duel_data(standing.duel(0, 1))
    if standing.trial:
        test = standing.trial.test
        data["sprt"] = {**test._asdict(), "ratio": standing.trial.ratio, "bounds": list(test.bounds)}
        data["sprt"] |= {"accepted": standing.trial.verdict or None}
    notes = [{"game": number + 1, "note": note} for number, note in standing.notes]
    return data | {"judged": standing.judged, "notes": notes, "file": str(standing.path)}


def player_data(standing: Standing, contestant: int) -> dict[str, Any]:
    """The results of one player."""
    row = standing.tally(contestant)
    return {"player": standing.labels[contestant], **row._asdict(), "utility_interval": list(row.utility_interval)}


def duel_data(found: Duel) -> dict[str, Any]:
    """The difference between two players."""
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


def finite(value: float) -> float | None:
    """A number as JSON can hold it, which has no infinity."""
    return value if math.isfinite(value) else None


# As text.


def match_lines(standing: Standing) -> Iterator[str]:
    """A match of one group."""
    plan, labels = standing.plan, standing.labels
    if is_duel(standing.game):
        found = standing.duel(0, 1)
        yield f"{plan.game}: {labels[0]} against {labels[1]}, {plural(found.games, 'game')}"
        wins = f"{plural(found.wins, 'win')}, {plural(found.draws, 'draw')}, {plural(found.losses, 'loss', 'losses')}"
        yield f"  {wins}: score {found.score:.1%}"
        yield f"  pairs that scored 0, 1/2, 1, 3/2, 2 points: {' '.join(map(str, found.pairs.values()))}"
        yield f"  Elo {signed(found.elo)} (95%: {span(found.elo_interval)}); superiority: {found.superiority:.1%}"
    else:
        yield f"{plan.game}: {', '.join(labels)}; {plural(len(standing.rounds), 'game')}"
    if has_utilities(standing):
        width = max(map(len, labels))
        for i, label in enumerate(labels):
            row = standing.tally(i)
            between = f"{row.utility_interval.low:+.3g} to {row.utility_interval.high:+.3g}"
            yield f"  {label:{width}}  averages {row.utility:+.3g} a game (95%: {between})"
    if standing.trial:
        yield test_line(standing)
    yield from forfeit_lines(standing)


def has_utilities(standing: Standing) -> bool:
    """Whether payoffs say more than who won."""
    return not is_duel(standing.game) or standing.game.utility_bounds != (-1.0, 1.0)


def tournament_lines(standing: Standing) -> Iterator[str]:
    """Ratings and crosstable, the best player first."""
    labels = standing.labels
    played, ratings, table = len(standing.rounds), standing.ratings(), standing.crosstable()
    yield f"{standing.plan.game}: {plural(len(labels), 'player')}, {plural(played, 'game')}"
    order = sorted(range(len(labels)), key=lambda i: -ratings.points[i])
    utilities = has_utilities(standing)
    columns = ["", "player", "rating", "95%", "games", "score", *["gets"] * utilities]
    rows = [[*columns, *(str(rank) for rank in range(1, len(order) + 1))]]
    for rank, i in enumerate(order, 1):
        row = standing.tally(i)
        told = [str(rank), labels[i], signed(ratings.points[i]), span(ratings.intervals[i])]
        told += [str(row.games), f"{row.score:.1%}", *[f"{row.utility:+.3g}"] * utilities]
        rows.append(told + [cell(*table[i][j]) if i != j else "-" for j in order])
    yield from aligned(rows, left=(1, 3))
    yield from forfeit_lines(standing)


def standing_rows(standing: Standing) -> list[list[str]]:
    """A row for each player, after the names of the columns."""
    rows = [["player", "games", "wins", "draws", "losses", "score"]]
    for i, label in enumerate(standing.labels):
        row = standing.tally(i)
        rows.append([label, str(row.games), str(row.wins), str(row.draws), str(row.losses), f"{row.score:.1%}"])
    return rows


def aligned(rows: list[list[str]], left: tuple[int, ...]) -> list[str]:
    """A table as lines, with columns aligned to the right except those in `left`."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{text:{'<' if k in left else '>'}{widths[k]}}" for k, text in enumerate(row)).rstrip()
        for row in rows
    ]


def cell(points: float, games: int) -> str:
    """Points of games, such as 7.5/10."""
    return f"{points:g}/{games}" if games else ""


def test_line(standing: Standing) -> str:
    """A sequential test in one line."""
    trial = standing.trial
    assert trial is not None
    low, high = trial.test.bounds
    answer = {
        "elo1": f"accepted: {trial.test.elo1:+g} Elo rather than {trial.test.elo0:+g}",
        "elo0": f"accepted: {trial.test.elo0:+g} Elo rather than {trial.test.elo1:+g}",
        "": "not decided",
    }[trial.verdict]
    pairs = plural(trial.rounds, "pair")
    return f"  SPRT {answer} (log-likelihood ratio {trial.ratio:+.2f} of {low:.2f} to {high:.2f}, {pairs})"


def forfeit_lines(standing: Standing) -> Iterator[str]:
    """The games that did not end by the rules."""
    if standing.judged:
        yield f"  {plural(standing.judged, 'game')} ended by the judge, {standing.plan.judge}"
    for number, note in standing.notes[:NOTES]:
        yield f"  game {number + 1}: {note}"
    if len(standing.notes) > NOTES:
        rest = plural(len(standing.notes) - NOTES, "game")
        yield f"  ... and {rest} more games that did not end by the rules"


def plural(count: int, one: str, many: str = "") -> str:
    """1 game, 2 games."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def signed(value: float) -> str:
    """A difference in Elo."""
    return f"{value:+.0f}" if math.isfinite(value) else ("+inf" if value > 0 else "-inf")


def span(between: Interval) -> str:
    """An interval of differences in Elo."""
    return f"{signed(between.low)} to {signed(between.high)}"
