"""The commands, assembled."""

from __future__ import annotations

from typing import Annotated

import typer

from counterplay.cli import (
    ask,
    balance,
    believe,
    book,
    compare,
    contest,
    count,
    export,
    fit,
    gtp,
    look,
    play,
    policies,
    prepare,
    results,
    serve,
    settle,
    suite,
    train,
    tune,
    uci,
    verify,
    watch,
)

USAGE: type[Exception] = typer.BadParameter.__mro__[1]
"""What Typer raises where a command is used wrongly (its home differs between versions)."""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("games")(look.games)
app.command("show")(look.show)
app.command("perft")(count.perft)
app.command("search")(ask.search)
app.command("solve")(settle.solve)
app.command("openings")(prepare.openings)
app.command("trace")(watch.trace)
app.command("study")(compare.study)
app.command("equilibrium")(balance.equilibrium)
app.command("strategy")(policies.strategy)
app.command("exploit")(policies.exploit)
app.command("beliefs")(believe.beliefs)
app.command("export")(export.export)
app.command("play")(play.play)
app.command("match")(contest.match)
app.command("tournament")(contest.tournament)
app.command("results")(results.results)
app.command("fit")(fit.fit)
app.command("train")(train.train)
app.command("runs")(train.runs)
app.command("book")(book.book)
app.command("suite")(suite.suite)
app.command("bench")(suite.bench)
app.command("tune")(tune.tune)
app.command("check")(verify.check)
app.command("serve")(serve.serve)
app.command("gtp")(gtp.gtp)
app.command("uci")(uci.uci)


def _version(wanted: bool) -> None:
    if wanted:
        from counterplay import __version__

        typer.echo(f"counterplay {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def counterplay(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """Write a game's rules as an ordinary Python class; play it, search it, check it and show it.

    GAME is a name with parameters (connect-four, hex:size=5) or your own file (path/to/file.py:Class).
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def usage_sentence(wrong: Exception) -> str:
    """A usage error in our form: one sentence, and where to read more."""
    message = " ".join(wrong.format_message().split()) if hasattr(wrong, "format_message") else str(wrong)
    context = getattr(wrong, "ctx", None)
    command = context.command_path if context else "counterplay"
    if "unexpected extra argument" in message and context and "moves" in context.params:
        message += ' (moves go into quotes: --moves "a b c")'
    return f"{message[:1].lower()}{message[1:].rstrip('.')}; see `{command} --help`"
