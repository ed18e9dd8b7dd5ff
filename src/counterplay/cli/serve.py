"""`serve`: the app in the browser."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from counterplay.cli.options import whole_number


def serve(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE.py:CLASS", help="Your own games, to serve alongside the others."),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="H", help="Serve on this address; 0.0.0.0 serves the whole network.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", parser=whole_number, help="Serve on this port (default: near 8123)."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", parser=whole_number, help="Search in N processes (default: all cores)."),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option("--results", metavar="FOLDER", help="The arena's games (default: where `match` keeps them)."),
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option("--runs", metavar="FOLDER", help="The training runs to show (default: where `train` keeps them)."),
    ] = None,
    tables: Annotated[
        Path | None,
        typer.Option(
            "--tables", metavar="FOLDER", help="Solved positions to show (default: tables, as `tables build`)."
        ),
    ] = None,
    allowed: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="Also accept this host name (behind a proxy); repeatable."),
    ] = None,
    prepare: Annotated[
        bool, typer.Option("--prepare/--no-prepare", help="Compile the first games in the background.")
    ] = True,
    browser: Annotated[bool, typer.Option("--open", help="Open it in your browser.")] = False,
) -> None:
    """Play, analyse and watch searches think, in your browser.

    Only this machine can reach it unless --host says otherwise; Ctrl-C stops it. The HTTP API is under /api.
    """
    from counterplay import __version__
    from counterplay.cli.terminal import note
    from counterplay.core.errors import CounterplayError

    try:
        import nicegui  # noqa: F401
    except ImportError:
        raise CounterplayError("the pages need NiceGUI: pip install 'counterplay[web]'") from None
    from counterplay.endgame.store import TABLES
    from counterplay.evaluation.model import RUNS
    from counterplay.web.admission import Shelf
    from counterplay.web.crew import Crew
    from counterplay.web.guard import Hosts
    from counterplay.web.server import House, listen, own_games
    from counterplay.web.server import serve as run

    require_options(port, workers, allowed or (), {"--results": results, "--runs": runs, "--tables": tables})
    if runs is not None:
        os.environ[RUNS] = str(runs.resolve())  # also for the processes that search
    own = own_games(files or [])
    heard = listen(host, port)
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{heard.getsockname()[1]}/"

    def started() -> None:
        note(f"Counterplay is at {address} (Ctrl-C stops it)")
        if browser:
            import webbrowser

            webbrowser.open(address)

    hosts = Hosts(host, allowed or ())
    run(House(Shelf(own), Crew(workers), results, __version__, hosts, prepare, tables or TABLES), heard, started)


def require_options(
    port: int | None, workers: int | None, allowed: Iterable[str], folders: Mapping[str, Path | None]
) -> None:
    """Refuse impossible options."""
    from counterplay.core.errors import CounterplayError

    if port is not None and not 0 <= port < 65536:
        raise CounterplayError(f"--port {port}: a port is a number from 0 to 65535")
    if workers is not None and not 1 <= workers <= 256:
        raise CounterplayError(f"--workers {workers}: from 1 to 256")
    for name in allowed:
        if not name or any(sign in name for sign in "/@ ") or (":" in name and not name.startswith("[")):
            raise CounterplayError(
                f"--allow-host {name!r}: a name alone, such as games.example.org, without port or http"
            )
    for option, folder in folders.items():
        if folder is not None and not folder.is_dir():
            raise CounterplayError(f"{option} {folder}: there is no such folder")
