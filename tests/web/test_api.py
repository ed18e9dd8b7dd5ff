"""The HTTP API: its answers, its one-sentence refusals, and requests that a fuzzer generates from its schema."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from counterplay import load
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import parameters_of
from counterplay.games import GAMES
from counterplay.players.machines.hall import MACHINES
from counterplay.players.specs import PLAYERS, player_class
from counterplay.web.admission import Shelf, admitted
from counterplay.web.server import own_games


def call(address, path, body=None):
    """Status and JSON of a request."""
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as wrong:
        return wrong.code, json.load(wrong)


def test_games_positions_and_searches(address):
    status, games = call(address, "/api/games")
    assert status == 200
    assert {each["name"] for each in games} >= set(GAMES)
    status, game = call(address, "/api/games/hex:size=3")
    assert (status, game["game"], game["players"]) == (200, "hex:size=3", ["red (x)", "blue (o)"])
    assert game["strengths"][0] == {"word": "beginner", "player": "random"}
    status, position = call(address, "/api/position", {"game": "connect-four", "moves": "4 4", "svg": True})
    assert (status, position["to_move"], position["actions"]) == (200, "x", [str(i) for i in range(1, 8)])
    assert position["svg"].startswith("<svg")
    status, found = call(
        address,
        "/api/search",
        {"game": "tic-tac-toe", "moves": "a1 b2 a2 c3", "player": "minimax:depth=2", "every": True},
    )
    assert (status, found["action"], found["value"]) == (200, "a3", 1.0)
    assert len(found["actions"]) == 5
    asked = {"game": "pig", "moves": "roll", "depth": 2}  # chance rolls
    status, found = call(address, "/api/search", asked)
    assert (status, found["action"], found["value_to"]) == (200, None, "player 1"), found
    assert len(found["actions"]) == 6
    assert found["value"] == pytest.approx(sum(each["value"] for each in found["actions"]) / 6)
    assert call(address, "/api/search", asked | {"player": "random"})[0] == 422


def test_a_viewer_sees_only_what_they_may_see(address):
    asked = {"game": "kuhn-poker", "moves": "J K", "viewer": 0, "svg": True}
    _, seen = call(address, "/api/position", asked)
    assert seen["position"] is None
    assert "K" not in seen["board"]
    assert ">K<" not in seen["svg"]
    _, other = call(address, "/api/position", asked | {"viewer": 1})
    assert other["actions"] is None
    _, dealt = call(address, "/api/position", {"game": "kuhn-poker"})
    assert (dealt["to_move"], sum(dealt["probabilities"])) == ("chance", pytest.approx(1.0))


@pytest.mark.parametrize(
    "path, body, status, words",
    [
        ("/api/games/conect-four", None, 404, "did you mean connect-four"),
        ("/api/position", {"game": "connect-four", "moves": "9"}, 422, "the 1st move"),
        ("/api/position", {"game": "chess", "position": "x" * 5001}, 422, "5000"),
        ("/api/position", {"game": "chess", "position": "nonsense"}, 422, ""),
        ("/api/position", {"game": "kuhn-poker", "viewer": 7}, 422, "no player 7"),
        ("/api/position", {"game": 7}, 422, "game"),
        ("/api/position", {"game": "go", "wrong": 1}, 422, "wrong"),
        ("/api/position", b"{", 400, "json"),
        ("/api/position", {"game": "x.py:Evil"}, 404, "command line only"),
        ("/api/position", {"game": "tree:source=/etc/hostname"}, 404, "command line"),
        ("/api/position", {"game": "chess:weights=/etc/hostname"}, 404, "command line"),
        ("/api/search", {"game": "chess", "player": "uci:/bin/sh"}, 422, "command line only"),
        ("/api/search", {"game": "chess", "player": "policy:/etc/passwd"}, 422, "command line only"),
        ("/api/search", {"game": "chess", "player": "alphabeta:evaluation=/etc/passwd"}, 422, "command line"),
        ("/api/search", {"game": "chess", "player": "alphabeta:time=1000"}, 422, "at most"),
        ("/api/search", {"game": "chess", "player": "alphabeta:table=60000"}, 422, "at most"),
        ("/api/search", {"game": "chess", "seconds": 99}, 422, "seconds"),
        ("/api/search", {"game": "kuhn-poker", "moves": "J K", "player": "alphabeta"}, 422, "kuhn-poker"),
        ("/api/search", {"game": "kuhn-poker"}, 422, "chance moves"),
        ("/api/nothing", None, 404, "not found"),
    ],
)
def test_what_is_wrong_gets_one_sentence(address, path, body, status, words):
    got, answer = call(address, path, body)
    assert got == status, answer
    assert words in answer["error"].lower() if words == "json" else words in answer["error"]
    assert "\n" not in answer["error"]


def test_a_search_that_does_not_end_is_ended(address):
    status, answer = call(address, "/api/search", {"game": "connect-four", "player": "minimax:depth=42"})
    assert (status, answer["error"]) == (422, "the search took longer than 10 seconds and was stopped")
    assert call(address, "/api/search", {"game": "tic-tac-toe", "player": "random"})[0] == 200


def test_files_and_programs_are_for_the_command_line():
    shelf = Shelf({"Mine": "mine.py:Mine"})
    assert shelf.spec("Mine:size=3") == "mine.py:Mine:size=3"
    for spec in ("mine.py:Mine", "./mine.py", "tree:game.json", "matrix:~/x.nfg", "tree:source=x"):
        with pytest.raises(CounterplayError, match="command line"):
            shelf.spec(spec)
    assert shelf.game("tree:[[1,2],[3,4]]").players == 2
    reaching = {name for name in PLAYERS if {"command", "file"} & set(parameters_of(player_class(name)))}
    assert reaching == {"gtp", "line", "policy", "uci", "usi", "xboard"}
    for name in reaching:
        with pytest.raises(CounterplayError, match="command line only"):
            admitted(f"{name}:x")


def test_every_machine_is_admitted_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COUNTERPLAY_RUNS", str(tmp_path))
    for name, machine in MACHINES.items():
        found, game = admitted(name), load(machine.game)
        if machine.model:
            with pytest.raises(CounterplayError, match=f"{name} has not been trained yet"):
                found.require(game)
        else:
            found.require(game)
    for spec in (
        "chinook:tables=/etc",
        "alphago:values=/x.npz",
        "td-gammon:evaluation=/x",
        "alphastar:/x",
        "mcts:net=go-9,values=/x",
        "logistello:cuts=/x",
        "alphabeta:cuts=backgammon",
    ):
        with pytest.raises(CounterplayError, match="command line"):
            admitted(spec)
    with pytest.raises(CounterplayError, match="time may be 10 seconds at most"):
        admitted("logistello:time=99")


def test_files_whose_classes_share_a_name_are_both_listed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[2] / "examples" / "chomp.py").read_text()
    for place in ("one.py", "two/one.py", "three.py"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text.replace("class Chomp", "class nim") if place == "three.py" else text)
    specs = ["one.py", "./two/one.py", "one.py:Chomp:rows=2", "three.py"]
    own = own_games(specs)
    assert list(own.values()) == specs
    assert list(own) == ["Chomp (one)", "Chomp (two one)", "Chomp (one Chomp rows=2)", "nim (three)"]
    shelf = Shelf(own)
    assert [shelf.spec(name) for name in own] == specs
    assert own_games(["one.py"]) == {"Chomp": "one.py"}


def test_models_go_by_a_name(tmp_path, monkeypatch):
    monkeypatch.setenv("COUNTERPLAY_RUNS", str(tmp_path))
    for place in ("mine.npz", "trained/model.npz", "deeper/still/model.npz"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).touch()
    for name in ("connect-four", "mine", "trained"):
        assert f"net={name}" in admitted(f"mcts:net={name}").spec
    for name in (tmp_path / "mine.npz", "deeper", "mine.npz", "../trained", "no-such-model"):
        with pytest.raises(CounterplayError, match="command line"):
            admitted(f"mcts:net={name}")


def test_a_model_of_ones_own_plays(address):
    """The server of these tests was started with a folder of runs, one of which has a model."""
    status, answer = call(address, "/api/search", {"game": "tic-tac-toe", "player": "net:slow"})
    assert (status, answer["player"]) == (200, "net:slow"), answer


def test_a_fuzzer_finds_nothing(address):
    schemathesis = pytest.importorskip("schemathesis")
    from hypothesis import HealthCheck, Phase, given, settings
    from schemathesis import checks

    schema = schemathesis.openapi.from_url(f"{address}/openapi.json")
    for result in schema.get_all_operations():
        operation = result.ok()

        @given(case=operation.as_strategy())
        @settings(
            max_examples=12,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def try_out(case):
            response = case.call(timeout=120)
            assert response.status_code < 500 or response.status_code == 503, response.text
            if response.status_code != 200:
                assert response.json()["error"]
            case.validate_response(
                response,
                checks=[
                    checks.status_code_conformance,
                    checks.response_schema_conformance,
                    checks.content_type_conformance,
                ],
            )

        try_out()
