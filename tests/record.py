"""Recorded playthroughs: what each game shows at every step, so that a change in behaviour is noticed and intended.

    python tests/record.py NAME [SEED]

plays the game at random and writes tests/playthroughs/NAME.txt; tests/test_registry.py replays it.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from counterplay import CHANCE, Game, Playthrough, load

FOLDER = Path(__file__).parent / "playthroughs"
PLAYED = "plays: "


def record(spec: str, seed: int = 0) -> str:
    """The text of a random playthrough."""
    rng = random.Random(seed)
    p = load(spec).start()
    while not p.is_over:
        p.play(rng.choice(p.options()))
    return describe(p.game, p.moves)


def describe(game: Game, moves: list[str]) -> str:
    """Everything that a player sees while `moves` are played."""
    traits = " ".join(f"{name}={value}" for name, value in game.traits._asdict().items())
    lines = [f"game: {game.spec}", f"class: {game!r}", f"traits: {traits}", ""]
    p = game.start()
    for move in moves:
        lines += [*scene(p), f"{PLAYED}{move}", ""]
        p.play(move)
    lines += [*scene(p), f"returns: {' '.join(f'{value:g}' for value in p.returns)}", "", *drawing(p)]
    return "\n".join(lines) + "\n"


def scene(p: Playthrough) -> list[str]:
    """The position, who moves, and what is legal."""
    game, s = p.game, p.state
    lines = [f"# {len(p)}", f"position: {p.position}"]
    if p.is_over:
        return lines
    if p.to_move == CHANCE:
        events = [f"{game.action_text(s, event)} ({game.probability(s, event):.6g})" for event in p.options()]
        return [*lines, "to move: chance", f"events: {', '.join(events)}"]
    return [*lines, f"to move: {game.player_name(p.to_move)}", f"legal: {' '.join(p.legal())}"]


def drawing(p: Playthrough) -> list[str]:
    """The last board, as all may see it and as each player does."""
    views = [None, *range(p.game.players)] if p.game.has_secrets else [None]
    lines = []
    for viewer in views:
        whose = "board:" if viewer is None else f"board as {p.game.player_name(viewer)} sees it:"
        lines += [whose, *(row.rstrip() for row in p.game.board(p.state, viewer).splitlines()), ""]
    return lines[:-1]


def moves_of(text: str) -> list[str]:
    """The moves that were played in a recorded playthrough."""
    return [line.removeprefix(PLAYED) for line in text.splitlines() if line.startswith(PLAYED)]


def spec_of(text: str) -> str:
    """The game of a recorded playthrough."""
    return text.splitlines()[0].removeprefix("game: ")


if __name__ == "__main__":
    name, *seeds = sys.argv[1:]
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name.partition(':')[0]}.txt").write_text(record(name, *map(int, seeds)))
