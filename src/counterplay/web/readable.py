"""What to watch by default: an algorithm that suits a game, at a readable depth."""

from __future__ import annotations

from typing import Any

from counterplay.core.errors import Unsuitable
from counterplay.core.game import CHANCE
from counterplay.core.playthrough import Playthrough
from counterplay.core.rules import legal
from counterplay.web.admission import admitted

MOST_NODES = 450
"""The maximum number of nodes of a readable tree."""
DEEPEST = 12


def readable_depth(p: Playthrough) -> int:
    """The greatest depth in decisions whose whole tree has no more than MOST_NODES nodes; at least 1."""
    game, level, count = p.game, [p.state], 1
    for depth in range(1, DEEPEST + 1):
        after: list[Any] = []
        waiting = list(level)
        while waiting:
            s = waiting.pop()
            if game.is_terminal(s):
                continue
            for action in legal(game, s):
                t = game.result(s, action)
                count += 1
                if count > MOST_NODES:
                    return max(depth - 1, 1)
                (waiting if game.to_move(t) == CHANCE and not game.is_terminal(t) else after).append(t)
        if not after:
            return max(depth - 1, 1)
        level = after
    return DEEPEST


def offered(depth: int) -> dict[str, str]:
    """The players that can be watched, by spec, with their names."""
    return {
        f"minimax:depth={depth}": "minimax",
        f"negamax:depth={depth}": "negamax",
        f"plain-alphabeta:depth={depth}": "alpha-beta, as the lecture shows it",
        f"alphabeta:depth={depth},techniques=none": "the engine with everything off",
        f"alphabeta:depth={depth}": "the engine with table, ordering and everything else",
        f"expectiminimax:depth={depth},prune=none,table=off": "expectiminimax",
        f"expectiminimax:depth={depth},prune=star1,table=off": "Star1: alpha-beta with chance",
        f"expectiminimax:depth={depth},prune=star2,table=off": "Star2: Star1 with probes",
        f"maxn:depth={depth}": "max^n: each maximizes their own payoff",
        f"paranoid:depth={depth},table=off": "paranoid: all against one",
        "mcts:simulations=60": "Monte Carlo tree search",
        "flat:playouts=10": "flat Monte Carlo",
        "ismcts:simulations=40": "Monte Carlo tree search over information sets",
    }


def suited(p: Playthrough, depth: int) -> str:
    """The first algorithm that can be traced in this game."""
    specs = [f"plain-alphabeta:depth={depth}", f"expectiminimax:depth={depth},prune=none,table=off"]
    specs += [f"maxn:depth={depth}", "mcts:simulations=60", "ismcts:simulations=40"]
    for spec in specs:
        try:
            admitted(spec).require(p.game)
        except Unsuitable:
            continue
        return spec
    return specs[-1]


def past_chance(p: Playthrough) -> bool:
    """Let chance move until someone has a choice: each time the likeliest event, the first among equals. Returns
    whether it did."""
    moved = False
    while p.to_move == CHANCE and not p.is_over:
        events = legal(p.game, p.state)
        p.play(max(events, key=lambda event: p.game.probability(p.state, event)))
        moved = True
    return moved
