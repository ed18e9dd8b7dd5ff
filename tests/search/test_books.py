"""Books that learn: backed-up values against minimax, deviations after losses, files, and players that follow them."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from counterplay import CounterplayError, load
from counterplay.api.book import BookLearner, smoothed
from counterplay.api.book import book as shown
from counterplay.api.train import duration
from counterplay.core.rules import legal
from counterplay.players.specs import player
from counterplay.search.books import learning
from counterplay.search.books.book import OpeningBook
from counterplay.search.books.learning import grow, learn_game, most_urgent
from counterplay.search.decision import Decision, Option
from counterplay.search.solving.openings import Openings, folded


def nothing(game):
    """A player that knows nothing: every action looks like a draw."""
    return lambda s: dict.fromkeys(legal(game, s), 0.0)


def minimax(game):
    @functools.cache
    def value(s):
        if game.is_terminal(s):
            return game.utility(s, 0)
        after = [value(game.result(s, action)) for action in legal(game, s)]
        return max(after) if game.to_move(s) == 0 else min(after)

    return value


@functools.cache
def complete(spec):
    """The book of all positions of a game."""
    game = load(spec)
    book = OpeningBook(game)
    assert grow(book, game.initial(), nothing(game), lambda: True)
    return game, book


@pytest.mark.parametrize("spec", ["mnk:3,2,3", "nim:heaps=2-2", "kalah:2,2"])
def test_a_complete_book_has_the_values_of_minimax(spec):
    game, book = complete(spec)
    value = minimax(game)
    assert most_urgent(book, game.initial()) == []
    for key, entry in book.entries.items():
        assert book.values[key] == value(book.state(entry))


def test_a_book_that_is_not_complete_backs_up_what_it_has():
    """Minimax over the book's own tree, by another recursion."""
    game = load("tic-tac-toe")
    estimates = lambda s: {a: ((7 * a + 3 * int(game.key(s) % 11)) % 10 - 5) / 10 for a in legal(game, s)}  # noqa: E731
    book, left = OpeningBook(game), iter(range(60))
    assert not grow(book, game.initial(), estimates, lambda: next(left, None) is not None)

    def value(key):
        entry = book.entries[key]
        found = [value(b.after) if b.after in book.entries else b.estimate for b in entry.branches]
        return max(found) if entry.mover == 0 else min(found)

    for key in book.entries:
        assert book.values[key] == value(key)


def test_the_next_position_is_after_the_best_move_or_a_small_mistake():
    game = load("tic-tac-toe")
    book = OpeningBook(game)
    s = game.initial()
    worth = {game.parse_action(s, "b2"): 0.0, game.parse_action(s, "a1"): -0.01, game.parse_action(s, "a2"): -0.9}
    book.enter(s, {action: worth.get(action, -1.0) for action in legal(game, s)}, "test")
    (first,) = most_urgent(book, s)
    assert folded(game, first) == folded(game, game.start("b2").state)
    book.enter(first, dict.fromkeys(legal(game, first), 0.0), "test")
    assert folded(game, most_urgent(book, s)[0])[0] == folded(game, game.start("a1").state)[0]


def test_a_large_book_chooses_several_positions_at_a_time(monkeypatch):
    """Choosing looks through the whole book: once for each position would take time with the square of their number."""
    choices = []
    monkeypatch.setattr(learning, "ENTRIES_A_CHOICE", 10)
    monkeypatch.setattr(learning, "most_urgent", lambda *given: choices.append(1) or most_urgent(*given))
    game = load("tic-tac-toe")
    book = OpeningBook(game)
    assert grow(book, game.initial(), nothing(game), lambda: True)
    assert set(book.entries) == set(complete("tic-tac-toe")[1].entries)
    assert len(choices) < len(book.entries) / 4


def test_no_game_is_lost_the_same_way_twice():
    """Against perfect play, a book that knows nothing but its own losses learns to draw."""
    game = load("tic-tac-toe")
    book, value, judge = OpeningBook(game), minimax(game), nothing(game)
    lost, drawn = set(), 0
    for _ in range(80):
        p = game.start()
        while not p.is_over:
            options = book.options(p.state) if p.to_move == 1 else ()
            if p.to_move == 0:  # perfect, and out for a win
                after = {a: value(game.result(p.state, a)) for a in p.options()}
                p.play(max(after, key=lambda a: after[a]))
            else:
                p.play(options[0].action if options else p.options()[-1])
        if p.returns[1] < 0:
            assert tuple(p.actions) not in lost
            lost.add(tuple(p.actions))
            learn_game(book, game.initial(), p.actions, judge, "match")
        else:
            drawn += 1
    assert lost
    assert drawn > 40
    assert book.entries[folded(game, game.initial())[0]].games == len(lost)


