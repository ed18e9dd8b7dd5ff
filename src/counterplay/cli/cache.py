"""`cache`: the compiled code on disk."""

from __future__ import annotations

from typing import Annotated

import typer

from counterplay.cli.options import Json


def cache(
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove all of it; kernels compile again when needed.")
    ] = False,
    json: Json = False,
) -> None:
    """Show how much compiled code is kept on disk, or clear it.

    A game's kernels are compiled once and kept. Set COUNTERPLAY_CACHE to keep them in another folder.
    """
    from counterplay.api.cache import cache as look
    from counterplay.cli.terminal import console, write_json

    found = look(clear=clear)
    if json:
        write_json(found.to_json())
    else:
        console().print(str(found))
