"""Every format that is read, damaged in its bytes, in its lines and, if it has one, in its structure."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shlex
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from trust import commands
from trust.damage import damaged

from counterplay import CounterplayError, load
from counterplay.adapters.plain_data import from_json, to_json
from counterplay.cli import main

PGN = """[Event "x"]
[White "a"]
[Black "b"]
[Result "1-0"]

1. e4 e5 2. Nf3 (2. f4 exf4) 2... Nc6 {a comment} 3. Bb5 $1 a6 1-0

[FEN "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"]
[Result "*"]

1. Qg7# *
"""
EPD = """r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#; id "mate";
8/8/8/8/8/4k3/4p3/4K3 b - - am Kd4; id "b";
"""
SGF = "(;GM[1]FF[4]SZ[3]KM[0.5]RU[Chinese]PB[a]PW[b]RE[B+1];B[aa];W[bb](;B[cc];W[])(;B[ca]))"
NFG = """NFG 1 R "game" { "a" "b" }

{ { "x" "y" } { "z" "w" } }
""

{ { "" 1, 2 } { "" 3/2, 4.5 } { "" -1, 0 } { "" 0, 0 } }
1 2 3 4
"""
EFG = """EFG 2 R "game" { "a" "b" }
""
c "" 1 "" { "h" 1/2 "t" 1/2 } 0
p "" 1 1 "" { "l" "r" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
p "" 2 1 "" { "l" "r" } 0
t "" 3 "" { 0, 0 }
t "" 4 "" { 2, -2 }
"""
PDN = '[Event "x"]\n[Result "1-0"]\n\n1. 11-15 23-19 2. 8-11 22-17 1-0\n'
OPENINGS = "# openings\n4 4\n1 2 3\n"
MATRIX = (
    '{"players": ["a", "b"], "actions": [["x", "y"], ["l", "r"]], "payoffs": [[[1, -1], [0, 0]], [[-1, 1], [2, -2]]]}'
)
TREE = '[[1, 2], [3, [4, 5]], {"chance": [0.5, 0.5], "children": [1, -1]}]'

FROM_JSON = "from_json"
"""No command, but the function that reads a playthrough."""
READ = {
    "games.pgn": ("book b.bin games.pgn", "fit chess games.pgn -o m.npz --epochs 1"),
    "suite.epd": ("suite suite.epd --nodes 1 --player random",),
    "game.sgf": ("fit go:3 game.sgf -o m.npz", "results game.sgf"),
    "game.nfg": ("equilibrium matrix:game.nfg", "show matrix:game.nfg"),
    "game.efg": ("show tree:game.efg", "export tree:game.efg out.efg"),
    "games.pdn": ("fit checkers games.pdn -o m.npz",),
    "openings.txt": ("match connect-four:4,4 random random --games 2 --workers 0 --openings openings.txt",),
    "matrix.json": ("equilibrium matrix:matrix.json", "show matrix:matrix.json"),
    "tree.json": ("show tree:tree.json", "solve tree:tree.json"),
    "match.db": (
        "results match.db --export out.json",
        "results match.db --json",
        "fit nim match.db -o m.npz",
        "match nim random random:seed=5 --games 6 --plies 0 --workers 0 -o match.db",
        "book b.bin match.db",
    ),
    "policy.npz": (
        "strategy kuhn-poker policy.npz",
        "exploit kuhn-poker policy.npz",
        "search kuhn-poker --moves 'J Q' --player policy:policy.npz",
        "equilibrium kuhn-poker --iterations 6 -o policy.npz",
    ),
    "mccfr.npz": ("equilibrium kuhn-poker --method mccfr --iterations 6 -o mccfr.npz", "strategy kuhn-poker mccfr.npz"),
    "model.npz": (
        "search tic-tac-toe --player alphabeta:depth=1,evaluation=model.npz",
        "search tic-tac-toe --player net:model.npz",
        "search tic-tac-toe --player greedy:evaluation=model.npz",
    ),
    "openings.npz": (
        "solve tic-tac-toe --moves 'a1 b2 c3 a2 b1' --book openings.npz",
        "openings tic-tac-toe -o openings.npz --plies 0",
    ),
    "nim.table": (
        "tables probe nim -o nim.table",
        "tables list -o nim.table",
        "search nim --player alphabeta:depth=1,tables=nim.table",
    ),
    "book.bin": ("book book.bin", "book book.bin --moves e4"),
    "nim.book": (
        "book nim.book",
        "book learn nim:1-2 --player minimax:depth=1 --time 0s -o nim.book",
        "search nim:1-2 --player alphabeta:depth=1,book=nim.book",
    ),
    "run/config.json": ("runs run", "train tic-tac-toe --resume -o run"),
    "run/checkpoint.npz": ("train tic-tac-toe --resume -o run",),
    "run/metrics.jsonl": ("runs run", "runs run --json"),
    "run/model.npz": ("search tic-tac-toe --player alphabeta:depth=1,evaluation=run/model.npz",),
    "weights.json": ("show chess:weights=weights.json", "search chess:weights=weights.json --player greedy"),
    "games.jsonl": ("tune out.json --games 1 --nodes 1 --data games.jsonl --check 0",),
    "playthrough.json": (FROM_JSON,),
    "rules.py": ("show rules.py", "search rules.py --depth 1"),
}
"""Each format by an example, and the commands that read it."""
MADE = (
    "match nim random random:seed=5 --games 4 --plies 0 --workers 0 -o match.db",
    "equilibrium kuhn-poker --iterations 3 -o policy.npz",
    "equilibrium kuhn-poker --method mccfr --iterations 3 -o mccfr.npz",
    "openings tic-tac-toe -o openings.npz --plies 0",
    "tables build nim -o .",
    "train tic-tac-toe --method td --games 20 -o run",
    "book book.bin games.pgn",
    "book learn nim:1-2 --player minimax:depth=1 --time 9s -o nim.book",
)
WRITTEN = {
    "games.pgn": PGN,
    "suite.epd": EPD,
    "game.sgf": SGF,
    "game.nfg": NFG,
    "game.efg": EFG,
    "games.pdn": PDN,
    "openings.txt": OPENINGS,
    "matrix.json": MATRIX,
    "tree.json": TREE,
}


class Files:
    """A file, its damage, and a command that reads it."""

    limit = 1.0

    def __init__(self) -> None:
        self.fuzzed = commands.CommandLines()
        self.whole: dict[str, bytes] = {}
        os.environ["COUNTERPLAY_TRACEBACK"] = "1"
        with TemporaryDirectory() as folder, contextlib.chdir(folder):
            for name, text in WRITTEN.items():
                Path(name).write_text(text)
            for words in MADE:
                said = io.StringIO()
                with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                    code = main(shlex.split(words))
                assert code == 0, (words, said.getvalue())
            Path("model.npz").write_bytes(Path("run/model.npz").read_bytes())
            from counterplay.games.chess import weights

            Path("weights.json").write_bytes((Path(weights.__file__).parent / "weights.json").read_bytes())
            Path("games.jsonl").write_text('{"positions": [], "result": 1.0}\n')
            Path("playthrough.json").write_text(json.dumps(to_json(load("connect-four").start("4 4 3"))))
            Path("rules.py").write_text((commands.EXAMPLES / "chomp.py").read_text())
            for name in READ:
                if Path(name).exists():
                    self.whole[name] = Path(name).read_bytes()
            for path in Path("run").iterdir():
                self.whole[str(path)] = path.read_bytes()
        self.names = [name for name in READ if name in self.whole]
        assert set(READ) == set(self.names), set(READ) - set(self.names)
        for name in READ:  # imports what each needs, before the children are forked; whole files must be read
            for words in READ[name]:
                with TemporaryDirectory() as folder, contextlib.chdir(folder):
                    said = io.StringIO()
                    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                        self.attempt([name, words], said)

    def read_playthrough(self, data: bytes) -> int:
        """Read a playthrough as a program does; an exit code as of a command."""
        try:
            content = json.loads(data)
        except (ValueError, RecursionError):
            content = None
        try:
            from_json(content)
        except CounterplayError as wrong:
            print(f"error: {wrong}")
            return 2
        return 0

    def make(self, rng: random.Random) -> list[Any]:
        """The file's name, the command, and a seed for each damage."""
        name = rng.choice(self.names)
        return [name, rng.choice(READ[name]), *(rng.randrange(1 << 32) for _ in range(rng.choice((1, 1, 1, 2, 3))))]

    def attempt(self, parts: list[Any], said: Any) -> str:
        """Whether the command that reads it exits as it should."""
        if len(parts) < 2 or parts[0] not in self.whole or parts[1] not in READ[parts[0]]:
            return ""
        data = self.whole[parts[0]]
        for seed in parts[2:]:
            data = damaged(parts[0], data, random.Random(seed))
        for name in ("run", "match.db", "match.db-journal", "out.json"):
            path = Path(name)
            if path.is_dir():
                for each in path.iterdir():
                    each.unlink()
            path.exists() and path.is_file() and path.unlink()
        Path("run").mkdir(exist_ok=True)
        if parts[0].startswith("run/"):
            for name, content in self.whole.items():
                if name.startswith("run/"):
                    Path(name).write_bytes(content)
        Path(parts[0]).write_bytes(data)
        sys.stdin = io.StringIO("")
        code = self.read_playthrough(data) if parts[1] == FROM_JSON else main(shlex.split(parts[1]))
        text = said.getvalue()
        if parts[0] == "rules.py" and "an internal error in Counterplay" not in text and "says no error" not in text:
            return "" if code in (0, 2, 130) else f"leaves with {code}"  # the rules may be wrong
        return commands.judged(code, text)
