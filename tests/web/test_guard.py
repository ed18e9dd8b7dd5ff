"""What comes in from outside: hosts, other sites' pages, large and slow requests, garbage over sockets."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from web.chromium import served

from counterplay.core.errors import CounterplayError
from counterplay.core.playthrough import open_playthrough
from counterplay.web.connections import HEAD_SECONDS
from counterplay.web.guard import Hosts, host_of
from counterplay.web.thinking import train

SEARCH = json.dumps({"game": "tic-tac-toe", "player": "random"})
MANY = json.dumps({f"key {i}": i for i in range(400_000)}).encode()


def request(address, path="/api/games/nim", method="GET", body=None, **headers):
    """Status, headers and text of an answer."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, named, encode_chunked="Transfer-Encoding" in named)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, text


# Bodies.


@pytest.mark.parametrize("chunked", [False, True], ids=["with its length", "in chunks"])
def test_a_large_body_is_refused_before_it_is_read(address, chunked):
    began = time.monotonic()
    more = {"Transfer_Encoding": "chunked"} if chunked else {}
    body = (MANY[i : i + 65_536] for i in range(0, len(MANY), 65_536)) if chunked else MANY
    status, _, text = request(address, "/api/position", "POST", body, Content_Type="application/json", **more)
    assert (status, json.loads(text)) == (413, {"error": "a request may have at most 65,536 bytes"})
    assert time.monotonic() - began < 2.5  # parsed, it takes twice as much memory


def test_refusals_repeat_little_of_what_was_sent(address):
    body = json.dumps({"game": "nim", "x" * 30_000: 1, **{f"y{i}": 1 for i in range(2000)}})
    status, _, text = request(address, "/api/position", "POST", body, Content_Type="application/json")
    assert status == 422
    assert len(text) < 500
    status, _, text = request(address, "/api/position", "POST", b"[" * 60_000, Content_Type="application/json")
    assert status in (400, 422)
    assert len(text) < 500


# Hosts and other sites.


def test_names_that_a_server_goes_by():
    here = Hosts("127.0.0.1", ["games.example.org"])
    assert all(name in here for name in ("localhost", "127.0.0.1", "::1", "games.example.org"))
    assert not any(name in here for name in ("", "evil.example", "192.168.0.7", "localhost.evil.example"))
    everywhere = Hosts("0.0.0.0")
    assert "192.168.0.7" in everywhere
    assert socket.gethostname().lower() in everywhere
    assert "evil.example" not in everywhere
    heads = ("LocalHost:8123", "[::1]:80", "[::1]", "a.b.", "")
    assert [host_of(each) for each in heads] == ["localhost", "::1", "::1", "a.b", ""]


def test_a_foreign_host_is_refused(address):
    for path in ("/", "/api/games", "/_nicegui_ws/socket.io/?EIO=4&transport=polling"):
        status, _, text = request(address, path, Host="evil.example")
        assert (status, "does not accept the host name 'evil.example'" in text) == (421, True)
    for host in ("localhost", "127.0.0.1:99", "[::1]:8123"):
        assert request(address, Host=host)[0] == 200


def test_pages_of_other_sites_are_refused(address):
    own = urlsplit(address).netloc
    polling = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"http://{own}.evil.example"):
        status, headers, text = request(address, polling, Origin=origin)
        assert (status, "other sites" in text) == (403, True)
        assert not [name for name in headers if name.startswith("access-control")]
    status, headers, _ = request(address, polling, Origin=f"http://{own}")
    assert status == 200
    assert not [name for name in headers if name.startswith("access-control")]


def test_a_socket_of_another_site_is_refused(address):
    websockets = pytest.importorskip("websockets")
    url = address.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"

    async def first_word(**headers):
        async with websockets.connect(url, **headers) as opened:
            return await opened.recv()

    assert asyncio.run(first_word(origin=address)).startswith("0{")
    with pytest.raises(websockets.exceptions.InvalidStatus, match="403"):
        asyncio.run(first_word(origin="http://evil.example"))


@pytest.mark.parametrize(
    "path", ["/", "/api/games/nim", "/api/games/nothing", "/nowhere", "/picture?game=nim", "/play"]
)
def test_every_answer_is_hardened(address, path):
    _, headers, _ = request(address, path)
    assert headers["x-frame-options"] == "DENY"
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "default-src 'self'" in headers["content-security-policy"]


# Slow requests and garbage.


