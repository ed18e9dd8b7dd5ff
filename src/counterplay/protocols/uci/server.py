"""An engine that speaks UCI, the Universal Chess Interface (Meyer-Kahlen & Huber 2006), over chess and Chess960."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TextIO

from counterplay.core.game import Game
from counterplay.games.chess import notation
from counterplay.games.chess.book import Book
from counterplay.games.chess.evaluation import PAWNS
from counterplay.games.chess.game import Chess
from counterplay.games.chess.tablebase import Tablebase
from counterplay.players.evaluation_option import EvaluationOption
from counterplay.protocols.uci.by_heart import ByHeart
from counterplay.protocols.uci.conversation import EngineServer
from counterplay.protocols.uci.go import Limits
from counterplay.protocols.uci.options import OPTIONS
from counterplay.protocols.uci.strength import Weakness, weakness


class UciServer(EngineServer):
    """One conversation about chess, with an opening book and endgame tables."""

    pawns = PAWNS

    def __init__(self, version: str, source: Iterable[str], out: TextIO) -> None:
        super().__init__(Chess(), OPTIONS, version, source, out)
        self.book: Book | None = None
        self.tablebase: Tablebase | None = None
        self.by_heart, self.network = ByHeart(self.game), EvaluationOption(OPTIONS["EvalFile"][1])
        self.hits = 0  # table hits since `go`

    def do_uci(self, words: list[str]) -> None:
        self.introduce("uciok")

    def do_ucinewgame(self, words: list[str]) -> None:
        self.begin_game()

    def heed(self, option: str, value: Any) -> None:
        if option == "SyzygyPath":
            self.tablebase = Tablebase(value) if value else None
        elif option == "TablesPath":
            self.by_heart = ByHeart(self.game, value)
        elif option == "EvalFile":
            network = EvaluationOption(value or None)
            network.of(self.game)
            self.network = network
        elif option == "BookFile":
            self.book = Book(value) if value else None
        if option in ("EvalFile", "UCI_LimitStrength") and self.table is not None:
            self.table.clear()  # of values by another evaluation

    def text(self, action: int) -> str:
        game: Any = self.game
        return notation.uci(game, action, self.options["UCI_Chess960"])

    # What is known without a search.

    @property
    def searched(self) -> Game:
        found: Game = self.by_heart.searched
        return found if self.options["UCI_LimitStrength"] else self.network.of(found)  # its ratings were measured so

    def begin(self, limits: Limits) -> None:
        self.hits = 0
        super().begin(limits)

    def answered(self, s: Any, limits: Limits) -> bool:
        if not limits.is_open and self.answer_by_book(s):
            return True
        known = self.by_heart.best(s)
        if known is None:
            return False
        self.say(f"info depth 1 score {known.score} tbhits 1 pv {self.text(known.action)}")
        self.answer(self.text(known.action), limits)
        return True

    def answer_by_book(self, s: Any) -> bool:
        """Answer with a move of the opening book, if there is one."""
        if self.book is None or not self.options["OwnBook"]:
            return False
        game: Any = self.game
        try:
            action = self.book.choose(game, s, self.rng)
        except Exception as wrong:  # the file may have disappeared
            self.complain(wrong)
            return False
        if action is None:
            return False
        self.say("info string a move of the book")
        self.say(f"bestmove {self.text(action)}")
        return True

    def kept(self, s: Any) -> set[int]:
        """The moves that keep the result by the endgame tables; none without tables."""
        game: Any = self.game
        verdict = self.ask(lambda tables: tables.verdict(game, s))
        if verdict is None:
            return set()
        words = ("lost", "lost but for the 50-move rule", "drawn", "won but for the 50-move rule", "won")
        self.say(f"info string according to the tables {words[verdict.result + 2]}")
        return set(verdict.keep)

    def ask(self, question: Callable[[Tablebase], Any]) -> Any:
        """The answer of the endgame tables, or None. If one cannot be read, they are no longer used."""
        try:
            found = None if self.tablebase is None else question(self.tablebase)
        except Exception as wrong:
            self.tablebase = found = None
            self.complain(wrong)
        self.hits += found is not None
        return found

    def truth(self) -> Callable[[Any], float | None] | None:
        game: Any = self.game
        return (lambda s: self.ask(lambda tables: tables.value(game, s))) if self.tablebase else None

    def remark(self) -> str:
        return f"tbhits {self.hits} " if self.tablebase is not None else ""

    # How to play on.

    def revived(self, s: Any, before: list[int]) -> tuple[Any, list[int]]:
        """A draw that nobody has claimed: play on. (If neither side can mate, it stays over.)"""
        return s._replace(clock=0), []

    def weakness(self, limits: Limits) -> Weakness | None:
        is_weak = self.options["UCI_LimitStrength"] and not limits.infinite  # `infinite` is for analysis
        return weakness(self.options["UCI_Elo"]) if is_weak else None
