"""`play`: a person at the prompt, by pipes."""

import random
import re

import pytest

from counterplay.cli.dialogue import Dialogue
from counterplay.core.registry import catalogue


def test_a_person_plays_a_game_to_its_end(run):
    typed = "\n".join(["1", "2", "1", "2", "1", "2", "1"])
    code, out, err = run("play", "connect-four", "--against", "human", typed=typed)
    assert (code, err) == (0, "")
    assert "all players are people" in out
    assert "counterplay games" in out
    assert out.rstrip().endswith("over: x wins")


def test_the_opponent_answers(run, answer):
    code, out, _ = run("play", "tic-tac-toe", "--against", "alphabeta:depth=9", typed="a1\nquit\n")
    assert code == 0
    assert "you are x, o is alphabeta:depth=9" in out
    assert re.search(r"^o plays b2  \(value 0, 9 plies ahead, .* states, expects b2 .*\)$", out, re.MULTILINE)
    assert "x . ." in out
    assert "To continue: counterplay play tic-tac-toe --moves" in out
    found = answer("play", "tic-tac-toe", "--against", "alphabeta:depth=9", typed="a1\n")
    assert found["moves"] == ["a1", "b2"]
    assert (found["over"], found["returns"]) == (False, None)
    assert found["players"] == ["human", "alphabeta:depth=9"]


def test_words_at_the_prompt(run):
    typed = "help\nrules\nlegal\nboard\n\nundo\n4\nhint\nundo\nQUIT\n"
    code, out, err = run("play", "connect-four", "--against", "random:seed=1", typed=typed)
    assert (code, err) == (0, "")
    assert "take back your last action" in out
    assert "Two players take turns dropping a stone" in out
    assert "there is nothing to take back" in out
    assert re.search(r"^hint: \d  \(value ", out, flags=re.MULTILINE)
    boards = [part for part in out.split("\n\n") if part.endswith("1 2 3 4 5 6 7") and part.startswith(". ")]
    assert [board.count("x") for board in boards] == [0, 0, 1, 0]
    assert "To continue" not in out


@pytest.mark.parametrize("typed, why", [("9", "no action '9' here; legal: 1 2 3"), ("xyzzy", "no action 'xyzzy'")])
def test_a_wrong_move_gets_a_sentence_and_a_new_try(run, typed, why):
    code, out, err = run("play", "connect-four", "--against", "human", typed=f"{typed}\n4\n")
    assert (code, err) == (0, "")
    assert why in out
    assert ". . . x . . ." in out


def test_a_hidden_game_without_a_board_shows_what_was_seen(run, tmp_path):
    file = tmp_path / "cut.py"
    file.write_text(
        "from counterplay import CHANCE, Game\n\n\n"
        "class Cut(Game):\n"
        "    compiled = False\n\n"
        "    def initial(self): return ()\n"
        "    def to_move(self, s): return CHANCE if len(s) < 2 else len(s) % 2\n"
        "    def chance(self, s, out): out.extend(card for card in range(1, 4) if card not in s)\n"
        "    def probability(self, s, event): return 1 / (3 - len(s))\n"
        "    def actions(self, s, out): out.extend((7, 8))\n"
        "    def result(self, s, action): return (*s, action)\n"
        "    def is_terminal(self, s): return len(s) == 4\n"
        "    def utility(self, s, player): return 1.0 if (s[0] > s[1]) == (player == 0) else -1.0\n"
        "    def information(self, s, player):\n"
        "        own = s[player] if len(s) > player else 0\n"
        "        return 1000 * own + (s[2] if len(s) > 2 else 0) * 10 + len(s)\n"
    )
    code, out, err = run("play", str(file), "--against", "human", "--seed", "2", typed="7\n8\n")
    assert (code, err) == (0, "")
    assert re.search(r"^information \d002\nseen so far: \d \?$", out, re.MULTILINE)
    assert re.search(r"^information \d073\nseen so far: \? \d 7$", out, re.MULTILINE)


def test_one_may_sit_elsewhere(run, answer):
    for seat in ("2", "o"):
        code, out, _ = run("play", "connect-four", "--as", seat, "--against", "random:seed=3", typed="")
        assert code == 0
        assert out.index("x plays ") < out.index("o> ")
    found = answer("play", "mnk:3,3,3,players=3", "--as", "v", "--against", "random", "--seed", "1", typed="")
    assert found["players"] == ["random:seed=1", "random:seed=2", "human"]
    assert len(found["moves"]) == 2


def test_the_same_seed_rolls_the_same_dice(answer):
    typed = "roll\nroll\nhold\n" * 5
    games = [answer("play", "pig", "--seed", seed, "--against", "random", typed=typed)["moves"] for seed in (1, 1, 2)]
    assert games[0] == games[1] != games[2]


def test_a_game_is_taken_up_again(answer):
    assert answer("play", "connect-four", "--moves", "4 4", "--against", "human", typed="3\n")["moves"] == [
        "4",
        "4",
        "3",
    ]


def test_chance_is_rolled_and_shown(run):
    _, out, _ = run("play", "pig", "--seed", "1", typed="roll\n")
    assert re.search(r"^the die: [1-6]$", out, flags=re.MULTILINE)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_hidden_stays_hidden(run, answer, seed):
    dealt = answer("play", "kuhn-poker", "--seed", seed, "--against", "random", typed="")["moves"]
    _, out, _ = run("play", "kuhn-poker", "--seed", seed, "--against", "random", typed="")
    cards = set("JQK") & set(re.sub("[a-z>-]", "", out))
    assert cards == {dealt[0]}
    assert f"chance: {dealt[0]}" in out


def test_a_choice_at_the_same_time_is_not_given_away(run):
    _, out, _ = run("play", "rock-paper-scissors", "--as", "2", "--seed", "1", typed="")
    assert "player 1 has moved, unseen" in out
    assert not re.search("player 1 plays", out)


LONG = {"shogi"}  # hundreds of moves at random; minishogi has the same rules


@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=pytest.mark.slow) if game in LONG else game for game in sorted(catalogue())]
)
def test_every_game_can_be_played_to_its_end(answer, monkeypatch, game):
    rng = random.Random(0)
    words = ["undo", "legal", "board", "nonsense", "", "help"]
    is_cube = game == "pocket-cube"  # which nobody solves by chance

    def ask(dialogue, prompt):
        if rng.random() < 0.1:
            return rng.choice(words)
        return "R'" if is_cube else rng.choice(dialogue.p.legal())

    monkeypatch.setattr(Dialogue, "ask", ask)
    found = answer("play", f"{game}:R" if is_cube else game, "--against", "random", "--seed", "1")
    assert found["over"]
    assert len(found["returns"]) == len(found["players"])
