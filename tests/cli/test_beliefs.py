"""`beliefs`, for people and for programs, and what it refuses."""

import json

import pytest


def test_what_is_possible_and_what_is_sure(run):
    code, out, _ = run("beliefs", "kriegspiel-ending:3,queen", "--moves", "ka3", "--wins")
    assert code == 0
    assert out.splitlines()[:4] == [
        "White considers 2 states possible:",
        "  2k/3/KQ1",
        "  k2/3/KQ1",
        "6 beliefs searched:",
    ]
    assert "  Qb2  a guaranteed win, within 1 action" in out
    assert "  Qa2  accidental: wins immediately in 1 of 2" in out
    assert "  Ka2  nothing sure" in out
    found = json.loads(run("beliefs", "kriegspiel-ending:3,queen", "--moves", "ka3", "--wins", "--json")[1])
    assert (found["player"], found["states"], found["beliefs"]) == ("White", 2, 6)
    assert {"action": "Qb2", "guaranteed": 1, "probabilistic": True, "accidental": 2} in found["actions"]


def test_a_sample_and_another_player(run):
    found = json.loads(
        run("beliefs", "kuhn-poker", "--moves", "Q K", "--as", "2", "--particles", 500, "--seed", 1, "--json")[1]
    )
    assert found["player"] == "player 2"
    assert {each["position"] for each in found["possible"]} == {"JK", "QK"}
    assert sum(each["share"] for each in found["possible"]) == pytest.approx(1)
    code, out, err = run("beliefs", "leduc-poker", "--moves", "Js Qs", "--limit", 2)
    assert (code, len(out.splitlines())) == (0, 3)
    assert "3 more" in err


@pytest.mark.parametrize(
    "arguments, why",
    [
        (["kriegspiel-ending"], "chance is to move: choose a player with --as PLAYER"),
        (["kuhn-poker", "--moves", "Q K", "--as", "3"], "no player '3'"),
        (["kuhn-poker", "--moves", "Q K", "--particles", "0"], "must be 1 or more"),
        (
            ["kuhn-poker", "--moves", "Q K", "--as", "2", "--wins"],
            "--wins needs the player to move and every possible state",
        ),
        (["kuhn-poker", "--moves", "Q Q"], "the 2nd move, 'Q'"),
        (["go"], "repetition rule"),
    ],
)
def test_what_is_refused(run, arguments, why):
    code, _, err = run("beliefs", *arguments)
    assert code == 2
    assert why in err
