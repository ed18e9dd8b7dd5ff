"""Shogi and minishogi: moves against python-shogi and Fairy-Stockfish, the rules that chess lacks, notation, records."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from counterplay import load
from counterplay.core.errors import CounterplayError, InvalidAction, InvalidPosition
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import count, first, ones
from counterplay.core.language.rng import Rng
from counterplay.core.perft import perft
from counterplay.core.rules import listed
from counterplay.games.shogi import notation
from counterplay.games.shogi.csa import write_csa
from counterplay.games.shogi.game import MiniShogi, Shogi
from counterplay.games.shogi.kif import HANDICAPS, diagram_lines, handicap, write_kif
from counterplay.games.shogi.position import PAWN, drop, held

FAIRY = shutil.which("fairy-stockfish") or shutil.which("fairy-stockfish", path="/usr/games")
fairy = pytest.mark.skipif(FAIRY is None, reason="fairy-stockfish is not installed")


@pytest.fixture(scope="module")
def game():
    return load("shogi")


def moves(game, s):
    """The legal moves in USI's notation."""
    out = Actions()
    game.actions(s, out)
    return sorted(notation.usi(game, action) for action in out)


def sfen_of(game, s):
    """A position in the form that other programs read."""
    return " ".join(game.position_text(s).split()[:4])


def positions(game, number, seed=0):
    """Positions of random play, each with its moves; in every other game, captures come first, so that hands are full."""
    rng, found = Rng(seed), 0
    while True:
        s, bold = game.initial(), rng.below(2)
        for _ in range(200):
            if game.is_terminal(s):
                break
            out = Actions()
            game.actions(s, out)
            noisy = [action for action in out if game.is_noisy(s, action)]
            options = noisy if bold and noisy and rng.below(2) else list(out)
            s = game.result(s, options[rng.below(len(options))])
            found += 1
            yield s
            if found == number:
                return


# Moves.


def agrees_with_python_shogi(game, number, seed):
    """Compare moves in positions of random play."""
    shogi = pytest.importorskip("shogi")
    for s in positions(game, number, seed):
        board = shogi.Board(sfen_of(game, s))
        assert moves(game, s) == sorted(move.usi() for move in board.legal_moves), game.position_text(s)
        assert game.is_terminal(s) == board.is_game_over() or game.may_declare(s)
        assert bool(s.checkers) == board.is_check()


@pytest.mark.peer
def test_moves_are_those_of_python_shogi(game):
    agrees_with_python_shogi(game, 60, 1)


@pytest.mark.slow
@pytest.mark.peer
def test_moves_are_those_of_python_shogi_in_ten_thousand_positions(game):
    agrees_with_python_shogi(game, 10_000, 2)


def fairy_perft(variant, questions):
    """Fairy-Stockfish's counts of positions, each with a depth."""
    lines = ["usi", f"setoption name UCI_Variant value {variant}"]
    for text, depth in questions:
        lines += [f"position sfen {text}", f"go perft {depth}"]
    done = subprocess.run([FAIRY], input="\n".join([*lines, "quit", ""]), capture_output=True, text=True, timeout=600)
    return [int(count) for count in re.findall(r"Nodes searched: (\d+)", done.stdout)]


