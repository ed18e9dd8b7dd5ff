"""The app in the browser under load: many visitors play at once, and each of their actions is answered by a new board.

A visitor acts like a browser: it fetches the page, opens the page's socket, sends the click on a column and waits for
the board with the stone. Between two clicks it pauses for a second, as a quick person does; it also waits for the
opponent's reply, which has its own time to think, but that wait does not count.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.measure import Differs, Duration, Outcome, Skipped

NAME = "web"
VISITORS, CLICKS, PAUSE = 50, 8, 1.0
TARGET = 0.3
PATIENCE = 60.0
PAGE = "/play?game=connect-four&p1=human&p2=random"


class Visitor:
    """One page and its socket."""

    def __init__(self, address: str, number: int) -> None:
        self.address, self.rng = address, random.Random(number)
        self.waits: list[float] = []
        self.changed, self.over = asyncio.Event(), False
        self.board, self.listener = "", ""
        self.scene: dict[str, Any] = {"actions": []}

    async def play(self, clicks: int) -> None:
        """Open the page and play, started again when a game is over."""
        import aiohttp
        import socketio

        async with aiohttp.ClientSession() as session, session.get(self.address + PAGE) as answer:
            page = await answer.text()
        client = json.loads(re.search(r"query: (\{.*?\}),", page)[1].replace("'", '"').replace("True", "true"))  # type: ignore[index]
        socket = socketio.AsyncClient(reconnection=False)
        socket.on("update", self.hear)
        query = f"client_id={client['client_id']}&tab_id={client['client_id']}&document_id=x&next_message_id=0"
        url = f"{self.address}/?{query}&implicit_handshake=true"
        await socket.connect(url, socketio_path="/_nicegui_ws/socket.io", transports=["websocket"])
        try:
            while not self.scene["actions"]:  # the board arrives once the socket is connected
                await asyncio.wait_for(self.changed.wait(), PATIENCE)
                self.changed.clear()
            for _ in range(clicks):
                await asyncio.sleep(PAUSE * self.rng.uniform(0.5, 1.5))
                if not self.scene["actions"]:
                    return  # the game is over
                self.changed.clear()
                chosen = {"action": self.rng.choice(self.scene["actions"])["number"], "key": self.scene["key"]}
                told = {"id": int(self.board), "client_id": client["client_id"], "listener_id": self.listener}
                started = time.perf_counter()
                await socket.emit("event", {**told, "args": [json.dumps(chosen)]})
                await asyncio.wait_for(self.changed.wait(), PATIENCE)
                self.waits.append(time.perf_counter() - started)
                while not self.scene["actions"] and not self.over:
                    self.changed.clear()
                    await asyncio.wait_for(self.changed.wait(), PATIENCE)
        finally:
            await socket.disconnect()

    def hear(self, news: dict[str, Any]) -> None:
        """Update a part of the page."""
        if not self.board:
            heard = ((key, event) for key, each in news.items() for event in (each or {}).get("events", ()))
            clicks = ((key, event["listener_id"]) for key, event in heard if event["type"] == "act")
            self.board, self.listener = next(clicks, ("", ""))
        if news.get(self.board):
            self.scene = news[self.board]["props"]["scene"]
            self.changed.set()
        if any(
            re.search(r"won|A draw|lost", str(each.get("text", ""))) for each in news.values() if isinstance(each, dict)
        ):
            self.over = True
            self.changed.set()


def run(quick: bool) -> Iterator[Outcome]:
    """The median and the longest of all waits."""
    try:
        import aiohttp  # noqa: F401
        import nicegui  # noqa: F401
        import socketio  # noqa: F401
    except ImportError as wrong:
        yield Skipped(NAME, "visitors at once", "", str(wrong))
        return
    visitors, clicks = (10, 3) if quick else (VISITORS, CLICKS)
    command = [sys.executable, "-m", "counterplay", "serve", "--no-prepare", "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    try:
        address = ""
        while not address:
            found = re.search(r"(http://\S+)/ ", server.stderr.readline())
            address = found[1] if found else ""
        asyncio.run(crowd(address, 2, 2))  # start every process
        before = cpu_of(server.pid)
        waits, lost = asyncio.run(crowd(address, visitors, clicks))
        cpu = cpu_of(server.pid) - before
    finally:
        server.terminate()
        server.wait()
        server.stderr.close()
    work = f"{visitors} visitors play, {len(waits)} clicks"
    if lost:
        yield Differs(NAME, work, "", f"{len(lost)} visitors got no answer: {lost[0]!r}")
        return
    median = statistics.median(waits)
    yield Duration(NAME, f"{work}: the median wait", median, min(cpu / max(1, len(waits)), median), TARGET)


async def crowd(address: str, visitors: int, clicks: int) -> tuple[list[float], list[BaseException]]:
    """All waits, and any failures."""
    people = [Visitor(address, i) for i in range(visitors)]
    ends = await asyncio.gather(*(each.play(clicks) for each in people), return_exceptions=True)
    return [wait for each in people for wait in each.waits], [end for end in ends if end is not None]


def cpu_of(process: int) -> float:
    """Seconds of CPU time that a process has had, if the system reports it."""
    try:
        with open(f"/proc/{process}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
