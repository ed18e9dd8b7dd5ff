"""The first reply in the app: a visitor opens the page of a game in which the computer begins, and waits for its move;
once in a new server with nothing compiled, and once in a server that finds compiled code on the disk.

The visitor acts like a browser, as in `web`. Two processes may work for it at once, one that compiles and one that
plays uncompiled until then. So the reported CPU time is that of the server and of the busier one of the two, plus the
seconds before the second one is asked: an upper bound on the wait on two idle cores.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

from benchmarks.measure import Differs, Duration, Outcome, Skipped
from benchmarks.speed.web import cpu_of
from counterplay.core.registry import catalogue, load
from counterplay.web.preparing import PATIENCE as BEFORE_STANDING_IN
from counterplay.web.preparing import SOON, is_light, prepare_ahead
from counterplay.web.strength import levels, usual

NAME = "first-reply"
COLD, WARM = 8.0, 1.0
"""The maximum wait in seconds for an easy opponent; a stronger one may also think for its own second."""
PATIENCE = 240.0
STILL = 0.05
"""CPU seconds in half a second: below this, starting processes have finished starting."""
QUICK = ("tic-tac-toe", "connect-four", "kuhn-poker")
REPLIED = re.compile(r"Your move|won|lost|A draw|over")


class Page:
    """A page to play on, and its messages."""

    def __init__(self, address: str, game: str, player: str, players: int) -> None:
        seats = {f"p{i + 1}": player if i == 0 else "human" for i in range(players)}
        self.address, self.path = address, "/play?" + urlencode({"game": game, **seats})
        self.texts: dict[str, str] = {}
        self.heard = asyncio.Event()

    async def visit(self) -> float:
        """Seconds from the request to the reply."""
        import aiohttp
        import socketio

        started = time.perf_counter()
        async with aiohttp.ClientSession() as session, session.get(self.address + self.path) as answer:
            page = await answer.text()
        client = json.loads(re.search(r"query: (\{.*?\}),", page)[1].replace("'", '"').replace("True", "true"))  # type: ignore[index]
        socket = socketio.AsyncClient(reconnection=False)
        socket.on("update", self.hear)
        query = f"client_id={client['client_id']}&tab_id={client['client_id']}&document_id=x&next_message_id=0"
        url = f"{self.address}/?{query}&implicit_handshake=true"
        await socket.connect(url, socketio_path="/_nicegui_ws/socket.io", transports=["websocket"])
        try:
            await self.until(lambda: any(REPLIED.match(text) for text in self.texts.values()))
            return time.perf_counter() - started
        finally:
            await socket.disconnect()

    async def until(self, done: Callable[[], bool]) -> None:
        """Wait for news that meet a condition."""
        while not done():
            self.heard.clear()
            await asyncio.wait_for(self.heard.wait(), PATIENCE)

    def hear(self, news: dict[str, Any]) -> None:
        """Update a part of the page."""
        self.texts |= {key: str(each.get("text", "")) for key, each in news.items() if isinstance(each, dict)}
        self.heard.set()


@contextmanager
def served(cache: str) -> Iterator[tuple[str, int]]:
    """A server with its compiled code in a folder: its address and its process."""
    command = [sys.executable, "-m", "counterplay", "serve", "--no-prepare", "--port", "0"]
    environment = {**os.environ, "COUNTERPLAY_CACHE": cache}
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert server.stderr is not None
    try:
        address = ""
        while not address:
            found = re.search(r"(http://\S+)/ ", server.stderr.readline())
            address = found[1] if found else ""
        settle(server.pid)
        yield address, server.pid
    finally:
        server.terminate()
        server.wait()
        server.stderr.close()


def settle(server: int) -> None:
    """Wait until the processes of a server have started."""
    before = -1.0
    while (now := sum(work_of(server).values())) > before + STILL:
        before = now
        time.sleep(0.5)


def work_of(server: int) -> dict[int, float]:
    """The CPU time so far of a server and of the processes that it has started."""
    return {process: cpu_of(process) for process in (server, *children(server))}


def ask(address: str, server: int, game: str, player: str, state: str, limit: float) -> Outcome:
    """One visit."""
    work = f"{game}, {player}: the first reply, {state}"
    before = work_of(server)
    page = Page(address, game, player, load(game).players)
    try:
        seconds = asyncio.run(page.visit())
    except TimeoutError:
        return Differs(NAME, work, "", f"no reply, but {sorted(filter(None, page.texts.values()))}")
    worked = {process: cpu - before.get(process, 0.0) for process, cpu in work_of(server).items()}
    timer = SOON if is_light(player) else BEFORE_STANDING_IN
    helpers = [
        cpu + timer * (cpu > 0 and plays_uncompiled(process)) for process, cpu in worked.items() if process != server
    ]
    return Duration(NAME, work, seconds, min(seconds, worked[server] + max(helpers, default=0.0)), limit)


def plays_uncompiled(process: int) -> bool:
    """Whether a process answers until others have compiled."""
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            return b"NUMBA_DISABLE_JIT=1" in file.read().split(b"\0")
    except OSError:
        return False


def children(process: int) -> list[int]:
    """The processes that a process has started, if the system reports them."""
    try:
        with open(f"/proc/{process}/task/{process}/children") as file:
            return [int(each) for each in file.read().split()]
    except OSError:
        return []


def run(quick: bool, games: Sequence[str] = ()) -> Iterator[Outcome]:
    """Every game with its default opponent, cold and warm. If games are named, only those, and with a strong opponent
    as well."""
    try:
        import aiohttp  # noqa: F401
        import nicegui  # noqa: F401
        import socketio  # noqa: F401
    except ImportError as wrong:
        yield Skipped(NAME, "the first reply", "", str(wrong))
        return
    names = [name for name in games or (QUICK if quick else sorted(catalogue())) if load(name).players > 1]
    opponents = {name: usual(load(name)).spec for name in names}
    cold = list(opponents.items())
    if games:
        cold += [(name, level.spec) for name in names for level in levels(load(name)) if level.word == "strong"]
    for name, player in cold:
        with tempfile.TemporaryDirectory() as cache, served(cache) as (address, server):
            yield ask(address, server, name, player, "cold", COLD)
    with tempfile.TemporaryDirectory() as cache:
        asyncio.run(compile_all(list(opponents.items()), cache))
        with served(cache) as (address, server):
            for name, player in opponents.items():
                yield ask(address, server, name, player, "warm", WARM)


async def compile_all(wanted: list[tuple[str, str]], cache: str) -> None:
    """Fill a folder with the compiled code of games and players, on two cores."""
    before = os.environ.get("COUNTERPLAY_CACHE")
    os.environ["COUNTERPLAY_CACHE"] = cache
    try:
        await asyncio.gather(prepare_ahead(wanted[::2]), prepare_ahead(wanted[1::2]))
    finally:
        del os.environ["COUNTERPLAY_CACHE"]
        os.environ |= {} if before is None else {"COUNTERPLAY_CACHE": before}
