"""Known facts about each game from other sources, never computed by the code under test.

Every registered game has at least one entry. `perft` counts the sequences of exactly 1, 2, ... actions (chance events
count); `value` is what the first player gets under best play; `positions` counts the different states after 0, 1, ...
actions. Sources: "published" (with where), "OpenSpiel" (its tree, counted through its own API), "by hand" (a formula,
or a brute force over lists and tuples written apart from this package).
"""

from __future__ import annotations

from typing import NamedTuple


class Truth(NamedTuple):
    """One game's figures."""

    spec: str
    source: str
    perft: tuple[int, ...] = ()
    value: float | None = None
    positions: tuple[int, ...] = ()
    openspiel: str = ""  # the same game there, to count its tree again
    slow: bool = False  # its value takes long to compute uncompiled


KALAH = "published: Irving, Donkers and Uiterwijk 2000, table 10, as others quote it (we have not seen the paper)"
"""Their last seed in an empty house is captured even where the house opposite is empty."""

TRUTHS = [
    Truth(
        "tic-tac-toe",
        "published: the game is a draw, its tree has 549,946 nodes and 5,478 different positions",
        perft=(9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872, 0),
        positions=(1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78),
        value=0.0,
        openspiel="tic_tac_toe",
    ),
    Truth("mnk", "the 3,3,3-game is tic-tac-toe", perft=(9, 72, 504, 3024, 15120, 54720), value=0.0),
    Truth("mnk:4,4,3", "OpenSpiel", perft=(16, 240, 3360, 43680, 524160), openspiel="mnk(m=4,n=4,k=3)"),
    Truth("mnk:4,3,3", "by hand: brute force", perft=(12, 132, 1320, 11880, 95040, 622944, 3499200)),
    Truth(
        "mnk:5,5,4",
        "by hand: nobody can win before the 7th stone",
        perft=(25, 25 * 24, 25 * 24 * 23, 25 * 24 * 23 * 22),
    ),
    Truth(
        "mnk:3,3,3,players=3", "by hand: brute force", perft=(9, 72, 504, 3024, 15120, 60480, 181440, 328320, 296352, 0)
    ),
    Truth("mnk:3,3,2,players=3", "by hand: brute force", perft=(9, 72, 504, 3024, 6720, 10880, 11520, 3456, 288, 0)),
    Truth(
        "connect-four",
        "published: the positions, by Tromp (OEIS A212693); the tree by OpenSpiel and a brute force over columns",
        perft=(7, 49, 343, 2401, 16807, 117649, 823536, 5673234),
        positions=(1, 7, 49, 238, 1120, 4263),
        openspiel="connect_four",
    ),
    Truth("connect-four:4,4", "by hand: brute force", perft=(4, 16, 64, 256, 1020, 4020, 15540, 57504)),
    Truth(
        "chess",
        "published: chessprogramming.org; OpenSpiel",
        perft=(20, 400, 8902, 197281, 4865609),
        openspiel="chess",
    ),
    Truth("shogi", "published: chessprogramming.org; python-shogi, Fairy-Stockfish", perft=(30, 900, 25470, 719731)),
    Truth("minishogi", "Fairy-Stockfish", perft=(14, 181, 2512, 35401, 533203)),
    Truth(
        "othello",
        "published: a pass counts as an action (Aart Bik, perft for Reversi)",
        perft=(4, 12, 56, 244, 1396, 8200, 55092, 390216),
        openspiel="othello",
    ),
    Truth(
        "othello:4,score=on", "published: White wins 11 to 3, and empty squares count for nobody", value=-8.0, slow=True
    ),
    Truth(
        "checkers",
        "published: a whole jump is one action (Aart Bik, perft for checkers)",
        perft=(7, 49, 302, 1469, 7361, 36768, 179740, 845931),
    ),
    Truth(
        "backgammon",
        "by hand: brute force, a checker at a time; 30 first rolls, then 21",
        perft=(30, 380, 7980, 178306),
    ),
    Truth(
        "battleship",
        "OpenSpiel",
        perft=(7, 49, 294, 1764, 8820),
        openspiel="battleship(board_width=3,board_height=2,ship_sizes=[2],ship_values=[1],num_shots=3,"
        "allow_repeated_shots=False)",
    ),
    Truth("phantom-tic-tac-toe", "OpenSpiel: tries count", perft=(9, 81, 648, 5112, 36288), openspiel="phantom_ttt"),
    Truth("dark-hex", "OpenSpiel: tries count", perft=(9, 81, 648, 5112, 36288), openspiel="dark_hex(board_size=3)"),
    Truth("hex", "by hand: any empty cell, and no chain is long enough yet", perft=(121, 121 * 120, 121 * 120 * 119)),
    Truth("hex:2", "OpenSpiel", perft=(4, 12, 24, 12, 0), value=1.0, openspiel="hex(board_size=2)"),
    Truth(
        "hex:3",
        "OpenSpiel; the first player wins on every size (Nash)",
        perft=(9, 72, 504, 3024, 15120, 54720, 146880, 207360, 120960, 0),
        value=1.0,
        openspiel="hex(board_size=3)",
    ),
    Truth(
        "go",
        "published: 42,002,891 at depth 4, where the 82 games that two passes have ended count as leaves, too",
        perft=(82, 6643, 531522, 42002891 - 82),
        openspiel="go(board_size=9)",
    ),
    Truth("go:2", "by hand: brute force", perft=(5, 21, 68, 156, 316, 604)),
    Truth(
        "nim",
        "Bouton 1901: 3 ^ 4 ^ 5 is not 0. The last count is 12! / (3! 4! 5!), all objects one by one",
        perft=(12, 113, 810, 4338, 17496, 53442, 123228, 211470, 262248, 222390, 115500, 27720, 0),
        value=1.0,
        openspiel="nim(pile_sizes=3;4;5,is_misere=False)",
    ),
    Truth("nim:1-2-3", "Bouton 1901: 1 ^ 2 ^ 3 is 0", value=-1.0),
    Truth("nim:1-1-1,misere=on", "by hand: the objects go one by one, the third loses", perft=(3, 6, 6, 0), value=-1.0),
    Truth("nim:1-1-2,misere=on", "by hand: take the heap of 2 whole, and 1-1 loses", value=1.0),
    Truth(
        "kayles",
        "by hand: brute force over lengths of runs; the last count is 13!, all pins one by one. Grundy value 1",
        perft=(25, 530, 9366, 135384, 1568760, 14274000),
        value=1.0,
    ),
    Truth("kayles:4-1", "Guy and Smith 1956: both rows have Grundy value 1", value=-1.0),
    Truth("kayles:5-4", "Guy and Smith 1956: Grundy values 4 and 1", value=1.0),
    Truth("pig", "by hand: brute force", perft=(1, 6, 11, 41, 96, 301, 781, 2286, 6191, 17621, 48576, 136681)),
    Truth("pig:goal=5", "by hand: brute force", perft=(1, 6, 7, 27, 30, 73, 139, 241, 378, 650, 1087, 1801)),
    Truth("kriegspiel", "as in chess: the first try of either side is always legal", perft=(20, 400)),
    Truth(
        "kriegspiel:start=4k3/8/8/8/8/8/8/KR6",
        "OpenSpiel",
        perft=(15, 75, 1105),
        openspiel="kriegspiel(fen=4k3/8/8/8/8/8/8/KR6 w - - 0 1,threefold_repetition=False)",
    ),
    Truth(
        "kriegspiel-ending",
        "by hand: brute force over sets of squares (games/naive_kriegspiel.py)",
        perft=(8, 56, 173, 1269, 4529),
    ),
    Truth("skirmish", "by hand: brute force over sets of cells (games/naive_skirmish.py)", perft=(4, 16, 60, 225)),
    Truth("kuhn-poker", "OpenSpiel", perft=(3, 6, 12, 24, 12, 0), openspiel="kuhn_poker"),
    Truth(
        "liars-dice",
        "OpenSpiel",
        perft=(6, 36, 432, 2808, 10296),
        openspiel="liars_dice",
    ),
    Truth(
        "goofspiel",
        "OpenSpiel",
        perft=(4, 16, 64, 192, 576, 1728),
        openspiel="turn_based_simultaneous_game(game=goofspiel(num_cards=4))",
    ),
    Truth("leduc-poker", "OpenSpiel", perft=(6, 30, 60, 150, 390, 780, 1800, 2640), openspiel="leduc_poker"),
    Truth(
        "rhode-island",
        "by hand: 8 * 7 deals; then two actions, and three after a raise; 6 cards are left after call call or raise call",
        perft=(8, 56, 112, 224, 56 * (6 + 2 + 6)),
    ),
    Truth("texas-holdem", "by hand: cards are dealt one by one", perft=(52, 52 * 51, 52 * 51 * 50)),
    Truth("flop-holdem", "by hand: cards are dealt one by one", perft=(52, 52 * 51, 52 * 51 * 50)),
    Truth("whist", "by hand: eight cards are dealt one by one", perft=(8, 56, 336, 1680)),
    Truth("tree", "Russell and Norvig, the two-ply tree of their chapter on games", perft=(3, 9, 0), value=3.0),
    Truth(
        "tree:[[3,12,8],[2,4,6],[2,5,14]]", "by hand: the order of leaves changes no value", perft=(3, 9, 0), value=3.0
    ),
    Truth("matrix", "by hand: matching pennies", perft=(2, 4, 0)),
    Truth("matrix:[[1, 2, 3], [4, 5, 6]]", "by hand: two rows, three columns", perft=(2, 6, 0)),
    Truth("rock-paper-scissors", "by hand: three actions each", perft=(3, 9, 0)),
    Truth("prisoners-dilemma", "by hand: two actions each", perft=(2, 4, 0)),
    Truth("battle-of-the-sexes", "by hand: two actions each", perft=(2, 4, 0)),
    Truth("chicken", "by hand: two actions each", perft=(2, 4, 0)),
    Truth("matching-pennies", "by hand: two actions each", perft=(2, 4, 0)),
    Truth("stag-hunt", "by hand: two actions each", perft=(2, 4, 0)),
    Truth("nine-mens-morris", "OpenSpiel", perft=(24, 552, 12144, 255024), openspiel="nine_mens_morris"),
    Truth(
        "three-mens-morris",
        "by hand: tic-tac-toe as long as men are placed; the value is in tests/games/test_morris.py",
        perft=(9, 72, 504, 3024, 15120, 54720),
    ),
    Truth("kalah", "OpenSpiel", perft=(6, 35, 185, 942, 4690), openspiel="mancala"),
    Truth("kalah:1,1,empty_capture=on", KALAH, value=0.0),
    Truth("kalah:2,2,empty_capture=on", KALAH, value=-1.0),
    Truth("kalah:3,1,empty_capture=on", KALAH, value=0.0),
    Truth(
        "pocket-cube",
        "by hand: six quarter turns, and the start is more than five from the solution",
        perft=(6, 36, 216, 1296, 7776),
    ),
    Truth(
        "pocket-cube:scramble=U",
        "published: positions by distance, quarter turns; those an even number away come again",
        positions=(1, 6),
    ),
    Truth(
        "yahtzee",
        "by hand: 252 ways for five dice to lie; then 13 boxes, or to keep some: C(16, 5) - 252 choices in all",
        perft=(252, 252 * 13 + 4368 - 252),
    ),
]