def mating_pawn(game, s):
    """1 if a pawn could be dropped to mate, else 0: Fairy-Stockfish counts that as a legal move that loses."""
    (king,) = ones(game.kings(s) & s.opp)
    square, file = king + (1 if s.ply % 2 == 0 else -1), king // game.size
    if not held(s.own_hand, PAWN) or square // game.size != file or (s.own | s.opp) >> square & 1:
        return 0
    if any(pawn // game.size == file for pawn in ones(game.pawns(s) & s.own)):
        return 0
    if (s.checkers and not game.goals(s, first(game.kings(s) & s.own)) >> square & 1) or count(s.checkers) > 1:
        return 0
    return int(not game.can_move(game.result(s, drop(PAWN, square))))


@fairy
@pytest.mark.slow
@pytest.mark.peer
@pytest.mark.parametrize("name", ["shogi", "minishogi"])
def test_fairy_stockfish_counts_the_same_in_a_thousand_positions(name):
    game = load(name)
    found = [s for s in positions(game, 1000, 3) if not game.is_terminal(s)]
    theirs = fairy_perft(name, [(sfen_of(game, s), 2) for s in found])
    ours = [perft(game, s, 2) + sum(mating_pawn(game, game.result(s, a)) for a in listed(game, s)) for s in found]
    assert ours == theirs


@fairy
@pytest.mark.peer
def test_fairy_stockfish_counts_the_same():
    game = MiniShogi()
    found = [s for s in positions(game, 30, 4) if not game.is_terminal(s)]
    theirs = fairy_perft("minishogi", [(sfen_of(game, s), 1) for s in found])
    assert [len(moves(game, s)) + mating_pawn(game, s) for s in found] == theirs


@pytest.mark.slow
def test_the_fifth_ply_of_shogi(game):
    assert perft(game, game.initial(), 5) == 19_861_490


@pytest.mark.parametrize(
    "position, legal, illegal",
    [
        # A pawn dropped on 1b would mate.
        ("7nk/7s1/8G/9/9/9/9/9/K8 b P 1", [], ["P*1b"]),
        ("7gk/7s1/8G/9/9/9/9/9/K8 b P 1", ["P*1b"], []),  # the gold takes it
        ("6Rgk/7s1/8G/9/9/9/9/9/K8 b P 1", [], ["P*1b"]),  # it would, but the rook pins it
        ("7nk/9/8G/9/9/9/9/9/K8 b P 1", [], ["P*1b"]),  # the gold guards 2b as well
        ("7nk/9/9/9/9/9/9/9/K8 b P 1", ["P*1b"], []),  # the king takes it
        ("7nk/7s1/8P/8G/9/9/9/9/K8 b - 1", ["1c1b", "1c1b+"], []),  # a pawn that moves may mate
        # Two pawns on a file; a promoted one does not count.
        ("4k4/9/9/9/9/9/4P4/9/4K4 b P 1", ["P*4e"], ["P*5e"]),
        ("4k4/9/9/9/9/9/4+P4/9/4K4 b P 1", ["P*5e"], []),
        # Pieces that could never move again.
        ("4k4/9/9/9/9/9/9/9/4K4 b PLN 1", ["P*1b", "L*1b", "N*1c"], ["P*1a", "L*1a", "N*1a", "N*1b"]),
        ("4k4/P8/2N6/9/9/9/9/9/4K4 b - 1", ["9b9a+", "7c6a+"], ["9b9a", "7c6a"]),
        ("4k4/9/9/9/9/9/9/9/4K4 w pln 1", ["P*1h", "N*1g"], ["P*1i", "L*1i", "N*1h"]),
        # Promotion when a piece leaves the zone.
        ("4k4/9/6S2/9/9/9/9/9/4K4 b - 1", ["3c4d", "3c4d+"], []),
        # In double check only the king moves.
        ("4k4/9/5N3/9/4L4/9/9/9/4K4 w g 1", ["5a4b"], ["G*5b"]),
    ],
)
def test_moves_that_are_legal_and_that_are_not(game, position, legal, illegal):
    found = moves(game, game.parse_position(position))
    assert set(legal) <= set(found)
    assert not set(illegal) & set(found)


def test_a_stalemate_loses(game):
    s = game.parse_position("8k/6G2/8G/9/9/9/9/9/K8 w - 1")
    assert moves(game, s) == []
    assert game.is_terminal(s)
    assert (game.utility(s, 0), game.utility(s, 1)) == (1.0, -1.0)
    assert game.ending(s) == "by stalemate, which loses"


# Repetition.


def test_the_fourth_time_is_a_draw(game):
    p = game.start()
    for _ in range(3):
        assert not p.is_over
        p.play("2h3h").play("8b7b").play("3h2h").play("7b8b")
    assert p.is_over
    assert p.returns == (0.0, 0.0)


PERPETUAL = "4k4/9/9/9/9/9/9/9/R3K4 b - 1"


def test_perpetual_check_loses(game):
    p = game.start(position=PERPETUAL)
    for _ in range(10):
        for move in ("9i9a", "5a5b", "9a9b", "5b5a"):
            if p.is_over:
                break
            if move == "9i9a" and len(p):
                move = "9b9a"
            p.play(move)
    assert p.is_over
    assert p.returns == (-1.0, 1.0)
    assert len(p) == 13  # the position after the first check recurs every four plies


def test_checks_that_are_broken_off_are_a_draw(game):
    """Black gives check only every other time."""
    p = game.start(position="4k4/9/9/9/9/9/9/9/R3K4 b - 1")
    while not p.is_over:
        p.play("9i9a").play("5a5b").play("9a9i").play("5b5a")
    assert p.returns == (0.0, 0.0)


def test_the_search_knows_that_perpetual_check_loses(game):
    """A rook down, perpetual check looks like a draw; but after five checks, the sixth would lose."""
    s = game.parse_position(PERPETUAL)
    assert game.repeated_utility(s._replace(own_checks=6), 0) == -1.0
    assert game.repeated_utility(s._replace(opp_checks=6), 0) == 1.0
    assert game.repeated_utility(s._replace(own_checks=5), 0) == 0.0
    assert game.lookback(s._replace(own_checks=6, ply=40)) == 12


# Entering king.

ENTERED = "K+R+B2G1GS/+P+P+P+P+P4/9/9/9/9/9/9/8k b RB 1"
"""10 pieces beside the king: 5 + 5 + 8 points on the board, 10 in hand."""


def test_an_entered_king_wins_by_points(game):
    s = game.parse_position(ENTERED)
    assert game.may_declare(s)
    assert game.is_terminal(s)
    assert game.utility(s, 0) == 1.0
    assert game.ending(s) == "by entering the promotion zone"
    assert not Shogi(entering=False).is_terminal(s)
    assert not game.may_declare(s._replace(checkers=game.bit(40)))
    assert not game.may_declare(game.parse_position(ENTERED.replace("1GS", "1G1").replace("RB", "RB2S")))
    assert not game.may_declare(game.parse_position(ENTERED.replace("RB", "R4P")))  # 27 points are White's


# Positions.


@pytest.mark.parametrize("seed", [5, 6])
def test_positions_read_back_as_written(game, seed):
    for s in positions(game, 100, seed):
        copy = game.parse_position(game.position_text(s))
        assert copy == s
        assert game.key(copy) == game.key(s)


def test_the_start_knows_what_is_pinned():
    for game in (Shogi(), MiniShogi()):
        assert game.parse_position(game.position_text(game.initial())) == game.initial()


BOARD = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("", "is not an SFEN"),
        (f"{BOARD} b", "is not an SFEN"),
        (f"{BOARD} x - 1", "the side to move is b or w, not 'x'"),
        (f"{BOARD} b - x", "'x' is not a move number"),
        (f"{BOARD} b - 1 0/1", "'0/1' is not a count of checks in a row"),
        (f"{BOARD} b P 1", "there are 19 pawns on the board and in hand; a set has 18"),
        (f"{BOARD} b 19P 1", "Black has 19 pawns in hand; a set has 18"),
        (f"{BOARD} b K 1", "'K' cannot be in hand"),
        (f"{BOARD} b P+P 1", "is not a pair of hands"),
        ("4k4/9/9/9/9/9/9/9/4KK3 b - 1", "Black has 2 kings instead of 1"),
        ("4k4/9/9/9/9/9/9/9/9 b - 1", "Black has 0 kings instead of 1"),
        ("4k4/9/9/9/9/9/9/9/4K3 b - 1", "rank i has 8 squares instead of 9"),
        ("4k4/9/9/9/9/9/9/4K4 b - 1", "the board has 8 ranks instead of 9"),
        ("4k4/9/9/9/9/9/9/9/4K3X b - 1", "'X' in rank i is not a piece"),
        ("4k4/9/9/9/9/9/9/9/4K3+G b - 1", r"'\+G' in rank i is not a piece"),
        ("4k3P/9/9/9/9/9/9/9/4K4 b - 1", "Black's pawn on 1a could never move again"),
        ("4k4/9/9/9/9/9/4p4/4p4/K8 b - 1", "White has two pawns on file 5"),
        ("4k4/4G4/9/9/9/9/9/9/4K4 b - 1", "White's king could be taken"),
    ],
)
def test_impossible_positions_get_one_sentence(game, text, sentence):
    with pytest.raises(InvalidPosition, match=sentence) as raised:
        game.parse_position(text)
    assert "\n" not in str(raised.value)


