"""`http:URL`: services that answer correctly, hang, die or answer nonsense."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import counterplay as cp
from counterplay.arena.openings import Opening
from counterplay.arena.referee import play
from counterplay.core.errors import CounterplayError
from counterplay.core.registry import load
from counterplay.players.specs import player


class Service(BaseHTTPRequestHandler):
    """Answers according to the requested address."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        good, kind = json.dumps({"action": asked["legal"][0]}), self.path.strip("/")
        if kind == "hangs":
            time.sleep(1)
        if kind == "dies":
            self.close_connection = True
            return
        if kind == "broken":
            self.send_error(500)
            return
        answers = {"well": good, "text": asked["legal"][-1], "nonsense": "\x00\xff {", "resigns": '{"resign": true}'}
        answers["learns"] = good if "refused" in asked else '{"action": "z9"}'
        answers["list"] = "[1, 2]"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answers.get(kind, good).encode())

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def server():
    made = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    made.asked = []
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def played(server, kind, options="", game="tic-tac-toe"):
    server.asked.clear()
    spec = f"http:http://127.0.0.1:{server.server_port}/{kind}{options}"
    return play(load(game), [player(spec), player("random")], Opening())


@pytest.mark.parametrize("kind", ["well", "text"])
def test_a_service_plays(server, kind):
    found = played(server, kind)
    assert (found.ended, found.note) == ("rules", "")
    first, second = server.asked[:2]
    assert (first["game"], first["player"], first["history"], len(first["legal"])) == ("tic-tac-toe", 0, [], 9)
    assert len(second["history"]) == 2
    assert load("tic-tac-toe").parse_position(second["position"]) is not None


def test_what_is_hidden_stays_hidden(server):
    played(server, "well", game="kuhn-poker")
    assert "position" not in server.asked[0]
    assert server.asked[0]["history"].count("?") == 1


@pytest.mark.parametrize(
    "kind, options, ended, said",
    [
        ("hangs", ",time=0.1,retries=0", "silent", "hangs: no answer within 0.1 s"),
        ("dies", ",retries=1", "died", "cannot be reached"),
        ("broken", "", "died", "answers with the status 500 (3 questions)"),
        ("nonsense", "", "illegal", "which is not legal here (3 questions)"),
        ("list", ",retries=0", "illegal", "plays '[1, 2]', which is not legal here (1 question)"),
        ("resigns", "", "resigned", "resigns"),
    ],
)
def test_trouble_is_a_forfeit_in_one_sentence(server, kind, options, ended, said):
    found = played(server, kind, options)
    assert (found.ended, found.loser) == (ended, 0)
    assert said in found.note
    assert "\n" not in found.note
    assert kind != "resigns" or len(server.asked) == 1


def test_illegal_answers_are_counted_and_reported_by_the_match(server, tmp_path):
    spec = f"http:http://127.0.0.1:{server.server_port}/learns"
    found = cp.play_match("tic-tac-toe", spec, "random", games=2, output=tmp_path / "match.db")
    notes = found.to_json()["notes"]
    assert len(notes) == 2
    assert all("illegal answer" in note["note"] for note in notes)
    assert "illegal answer" in str(found)


@pytest.mark.parametrize(
    "spec, said",
    [
        ("http:ftp://host/x", "is not the address of a service"),
        ("http:http://host,time=0", "more than 0"),
        ("http:http://host,retries=-1", "retries=-1 must be at least 0"),
        ("http", "needs the option 'url'"),
    ],
)
def test_a_wrong_address_is_one_sentence(spec, said):
    with pytest.raises(CounterplayError, match=said):
        player(spec)


def test_nobody_there():
    found = play(load("tic-tac-toe"), [player("http:http://127.0.0.1:9,retries=0"), player("random")], Opening())
    assert found.ended == "died"
    assert "cannot be reached: connection refused" in found.note
