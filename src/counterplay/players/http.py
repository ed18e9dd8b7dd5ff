"""A web service as a player: `http:URL` sends each position as JSON and reads the action from the answer's text.

Each question is a POST with this body:

    {"game": "tic-tac-toe", "player": 0, "name": "x", "position": "...", "board": "...", "legal": ["a1", "b1"],
     "history": ["b2"], "time": 30.0, "refused": "z9"}

`position` is left out if the game hides information; `board` and `history` are as the player may see them, with ? for
hidden parts; `refused` is the service's last answer to the same question, if that was not legal. The answer is
{"action": "a1"}, or the action alone as text; {"resign": true} resigns.
"""

from __future__ import annotations

import http.client
import json
import time as clocks
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from counterplay.core.errors import CounterplayError, IllegalAction, InvalidAction
from counterplay.core.formats.options import written
from counterplay.core.formats.text import shorten
from counterplay.core.playthrough import Playthrough
from counterplay.players.clock import Clock, thinking_time
from counterplay.players.player import Forfeit, Player
from counterplay.search.decision import Decision, Report

TIME = 30.0
"""Seconds for an answer."""
RETRIES = 2
"""How often a service is asked again if it fails or its answer is not legal."""
LARGEST = 1 << 16
"""The number of bytes of an answer that are read."""


class Http(Player):
    """A service that is asked for its action, such as a language model's."""

    outside = "calls a web service"

    def __init__(self, url: str, time: float = TIME, retries: int = RETRIES) -> None:
        address = url if "://" in url else f"http:{url}" if url.startswith("//") else f"http://{url}"
        if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).hostname:
            raise CounterplayError(f"{url!r} is not the address of a service; write http:http://localhost:8000/move")
        if not time > 0:
            raise CounterplayError(f"time={time:g}: a service needs a number of seconds, more than 0")
        if retries < 0:
            raise CounterplayError(f"retries={retries} must be at least 0")
        self.url, self.time, self.retries = address, time, retries
        told = {
            name: value
            for name, value, usual in (("time", time, TIME), ("retries", retries, RETRIES))
            if value != usual
        }
        self.spec = ",".join([f"http:{address}", *(f"{name}={written(value)}" for name, value in told.items())])
        self.illegal = 0
        """Answers that were not legal, since the last call of `complaint`."""
        self.failures = 0
        """Questions without an answer, likewise."""

    def think(self, p: Playthrough, report: Report | None = None, clock: Clock | None = None) -> Decision:
        seconds = thinking_time(p.to_move, clock, self.time, None) or self.time
        started, refused, trouble = clocks.monotonic(), "", Forfeit("")
        for _ in range(self.retries + 1):
            try:
                answer = self.ask(question(p, seconds, refused), seconds)
            except Forfeit as wrong:
                if wrong.kind == "resigned":
                    raise
                self.failures += 1
                trouble = wrong
                continue
            action = meant(p, answer)
            if action is not None:
                return Decision(action, seconds=clocks.monotonic() - started)
            self.illegal += 1
            refused = shorten(answer)
            trouble = Forfeit(f"{self.spec} plays {refused!r}, which is not legal here", "illegal")
        asked = self.retries + 1
        raise Forfeit(f"{trouble} ({asked} {'question' if asked == 1 else 'questions'})", trouble.kind)

    def ask(self, body: dict[str, Any], seconds: float) -> str:
        """The answer to a question; Forfeit if there is none."""
        request = urllib.request.Request(
            self.url, json.dumps(body).encode(), {"Content-Type": "application/json", "Accept": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=seconds) as reply:
                text = reply.read(LARGEST).decode(errors="replace")
        except urllib.error.HTTPError as wrong:
            raise Forfeit(f"{self.spec} answers with the status {wrong.code}", "died") from None
        except TimeoutError:
            raise Forfeit(f"{self.spec} hangs: no answer within {seconds:g} s", "silent") from None
        except (OSError, http.client.HTTPException) as wrong:
            reason = getattr(wrong, "reason", wrong)
            if isinstance(reason, TimeoutError):
                raise Forfeit(f"{self.spec} hangs: no answer within {seconds:g} s", "silent") from None
            why = str(getattr(reason, "strerror", None) or reason or type(wrong).__name__).lower()
            raise Forfeit(f"{self.spec} cannot be reached: {why}", "died") from None
        return self.said(text)

    def said(self, text: str) -> str:
        """The action named in an answer."""
        try:
            data = json.loads(text)
        except ValueError:
            return text.strip()
        if isinstance(data, dict):
            if data.get("resign") is True:
                raise Forfeit(f"{self.spec} resigns", "resigned")
            data = data.get("action", "")
        return str(data).strip()

    def complaint(self) -> str:
        parts = [
            f"{count} {one if count == 1 else many}"
            for count, one, many in (
                (self.illegal, "illegal answer", "illegal answers"),
                (self.failures, "question without an answer", "questions without an answer"),
            )
            if count
        ]
        self.illegal = self.failures = 0
        return " and ".join(parts)


def question(p: Playthrough, seconds: float, refused: str) -> dict[str, Any]:
    """The body of a question."""
    game, me = p.game, p.to_move
    hidden = game.has_secrets
    body: dict[str, Any] = {"game": game.spec, "player": me, "name": game.player_name(me)}
    if not hidden:
        body["position"] = p.position
    body |= {"board": game.board(p.state, me if hidden else None), "legal": p.legal()}
    body |= {"history": p.moves_seen_by(me) if hidden else p.moves, "time": seconds}
    return body | ({"refused": refused} if refused else {})


def meant(p: Playthrough, text: str) -> int | None:
    """The legal action that an answer means, if any."""
    try:
        action = p.game.parse_action(p.state, text)
    except (InvalidAction, IllegalAction, CounterplayError):
        return None
    return action if action in p.options() else None