def test_minishogi_has_its_own_set():
    with pytest.raises(InvalidPosition, match="there are 1 lances on the board and in hand; a set has 0"):
        MiniShogi().parse_position("rbsgk/4p/5/P4/KGSBR b L 1")


# Notation.


def test_moves_in_western_and_japanese(game):
    s = game.parse_position("4k4/9/9/9/9/9/9/9/3GKG3 b P 1")
    assert notation.western(game, s, game.parse_action(s, "6i5h")) == "G6i-5h"
    assert notation.western(game, s, game.parse_action(s, "5i5h")) == "K-5h"
    assert notation.western(game, s, game.parse_action(s, "P*5e")) == "P*5e"
    assert notation.japanese(game, game.parse_action(s, "6i5h")) == "５八金(69)"
    assert notation.japanese(game, game.parse_action(s, "P*5e")) == "５五歩打"
    for text in ("G6i-5h", "G69-58", "５八金(69)", "58金(69)", "6i5h", " 6I5H "):
        assert notation.usi(game, game.parse_action(s, text)) == "6i5h"
    with pytest.raises(InvalidAction, match=r"'G-5h' may mean (6i5h or 4i5h|4i5h or 6i5h)"):
        game.parse_action(s, "G-5h")
    with pytest.raises(InvalidAction, match="no move '5e5d' here; legal: "):
        game.parse_action(s, "5e5d")
    s = game.start("7g7f 3c3d").state
    takes = game.parse_action(s, "Bx2b+")
    assert notation.western(game, s, takes) == "Bx2b+"
    assert notation.western(game, s, game.parse_action(s, "Bx22=")) == "Bx2b="
    assert notation.japanese(game, takes) == "２二角成(88)"


