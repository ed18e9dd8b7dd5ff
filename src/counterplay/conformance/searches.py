"""Small searches against plain minimax, from many positions.

The oracle lists each position's actions in its own list, and has no table, window or hints. So a key shared by two
positions, a wrong bound or a false symmetry makes a search differ from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from counterplay.conformance.compiled import plain_twin, traced
from counterplay.core.calling import file_of
from counterplay.core.errors import BrokenGame, Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.core.pulse import STEP, within
from counterplay.core.purity import told
from counterplay.core.repetition import repetition_word
from counterplay.core.rules import legal, payoff
from counterplay.core.survey import SampledPosition, Survey
from counterplay.core.types import State
from counterplay.search.chance.expectiminimax import Expectiminimax
from counterplay.search.engine.decide import decide
from counterplay.search.engine.techniques import SOUND, Technique
from counterplay.search.many_players.search import MaxN
from counterplay.search.memory import Scale
from counterplay.search.solving.solve import solve
from counterplay.search.suitability import has_key
from counterplay.search.textbook.minimax import minimax

NODES, DEEPEST, FIRST = 400, 6, 40
"""The approximate maximum number of nodes of a searched tree, and its maximum depth and root actions."""
ROOTS = 60
SOLVED = 20_000
"""The maximum number of nodes for solving."""
TOLERANCE = 1e-6


class OracleValue(NamedTuple):
    """The oracle's value of a position."""

    value: float  # to the player to move
    depth: int  # decisions ahead
    is_final: bool  # everything was searched to its end


class Suspect(NamedTuple):
    """A search, and which game object it runs over."""

    name: str
    value: Callable[[Game, Any, int], float | None]  # None if it proves nothing
    game: Game
    whole: bool  # only if the oracle saw everything


class TreeTooLarge(Exception):
    """The tree has more nodes than allowed."""


class Oracle:
    """Minimax, expectiminimax or max^n, as suits the game, to a depth."""

    def __init__(self, game: Game) -> None:
        self.game, self.scale = game, Scale.of(game)
        self.opposed = game.zero_sum and game.players == 2

    def truth(self, s: State) -> OracleValue | None:
        """The deepest value that takes few nodes; None if even one ply takes too many."""
        found = None
        for depth in range(1, DEEPEST + 1):
            self.left, self.cut = NODES, False
            try:
                values = self.values(s, depth, 0, [])
            except TreeTooLarge:
                break
            found = OracleValue(self.plain(values[int(self.game.to_move(s))]), depth, not self.cut)
            if found.is_final:
                break
        return found

    def values(self, s: State, depth: int, ply: int, before: list[int]) -> list[float]:
        """What each player gets from `s`."""
        self.left -= 1
        if self.left < 0:
            raise TreeTooLarge
        game, players = self.game, range(self.game.players)
        options = legal(game, s, before)
        if not options:
            over = game.is_terminal(s) or not game.forbids_repetition
            return [self.dated(payoff(game, s, player), ply) if over else 0.0 for player in players]
        if depth == 0:
            self.cut = True
            return self.estimates(s)
        mover, path = int(game.to_move(s)), [*before, repetition_word(game, s)]
        if mover == CHANCE:
            total = [0.0] * game.players
            for event in options:
                share = game.probability(s, event)
                below = self.values(game.result(s, event), depth, ply + 1, path)
                total = [so_far + share * value for so_far, value in zip(total, below, strict=True)]
            return total
        return max(
            (self.values(game.result(s, action), depth - 1, ply + 1, path) for action in options),
            key=lambda values: values[mover],
        )

    def estimates(self, s: State) -> list[float]:
        """What each player can expect at the horizon. Between two opponents the mover's own estimate counts."""
        game = self.game
        mover = int(game.to_move(s))
        if self.opposed and mover != CHANCE:
            mine = self.clipped(game.evaluate(s, mover))
            return [mine if player == mover else -mine for player in range(2)]
        return [self.clipped(game.evaluate(s, player)) for player in range(game.players)]

    def clipped(self, value: float) -> float:
        """An estimate, kept apart from results."""
        return min(max(value, self.scale.low + self.scale.margin), self.scale.high - self.scale.margin)

    def dated(self, value: float, ply: int) -> float:
        """A result: without chance, the best counts more the sooner it comes, and the worst the later."""
        if self.game.has_chance or self.scale.low < value < self.scale.high:
            return value
        return value - self.scale.unit * ply if value >= self.scale.high else value + self.scale.unit * ply

    def plain(self, value: float) -> float:
        """A value without its date."""
        return value if self.game.has_chance else self.scale.plain(value)