def test_slow_connections_are_cut_off(address):
    url = urlsplit(address)
    said = [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\nX-", b"GET /play?moves=" + b"a" * 200_000]
    began, opened = time.monotonic(), []
    for words in said * 10:
        opened.append(socket.create_connection((url.hostname, url.port)))
        opened[-1].settimeout(3 * HEAD_SECONDS)
        try:
            opened[-1].sendall(words)
        except OSError:
            pass  # cut off already
    assert request(address)[0] == 200
    for each in opened:
        try:
            while each.recv(4096):
                pass
        except ConnectionError:
            pass
        each.close()
    assert time.monotonic() - began < 2 * HEAD_SECONDS


GARBAGE = ["", "x", "4", "9", "42", "42{", "42[]", "42[[1]]", '42["event",7]', '42["event",{}]', '42["connect"]', "44",
           '42["disconnect",1,2]', '42["handshake",null]', '42["log",{}]', "451-[1]", "48", "bAA", b"\0",
           "42" + "[" * 9000]  # fmt: skip


def test_garbage_over_a_socket_leaves_nothing_in_the_log(tmp_path):
    websockets = pytest.importorskip("websockets")
    pytest.importorskip("nicegui")

    async def talk(address):
        url = address.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
        for more in ("", "&implicit_handshake=true", "&implicit_handshake=true&client_id=x"):
            for words in GARBAGE:
                async with websockets.connect(url + more) as opened:
                    await opened.recv()
                    try:
                        await opened.send("40")
                        await opened.send(words)
                        await asyncio.wait_for(opened.recv(), 0.05)
                    except (TimeoutError, websockets.exceptions.ConnectionClosed):
                        pass

    log: list[str] = []
    with served("--workers", "1", log=log) as address:
        asyncio.run(talk(address))
        assert request(address)[0] == 200
    assert log == []


# Long playthroughs.


def test_moves_are_played_within_their_time():
    from counterplay import load

    with pytest.raises(CounterplayError, match="longer than 0 seconds to play"):
        open_playthrough(load("tic-tac-toe"), None, "a1 b2", seconds=0.0)


def test_pictures_of_unknown_games_are_not_kept(address):
    from counterplay.web.home import REMEMBERED, card, drawn

    assert request(address, "/picture?game=nothing")[0] == 404
    assert request(address, "/picture?game=nim")[0] == 200
    assert drawn.cache_info().maxsize == card.cache_info().maxsize == REMEMBERED


def test_a_long_playthrough_keeps_nobody_waiting(address):
    """Replaying a game of Go on 19x19 takes seconds: others are answered meanwhile."""
    moves = " ".join(f"{column}{row}" for row in range(1, 8) for column in "ABCDEFGHJKLMNOPQRST")
    body = json.dumps({"game": "go:size=19", "moves": moves})
    asked = {"Content_Type": "application/json"}
    with ThreadPoolExecutor() as pool:
        began = time.monotonic()
        slow = pool.submit(request, address, "/api/search", "POST", body[:-1] + ', "player": "random"}', **asked)
        waits = []
        while not slow.done():
            asked_at = time.monotonic()
            assert request(address, "/openapi.json")[0] == 200
            waits.append(time.monotonic() - asked_at)
        took = time.monotonic() - began
    assert slow.result()[0] == 200
    assert max(waits) < took / 2


# Work only for visitors who are connected.


def test_a_page_that_is_only_fetched_starts_no_work():
    """Such as by an image on another site: the only worker is free at once."""
    with served("--workers", "1") as address:
        request(address, "/api/search", "POST", SEARCH, Content_Type="application/json")  # the worker is awake
        began = time.monotonic()
        for _ in range(4):
            assert request(address, "/play?game=connect-four&p1=alphabeta:time=10&p2=alphabeta:time=10")[0] == 200
            assert request(address, "/watch?game=kriegspiel-ending&a=cfr%2B:iterations=100")[0] == 200
            assert request(address, "/analyse?game=go:size=19&moves=A1")[0] == 200
        assert request(address, "/api/search", "POST", SEARCH, Content_Type="application/json")[0] == 200
        assert time.monotonic() - began < 8


def test_a_client_who_leaves_ends_its_search():
    with served("--workers", "1") as address:
        request(address, "/api/search", "POST", SEARCH, Content_Type="application/json")
        url, long = urlsplit(address), json.dumps({"game": "tic-tac-toe", "player": "mcts:time=10,solver=off"})
        head = f"POST /api/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(long)}\r\n"
        for _ in range(4):
            with socket.create_connection((url.hostname, url.port)) as leaving:
                leaving.sendall(f"{head}Content-Type: application/json\r\n\r\n{long}".encode())
                time.sleep(0.3)
        began = time.monotonic()
        assert request(address, "/api/search", "POST", SEARCH, Content_Type="application/json")[0] == 200
        assert time.monotonic() - began < 10


def test_trees_too_large_are_refused_before_they_are_built():
    from web.test_seating import Talk

    began = time.monotonic()
    with pytest.raises(CounterplayError, match="more than 100,000 histories"):
        train(Talk(), "phantom-tic-tac-toe", "cfr+", 100)
    assert time.monotonic() - began < 60
