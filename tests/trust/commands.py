"""Command lines: every command with every option, with sensible and nonsensical values."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import random
import shlex
import sys
from pathlib import Path
from typing import Any

import typer

from counterplay.cli import main
from counterplay.cli.app import app
from counterplay.core.formats.options import parameters_of
from counterplay.players.specs import PLAYERS, player_class

EXAMPLES = Path(__file__).parents[2] / "examples"

SMALL = (
    *(
        "tic-tac-toe",
        "nim",
        "nim:1-2",
        "connect-four",
        "connect-four:4,4",
        "mnk:3,3,3",
        "mnk:2,2,2,players=3",
        "hex:size=2",
    ),
    *("kuhn-poker", "leduc-poker", "goofspiel:cards=3", "liars-dice", "matching-pennies", "prisoners-dilemma", "tree"),
    *(
        "pig",
        "kayles",
        "othello:4",
        "go:2,komi=0.5",
        "go:3,komi=0.5",
        "checkers",
        "chess",
        "backgammon",
        "battleship",
        "whist",
    ),
    *("kriegspiel", "phantom-tic-tac-toe", "dark-hex:2", "rhode-island", "matrix:[[1,2],[3,4]]", "tree:[[1,2],[3,4]]"),
)
OWN = ("chomp.py",)
"""A person's rules, in the folder where a command runs: it may be told to write there."""
CHOMP = (EXAMPLES / "chomp.py").read_text()
FILES = (
    "file.npz",
    "file.db",
    "file.pgn",
    "file.json",
    "file.efg",
    "file.epd",
    "file.bin",
    "missing/x",
    "",
    ".",
    "out.svg",
    "race.py",
)
MOVES = (
    "",
    "a1",
    "a1 b2",
    "4 4",
    "e4 e5",
    "J K",
    "pass",
    "1 1 1",
    "0",
    "-",
    "a1 a1",
    "D4 pass",
    "12",
    "x",
    "roll",
    "bet call",
    "J Q pass",
)
NUMBERS = (
    "0",
    "1",
    "2",
    "3",
    "7",
    "-1",
    "0.01",
    "1e-9",
    "1e9",
    "1e400",
    "nan",
    "inf",
    "-0",
    "9" * 30,
    "",
    "x",
    "1_0",
    "٣",
    "1.5",
    " 2",
)
WORDS = (
    "",
    "-",
    "--",
    "--help",
    "x",
    "a b",
    "'",
    '"',
    "\\",
    "%s",
    "{}",
    "[]",
    "[[",
    "null",
    "é",
    "\x00",
    "\ud800",
    "∞",
    ":",
    "=",
    ",",
    ":=",
    "a=b",
    "\n",
    "x" * 3000,
)
NAMES = (
    "td",
    "alphazero",
    "rounds",
    "linear",
    "logistic",
    "network",
    "features",
    "patterns",
    "planes",
    "policy",
    "results",
    "search",
    "cfr",
    "cfr+",
    "linear-cfr",
    "dcfr",
    "pcfr+",
    "mccfr",
    "lp",
    "all",
    "lemke-howson",
    "logit",
    "supports",
    "correlated",
    "vertices",
    "alphabeta",
    "dfpn",
    "deepening",
    "grundy",
    "auto",
    "quick",
    "start",
    "1",
    "2",
    "white",
    "x",
    "player 1",
    "chance",
)
OPTION_WORDS = ("on", "off", "all", "usual", "file.npz", "puct", "eps", "star1", "alphabeta")
SPECS = tuple(name for name in PLAYERS if name not in ("uci", "usi", "gtp", "xboard", "line"))
SLOW = {"serve", "check", "train", "tune", "bench"}
"""Commands that take long even for what is small: tried less often."""
WARM = (
    *(
        "search tic-tac-toe --depth 1",
        "search tic-tac-toe --player mcts:simulations=2",
        "search chess --depth 1",
        "solve nim",
    ),
    *(
        "equilibrium kuhn-poker --iterations 2",
        "equilibrium chicken",
        "beliefs kuhn-poker --as 1",
        "trace tree --depth 2",
    ),
    *("show go:3", "show backgammon", "show checkers", "study tic-tac-toe --depth 1", "play nim --against random"),
    *("search kuhn-poker --moves 'J Q' --player ismcts:simulations=2", "search pig --depth 1", "strategy kuhn-poker x"),
    *(
        "results x.db",
        "fit nim x.db -o y",
        "runs x",
        "suite x.epd",
        "book b.bin x.pgn",
        "export nim x/y",
        "games --json",
        "cache",
    ),
)
LEFT_OUT = {"uci", "usi", "gtp", "mcp", "doctor"}
"""Commands that other fuzzers try, that talk over a program's own streams, or that find fault with running uncompiled."""


@functools.cache
def command() -> Any:
    """The assembled commands, made once."""
    made = made_command(app)
    for each in made.commands.values():
        each.params  # noqa: B018
    return made


made_command = typer.main.get_command


@functools.cache
def warm() -> None:
    """Import what commands need, before children are forked."""
    for words in WARM:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main(shlex.split(words))


