"""`machines`: the famous programs that are rebuilt here."""

from __future__ import annotations

from counterplay.cli.options import Json


def machines(json: Json = False) -> None:
    """List the famous machines, oldest first; each is a player under its own name.

    Play one: `counterplay play chess --against turing`. docs/machines describes how each worked.
    """
    from rich.text import Text

    from counterplay.api.machines import machines as entries
    from counterplay.cli.terminal import console, write_json

    found = entries()
    if json:
        write_json([entry.to_json() for entry in found])
        return
    out, width = console(), 2 + max(len(entry.name) for entry in found)
    for entry in found:
        out.print(
            Text(f"{entry.year}  {entry.name:{width}}", "bold").append(f"{entry.title}, {entry.game}", "not bold")
        )
        out.print(f"{'':{width + 6}}{entry.idea}", style="dim")
    out.print("\nPlay one: `counterplay play chess --against turing`.")
