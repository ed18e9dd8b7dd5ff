"""The server: pages and API in one process, searches in others, for any number of visitors."""

from __future__ import annotations

import asyncio
import contextlib
import re
import socket
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from counterplay.core.errors import CounterplayError
from counterplay.endgame.store import TABLES
from counterplay.evaluation.model import runs_folder
from counterplay.web.admission import Shelf
from counterplay.web.api import open_api
from counterplay.web.contest import Hall
from counterplay.web.crew import Crew
from counterplay.web.desk import Desk
from counterplay.web.guard import MOST_BODY, Guard, Hosts
from counterplay.web.preparing import Preparations, prepare_ahead
from counterplay.web.solved import TableShelf
from counterplay.web.strength import usual
from counterplay.web.table import GameTable

USUAL_PORT = 8123
MOST_TABLES = 256
"""The number of tables with secrets kept for reloaded pages."""
FORGOTTEN = 5
"""Seconds without a connection after which a page is dropped; a returning visitor opens it again from its address."""
LOOK = 0.5
"""Seconds between checks of the user's own game files."""
NEAR = 20
"""The number of ports tried by default."""


class House:
    """The common part of all pages: the games, the crew, the folders of results and runs."""

    def __init__(
        self,
        shelf: Shelf,
        crew: Crew,
        results: Path | None = None,
        version: str = "0",
        hosts: Hosts | None = None,
        prepares: bool = False,
        tables: Path = TABLES,
    ) -> None:
        self.shelf, self.crew, self.version, self.hosts = shelf, crew, version, hosts or Hosts()
        self.hall, self.runs, self.desk = Hall(results), runs_folder(), Desk()
        self.preparations, self.solved = Preparations(crew), TableShelf(tables)
        self.prepares = prepares
        """Whether the games that people see first are compiled before anyone asks for them."""
        self.tables: OrderedDict[str, GameTable] = OrderedDict()
        """Tables with secrets, which must not be in an address, for reloaded pages."""

    def keep(self, key: str, table: GameTable) -> None:
        """Keep a table for a while."""
        self.tables[key] = table
        self.tables.move_to_end(key)
        while len(self.tables) > MOST_TABLES:
            self.tables.popitem(last=False)


def build(house: House) -> ASGIApp:
    """The whole app."""
    from nicegui import core, ui

    from counterplay.web import pages
    from counterplay.web.connections import harden

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await house.crew.warm()
        await house.preparations.warm()
        beside = [asyncio.create_task(watch_files(house))] if house.shelf.own else []
        if house.prepares:
            beside.append(asyncio.create_task(prepare_ahead(front(house))))
        yield
        for task in beside:
            task.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        house.hall.stop()
        house.desk.close()
        await house.preparations.close()
        await house.crew.close()

    about = "Games, positions and searches for other programs."
    app = FastAPI(
        title="Counterplay", version=house.version, description=about, docs_url=None, redoc_url=None, lifespan=lifespan
    )
    open_api(app, house.shelf, house.crew, house.desk)
    pages.open_pages(house, app.openapi)
    logo = Path(__file__).parent / "static" / "logo.svg"
    ui.run_with(
        app, title="Counterplay", favicon=logo, dark=None, reconnect_timeout=FORGOTTEN, show_welcome_message=False
    )
    harden(core.sio)
    return Guard(app, house.hosts)


def front(house: House) -> list[tuple[str, str]]:
    """The games that people see first, each with its default opponent: the user's own, then those on the first page."""
    from counterplay.web.home import FIRST

    names = (*house.shelf.own, *FIRST)
    return [(house.shelf.spec(name), usual(house.shelf.game(name)).spec) for name in names]


async def watch_files(house: House) -> None:
    """Reload the files given at the server's start whenever they are saved."""
    from counterplay.web import home

    while True:
        await asyncio.sleep(LOOK)
        for spec in await house.desk.run(house.shelf.look_again):
            house.crew.forget(spec)
            house.preparations.forget(spec)
            home.card.cache_clear()
            home.drawn.cache_clear()


def listen(host: str, port: int | None) -> socket.socket:
    """A socket to serve on; by default, on the first free port from the usual one on."""
    ports = range(USUAL_PORT, USUAL_PORT + NEAR) if port is None else (port,)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for each in ports:
        heard = socket.socket(family, socket.SOCK_STREAM)
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            heard.bind((host, each))
            return heard
        except (OSError, OverflowError) as wrong:
            heard.close()
            why = (getattr(wrong, "strerror", None) or str(wrong)).lower()
    raise CounterplayError(f"cannot serve on {host}:{ports[-1]}: {why}; --port N chooses another port")


def serve(house: House, heard: socket.socket, started: Callable[[], None]) -> None:
    """Serve until Ctrl-C."""
    from counterplay.web.connections import Connection

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            started()

    config = uvicorn.Config(
        build(house), http=Connection, ws_max_size=MOST_BODY, log_level="warning", timeout_graceful_shutdown=1
    )
    with contextlib.suppress(KeyboardInterrupt):
        Server(config).run(sockets=[heard])


def own_games(specs: Sequence[str]) -> dict[str, str]:
    """Short names for the games of the user's own files: the class, with the file if that is another game's name."""
    from counterplay.core import survey
    from counterplay.core.registry import catalogue, load

    classes: dict[str, str] = {}
    for spec in specs:
        game = load(spec)
        survey.smoke(game)
        classes[spec] = type(game).__name__
    names = Counter([*classes.values(), *catalogue()])
    return {name if names[name] == 1 else f"{name} ({_plain(spec)})": spec for spec, name in classes.items()}


def _plain(spec: str) -> str:
    """A spec in the name of a game: without characters that have a meaning in specs and addresses."""
    return " ".join(re.split(r"[/\\:]", spec.replace(".py", "", 1).removeprefix("./"))).strip()
