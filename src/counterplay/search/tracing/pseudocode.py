"""The algorithms that can be watched, as pseudocode, with the line of each step. Max is the player to move at the
root."""

from __future__ import annotations

from typing import NamedTuple


class Pseudocode(NamedTuple):
    """An algorithm in a few lines, each with the steps that highlight it."""

    title: str
    lines: tuple[tuple[str, str], ...]  # text, and the steps: words such as `enter`, `leaf:max`, `prune:min`

    @property
    def text(self) -> list[str]:
        """The lines."""
        return [line for line, _ in self.lines]

    def line(self, kind: str, mover: str = "") -> int:
        """The line of a step; `mover` is max, min, chance or pass."""
        for wanted in (f"{kind}:{mover}", kind):
            for i, (_, steps) in enumerate(self.lines):
                if wanted in steps.split():
                    return i
        return 0


ALPHA_BETA = Pseudocode(
    "alpha-beta",
    (
        ("value(node, alpha, beta):", "enter:root"),
        ("  if node is a leaf: return its value", "leaf"),
        ("  if Max moves:", ""),
        ("    best = -∞", ""),
        ("    for each move:", ""),
        ("      v = value(next, alpha, beta)", "enter:max"),
        ("      best = max(best, v)", ""),
        ("      alpha = max(alpha, best)", ""),
        ("      if alpha >= beta: prune the rest", "prune:max"),
        ("  if Min moves:", ""),
        ("    best = +∞", ""),
        ("    for each move:", ""),
        ("      v = value(next, alpha, beta)", "enter:min"),
        ("      best = min(best, v)", ""),
        ("      beta = min(beta, best)", ""),
        ("      if alpha >= beta: prune the rest", "prune:min"),
        ("  return best", "leave"),
    ),
)
MINIMAX = Pseudocode(
    "minimax",
    (
        ("value(node):", "enter:root"),
        ("  if node is a leaf: return its value", "leaf"),
        ("  if Max moves:", "enter:max"),
        ("    return the largest value(next)", "leave:max"),
        ("  if Min moves:", "enter:min"),
        ("    return the smallest value(next)", "leave:min"),
    ),
)
NEGAMAX = Pseudocode(
    "negamax",
    (
        ("value(node):    # to whoever moves", "enter:root"),
        ("  if node is a leaf: return its value", "leaf"),
        ("  best = -∞", ""),
        ("  for each move:", "enter"),
        ("    best = max(best, -value(next))", ""),
        ("  return best", "leave"),
    ),
)
ENGINE = Pseudocode(
    "the engine",
    (
        ("value(node, depth, alpha, beta):", "enter:root"),
        ("  if the game is over: return the result", "leaf"),
        ("  if the table knows enough: return that", "table"),
        ("  if depth = 0: return quiescence(node)", "horizon"),
        ("  if a pass reaches beta: return beta", "enter:pass leave:pass"),
        ("  for each move, the best guess first:", ""),
        ("    v = -value(next, depth - 1,", "enter"),
        ("               -beta, -alpha)", ""),
        ("    # null window first, again if it fails", ""),
        ("    best = max(best, v)", ""),
        ("    alpha = max(alpha, best)", ""),
        ("    if alpha >= beta: prune the rest", "prune"),
        ("  put best into the table", ""),
        ("  return best", "leave"),
    ),
)
EXPECTIMINIMAX = Pseudocode(
    "expectiminimax",
    (
        *MINIMAX.lines,
        ("  if chance moves:", "enter:chance"),
        ("    return the average of value(next)", "leave:chance"),
    ),
)
STAR = Pseudocode(
    "Star1 and Star2",
    (
        ("value(node, alpha, beta):", "enter:root"),
        ("  if node is a leaf: return its value", "leaf"),
        ("  if Max or Min moves: as alpha-beta", "enter:max enter:min leave:max leave:min"),
        ("    if alpha >= beta: prune the rest", "prune:max prune:min"),
        ("  if chance moves:", ""),
        ("    Star2: first one move after each event", "probe"),
        ("    for each event:", ""),
        ("      value(next, window that still matters)", "enter:chance"),
        ("      most, least = bounds of the average", ""),
        ("      if most <= alpha or least >= beta:", ""),
        ("        prune the rest", "prune:chance"),
        ("    return the average", "leave:chance"),
    ),
)
MAXN = Pseudocode(
    "max^n",
    (
        ("values(node):    # one for each player", "enter:root"),
        ("  if node is a leaf: return its payoffs", "leaf"),
        ("  for each move of player p:", "enter"),
        ("    v = values(next)", ""),
        ("    if v[p] > best[p]: best = v", ""),
        ("    if p has enough: prune the rest", "prune"),
        ("  return best", "leave"),
    ),
)
BY_NAME = {
    "minimax": MINIMAX,
    "greedy": MINIMAX,
    "negamax": NEGAMAX,
    "plain-alphabeta": ALPHA_BETA,
    "alphabeta": ENGINE,
    "expectiminimax": STAR,
    "paranoid": STAR,
    "maxn": MAXN,
}


def pseudocode_of(player: str) -> Pseudocode:
    """The pseudocode of a player's spec."""
    found = BY_NAME.get(player.partition(":")[0], ALPHA_BETA)
    return EXPECTIMINIMAX if found is STAR and "prune=none" in player else found


def has_windows(player: str) -> bool:
    """Whether a player's search has an alpha and a beta."""
    return pseudocode_of(player) in (ALPHA_BETA, ENGINE, STAR)