class CommandLines:
    """`counterplay ...`, called in this process."""

    limit = 0.5

    def __init__(self) -> None:
        typer.main.get_command = lambda _: command()  # type: ignore[assignment]
        os.environ["COUNTERPLAY_TRACEBACK"] = "1"
        os.environ["COUNTERPLAY_CACHE"] = "cache"  # in the working folder: `cache --clear` is one of the commands
        self.names = [name for name in command().commands if name not in LEFT_OUT]
        self.weights = [0.1 if name in SLOW else 1.0 for name in self.names]
        warm()

    def make(self, rng: random.Random) -> list[Any]:
        """A command with suitable arguments, some options, and perhaps a mistake or two."""
        (name,) = rng.choices(self.names, self.weights)
        words = [name]
        options = [p for p in command().commands[name].params if p.opts[-1].startswith("-")]
        arguments = [p for p in command().commands[name].params if not p.opts[-1].startswith("-")]
        words += [value(each, rng) for each in arguments for _ in range(2 if each.nargs == -1 else 1)]
        if name in ("match", "tournament"):
            words += ["--games", "2", "--workers", "0"]
        if name in ("train", "tune"):
            words += ["--games", "3"]
        if name in ("search", "study", "trace", "bench") and rng.random() < 0.8:
            words += ["--depth", "2"]
        if name == "serve":
            words += ["--port", "x"]
        for each in rng.sample(options, min(len(options), rng.choice((0, 1, 1, 2, 3)))):
            words.append(rng.choice(each.opts))
            if not each.is_flag:
                words.append(value(each, rng))
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            mistake(words, rng)
        return words

    def attempt(self, parts: list[Any], said: Any) -> str:
        """Whether the command exits as it should."""
        Path("chomp.py").write_text(CHOMP)
        sys.stdin = io.StringIO("1\nhelp\nundo\nhint\nx\nquit\n")
        code = main(list(parts))
        return judged(code, said.getvalue())


def judged(code: int, said: str) -> str:
    """What is wrong with how a command exited."""
    if "Traceback (most recent" in said:
        raised = [line for line in said.splitlines() if line.startswith("  File ")]
        own = [line for line in raised if "/counterplay/" in line] or raised
        last = said.split("Traceback (most recent")[-1].strip().splitlines()
        if "an internal error in Counterplay" in said or "rules of a Game" in said or code not in (0, 2, 130):
            return f"{own[-1].strip()} :: {last[-1][:300]}"
    if "an internal error in Counterplay" in said or "does not follow the rules of a Game" in said:
        return said.strip().splitlines()[-1][:300]
    if code not in (0, 2, 130, 141):
        return f"leaves with {code}: {said[-200:]!r}"
    if code == 2 and not any(line.startswith("error: ") for line in said.splitlines()):
        return f"says no error: {said[-200:]!r}"
    return ""


def value(parameter: Any, rng: random.Random) -> str:
    """A value for an argument or an option, mostly a sensible one."""
    if rng.random() < 0.08:
        return rng.choice(rng.choice((WORDS, NUMBERS, NAMES, FILES, MOVES)))
    kind = str(parameter.metavar or parameter.name)
    if "GAME" in kind.upper() and "[GAMES]" not in kind:
        return game(rng)
    if kind == "SPEC":
        return spec(rng)
    if kind in ("N", "S", "MB", "E", "R", "DEPTH", "EVENTS", "T"):
        return rng.choice(NUMBERS)
    if kind == "MOVES":
        return rng.choice(MOVES)
    if "FILE" in kind or "." in kind or kind in ("RUN", "MODEL", "FOLDER", "[GAMES]..."):
        return rng.choice((*FILES, *OWN))
    if kind == "S+I":
        return rng.choice(("1+0", "0.1+0.1", "x", "+", "1+", "-1+0", "nan+1", "1e999+1"))
    if kind == "ELO0,ELO1":
        return rng.choice(("0,5", "5,0", "0", ",", "nan,nan", "0,1e400", "-5,5"))
    if kind == "NAME=VALUE":
        return rng.choice(
            ("seed=1", "simulations=2", "rate=nan", "x=1", "=", "rate=0", "batch=0", "width=x", "lambda=2")
        )
    return rng.choice((*NAMES, *NUMBERS))


def game(rng: random.Random) -> str:
    """A game's spec."""
    chosen = rng.choice((*SMALL, *SMALL, *OWN))
    if rng.random() < 0.2:
        chosen += rng.choice((":", ",")) + rng.choice(
            ("", "size=", "x=1", "seed=2", *NUMBERS, "players=3", "rows=2", "swap=on")
        )
    return chosen


def spec(rng: random.Random) -> str:
    """A player's spec, with options that it takes and some that it does not."""
    name = rng.choice(SPECS)
    options = list(parameters_of(player_class(name)))
    small = {
        "alphabeta": "depth=2",
        "mcts": "simulations=20",
        "flat": "playouts=3",
        "ismcts": "simulations=20",
        "determinize": "deals=2,depth=1",
        "expectiminimax": "depth=1",
        "maxn": "depth=1",
        "paranoid": "depth=1",
        "bestreply": "depth=1",
        "minimax": "depth=2",
        "negamax": "depth=2",
        "plain-alphabeta": "depth=2",
    }
    words = [small[name]] if name in small else []
    for _ in range(rng.choice((0, 0, 1, 2))):
        option = rng.choice(options) if options and rng.random() < 0.9 else rng.choice(WORDS)
        words.append(f"{option}={rng.choice((*NUMBERS, *OPTION_WORDS))}")
    return name + (":" if words else "") + ",".join(words)


def mistake(words: list[str], rng: random.Random) -> None:
    """Change a command line as typing errors and scripts do."""
    at = rng.randrange(1, len(words) + 1)
    kind = rng.randrange(5)
    if kind == 0:
        words.insert(at, rng.choice((*WORDS, *NUMBERS, *NAMES)))
    elif kind == 1 and at < len(words):
        del words[at]
    elif kind == 2 and at < len(words):
        words.insert(at, words[at])
    elif at < len(words) and words[at]:
        text = words[at]
        i = rng.randrange(len(text))
        words[at] = text[:i] + rng.choice(("", *":=,-+.[]()x0 9\t\"'é")) + text[i + rng.randrange(2) :]
