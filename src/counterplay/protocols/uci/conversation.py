"""The common part of UCI and USI: an engine that searches in one thread while another one reads commands.

So `isready` is answered and `stop` obeyed at any time. Errors are `info string` lines: only `quit` ends the engine.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.language.rng import Rng
from counterplay.core.perft import perft
from counterplay.core.repetition import repetition_word
from counterplay.core.rules import listed
from counterplay.players.clock import Allowance
from counterplay.protocols.uci.analysis import Analysis, AnalysisLine
from counterplay.protocols.uci.go import Limits, read_limits
from counterplay.protocols.uci.options import Options, declaration, read_option
from counterplay.protocols.uci.strength import Weakness, pick
from counterplay.search.engine.transposition_table import TranspositionTable
from counterplay.search.memory import Scale


class EngineServer:
    """One conversation. A subclass adds the words of its protocol and the knowledge of its game."""

    hash_option = "Hash"
    sides = "wb"  # the letters of the players' clocks
    position_word = "fen"  # the word before an explicit position
    without_moves = "(none)"  # the answer if there is no move
    pawns = 100.0  # a win counts as much as this many pawns

    def __init__(self, game: Game, declared: Options, version: str, source: Iterable[str], out: TextIO) -> None:
        self.version, self.source, self.out = version, source, out
        self.game, self.declared = game, declared
        self.scale = Scale.of(game)
        self.options: dict[str, Any] = {name: usual for name, (_, usual, *_) in declared.items()}
        self.table: TranspositionTable | None = None
        self.fitting = self.options[self.hash_option]
        """The last size of the table that fitted into memory."""
        self.rng = Rng(time.time_ns())
        self.states = [game.initial()]
        """The game so far; empty if the last position was invalid."""
        self.past: list[int] = []  # the repetition words of states, as far as they were needed
        self.told: tuple[list[str], list[str]] = (["startpos"], [])  # the position as it was sent
        self.analysis: Analysis | None = None
        self.thread: threading.Thread | None = None
        self.counting: threading.Thread | None = None
        self.released = threading.Event()
        """Set when a search may answer: at once or, if it must wait, on `stop`."""
        self.pondering: Limits | None = None
        self.held: str | None = None
        """An answer without a search that must wait for a request."""
        self.is_over = False
        self._writing = threading.Lock()

    # What a game knows beyond its rules.

    @property
    def searched(self) -> Game:
        """The game for searches."""
        return self.game

    def answered(self, s: Any, limits: Limits) -> bool:
        """Whether a book or a table has answered at once."""
        return False

    def kept(self, s: Any) -> set[int]:
        """The moves worth a search; none: all."""
        return set()

    def revived(self, s: Any, before: list[int]) -> tuple[Any, list[int]]:
        """A position in which the game is over by a rule, and what came before it, changed so that play can go on."""
        return s, []

    def truth(self) -> Callable[[Any], float | None] | None:
        """The source of exact values of positions."""
        return None

    def weakness(self, limits: Limits) -> Weakness | None:
        """How much weaker to play than possible."""
        return None

    def remark(self) -> str:
        """What else to report about a search, followed by a space."""
        return ""

    def score(self, value: float) -> str:
        """A value in the protocol's form: hundredths of a pawn, or moves to mate."""
        plies = self.scale.plies(value)
        if plies is None:
            return f"cp {round(value * self.pawns * 100)}"
        return f"mate {self.distance(plies, value > 0)}"

    def distance(self, plies: int, wins: bool) -> int:
        """The distance of a mate, negative if the side to move is mated."""
        return (plies + 1) // 2 if wins else -(plies // 2)

    def text(self, action: int) -> str:
        """A move in the other program's notation."""
        return self.game.protocol_text(None, action)

    # The conversation.

    def run(self) -> None:
        """Read commands until `quit` or the end of the input."""
        for line in self.source:
            try:
                self.obey(line.split())
            except Exception as wrong:  # an error must not end the engine
                self.complain(wrong)
            if self.is_over:
                break
        if self.counting and not self.is_over:
            self.counting.join()  # after a batch of commands, the answer is still wanted
        self.do_stop([])

    def obey(self, words: list[str]) -> None:
        """Execute a line; unknown words before the first command are skipped, as the protocol requires."""
        for i, word in enumerate(words):
            command = getattr(self, f"do_{word}", None) if word.isidentifier() else None
            if command is not None:
                command(words[i + 1 :])
                return
        if words:
            raise CounterplayError(f"unknown command {' '.join(words)[:60]!r}")

    def say(self, line: str) -> None:
        """Write a line and send it."""
        with self._writing:
            self.out.write(line.replace("\n", " ") + "\n")
            self.out.flush()

    def complain(self, wrong: Exception) -> None:
        """Report what went wrong."""
        if isinstance(wrong, OSError):
            wrong = CounterplayError(f"the operating system refused: {(wrong.strerror or str(wrong)).lower()}")
        name = "" if isinstance(wrong, CounterplayError) else f"{type(wrong).__name__}: "
        self.say(f"info string {name}{wrong}")

    def introduce(self, done: str) -> None:
        """Send the engine's name and its options."""
        self.say(f"id name Counterplay {self.version}")
        self.say("id author the Counterplay contributors")
        for name in self.declared:
            self.say(declaration(name, self.declared))
        self.say(done)

    def do_quit(self, words: list[str]) -> None:
        self.is_over = True

    def do_debug(self, words: list[str]) -> None:
        pass

    def do_isready(self, words: list[str]) -> None:
        try:
            if self.thread is None:
                self.analyse(self.game.initial(), (), ())  # compiles
        except Exception as wrong:  # the other program waits for an answer
            self.complain(wrong)
        self.say("readyok")

    def begin_game(self) -> None:
        """Forget the last game."""
        self.do_stop([])
        self.do_position(["startpos"])
        if self.table is not None:
            self.table.clear()

    def do_setoption(self, words: list[str]) -> None:
        found, value = read_option(words, self.declared)
        self.do_stop([])
        self.options[found] = value
        if found == self.hash_option:
            self.table = None
        elif found == "Clear Hash" and self.table is not None:
            self.table.clear()
        self.heed(found, value)

    def heed(self, option: str, value: Any) -> None:
        """Apply an option's other effects."""

    def do_position(self, words: list[str]) -> None:
        self.do_stop([])
        at = words.index("moves") if "moves" in words else len(words)
        start, moves = words[:at], words[at + 1 :]
        if not self.states or start != self.told[0] or moves[: len(self.told[1])] != self.told[1]:
            self.states, self.past, self.told = [], [], (start, [])  # not the last game, even if this one is invalid
            self.states = [self.first(start)]
        for text in moves[len(self.told[1]) :]:
            try:
                action = self.game.parse_action(self.position, text)
            except CounterplayError as wrong:
                raise CounterplayError(f"{wrong}; the moves before it were played") from None
            self.states.append(self.game.result(self.position, action))
            self.told[1].append(text)

    def first(self, start: list[str]) -> Any:
        """The position given by the words between `position` and `moves`."""
        if start[:1] == ["startpos"]:
            return self.game.initial()
        if start[:1] == [self.position_word]:
            return self.game.parse_position(" ".join(start[1:]))
        raise CounterplayError(f"position is followed by startpos or {self.position_word}")

    @property
    def position(self) -> Any:
        """The current position."""
        if not self.states:
            raise CounterplayError("there is no position: the last one that was sent was refused")
        return self.states[-1]

    def before(self) -> list[int]:
        """The repetition words of the positions before the last."""
        self.past += [repetition_word(self.game, s) for s in self.states[len(self.past) : -1]]
        return self.past

    def do_d(self, words: list[str]) -> None:
        for row in self.game.board(self.position).splitlines():
            self.say(row)
        self.say(f"{self.position_word.capitalize()}: {self.game.position_text(self.position)}")

    # Searching.

    def do_go(self, words: list[str]) -> None:
        self.do_stop([])
        limits = read_limits(words, self.sides)
        for wrong in limits.wrong:
            self.say(f"info string {wrong}")
        try:
            self.begin(limits)
        except Exception as wrong:  # the other program waits for a move
            self.complain(wrong)
            options = listed(self.game, self.position) if self.states else []
            self.answer(self.text(options[0]) if options else "0000", limits)

    def begin(self, limits: Limits) -> None:
        """Begin a search, or answer without one."""
        s = self.position
        if "perft" in limits.numbers:
            self.count(s, limits.numbers["perft"])
            return
        options = listed(self.game, s)
        if not options:
            self.say("info depth 0 score " + ("mate 0" if self.game.utility(s, self.game.to_move(s)) else "cp 0"))
            self.answer(self.without_moves, limits)
            return
        only = self.named(s, limits.only)
        if not only and self.answered(s, limits):
            return
        only = only or self.kept(s)
        barred = [action for action in options if only and action not in only]
        before = self.before()
        if self.game.is_terminal(s) or before.count(repetition_word(self.game, s)) >= self.game.occurrences - 1:
            s, before = self.revived(s, before)
        if self.game.is_terminal(s):
            self.answer(self.text(options[0]), limits)
            return
        self.start(s, before, barred, limits, len(options) - len(barred))

    def start(self, s: Any, before: list[int], barred: list[int], limits: Limits, moves: int) -> None:
        """Begin a search of some moves in its own thread."""
        self.analysis = self.analyse(s, before, barred)
        self.released = threading.Event()
        self.pondering = limits if limits.ponder else None
        if not limits.is_open:
            self.released.set()
        arguments = (self.analysis, self.released, s, limits, moves)
        self.thread = threading.Thread(target=self.search, args=arguments, daemon=True)
        self.thread.start()

    def answer(self, move: str, limits: Limits) -> None:
        """Answer without a search, at once or when it is asked for."""
        if limits.is_open:
            self.held, self.pondering = f"bestmove {move}", limits if limits.ponder else None
        else:
            self.say(f"bestmove {move}")

    def count(self, s: Any, depth: int) -> None:
        """Count the tree in its own thread. It cannot be stopped: after `stop` its result is not sent."""
        unwanted = self.released = threading.Event()

        def work() -> None:
            try:
                leaves = perft(self.game, s, depth)
            except Exception as wrong:
                self.complain(wrong)
            else:
                if not unwanted.is_set():
                    self.say(f"Nodes searched: {leaves}")

        self.counting = threading.Thread(target=work, daemon=True)
        self.counting.start()

    def named(self, s: Any, texts: Iterable[str]) -> set[int]:
        """The moves to search; anything else is reported and ignored."""
        found = set()
        for text in texts:
            try:
                found.add(self.game.parse_action(s, text))
            except CounterplayError as wrong:
                self.complain(wrong)
        return found

    def do_stop(self, words: list[str]) -> None:
        self.released.set()
        if self.analysis is not None:
            self.analysis.stop()
        if self.thread is not None:
            self.thread.join()
        if self.held is not None:
            self.say(self.held)
        self.analysis = self.thread = self.pondering = self.held = None

    def do_ponderhit(self, words: list[str]) -> None:
        if self.pondering is None:
            return
        if self.analysis is None:
            self.do_stop([])
            return
        self.analysis.limit(self.allowance(self.pondering))
        self.pondering = None
        self.released.set()

    def allowance(self, limits: Limits) -> Allowance:
        """The time that the side to move may spend."""
        return limits.allowance(self.game.to_move(self.position), self.options["Move Overhead"] / 1000)

    def analyse(self, s: Any, before: Any, barred: Any) -> Analysis:
        """A search of `s`, ready to run."""
        if self.table is None:
            self.table = self.new_table()
        wanted = self.options["Threads"]
        made = Analysis.that_fits(self.searched, s, before, self.table, wanted, barred, self.truth())
        if len(made.contexts) < wanted:
            self.options["Threads"] = len(made.contexts)
            self.say(f"info string there is no memory for {wanted} threads; Threads is {len(made.contexts)} now")
        return made

    def new_table(self) -> TranspositionTable:
        """A table of the size that the option says or, without memory for it, of the last size that fitted."""
        gc.collect()  # a finished search refers to itself and to the last table
        name = self.hash_option
        try:
            table = TranspositionTable(self.options[name])
        except CounterplayError as wrong:
            self.say(f"info string {wrong}; {name} is {self.fitting} again")
            self.options[name] = self.fitting
            table = TranspositionTable(self.fitting)
        self.fitting = self.options[name]
        table.occupy()
        return table

    def search(self, analysis: Analysis, released: threading.Event, s: Any, limits: Limits, moves: int) -> None:
        """Search, report on it, and answer when allowed."""
        numbers = limits.numbers
        allowed = Allowance(None) if limits.is_open else self.allowance(limits)
        if moves == 1 and allowed.soft is not None:
            allowed = allowed._replace(soft=0.0)
        weak = self.weakness(limits)
        nodes, lines = numbers.get("nodes"), self.options["MultiPV"]
        if weak:
            nodes, lines = min(weak.nodes, nodes or weak.nodes), max(lines, weak.lines)
        mate = 2 * numbers["mate"] - 1 if "mate" in numbers else None
        try:
            analysis.run(
                lambda line: self.tell(line) if line.rank <= self.options["MultiPV"] else None,
                depth=numbers.get("depth") or None,
                time=allowed,
                nodes=nodes,
                mate=mate,
                lines=min(lines, moves),
                endless=limits.infinite,
            )
        except Exception as wrong:  # the engine must answer, whatever happens
            self.say(f"info string the search failed: {wrong}")
        released.wait()
        free = [action for action in listed(self.game, s) if action not in analysis.barred]
        line = analysis.lines[0].actions if analysis.lines else (free[0],)
        if weak and analysis.lines:
            line = pick(analysis.lines, weak.spread, self.rng).actions
        self.conclude(line, analysis)

    def conclude(self, line: tuple[int, ...], analysis: Analysis) -> None:
        """Send the chosen move, and the reply that the search expects."""
        self.say(f"bestmove {self.text(line[0])}" + (f" ponder {self.text(line[1])}" if len(line) > 1 else ""))

    def tell(self, line: AnalysisLine) -> None:
        """Send an `info` line."""
        milliseconds = max(1, round(1000 * line.seconds))
        words = [f"info depth {line.depth} seldepth {max(line.deepest, line.depth)} multipv {line.rank}"]
        words.append(f"score {self.score(line.value)} nodes {line.nodes} nps {line.nodes * 1000 // milliseconds}")
        words.append(f"hashfull {line.fullness} {self.remark()}time {milliseconds} pv")
        words += [self.text(action) for action in line.actions]
        self.say(" ".join(words))
