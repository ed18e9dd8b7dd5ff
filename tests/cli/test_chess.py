"""The commands for chess: suites, the signature, books, tuning."""

import json
from pathlib import Path

import pytest

pytest.importorskip("chess")

MATE = '6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id "back rank";\n'
BLUNDER = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - am Ra8#;\n"
SIGNATURE = Path(__file__).with_name("bench.json")


@pytest.mark.slow
def test_a_suite_shows_what_was_solved_and_when(run, tmp_path):
    (tmp_path / "two.epd").write_text(MATE + BLUNDER)
    code, out, _ = run("suite", tmp_path / "two.epd", "--depth", 3)
    assert code == 0
    assert out.splitlines()[0].startswith("+ back rank: Ra8# after")
    assert out.splitlines()[1] == "- position 2: Ra8# (am Ra8#)"
    assert out.splitlines()[2] == "1 of 2 solved by alphabeta:depth=3"
    found = json.loads(run("suite", tmp_path / "two.epd", "--depth", 3, "--json")[1])
    assert (found["solved"], found["positions"]) == (1, 2)
    assert found["rows"][0]["id"] == "back rank"


@pytest.mark.slow
def test_a_position_in_which_the_game_is_over_is_not_solved(run, tmp_path):
    (tmp_path / "over.epd").write_text('8/8/4k3/8/8/4K3/8/8 w - - bm Kd4; id "kings";\n' + MATE)
    code, out, _ = run("suite", tmp_path / "over.epd", "--depth", 3)
    assert code == 0
    assert out.splitlines()[0] == "- kings: the game is over here"
    assert out.splitlines()[1].startswith("+ back rank: Ra8# after")
    assert out.splitlines()[2] == "1 of 2 solved by alphabeta:depth=3"
    found = json.loads(run("suite", tmp_path / "over.epd", "--depth", 3, "--json")[1])
    assert found["rows"][0] == {"id": "kings", "solved": False, "move": None, "seconds": None, "depth": 0}


@pytest.mark.parametrize(
    "text, why",
    [("", "no position with a best move"), ("8/8 w", "line 1"), (MATE.replace("Ra8#", "Rb9"), "line 1: no")],
)
def test_suites_that_are_none(run, tmp_path, text, why):
    (tmp_path / "bad.epd").write_text(text)
    code, out, notes = run("suite", tmp_path / "bad.epd", "--depth", 1)
    assert (code, out) == (2, "")
    assert why in notes
    assert run("suite", tmp_path / "none.epd")[0] == 2


def test_the_signature_of_the_engine(run):
    """`counterplay bench --depth 6 --json > tests/cli/bench.json` records it again after an intended change."""
    code, out, _ = run("bench", "--depth", 6, "--json")
    assert code == 0
    found, recorded = json.loads(out), json.loads(SIGNATURE.read_text())
    assert (found["depth"], found["nodes"]) == (recorded["depth"], recorded["nodes"])
    assert found["positions"] == recorded["positions"]
    assert run("bench", "--depth", 0)[0] == 2


def test_a_book_from_games(run, tmp_path):
    games, book = tmp_path / "games.pgn", tmp_path / "book.bin"
    games.write_text('[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n\n[Result "1/2-1/2"]\n\n1. d4 d5 1/2-1/2\n')
    assert run("book", book, games)[:2] == (0, f"4 moves written to {book}\n")
    assert run("book", book)[1] == "e4       66.7%\nd4       33.3%\n"
    assert json.loads(run("book", book, "--moves", "e4 e5", "--json")[1])["moves"] == {"Nf3": 2}
    assert run("book", book, "--moves", "a3")[1] == "the book does not know this position\n"
    assert run("book", tmp_path / "none.bin")[0] == 2
    assert run("book", book, tmp_path / "none.pgn")[0] == 2
    assert run("book", book, games, "--plies", 0)[0] == 2


