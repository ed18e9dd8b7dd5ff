"""`exercises`: sheets to print, with solutions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import Json, whole_number


def exercises(
    topic: Annotated[
        str | None, typer.Argument(metavar="TOPIC", help="What the exercises are about; leave it out for a list.")
    ] = None,
    count: Annotated[
        int, typer.Option("--count", metavar="N", parser=whole_number, help="The number of exercises.")
    ] = 6,
    seed: Annotated[int, typer.Option("--seed", metavar="SEED", parser=whole_number, help="The random seed.")] = 0,
    file: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write a sheet to print, as .html or .pdf."),
    ] = None,
    json: Json = False,
) -> None:
    """Print exercises for a class, with solutions on a separate page.

    Each is drawn by its seed from a recorded run of the real algorithm: the same topic, seed and number give the same
    exercise, here and on the app's Practice page.
    """
    from counterplay.api.exercises import ExerciseSheet
    from counterplay.api.exercises import exercises as draw
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.core.formats.files import require_writable
    from counterplay.teaching.sheets import require_kind
    from counterplay.teaching.topics import topic_named

    if file is not None:
        if topic is None:
            raise CounterplayError("a sheet needs a topic; `counterplay exercises` lists them")
        topic_named(topic)
        require_kind(file)
        require_writable(file)
    found = wait_for(lambda: draw(topic, count=count, seed=seed), "drawing exercises")
    if file is not None and isinstance(found, ExerciseSheet):
        found.save(file)
    if json:
        write_json(found.to_json() | ({} if file is None else {"file": str(file)}))
    elif file is not None:
        console().print(f"{count} exercises on {topic}, with solutions: {file}")
    else:
        console().print(str(found))
