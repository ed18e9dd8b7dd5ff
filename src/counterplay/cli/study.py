"""`study`: what each search technique is worth in a position."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from counterplay.cli.options import Depth, GameSpec, Json, Moves, Position

if TYPE_CHECKING:
    from counterplay.search.engine.study import Study

SIGNS = {"ladder": " ", "added": "+", "other": "~", "gamble": "+", "removed": "-"}
TITLES = {
    "added": "techniques that keep the value, added one after another:",
    "other": "the same plus one that is off by default:",
    "gamble": "techniques that gamble, so the value may differ:",
    "removed": "all but one (share of the {:,} nodes with all):",
}


def study(
    game: GameSpec, position: Position = None, moves: Moves = "", depth: Depth = None, json: Json = False
) -> None:
    """Measure what each search technique is worth.

    One position is searched repeatedly to the same depth: by minimax, by plain alpha-beta, with one more technique each
    time, then with all but one. The default depth is what plain alpha-beta reaches in a moment.
    """
    from counterplay.api.study import study as measure
    from counterplay.cli import BUG
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import note, wait_for, write_json

    rules = open_game(game)
    now: list[str] = []
    found = wait_for(
        lambda: measure(rules, position=position, moves=moves, depth=depth, progress=now.append),
        "studying",
        lambda: f"{now[-1]}, " if now else "",
    )
    if json:
        write_json(found.to_json() | {"game": game})
    else:
        print_study(found.study)
    if faults := found.study.faults:
        note(f"error: an internal error in Counterplay: {', '.join(faults)} changed the value (please report it)")
        raise typer.Exit(BUG)


def print_study(found: Study) -> None:
    """All rows as text."""
    from counterplay.cli.terminal import console

    out = console()
    plain = next(row for row in found.rows if row.name == "alpha-beta").decision.nodes
    full = [row for row in found.rows if row.group != "removed"][-1].decision.nodes
    width = max(len(row.name) for row in found.rows) + 2
    out.print(f"{'depth ' + str(found.depth):{width}}  {'nodes':>13}  {'share':>8}  {'seconds':>8}  value")
    group = "ladder"
    for row in found.rows:
        if row.group != group:
            out.print(TITLES[row.group].format(full), style="dim")
        group = row.group
        seen = row.decision
        share = seen.nodes / (full if group == "removed" else plain)
        shown = f"{share:.1%}" if share < 10 else f"{share:.0f} x"
        name = f"{SIGNS[group]} {row.name}"
        differs = "" if row.agrees else "  (differs)"
        value = f"{seen.value:+.4g}" if seen.value else "0"
        out.print(f"{name:{width}}  {seen.nodes:>13,}  {shown:>8}  {seen.seconds:>8.3f}  {value}{differs}")
