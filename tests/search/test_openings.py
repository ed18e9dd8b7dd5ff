"""Books of solved openings: they agree with the solver and with themselves."""

import pytest

from counterplay.core.registry import load
from counterplay.core.rules import listed
from counterplay.search.solving.openings import SHIPPED, Openings, folded, shipped_openings
from counterplay.search.solving.solve import solve

GAME = load("connect-four:4,4")


@pytest.fixture(scope="module")
def book():
    made = Openings(GAME.spec)
    made.extend(GAME, 3, 8.0, lambda mistakes, ply: None)
    return made


def positions(game, s, plies):
    """All positions up to this many plies on."""
    yield s
    if plies and not game.is_terminal(s):
        for action in listed(game, s):
            yield from positions(game, game.result(s, action), plies - 1)


def test_a_book_says_what_the_solver_says(book):
    met = set()
    for s in positions(GAME, GAME.initial(), 3):
        known = book.solution(GAME, s, True)
        if known is not None:
            solved = solve(GAME, s, every=True)
            assert sorted(known.actions) == sorted(solved.actions)
            assert (known.bounds, known.plies, known.proven, known.complete) == (
                solved.bounds,
                solved.plies,
                True,
                True,
            )
            best = book.solution(GAME, s, False)
            assert {each.action for each in best.actions} == {each.action for each in solve(GAME, s).actions}
            met.add(folded(GAME, s)[0])
    assert met == set(book.entries)


def test_it_has_every_line_with_one_mistake_at_most(book):
    def follow(s, mistakes, plies):
        found = book.solution(GAME, s, True)
        assert (found is not None) or mistakes > 1
        if plies and found is not None:
            for each in found.actions:
                after = GAME.result(s, each.action)
                if not GAME.is_terminal(after):
                    follow(after, mistakes + (each[1:] != found.actions[0][1:]), plies - 1)

    follow(GAME.initial(), 0, 3)


def test_files_keep_everything(book, tmp_path):
    book.save(tmp_path / "book.npz")
    assert Openings.read(tmp_path / "book.npz", GAME).entries == book.entries


def test_the_shipped_book_is_consistent():
    game = load("connect-four")
    shipped = shipped_openings(game)
    assert shipped_openings(load("connect-four:6,5")) is None
    assert [file.name for file in SHIPPED.iterdir()] == ["connect-four.npz"]
    joints = 0
    for s in positions(game, game.initial(), 4):
        known = shipped.solution(game, s, True)
        for each in known.actions if known else ():
            after = game.result(s, each.action)
            behind = None if game.is_terminal(after) else shipped.solution(game, after, False)
            if behind is not None:
                joints += 1
                assert each.bounds[0] == -behind.bounds[0]
                assert each.plies in (None, behind.plies + 1)
    assert joints > 20


@pytest.mark.slow
def test_the_shipped_book_is_what_the_solver_says():
    game = load("connect-four")
    shipped = shipped_openings(game)
    s = game.initial()
    for column in (4, 4, 4, 4, 4, 2, 2):
        s = game.result(s, column - 1)
    solved = solve(game, s, every=True)
    assert sorted(shipped.solution(game, s, True).actions) == sorted(solved.actions)
