"""A server of the Go Text Protocol: reads commands, answers each, and plays with one of our players.

Every command is a method named `do_...`; its return value is the answer, and a Refusal is the answer of a command that
fails. Lines are read in a separate thread, so an analysis continues until the next one comes.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

from counterplay.core.errors import CounterplayError
from counterplay.games.go import notation
from counterplay.games.go.sgf import read_sgf, result_text
from counterplay.games.go.status import status
from counterplay.players.clock import Clock
from counterplay.players.player import Forfeit, Player
from counterplay.protocols.gtp.analysis import DIALECTS, read_request, report
from counterplay.protocols.gtp.syntax import Command, Refusal, answer, colour, read_command, real, require_words, whole
from counterplay.protocols.gtp.table import GtpTable
from counterplay.protocols.gtp.timing import Timing

FATES = ("alive", "dead", "seki")


class GtpServer:
    """One conversation."""

    def __init__(self, table: GtpTable, player: Player, version: str, source: Iterable[str], out: TextIO) -> None:
        self.table, self.player, self.version, self.out = table, player, version, out
        self.timing = Timing()
        self._ready: object = None  # the game that the player is prepared for
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._source = source
        self.commands: dict[str, Callable[[list[str]], str]] = {
            name[3:].replace("__", "-"): getattr(self, name) for name in dir(self) if name.startswith("do_")
        }

    # The conversation.

    def run(self) -> None:
        """Answer until `quit` or the end of the input."""
        threading.Thread(target=self._listen, daemon=True).start()
        while (line := self._lines.get()) is not None:
            command = read_command(line)
            if command is None:
                continue
            self.say(self.reply(command))
            if command.name == "quit":
                break
        self.player.close()

    def _listen(self) -> None:
        try:
            for line in self._source:
                self._lines.put(line)
        finally:
            self._lines.put(None)

    def say(self, text: str) -> None:
        """Write a line and flush."""
        self.out.write(text)
        self.out.flush()

    def reply(self, command: Command) -> str:
        """The whole answer to a command."""
        number, name, arguments = command
        try:
            if name in DIALECTS:
                return self.analyse(number, name, arguments)
            if name not in self.commands:
                raise Refusal("unknown command")
            return answer(number, self.commands[name](arguments))
        except CounterplayError as wrong:
            return answer(number, str(wrong), failed=True)

    # Administration.

    def do_protocol_version(self, arguments: list[str]) -> str:
        return "2"

    def do_name(self, arguments: list[str]) -> str:
        return "Counterplay"

    def do_version(self, arguments: list[str]) -> str:
        return f"{self.version} ({self.player.spec})"

    def do_known_command(self, arguments: list[str]) -> str:
        require_words(arguments, 1)
        return "true" if arguments[0] in self.commands or arguments[0] in DIALECTS else "false"

    def do_list_commands(self, arguments: list[str]) -> str:
        return "\n".join(sorted([*self.commands, *DIALECTS]))

    def do_quit(self, arguments: list[str]) -> str:
        return ""

    # The board.

    def do_boardsize(self, arguments: list[str]) -> str:
        require_words(arguments, 1)
        size = whole(arguments[0], -(10**9))
        try:
            self.table.change(size=size)
        except Refusal:
            raise Refusal("unacceptable size") from None
        return ""

    def do_query_boardsize(self, arguments: list[str]) -> str:
        return str(self.table.game.parameters["size"])

    def do_clear_board(self, arguments: list[str]) -> str:
        self.table.clear()
        self.timing.restart()
        self.prepare()
        return ""

    def do_komi(self, arguments: list[str]) -> str:
        require_words(arguments, 1)
        komi = real(arguments[0])
        if self.table.go.komi != komi:
            self.table.set_komi(komi)
        return ""

    def do_get_komi(self, arguments: list[str]) -> str:
        return f"{self.table.go.komi:g}"

    def do_fixed_handicap(self, arguments: list[str]) -> str:
        require_words(arguments, 1)
        return " ".join(self.table.fixed_handicap(whole(arguments[0])))

    def do_place_free_handicap(self, arguments: list[str]) -> str:
        require_words(arguments, 1)
        return " ".join(self.table.own_handicap(whole(arguments[0])))

    def do_set_free_handicap(self, arguments: list[str]) -> str:
        self.table.free_handicap(arguments)
        return ""

    def do_play(self, arguments: list[str]) -> str:
        require_words(arguments, 2)
        self.table.play(colour(arguments[0]), arguments[1].lower().replace("swap-pieces", "swap"))
        return ""

    def do_undo(self, arguments: list[str]) -> str:
        self.table.undo()
        return ""

    def do_showboard(self, arguments: list[str]) -> str:
        return "\n" + str(self.table.p)

    def do_loadsgf(self, arguments: list[str]) -> str:
        require_words(arguments, 1, 2)
        moves = whole(arguments[1], 1) - 1 if len(arguments) > 1 else None
        self.table.require_go()
        try:
            records = read_sgf(Path(arguments[0]).read_bytes(), moves)
        except (OSError, CounterplayError, ValueError):
            raise Refusal("cannot load file") from None
        self.table.put(records[0].playthrough)
        return ""

    # Play.

    def do_time_settings(self, arguments: list[str]) -> str:
        require_words(arguments, 3)
        main, period, stones = real(arguments[0]), real(arguments[1]), whole(arguments[2])
        if main < 0 or period < 0:
            raise Refusal("syntax error")
        self.timing.set(main, period, stones)
        return ""

    def do_time_left(self, arguments: list[str]) -> str:
        require_words(arguments, 3)
        self.timing.tell(colour(arguments[0]), real(arguments[1]), whole(arguments[2]))
        return ""

    def do_genmove(self, arguments: list[str]) -> str:
        require_words(arguments, 1)
        player = colour(arguments[0])
        text = self.choose(player)
        if text != "resign":
            self.table.play(player, text)
        return text

    def do_reg_genmove(self, arguments: list[str]) -> str:
        require_words(arguments, 1)
        return self.choose(colour(arguments[0]), spend=False)

    def choose(self, player: int, spend: bool = True) -> str:
        """The move that our player makes for a side, with the board left unchanged."""
        table = self.table
        if table.p.is_over:
            if table.p.game.name != "go":
                raise Refusal("the game is over")
            return "pass"
        before = table.mark()
        table.turn(player)
        try:
            self.prepare()
            clock = self.timing.clock(player)
            started = time.monotonic()
            found = self.player.choose(table.p, clock=clock)
            if spend:
                self.timing.spend(player, time.monotonic() - started)
            return table.p.game.action_text(table.p.state, found.action)
        except Forfeit:
            return "resign"
        finally:
            table.back(before)

    def prepare(self) -> None:
        """Let the player compile what it needs, once for each game."""
        if self._ready != self.table.game:
            self.player.require(self.table.game)
            self.player.prepare(self.table.p)
            self._ready = self.table.game

    def analyse(self, number: str, name: str, arguments: list[str]) -> str:
        """Report on the position until another line arrives: a line of results every interval."""
        player, interval, most = read_request(arguments)
        table = self.table
        if table.p.is_over:
            raise Refusal("the game is over")
        before = table.mark()
        table.turn(table.p.to_move if player is None else player)
        try:
            self.prepare()
            said = f"={number}\n"
            while True:
                found = self.player.choose(table.p, clock=Clock(move=interval))
                self.say(said + report(table.p, found, DIALECTS[name], most) + "\n")
                said = ""
                if not self._lines.empty():
                    return "\n"
        finally:
            table.back(before)

    # The end.

    def do_final_score(self, arguments: list[str]) -> str:
        game = self.table.go
        return result_text(status(game, self.table.p.state).margin)

    def do_final_status_list(self, arguments: list[str]) -> str:
        require_words(arguments, 1)
        game = self.table.go
        if arguments[0] not in FATES:
            raise Refusal("syntax error")
        points = getattr(status(game, self.table.p.state), arguments[0])
        return "\n".join(" ".join(chain) for chain in chains(self.table, points))


def chains(table: GtpTable, points: list[int]) -> list[list[str]]:
    """Points by the chains that they belong to, in the form of a status list: one chain per line."""
    game, s = table.go, table.p.state
    stones = s.mine | s.theirs
    left, lines = set(points), []
    while left:
        point = min(left)
        own = s.mine if s.mine >> point & 1 else s.theirs
        chain = game.spread(game.at(point), own & stones)
        members = sorted(at for at in left if chain >> at & 1)
        left -= set(members)
        lines.append([notation.vertex(game, at) for at in members])
    return lines
