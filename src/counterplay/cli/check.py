"""`check`: is my game correct?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.cli.options import Json, whole_number

if TYPE_CHECKING:
    from counterplay.conformance.report import Report


def check(
    game: Annotated[str, typer.Argument(metavar="FILE.py[:CLASS]", help="Your game, or a registered one.")],
    playthroughs: Annotated[
        int,
        typer.Option("--playthroughs", metavar="N", parser=whole_number, help="Try N random playthroughs."),
    ] = 2000,
    json: Json = False,
) -> None:
    """Check your own game: is it correct, and how fast is it?

    Every rule is called on random positions, compiled and plain play must agree move for move, small searches must find
    what plain minimax finds, and what algorithms rely on must hold. All this runs compiled with bounds checks, in a
    separate process: rules that crash or never return are reported like any other mistake.
    """
    from counterplay.api.check import check as examine
    from counterplay.cli import MENDABLE
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import patience, write_json

    rules = open_game(game, smoke=False)
    with patience(f"checking {game}") as say:
        report = examine(rules, playthroughs=playthroughs, progress=lambda finding: say(f"checked {finding.what}, "))
    if json:
        write_json(report.to_json() | {"game": game})
    else:
        print_report(game, report)
    if not report.ok:
        raise typer.Exit(MENDABLE)


def print_report(game: str, report: Report) -> None:
    """A line for each check; errors go to stderr."""
    from counterplay.cli.terminal import console, note

    out = console()
    width = max(len(finding.what) for finding in report.findings)
    for what, ok, detail, warning in report.findings:
        verdict = "look " if warning else "ok   " if ok else "wrong"
        style = "yellow" if warning else "" if ok else "red"
        out.print(f"{verdict}  {what:{width}}  {detail if ok else 'see below'}", style=style)
    sys.stdout.flush()
    for finding in report.findings:
        if not finding.ok:
            note(f"error: {finding.detail}")
    if report.ok:
        unless = "; look at " + ", ".join(each.what for each in report.warnings) if report.warnings else ""
        out.print(f"{game} is correct as far as random play can tell{unless}.")
