"""Conversations in UCI, USI and GTP: commands as programs send them, and lines that no program should send."""

from __future__ import annotations

import io
import random
import re
from typing import Any

from counterplay.players.specs import player

NUMBERS = ("0", "1", "2", "3", "-1", "50", "x", "", "9" * 20, "1.5", "nan", "٣", "1e3", "0x10")
NOISE = (
    "",
    " ",
    "\t",
    "\x00",
    "é",
    "\ufeff",
    "\ud800",
    "%s%n",
    "{}",
    "a" * 5000,
    "go go go",
    "#",
    "=",
    "? x",
    "\x1b[2J",
    "quit?",
    "\r",
)
FENS = (
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 40",
    "8/8/8/8/8/4k3/4p3/4K3 b - - 99 80",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "kkkkkkkk/8/8/8/8/8/8/KKKKKKKK w - - 0 1",
    "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1",
    "4k3/8/8/8/8/8/8/4K2R w K - 2147483647 9999999999",
)
UCI_MOVES = ("e2e4", "e7e5", "g1f3", "e1g1", "0000", "a7a8q", "e2e5", "zz", "E2E4", "e2", "h1h8", "e4", "(none)")
OPTIONS = (
    "Hash",
    "Threads",
    "MultiPV",
    "Move Overhead",
    "Ponder",
    "UCI_Chess960",
    "Clear Hash",
    "OwnBook",
    "BookFile",
    "SyzygyPath",
    "TablesPath",
    "UCI_LimitStrength",
    "UCI_Elo",
    "None such",
    "hash",
)
VALUES = ("1", "2", "true", "false", "", "0", "300", "nowhere.bin", "/", "14", "x", "-5", "<empty>", "9" * 12)


def changed(line: str, rng: random.Random) -> str:
    """A line with a few characters or words wrong."""
    kind = rng.randrange(4)
    words = line.split(" ")
    if kind == 0:
        i = rng.randrange(len(line) + 1)
        return line[:i] + rng.choice((*NOISE, *"abc019-= ")) + line[i + rng.randrange(2) :]
    if kind == 1:
        rng.shuffle(words)
    elif kind == 2:
        del words[rng.randrange(len(words))]
    else:
        words.insert(rng.randrange(len(words) + 1), rng.choice((*NOISE, *NUMBERS)))
    return " ".join(words)


class Uci:
    """Conversations with the chess engine, compiled."""

    limit = 20.0
    counts_parts = True

    def __init__(self) -> None:
        wrong = self.attempt(
            ["isready", "go depth 1", "go perft 1", "setoption name MultiPV value 2", "go depth 1"], None
        )
        assert not wrong, wrong

    def make(self, rng: random.Random) -> list[Any]:
        """Some lines."""
        return [self.line(rng) for _ in range(rng.randrange(5, 40))]

    def line(self, rng: random.Random) -> str:
        """One line, mostly as it should be."""
        kind = rng.randrange(12)
        if kind < 4:
            start = rng.choice(("startpos", "startpos", "fen " + rng.choice(FENS), "fen", "", "fen startpos"))
            moves = " ".join(rng.choices(UCI_MOVES, k=rng.randrange(4)))
            line = f"position {start}" + rng.choice((f" moves {moves}", "", " moves"))
        elif kind < 7:
            limits = rng.choice(
                ("depth 1", "depth 2", "nodes 50", "movetime 1", "wtime 1 btime 1", "infinite", "ponder", "mate 1")
            )
            return f"go {limits}" + rng.choice(
                ("", "", f" searchmoves {rng.choice(UCI_MOVES)}", f" {limits}", f" depth {rng.choice(NUMBERS[:5])}")
            )
        elif kind < 9:
            line = f"setoption name {rng.choice(OPTIONS)} value {rng.choice(VALUES)}"
        else:
            line = rng.choice(
                (
                    "uci",
                    "isready",
                    "ucinewgame",
                    "stop",
                    "ponderhit",
                    "d",
                    "debug on",
                    "go perft 1",
                    "position",
                    "setoption",
                    *NOISE,
                )
            )
        return changed(line, rng) if rng.random() < 0.25 else line

    def converse(self, lines: list[str], out: Any) -> None:
        """Send the engine some lines."""
        from counterplay.protocols.uci.server import UciServer

        UciServer("0", iter(lines), out).run()

    def attempt(self, parts: list[Any], said: Any) -> str:
        """Whether the engine keeps running, answers every `go` once and reports no internal error."""
        out = io.StringIO()
        lines = [line.replace("perft", "perft 1 perft") for line in parts if "quit" not in line]
        self.converse([*lines, "stop", "isready"], out)
        answers = out.getvalue().splitlines()
        for line in answers:
            if re.match(r"info string \w+(Error|Exception|Interrupt|Exit)?: ", line) and not line.startswith(
                "info string Hash"
            ):
                return line
        if answers[-1] != "readyok":
            return f"the last answer is {answers[-1]!r}, not readyok"
        asked = sum(re.search(r"(^|\s)go(\s|$)", line) is not None for line in lines)
        told = sum(line.startswith(("bestmove", "checkmate")) for line in answers)
        if told > asked:
            return f"{told} moves for {asked} questions"
        return ""


