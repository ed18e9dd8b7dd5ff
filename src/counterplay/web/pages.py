"""All pages, each by its address."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any

from fastapi import Request, Response
from nicegui import app as pages
from nicegui import ui

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.svg import text_card
from counterplay.players.wording import first_sentence, kind, title_of
from counterplay.web.admission import REMEMBERED
from counterplay.web.analyse import analyse_page
from counterplay.web.contest import arena_page
from counterplay.web.frame import frame, on_arrival
from counterplay.web.play import play_page
from counterplay.web.practice import open_practice
from counterplay.web.runs import runs_page
from counterplay.web.watch import watch_page

if TYPE_CHECKING:
    from counterplay.web.server import House

FIRST = ("connect-four", "tic-tac-toe", "othello", "chess", "go", "kuhn-poker")
"""What a newcomer sees first."""


def open_pages(house: House, openapi: Callable[[], dict[str, Any]]) -> None:
    """Register every page."""

    @ui.page("/")
    def home() -> None:
        with frame("Games", "/"):
            home_page(house)

    @ui.page("/play")
    def play(request: Request) -> None:
        with frame("Play", "/play"):
            on_arrival(lambda: play_page(house, request.query_params))

    @ui.page("/watch")
    def watch(request: Request) -> None:
        with frame("Watch", "/watch"):
            on_arrival(lambda: watch_page(house, request.query_params))

    @ui.page("/analyse")
    def analyse(request: Request) -> None:
        with frame("Analyse", "/analyse"):
            on_arrival(lambda: analyse_page(house, request.query_params))

    @ui.page("/arena")
    def arena(request: Request) -> None:
        with frame("Arena", "/arena"):
            arena_page(house, request.query_params)

    @ui.page("/runs")
    def runs(request: Request) -> None:
        with frame("Runs", "/runs"):
            runs_page(house, request.query_params)

    open_practice(house)

    @ui.page("/docs")
    def docs() -> None:
        with frame("API", "/docs"):
            docs_page(openapi())

    @pages.get("/picture")
    def picture(game: str) -> Response:
        if game not in house.shelf.names():
            return Response(text_card("no such game"), 404, media_type="image/svg+xml")
        return Response(drawn(house, game), media_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})


def home_page(house: House) -> None:
    """Every game with its picture; a click begins."""
    with ui.element("h1").classes("cp-game-title"):
        ui.label("Pick a game and play at once.")
    names = house.shelf.names()
    rest = [name for name in names if name not in FIRST and name not in house.shelf.own]
    ui.html("".join(card(house, name) for name in (*house.shelf.own, *FIRST)), sanitize=False).classes("cp-games")
    with ui.row().classes("items-center"):
        ui.label("Or see how a search thinks:").classes("cp-dim")
        ui.link("watch alpha-beta prune the tree of the lecture", "/watch")
    with ui.element("h2").classes("cp-title"):
        ui.label("More games")
    ui.html("".join(card(house, name) for name in rest), sanitize=False).classes("cp-games")


@lru_cache(maxsize=REMEMBERED)
def card(house: House, name: str) -> str:
    """A game as a link with a picture."""
    try:
        game = house.shelf.game(name)
    except CounterplayError:
        return ""
    words = kind(game.traits._asdict())
    return (
        f'<a href="/play?game={escape(name)}" title="{escape(name)}"><div class="cp-stage">{drawn(house, name)}</div>'
        f"<b>{escape(title_of(game))}</b><span>{escape(first_sentence(type(game)))}</span>"
        f'<span class="cp-dim">{escape(words)}</span></a>'
    )


@lru_cache(maxsize=REMEMBERED)
def drawn(house: House, name: str) -> str:
    """The picture of a game on its card."""
    try:
        p = house.shelf.game(name).start(seed=3).roll()
        return p.game.svg(p.state)
    except CounterplayError as wrong:
        return text_card(str(wrong))


def docs_page(schema: dict[str, Any]) -> None:
    """The API, as its schema has it."""
    ui.label("HTTP API").classes("text-xl")
    ui.label("Send and get JSON. What is wrong comes back as 4xx with one sentence in `error`.").classes("cp-dim")
    ui.link("/openapi.json", "/openapi.json")
    for path, methods in schema["paths"].items():
        for method, about in methods.items():
            with ui.column().classes("cp-card"):
                ui.label(f"{method.upper()} {path}").classes("cp-title font-mono")
                ui.label(about.get("description", ""))
                content = about.get("requestBody", {}).get("content", {}).get("application/json", {})
                name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
                if name:
                    ui.html(fields(schema["components"]["schemas"][name]), sanitize=False).classes("cp-scroll")
    ui.code(
        "curl -s localhost:8123/api/search -H 'content-type: application/json' \\\n"
        '  -d \'{"game": "connect-four", "moves": "4 4", "seconds": 1}\'',
        language="bash",
    ).classes("w-full")


def fields(model: dict[str, Any]) -> str:
    """The fields of a request as a table."""
    rows = []
    for name, about in model["properties"].items():
        kinds = [about, *about.get("anyOf", [])]
        types = " or ".join(each["type"] for each in kinds if "type" in each)
        default = "" if name in model.get("required", []) else f"{about.get('default')!r}"
        cells = (name, types, default, about.get("description", ""))
        rows.append("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>")
    head = "<tr><th>field</th><th>type</th><th>default</th><th>what</th></tr>"
    return f'<table class="cp-table">{head}{"".join(rows)}</table>'