def searches(game: Game, found: Survey) -> str:
    """Every search that suits the game must find what plain minimax finds."""
    if game.has_secrets:
        return "none: the game hides information"
    oracle, twin = Oracle(game), plain_twin(game)
    suspects, compared = list(suited(game, twin)), 0
    for s, *_ in within(roots(found), 2 * STEP):
        truth = oracle.truth(s)
        for suspect in suspects if truth else ():
            if truth is None or (suspect.whole and not truth.is_final):
                continue
            verdict(game, twin, suspect, s, truth)
        compared += truth is not None
    names = list(dict.fromkeys(suspect.name for suspect in suspects))
    return (
        f"{', '.join(names)} {'find' if len(names) > 1 else 'finds'} what plain minimax finds from {compared} positions"
    )


def roots(found: Survey) -> list[SampledPosition]:
    """Positions to search from: some from all stages, and as many near an end, where searches see everything."""
    choices = [p for p in found.positions if p.options and p.mover != CHANCE and len(p.options) <= FIRST]
    late = [
        before
        for k in (2, 3, 4)
        for before, after in zip(found.positions, found.positions[k:], strict=False)
        if not after.options and before.options and before.mover != CHANCE and len(before.options) <= FIRST
    ]
    some, ends = (each[:: max(1, len(each) // ROOTS)] for each in (choices, late))
    return [position for pair in zip(some, ends, strict=False) for position in pair] or some


def verdict(game: Game, twin: Game, suspect: Suspect, s: State, truth: OracleValue) -> None:
    """Reject a search that finds a value other than the oracle's."""
    value = traced(
        game, lambda: suspect.value(suspect.game, s, truth.depth), lambda: suspect.value(twin, s, truth.depth)
    )
    if value is None or abs(value - truth.value) <= TOLERANCE * max(1.0, abs(truth.value)):
        return
    mode = "compiled" if suspect.game is game and game.compiles else "in plain Python"
    ahead = "to the end" if truth.is_final else f"{truth.depth} plies ahead"
    raise BrokenGame(
        f"{file_of(game)}: {suspect.name} ({mode}) finds {value:g} for {told(s)}, but a full search {ahead} gives "
        f"{truth.value:g}; {suspicion(game)}"
    )


def suspicion(game: Game) -> str:
    """What a search relies on beyond the six rules, if the game defines it."""
    hooks = ("key", "repetition_key", "lookback", "earliest", "symmetric", "symmetric_action", "candidates", "assured")
    written = [
        f"`{name}`"
        for name in (*hooks, "squanders", "remaining")
        if getattr(type(game), name) is not getattr(Game, name)
    ]
    written += ["`impartial`"] if game.impartial else []
    if written:
        return f"is {' or '.join(written)} right?"
    return "do the rules depend on more than their arguments?"


def suited(game: Game, twin: Game) -> Iterator[Suspect]:
    """The searches that suit a game, each over the compiled or the plain one."""

    def by_minimax(game: Game, s: State, depth: int) -> float | None:
        return minimax(game, s, depth).value

    def by_engine(game: Game, s: State, depth: int) -> float | None:
        sound = SOUND & ~Technique.MTDF & ~Technique.ASPIRATION & ~Technique.TABLE
        return decide(game, s, depth=depth, techniques=sound, table=1).value

    def by_table(game: Game, s: State, depth: int) -> float | None:
        if game.has_repetition or not has_key(game):  # a table entry would hold on one path only
            return None
        return decide(game, s, depth=depth, techniques=SOUND & ~Technique.MTDF & ~Technique.ASPIRATION, table=1).value

    def by_solving(game: Game, s: State, depth: int) -> float | None:
        try:
            return solve(game, s, nodes=SOLVED, megabytes=1.0).value
        except Unsuitable:
            return None

    def by_star(game: Game, s: State, depth: int) -> float | None:
        return Expectiminimax(table=1.0).search(game, s, depth).value

    def by_averages(game: Game, s: State, depth: int) -> float | None:
        return Expectiminimax(prune="none").search(game, s, depth).value

    def by_maxn(game: Game, s: State, depth: int) -> float | None:
        return MaxN(prune=False).search(game, s, depth).value

    opposed = game.players == 2 and game.zero_sum
    if opposed and not game.has_chance:
        yield Suspect("minimax", by_minimax, game, whole=False)
        yield Suspect("alphabeta", by_engine, twin, whole=False)
        yield Suspect("alphabeta", by_table, twin, whole=True)  # a table may know more than the horizon shows
        yield Suspect("solve", by_solving, twin, whole=True)
    elif opposed or game.players == 1:
        yield Suspect("expectiminimax", by_averages, game, whole=False)
        yield Suspect("expectiminimax", by_star, twin, whole=True)
    else:
        adjusted = game.zero_sum and type(game).evaluate is not Game.evaluate  # estimates are adjusted to add up to 0
        yield Suspect("maxn", by_maxn, game, whole=adjusted)
