"""`games`: every game with a short description."""

from __future__ import annotations

from typing import Any

from counterplay.cli.options import Json
from counterplay.players.wording import kind


def games(json: Json = False) -> None:
    """List every game with a short description."""
    from counterplay.api.games import games as entries
    from counterplay.cli.terminal import write_json

    found = [entry.to_json() for entry in entries()]
    if json:
        write_json(found)
    else:
        print_games(found)


def print_games(found: list[dict[str, Any]]) -> None:
    """Print the games, two lines each."""
    from rich.text import Text

    from counterplay.cli.terminal import console

    out = console()
    width = 2 + max(len(about["name"]) for about in found)
    for about in found:
        out.print(Text(f"{about['name']:{width}}", "bold").append(about["description"], "not bold"))
        if "parameters" in about:
            out.print(f"{'':{width}}{kind(about)}{parameters(about)}", style="dim")
    out.print("\nParameters follow a colon: `counterplay show hex:size=5`. Your own game: `counterplay show file.py`.")


def parameters(about: dict[str, Any]) -> str:
    """The parameters of a game with their defaults, as in a spec."""
    shown = [f"{name}={written(value)}" for name, value in about["parameters"].items()]
    return f"; {','.join(shown)}" if shown else ""


def written(value: Any) -> str:
    """A parameter's value as in a spec."""
    text = ("on" if value else "off") if isinstance(value, bool) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
