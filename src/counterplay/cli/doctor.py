"""`doctor`: is everything in order here?"""

from __future__ import annotations

import typer

from counterplay.cli.options import Json

VERDICTS = {"ok": ("ok     ", ""), "missing": ("missing", "yellow"), "wrong": ("wrong  ", "red")}
"""How each state is shown, and in what colour."""


def doctor(json: Json = False) -> None:
    """Check the installation: versions, extras, cache, cores, compiler.

    Each fault comes with its fix. The exit code is 2 if something is wrong; a missing extra is not.
    """
    from counterplay.api.doctor import doctor as examine
    from counterplay.cli import MENDABLE
    from counterplay.cli.terminal import console, wait_for, write_json

    found = wait_for(examine, "checking")
    if json:
        write_json(found.to_json())
    else:
        out = console()
        width = max(len(symptom.what) for symptom in found.symptoms)
        for what, state, detail, advice in found.symptoms:
            verdict, style = VERDICTS[state]
            out.print(f"{verdict}  {what:{width}}  {detail}{f' ({advice})' if advice else ''}", style=style)
    if not found.ok:
        raise typer.Exit(MENDABLE)