def test_a_bad_game_is_skipped(run, tmp_path):
    games, book = tmp_path / "games.pgn", tmp_path / "book.bin"
    bad, good = '[Result "1-0"]\n\n1. e4 -- 1-0\n\n', '[Result "1-0"]\n\n1. d4 1-0\n\n'
    games.write_text(good + bad + good)
    code, out, notes = run("book", book, games)
    assert (code, out) == (0, f"1 moves written to {book}\n1 games skipped\n")
    assert notes == f"skipped: {games}, game 2: a null move (--) after ply 1: nobody may pass in chess\n"
    assert json.loads(run("book", book, games, "--json")[1]) == {"book": str(book), "entries": 1, "skipped": 1}
    games.write_text(bad)
    code, out, notes = run("book", tmp_path / "none.bin", games)
    assert (code, out) == (2, "")
    assert "no game has a result" in notes
    assert not (tmp_path / "none.bin").exists()


def test_a_book_from_a_match(run, tmp_path):
    """The same book as from the match's games as PGN."""
    match, games, openings = tmp_path / "x.db", tmp_path / "games.pgn", tmp_path / "openings.txt"
    late = "7k/8/8/8/8/8/R7/K7 w - - 99 60"  # the 50-move rule ends it at once
    openings.write_text(late + "\n")
    assert run("match", "chess", "random", "random", "--openings", openings, "--games", 2, "-o", match)[0] == 0
    assert run("results", match, "--export", games)[0] == 0
    code, out, notes = run("book", tmp_path / "one.bin", match)
    assert (code, notes) == (0, "")
    assert "moves written" in out
    assert run("book", tmp_path / "two.bin", games)[0] == 0
    assert (tmp_path / "one.bin").read_bytes() == (tmp_path / "two.bin").read_bytes()
    assert json.loads(run("book", tmp_path / "one.bin", "--position", late, "--json")[1])["moves"]
    assert run("match", "nim", "random", "random", "--games", 2, "-o", tmp_path / "nim.db")[0] == 0
    code, _, notes = run("book", tmp_path / "three.bin", tmp_path / "nim.db")
    assert code == 2
    assert "has games of nim, not of chess" in notes
    assert not (tmp_path / "three.bin").exists()


def test_tuning_refuses_files_before_it_plays(run, tmp_path):
    def refused(*arguments):
        code, out, notes = run("tune", *arguments, "--games", 1, "--nodes", 1)
        assert (code, out, notes.count("\n")) == (2, "", 1)
        return notes

    data, out = tmp_path / "games", tmp_path / "weights.json"
    for text, why in (
        ('[Event "?"]\n\n1. e4 *\n', "holds something other than games"),
        ('{"actions": [1, 2], "quiet": [0], "result": 0.5}\n', "line 1: this is not a record of a game of chess"),
    ):
        data.write_text(text)
        assert why in refused(out, "--data", data)
        assert data.read_text() == text
    assert "cannot write" in refused(tmp_path / "none" / "weights.json", "--data", tmp_path / "new")
    assert "cannot write" in refused(out, "--data", tmp_path / "none" / "games")
    assert "is a directory" in refused(tmp_path)
    assert list(tmp_path.iterdir()) == [data]  # nothing was left behind


@pytest.mark.slow
def test_weights_are_fitted_to_games_and_played_with(run, tmp_path):
    data, out = tmp_path / "games.jsonl", tmp_path / "weights.json"
    arguments = ("tune", out, "--games", 10, "--nodes", 40, "--data", data, "--json")
    code, told, _ = run(*arguments)
    assert code == 0
    found = json.loads(told)
    assert found["positions"] > 100
    assert len(data.read_text().splitlines()) == 10
    assert "tune weights.json --games 10" in json.loads(out.read_text())["command"]
    games = data.read_text()
    data.write_text(games[:-20])  # the last line was cut short
    again, _, notes = run(*arguments)
    assert again == 0
    assert "9 games were already there" in notes
    assert data.read_text() == games[:-20] + "\n" + games.splitlines()[-1] + "\n"
    assert run("search", f"chess:weights={out}", "--depth", 2)[0] == 0
    assert run("search", f"chess:weights={data}", "--depth", 2)[0] == 2
    assert run("tune", out, "--games", 0)[0] == 2