def test_a_line_that_comes_back_counts_as_a_draw():
    game = load("three-mens-morris")
    p = game.start("b2 a1 a3 c1 b1 b3 b2-c2 c1-b2")
    book = OpeningBook(game)
    learn_game(book, p.states[0], p.actions, nothing(game), "test")
    assert len(book.entries) == len(book.values)


# Files and players.


def test_a_book_comes_back_from_its_file_and_is_played(tmp_path):
    game, book = complete("kalah:2,2")
    book.save(tmp_path / "book")
    again = OpeningBook.read(tmp_path / "book", game)
    assert again.entries == book.entries
    assert again.sources == book.sources
    value = minimax(game)
    with player(f"random:seed=3,book={tmp_path / 'book'}") as careful, player("random:seed=1") as careless:
        assert "book=" in careful.spec
        for _ in range(10):
            p = game.start()
            while not p.is_over:
                if p.to_move == 1:
                    assert careful.rank(p).options[0].value == careful.choose(p).value == -value(p.state)
                p.play((careless, careful)[p.to_move].choose(p).action)
            assert p.returns[1] == 1.0  # the second player wins


def test_solved_openings_are_a_book_as_well(tmp_path):
    game = load("connect-four:4,4")
    book = Openings(game.spec)
    book.save(tmp_path / "solved.npz")
    with player(f"random:book={tmp_path / 'solved.npz'}") as empty:
        empty.require(game)
        assert empty.choose(game.start()).value is None  # the book is empty: the player itself has moved


@pytest.mark.parametrize(
    "content, sentence",
    [
        ("", "is not a book, or is incomplete"),
        ("{}", "is not a book"),
        (
            '{"format": "counterplay book", "version": 1, "game": "nim", "sources": [], "positions": []}',
            "a book of nim",
        ),
        (
            '{"format": "counterplay book", "version": 1, "game": "tic-tac-toe", "sources": 3, "positions": []}',
            "is not a book",
        ),
        (
            '{"format": "counterplay book", "version": 1, "game": "tic-tac-toe", "sources": ["x"], "positions": '
            '[["5", ".../.../...", 0, 0, 0, 0, [[0, 0, null]]]]}',
            "was made with different rules",
        ),
        *(
            (
                '{"format": "counterplay book", "version": 1, "game": "tic-tac-toe", "sources": ["x"], "positions": '
                f"[{entry}]}}",
                "is not a book, or is incomplete",
            )
            for entry in (
                '["5", ".../.../...", 0, 0, 0, 0, []]',
                '["5", ".../.../...", 2, 0, 0, 0, [[0, 0, null]]]',
                '["5", ".../.../...", 0, 1, 0, 0, [[0, 0, null]]]',
                '["5", ".../.../...", 0, 0, 0, 0, [[0, NaN, null]]]',
                '["5", ".../.../...", 0, 0, 0, Infinity, [[0, 0, null]]]',
                '["5", ".../.../...", Infinity, 0, 0, 0, [[0, 0, null]]]',
            )
        ),
    ],
)
def test_damaged_and_foreign_books(tmp_path, content, sentence):
    (tmp_path / "book").write_text(content)
    with pytest.raises(CounterplayError, match=sentence):
        OpeningBook.read(tmp_path / "book", load("tic-tac-toe"))


def test_the_book_of_a_game_in_a_file_is_shown_with_that_file(tmp_path):
    own = Path(__file__).parents[2] / "examples" / "pegs.py"
    game, file = load(str(own)), tmp_path / "own.book"
    held = OpeningBook(game)
    held.enter(game.initial(), nothing(game)(game.initial()), "x")
    held.save(file)
    with pytest.raises(CounterplayError, match=r"whose rules are in a file: write `book .*own.book FILE.py`"):
        shown(file)
    assert shown(file, own).to_json() == shown(file, game).to_json()
    assert len(shown(file, own).to_json()["actions"]) == len(legal(game, game.initial()))
    with pytest.raises(CounterplayError, match="is a book of"):
        shown(file, own.with_name("gomoku.py"))


