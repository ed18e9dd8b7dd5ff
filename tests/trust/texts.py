"""Positions and moves as people write them: each game's own, mutated."""

from __future__ import annotations

import io
import random
import sys
from typing import Any

from trust import commands
from trust.damage import NASTY

from counterplay import Playthrough, load
from counterplay.cli import main
from counterplay.games import GAMES


class Positions:
    """Positions and moves as text: each game's own, mutated."""

    limit = 1.0

    def __init__(self) -> None:
        self.fuzzed = commands.CommandLines()
        self.known: list[tuple[str, str, str]] = []
        named = {spec.partition(":")[0] for spec in commands.SMALL}
        others = [name for name in GAMES if name not in named]
        for spec in (*commands.SMALL, *others, *map(str, sorted(commands.EXAMPLES.glob("*.py")))):
            game = load(spec)
            for seed in range(3):
                p = Playthrough(game, seed=seed)
                rng = random.Random(f"{spec} {seed}")
                for _ in range(rng.randrange(8)):
                    if p.is_over:
                        break
                    p.play(rng.choice(p.options()))
                self.known.append((spec, p.position, " ".join(p.legal()[:5])))

    def make(self, rng: random.Random) -> list[Any]:
        """A game, a position and moves."""
        spec, position, moves = rng.choice(self.known)
        for _ in range(rng.choice((0, 1, 1, 2, 4))):
            i = rng.randrange(len(position) + 1)
            kind = rng.randrange(4)
            if kind == 0:
                position = (
                    position[:i] + rng.choice((*NASTY, *"abcxoKQkq0129-/ .,:()[]'=")) + position[i + rng.randrange(3) :]
                )
            elif kind == 1:
                position = position[:i] + position[i + rng.randrange(1, 6) :]
            elif kind == 2:
                position = position[i:] + position[:i]
            else:
                words = position.split(" ")
                words[rng.randrange(len(words))] = rng.choice((*NASTY, *words, rng.choice(self.known)[1]))
                position = " ".join(words)
        words = moves.split(" ")
        chosen = " ".join(
            rng.choices((*words, *words, *NASTY[:12], words[0] + "x", words[0].upper()), k=rng.randrange(3))
        )
        command = rng.choice(("show", "show", "perft", "search"))
        extra = {"show": [], "perft": ["1"], "search": ["--player", "random"]}[command]
        return [command, spec, *extra, f"--position={position}", f"--moves={chosen}"]

    def attempt(self, parts: list[Any], said: Any) -> str:
        """Whether the command exits as it should."""
        sys.stdin = io.StringIO("")
        return commands.judged(main(list(parts)), said.getvalue())
