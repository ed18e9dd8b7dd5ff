"""An engine that speaks USI, the Universal Shogi Interface (Romstad 2007), over shogi and minishogi.

The conversation is UCI's with other words; what USI adds is here: byoyomi, declared wins, resigning, `go mate`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO

from counterplay.core.rules import listed
from counterplay.games.shogi.evaluation import PAWNS
from counterplay.games.shogi.game import MiniShogi, Shogi
from counterplay.protocols.uci.analysis import Analysis
from counterplay.protocols.uci.conversation import EngineServer
from counterplay.protocols.uci.go import Limits, is_number
from counterplay.protocols.uci.options import Options
from counterplay.search.memory import Scale
from counterplay.search.suitability import DEPTH

VARIANTS = {game.name: game for game in (Shogi, MiniShogi)}
OPTIONS: Options = {
    "USI_Hash": ("spin", 64, 1, 65536),
    "USI_Ponder": ("check", False),
    "USI_Variant": ("combo", Shogi.name, *VARIANTS),
    "Threads": ("spin", 1, 1, 256),
    "MultiPV": ("spin", 1, 1, 600),
    "Move Overhead": ("spin", 30, 0, 5000),
    "Clear Hash": ("button", None),
}


class UsiServer(EngineServer):
    """One conversation about shogi or minishogi."""

    hash_option = "USI_Hash"
    sides = "bw"
    position_word = "sfen"
    without_moves = "resign"
    pawns = PAWNS

    def __init__(self, version: str, source: Iterable[str], out: TextIO) -> None:
        super().__init__(Shogi(), OPTIONS, version, source, out)
        self.is_solving = False  # `go mate` asks for a mate and nothing else

    def do_usi(self, words: list[str]) -> None:
        self.introduce("usiok")

    def do_usinewgame(self, words: list[str]) -> None:
        self.begin_game()

    def do_gameover(self, words: list[str]) -> None:
        self.do_stop([])

    def heed(self, option: str, value: Any) -> None:
        if option == "USI_Variant" and value != self.game.name:
            self.game = VARIANTS[value]()
            self.scale = Scale.of(self.game)
            self.states = []  # positions of the last game do not belong to this one
            self.begin_game()

    def distance(self, plies: int, wins: bool) -> int:
        return plies if wins else -plies

    def answered(self, s: Any, limits: Limits) -> bool:
        game: Any = self.game
        if not game.may_declare(s):
            return False
        self.answer("win", limits)
        return True

    # go mate: solve a mate problem.

    def do_go(self, words: list[str]) -> None:
        self.do_stop([])
        self.is_solving = words[:1] == ["mate"]
        if not self.is_solving:
            super().do_go(words)
            return
        try:
            self.solve(words[1:2])
        except Exception as wrong:  # the other program waits for an answer
            self.complain(wrong)
            self.say("checkmate timeout")

    def solve(self, time: list[str]) -> None:
        """Search for a mate, for a number of milliseconds or until stopped."""
        numbers = {"mate": DEPTH}
        if time and is_number(time[0]):
            numbers["movetime"] = max(0, int(time[0]))
        s = self.position
        options = listed(self.game, s)
        if not options or self.game.is_terminal(s):
            self.say("checkmate nomate")
            return
        self.start(s, [], [], Limits(numbers, False, False, (), (), self.sides), len(options))

    def conclude(self, line: tuple[int, ...], analysis: Analysis) -> None:
        if not self.is_solving:
            super().conclude(line, analysis)
            return
        value = analysis.lines[0].value if analysis.lines else 0.0
        if self.scale.plies(value) is None:
            self.say("checkmate timeout")
        else:
            self.say("checkmate " + (" ".join(map(self.text, line)) if value > 0 else "nomate"))
