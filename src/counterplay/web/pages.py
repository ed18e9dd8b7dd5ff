"""All pages, each by its address."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

from fastapi import Request, Response
from nicegui import Client, ui
from nicegui import app as pages
from nicegui.page import page

from counterplay.core.formats.svg import text_card
from counterplay.web.analyse import analyse_page
from counterplay.web.contest import arena_page
from counterplay.web.frame import commands, frame, heading, on_arrival
from counterplay.web.home import drawn, home_page
from counterplay.web.lessons import open_lessons
from counterplay.web.machines import machines_page
from counterplay.web.play import play_page
from counterplay.web.practice import open_practice
from counterplay.web.runs import runs_page
from counterplay.web.watch import watch_page

if TYPE_CHECKING:
    from counterplay.web.server import House


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

    @ui.page("/machines")
    def machines() -> None:
        with frame("Machines", "/machines"):
            machines_page()

    open_practice(house)
    open_lessons(house)

    @ui.page("/docs")
    def docs() -> None:
        with frame("API", "/docs"):
            docs_page(openapi())

    @pages.exception_handler(404)
    async def missing(request: Request, wrong: Exception) -> Response:
        if request.url.path.startswith(("/_nicegui", "/picture", "/favicon")):
            return Response("not found", 404, media_type="text/plain")
        with Client(page(""), request=request) as client, frame("Not found", ""):
            missing_page(request.url.path)
        return client.build_response(request, 404)

    @pages.get("/picture")
    def picture(game: str) -> Response:
        if game not in house.shelf.names():
            return Response(text_card("no such game"), 404, media_type="image/svg+xml")
        return Response(drawn(house, game), media_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})


def missing_page(path: str) -> None:
    """The page for an unknown address."""
    heading("There is no such page")
    ui.label(f"There is nothing at {path[:80]}. Every game is on the first page; the links above lead everywhere else.")
    ui.link("All games", "/").classes("cp-do-home")


def docs_page(schema: dict[str, Any]) -> None:
    """The API's schema as a page."""
    heading("HTTP API")
    ui.label("Send and receive JSON. Errors return 4xx with one sentence in `error`.").classes("cp-dim")
    ui.link("/openapi.json", "/openapi.json")
    for path, methods in schema["paths"].items():
        for method, about in methods.items():
            with ui.column().classes("cp-card"):
                heading(f"{method.upper()} {path}", 2, "font-mono")
                ui.label(about.get("description", ""))
                content = about.get("requestBody", {}).get("content", {}).get("application/json", {})
                name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
                if name:
                    ui.html(fields(schema["components"]["schemas"][name]), sanitize=False).classes("cp-scroll")
    commands(
        "curl -s localhost:8123/api/search -H 'content-type: application/json' \\\n"
        '  -d \'{"game": "connect-four", "moves": "4 4", "seconds": 1}\''
    )


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