SFENS = (
    "rbsgk/4p/5/P4/KGSBR b - 1",
    "rbsgk/4p/5/P4/KGSBR w 2p 1",
    "4k/5/4P/5/K4 b G 1",
    "4k/4G/4G/5/K4 w - 1",
    "kkkkk/5/5/5/KKKKK b 99P9g 1",
    "4k/5/5/5/K4 b 3R 1",
    "4k/5/5/K4 b - 1",
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "4k/5/5/5/K4 w RBGSPrbgsp 999999999999",
)
USI_MOVES = ("2e4c", "3a3b", "P*3c", "2d2a+", "7g7f", "G*1b", "resign", "win", "zz", "P*", "0000", "5e5e", "３四歩(33)")
USI_OPTIONS = (
    "USI_Hash",
    "USI_Ponder",
    "USI_Variant",
    "Threads",
    "MultiPV",
    "Move Overhead",
    "Clear Hash",
    "None such",
)


class Usi(Uci):
    """Conversations with the shogi engine about minishogi, compiled. (It never hears the name of the larger game.)"""

    first = "setoption name USI_Variant value minishogi"

    def line(self, rng: random.Random) -> str:
        """One line, mostly as it should be."""
        kind = rng.randrange(12)
        if kind < 4:
            start = rng.choice(("startpos", "startpos", "sfen " + rng.choice(SFENS), "sfen", "", "sfen startpos"))
            moves = " ".join(rng.choices(USI_MOVES, k=rng.randrange(4)))
            line = f"position {start}" + rng.choice((f" moves {moves}", "", " moves"))
        elif kind < 7:
            limits = rng.choice(
                (
                    "depth 1",
                    "nodes 50",
                    "btime 1 wtime 1 byoyomi 1",
                    "byoyomi 2",
                    "infinite",
                    "ponder",
                    "mate 1",
                    "mate x",
                )
            )
            return f"go {limits}" + rng.choice(("", "", f" searchmoves {rng.choice(USI_MOVES)}", " binc 1 winc x"))
        elif kind < 9:
            line = f"setoption name {rng.choice(USI_OPTIONS)} value {rng.choice((*VALUES, 'minishogi', 'chess'))}"
        else:
            words = ("usi", "isready", "usinewgame", "stop", "ponderhit", "d", "gameover win", "gameover", "position")
            line = rng.choice((*words, *NOISE))
        return changed(line, rng) if rng.random() < 0.25 else line

    def converse(self, lines: list[str], out: Any) -> None:
        from counterplay.protocols.usi.server import UsiServer

        UsiServer("0", iter([self.first, *lines]), out).run()


COMMANDS = (
    "protocol_version",
    "name",
    "version",
    "known_command play",
    "list_commands",
    "boardsize 3",
    "boardsize 2",
    "clear_board",
    "komi 0.5",
    "get_komi",
    "fixed_handicap 2",
    "place_free_handicap 2",
    "set_free_handicap A1 B2",
    "play b A1",
    "play w B2",
    "play black pass",
    "undo",
    "showboard",
    "loadsgf nothing.sgf",
    "time_settings 1 1 1",
    "time_left b 1 0",
    "genmove b",
    "genmove w",
    "reg_genmove b",
    "query_boardsize",
    "play b resign",
)


SLOW = ("final_score", "final_status_list dead", "final_status_list alive", "final_status_list", "final_score x")
"""By playouts, which take long uncompiled."""


class Gtp:
    """Conversations with a small board of Go, Hex or Othello."""

    limit = 20.0
    counts_parts = True
    games = ("go:2", "go:3", "hex:2", "hex:3", "othello:4")

    def make(self, rng: random.Random) -> list[Any]:
        """The game and some lines."""
        return [rng.choice(self.games), *(self.line(rng) for _ in range(rng.randrange(5, 40)))]

    def line(self, rng: random.Random) -> str:
        """One line, mostly as it should be."""
        line = rng.choice((*COMMANDS, *COMMANDS, *NOISE)) if rng.random() < 0.99 else rng.choice(SLOW)
        if rng.random() < 0.2:
            line = f"{line.split(' ')[0]} {rng.choice((*NUMBERS, 'b', 'w A1', 'b Z99', 'b I5', 'b a1 extra', 'x'))}"
        if rng.random() < 0.25:
            line = changed(line, rng)
        return f"{rng.randrange(99)} {line}" if rng.random() < 0.1 else line

    def attempt(self, parts: list[Any], said: Any) -> str:
        """Whether every command gets one answer, in order."""
        from counterplay import load
        from counterplay.protocols.gtp.server import GtpServer
        from counterplay.protocols.gtp.table import GtpTable

        if parts[0] not in self.games:
            return ""
        out = io.StringIO()
        lines = [
            line
            for line in parts[1:]
            if "quit" not in line and not re.search(r"size\D*\d\d|size\D*[4-9]|analyze", line)
        ]
        GtpServer(GtpTable(load(parts[0])), player("random"), "0", iter([*lines, "77 name"]), out).run()
        answers = out.getvalue()
        if not answers.endswith("=77 Counterplay\n\n"):
            return f"the last answer is {answers[-80:]!r}"
        wrong = [answer for answer in answers.split("\n\n")[:-1] if not re.match(r"[=?]\d*( |$|\n)", answer)]
        return f"answers {wrong[0][:80]!r}" if wrong else ""