# Records.


def random_playthrough(game, plies, seed, position=None):
    p, rng = game.start(position=position), Rng(seed)
    while not p.is_over and len(p) < plies:
        options = p.options()
        p.play(options[rng.below(len(options))])
    return p


@pytest.mark.parametrize("write", [write_kif, write_csa])
@pytest.mark.parametrize("encoding", ["utf-8", "cp932"])
@pytest.mark.parametrize("name", ["shogi", "minishogi"])
def test_records_are_read_as_they_are_written(tmp_path, write, encoding, name):
    game, file = load(name), tmp_path / "games.kif"
    middle = game.position_text(random_playthrough(game, 11, 7).state)
    played = [
        random_playthrough(game, 60, 8),
        random_playthrough(game, 30, 9, middle),
        random_playthrough(game, 500, 10),
    ]
    results = [(1.0, -1.0), (-1.0, 1.0), None]
    texts = [write(p, ["A", "B"], got, {"Event": "test"}) for p, got in zip(played, results, strict=True)]
    file.write_text("\n".join(texts), encoding=encoding)
    found = list(game.read_playthroughs(file))
    assert [p.moves for p, _ in found] == [p.moves for p in played]
    assert [p.states[0].own for p, _ in found] == [p.states[0].own for p in played]
    given = [p.returns if p.is_over else got for p, got in zip(played, results, strict=True)]
    assert [got for _, got in found] == given


KIF = """# ---- Kifu for Windows ----
手合割：平手
先手：Habu
後手：Kato
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:01/00:00:01)
   2 ３四歩(33)   ( 0:01/00:00:01)
*a comment
   3 ２二角成(88) ( 0:01/00:00:02)
   4 同　銀(31)   ( 0:01/00:00:02)
   5 ４五角打     ( 0:01/00:00:03)
   6 投了
まで5手で先手の勝ち
変化：3手
   3 ２六歩(27)
"""
DIAGRAM = KIF.replace("手合割：平手", "\n".join(diagram_lines(Shogi(), Shogi().initial())))
CSA = "V2.2\nN+Habu\nN-Kato\nPI\n+\n'comment\n+7776FU\nT3\n-3334FU,T1\n+8822UM\n-3122GI\n+0045KA\n%TORYO\n"


@pytest.mark.parametrize("text", [KIF, DIAGRAM, CSA])
def test_records_of_other_programs(game, tmp_path, text):
    file = tmp_path / "game.kif"
    file.write_text(text)
    ((p, returns),) = game.read_playthroughs(file)
    assert p.moves == ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"]
    assert returns == (1.0, -1.0)


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("hello\n", "neither KIF nor CSA"),
        (KIF.replace("７六歩(77)", "７五歩(77)"), r"game 1: ply 1, .*no move"),
        (KIF.replace("平手", "百枚落ち"), "handicap '百枚落ち' is unknown"),
        (DIAGRAM.replace("先手の持駒：なし", "先手の持駒：歩百"), "'歩百' cannot be in hand"),
        (DIAGRAM.replace("先手の持駒：なし", "先手の持駒：玉"), "'K' cannot be in hand"),
        (DIAGRAM.replace("先手の持駒：なし", "先手の持駒：歩二"), "there are 20 pawns on the board and in hand"),
        (DIAGRAM.replace("|v香", "|v玉"), "White has 2 kings instead of 1"),
        (DIAGRAM.replace("|v香", "|vX"), "'X' in the diagram's line"),
        (CSA.replace("+7776FU", "+7775FU"), r"game 1: ply 1, '\+7775FU'"),
        (CSA.replace("+7776FU", "-7776FU"), "it is Black's turn"),
        (CSA.replace("+7776FU", "+7776XX"), "not a CSA move"),
        (CSA.replace("PI", "P1-OU-OU * \nP+59OU"), "ranks|squares|kings"),
    ],
)
def test_broken_records_get_one_sentence(game, tmp_path, text, sentence):
    file = tmp_path / "game.csa"
    file.write_text(text)
    with pytest.raises(CounterplayError, match=sentence) as raised:
        list(game.read_playthroughs(file))
    assert "\n" not in str(raised.value)


def test_handicaps_are_positions(game):
    for name in HANDICAPS:
        assert game.parse_position(handicap(name)).ply % 2 == (name != "平手")
