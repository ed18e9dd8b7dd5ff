"""`export`: a game as a file that Gambit reads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import GameSpec, Json


def export(
    game: GameSpec,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to: .nfg for a table, .efg for a tree.")],
    json: Json = False,
) -> None:
    """Write a game as a file for Gambit.

    A matrix game becomes an .nfg, any game an .efg, its whole tree. `matrix:FILE.nfg` and `tree:FILE.efg` read such files.
    """
    from counterplay.cli.arguments import open_game
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.core.formats.files import require_writable, write_whole
    from counterplay.games.gambit import efg_text, nfg_text
    from counterplay.games.matrix import Matrix

    kind = file.suffix.lower()
    if kind not in (".nfg", ".efg"):
        raise CounterplayError(f"the file must end in .nfg (a table) or .efg (a tree), not {str(file)!r}")
    require_writable(file)
    rules = open_game(game)
    if kind == ".nfg" and not isinstance(rules, Matrix):
        raise CounterplayError(f"{game} is not written as a table: export it as a tree, .efg")
    text = (
        nfg_text(rules)
        if isinstance(rules, Matrix) and kind == ".nfg"
        else wait_for(lambda: efg_text(rules), "writing")
    )
    write_whole(file, text)
    if json:
        write_json({"game": game, "file": str(file), "bytes": len(text.encode())})
    else:
        console().print(f"{len(text.encode()):,} bytes: {file}")
