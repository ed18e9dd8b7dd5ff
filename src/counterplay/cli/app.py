"""The commands, assembled."""

from __future__ import annotations

import importlib
import re
from typing import Annotated, Any

import typer
import typer.core

USAGE: type[Exception] = typer.BadParameter.__mro__[1]
"""What Typer raises when a command is used wrongly (its module differs between versions)."""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
COMMANDS = (
    *("games", "show", "perft", "search", "solve", "openings", "tables", "trace", "study", "exercises"),
    *("equilibrium", "strategy", "exploit", "beliefs", "export"),
    *("play", "machines", "match", "tournament", "results"),
    *("fit", "train", "runs"),
    *("book", "suite", "bench", "tune", "probcut"),
    *("check", "doctor", "cache", "serve", "gtp", "uci", "usi", "mcp"),
)
"""In the order in which help lists them. A command is the function of its name in the file of its name."""


class PlainCommand(typer.core.TyperCommand):
    """A command whose help names arguments without braces or Python types."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [re.sub(r"[{}]", "", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        write = formatter.write_dl

        def write_plain(rows: list[tuple[str, str]], *more: Any, **options: Any) -> None:
            write([(re.sub(r" <[^>]*>$", "", name), told) for name, told in rows], *more, **options)

        formatter.write_dl = write_plain
        super().format_options(ctx, formatter)


for name in COMMANDS:
    app.command(name, cls=PlainCommand)(getattr(importlib.import_module(f"counterplay.cli.{name}"), name))


def _version(wanted: bool) -> None:
    if wanted:
        from counterplay import __version__

        typer.echo(f"counterplay {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def counterplay(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Write a game's rules as an ordinary Python class; play it, search it, check it and show it.

    GAME is a name with parameters (connect-four, hex:size=5) or your own file (path/to/file.py:Class).
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def suggesting_one(message: str, context: Any) -> str:
    """Click's message about an unknown command or option, with the nearest of those that there are."""
    found = re.match(r"(No such (?:command|option):? '?([^' .]+?)'?)[. ]", message + " ")
    if found is None or context is None:
        return message
    from counterplay.core.formats.options import nearest

    known = [*getattr(context.command, "commands", ())] if found[2][0] != "-" else []
    names = {
        each.lstrip("-"): each for each in known or [o for p in context.command.params for o in p.opts if o[0] == "-"]
    }
    near = nearest(found[2].lstrip("-"), names)
    return f"{found[1]}; did you mean {names[near[0]]}?" if near else found[1]


def usage_sentence(wrong: Exception) -> str:
    """A usage error in our format: one sentence, and where to read more."""
    message = " ".join(wrong.format_message().split()) if hasattr(wrong, "format_message") else str(wrong)
    context = getattr(wrong, "ctx", None)
    message = suggesting_one(message, context)
    command = context.command_path if context else "counterplay"
    if "unexpected extra argument" in message and context and "moves" in context.params:
        message += ' (moves go into quotes: --moves "a b c")'
    sentence = f"{message[:1].lower()}{message[1:].rstrip('.')}"
    return f"{sentence} See `{command} --help`" if sentence.endswith("?") else f"{sentence}; see `{command} --help`"
