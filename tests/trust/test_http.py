"""Fuzzed HTTP requests: every status is below 500, every refusal is a sentence, and the server survives."""

from __future__ import annotations

import http.client
import json
import os
import random
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from trust.commands import MOVES, NUMBERS, SMALL, WORDS, game, spec
from trust.damage import NASTY, changed_value
from trust.fuzzing import cpu_time
from web.chromium import served

SEED = os.environ.get("TRUST_SEED", "1")
OTHERS = ("/picture?game=", "/play?game=", "/watch?game=", "/analyse?game=", "/api/", "/openapi.json?", "/runs?run=")
REQUESTS = 3000
GROWTH = 300 << 20
"""Bytes that the server may grow by."""


def request(rng):
    """A method, a path and a body."""
    body = {"game": game(rng), "moves": rng.choice(MOVES), "position": rng.choice((None, None, *NASTY))}
    kind = rng.choice(("position", "position", "position", "search", "games", "other"))
    if kind == "position":
        body |= {"viewer": rng.choice((None, 0, 1, 7)), "svg": rng.random() < 0.3}
    elif kind == "search":
        body |= {"player": spec(rng), "seconds": 0.05, "every": rng.random() < 0.3}
    if rng.random() < 0.4:
        body = changed_value(body, rng)
    data = json.dumps(body)
    if rng.random() < 0.15:
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.choice(NASTY) + data[at + rng.randrange(3) :]
    words = "".join(f"%{byte:02x}" for byte in rng.choice((*SMALL, *WORDS, *NUMBERS)).encode(errors="replace")[:200])
    if kind == "games":
        return "GET", f"/api/games/{words}", b""
    if kind == "other":
        return rng.choice(("GET", "GET", "POST", "PUT", "DELETE")), rng.choice(OTHERS) + words, b""
    return "POST", f"/api/{kind}", data.encode(errors="replace")


def ask(line, method, path, body):
    """An answer and its body. The server hangs up on a silent client: then try once more, on a new connection."""
    for attempt in (0, 1):
        try:
            line.request(method, path, body, {"Content-Type": "application/json"})
            answer = line.getresponse()
            return answer, answer.read()
        except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected):
            line.close()
            if attempt:
                raise
    return None


def memory(address):
    """Bytes of the process that listens there."""
    port = f"{urlsplit(address).port:04X}"
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    (inode,) = {row[9] for row in rows if row[1].endswith(f":{port}") and row[3] == "0A"}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(os.readlink(link) == f"socket:[{inode}]" for link in (process / "fd").iterdir()):
                return int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            continue
    return 0


@pytest.mark.trust
def test_garbage_over_http():
    pytest.importorskip("nicegui")
    log: list[str] = []
    began, spent = time.monotonic(), cpu_time()
    with served("--workers", "1", log=log) as address:
        url = urlsplit(address)
        line = http.client.HTTPConnection(url.hostname, url.port, timeout=600)
        settled = 0
        for number in range(REQUESTS):
            method, path, body = request(random.Random(f"http {SEED} {number}"))
            answer, data = ask(line, method, path, body)
            told = (
                f"request {number} of seed {SEED}: {method} {path} {body[:500]!r} gets {answer.status} {data[:300]!r}"
            )
            assert answer.status < 500 or answer.status == 503, told
            if path.startswith("/api/") and answer.status >= 400:
                assert "\n" not in json.loads(data)["error"], told
            if number == 500:
                settled = memory(address)
        assert memory(address) < settled + GROWTH
    took, spent = time.monotonic() - began, cpu_time() - spent
    print(f"http: {REQUESTS:,} requests in {took:.0f} s, {spent:.0f} s of CPU time, seed {SEED}")
    assert [line for line in log if not line.endswith("not found\n")] == []