@pytest.mark.parametrize("change", [{"action": 77}, {"after": 5}], ids=["no action", "another position"])
def test_a_book_whose_moves_are_not_those_of_the_rules_does_not_grow(change):
    game = load("nim:1-2")
    book = OpeningBook(game)
    entry = book.enter(game.initial(), nothing(game)(game.initial()), "x")
    entry.branches = tuple(branch._replace(**change) for branch in entry.branches)
    with pytest.raises(CounterplayError, match=r"the book is damaged: its moves in .* are not those of the rules"):
        grow(book, game.initial(), nothing(game), lambda: True)


@pytest.mark.parametrize("spec", ["pig", "kuhn-poker", "mnk:3,3,3,players=3"])
def test_games_without_books(spec):
    with pytest.raises(CounterplayError, match="a book suits one player, or two"):
        OpeningBook(load(spec))


@pytest.mark.parametrize(
    "spec, sentence",
    [
        ("random:book=none.book", "no book 'none.book'"),
        ("random:book=", "names one file"),
        ("random:book=a,book=b", "one"),
    ],
)
def test_wrong_books_of_players(spec, sentence):
    with pytest.raises(CounterplayError, match=sentence):
        player(spec).require(load("tic-tac-toe"))


# The command.


def test_a_book_grows_in_one_program_at_a_time(tmp_path):
    """Each writes the whole book: of two, the second to save would drop what the first has learned."""
    file, game = tmp_path / "book", load("tic-tac-toe")
    with BookLearner(game, [], "random", 0.0, file) as one:
        one.save()
        with pytest.raises(CounterplayError, match="another program is writing"):
            BookLearner(game, [], "random", 0.0, file)
    with BookLearner(game, [], "random", 0.0, file):
        pass


def test_an_estimate_is_the_mean_of_odd_and_even_depth():
    """What is decided, and the values of a search that does not deepen, stay as they are."""
    options = lambda *values: tuple(Option(action, value) for action, value in enumerate(values))  # noqa: E731
    four, five = (
        Decision(0, 0.1, depth=4, options=options(0.1, 0.3)),
        Decision(0, 0.5, depth=5, options=options(0.5, 0.1)),
    )
    three = four._replace(depth=3, options=options(9.0, 9.0))
    assert smoothed(five, [three, four, five]) == pytest.approx({0: 0.3, 1: 0.2})
    assert smoothed(five, [three, five]) == {0: 0.5, 1: 0.1}
    assert smoothed(five._replace(proven=True), [four, five]) == {0: 0.5, 1: 0.1}
    won = five._replace(options=(Option(0, 1.0, plies=3), Option(1, 0.1)))
    assert smoothed(won, [four, won]) == pytest.approx({0: 1.0, 1: 0.2})
    assert smoothed(five._replace(depth=0), [four, five._replace(depth=0)]) == {0: 0.5, 1: 0.1}


def test_times_and_files_of_the_command(tmp_path):
    """With a time of 0 a book learns from games only; a file that is not there is not called damaged."""
    found = shown("learn", load("tic-tac-toe"), player="minimax:depth=1", time="0s", output=tmp_path / "book")
    assert str(found).startswith("0 positions in")
    for wrong in ("0", "-1s", "soon"):
        with pytest.raises(CounterplayError, match="is not a time"):
            duration(wrong)
    with pytest.raises(CounterplayError, match="no such file"):
        shown(tmp_path / "none")
    with pytest.raises(CounterplayError, match="is a directory"):
        shown("learn", load("nim"), output=tmp_path)
    with pytest.raises(CounterplayError, match="no player"):
        shown("learn", load("nim"), player="nobody", output=tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.slow
def test_a_book_that_was_killed_goes_on(tmp_path):
    file = tmp_path / "book"
    run = [
        sys.executable,
        "-m",
        "counterplay",
        "book",
        "learn",
        "kalah:houses=3,seeds=3",
        "--player",
        "minimax:depth=1",
    ]
    environment = dict(os.environ)
    first = subprocess.Popen([*run, "--time", "1h", "-o", file], env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 100
    while time.monotonic() < deadline and (not file.exists() or len(json.loads(file.read_text())["positions"]) < 1):
        time.sleep(0.3)
    first.send_signal(signal.SIGKILL)
    first.wait()
    saved = len(json.loads(file.read_text())["positions"])
    done = subprocess.run([*run, "--time", "1s", "-o", file, "--json"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["positions"] == saved + told["new"]
    assert told["new"] > 0
    assert not list(Path(tmp_path).glob("*.part"))
