"""Shannon's two types of program (1950): full width to a fixed depth, and selective.

"Programming a Computer for Playing Chess" (Philosophical Magazine 41) gives an evaluation and two strategies. Type A
searches every variation to the same depth. Type B follows forceful variations further, evaluates only positions in which
nothing hangs, and leaves out moves that look pointless. Both share the evaluation:

    200 (K - K') + 9 (Q - Q') + 5 (R - R') + 3 (B - B' + N - N') + (P - P')
    - 0.5 (D - D' + S - S' + I - I') + 0.1 (M - M')

with D, S and I the doubled, backward and isolated pawns and M the mobility. Mobility ignores whether the king is left
in check, and a pawn is backward if no pawn of its own beside or behind it can ever guard it and an enemy pawn guards
the square before it.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.derived import derive
from counterplay.core.game import Game
from counterplay.core.language.bits import bit, count, ones
from counterplay.core.language.wide import u64
from counterplay.core.playthrough import Playthrough
from counterplay.games.chess.evaluation import LIMIT, PAWNS
from counterplay.games.chess.position import State
from counterplay.players.alpha_beta import AlphaBeta
from counterplay.players.machines.hall import MACHINES, require_own
from counterplay.players.textbook import Rung
from counterplay.search.decision import Decision
from counterplay.search.textbook import alpha_beta
from counterplay.search.tracing.tracer import RecordingTracer, SilentTracer


class ShannonEvaluation:
    """Shannon's evaluation instead of the game's own, for `derive`."""

    sketch_error = 12 / PAWNS

    def evaluate_with(self: Any, s: State, player: int, structure: tuple[int, int]) -> float:
        """The sum, with the pawns' faults from `structure`."""
        side = s.ply % 2
        lead = 9.0 * (count(s.queen & s.own) - count(s.queen & s.opp))
        lead += 5.0 * (count(s.rook & s.own) - count(s.rook & s.opp))
        lead += 3.0 * (count((s.bishop | s.knight) & s.own) - count((s.bishop | s.knight) & s.opp))
        lead += 1.0 * (count(s.pawn & s.own) - count(s.pawn & s.opp))
        lead += 0.1 * (self.mobility(s, s.own, s.opp, side) - self.mobility(s, s.opp, s.own, 1 - side))
        faults = structure[0] if side == 0 else -structure[0]
        value = max(-LIMIT, min(LIMIT, (lead - 0.5 * faults) / PAWNS))
        return value if player == side else -value

    def structure(self: Any, s: State) -> tuple[int, int]:
        """White's doubled, backward and isolated pawns less Black's."""
        white = s.pawn & (s.own if s.ply % 2 == 0 else s.opp)
        black = s.pawn ^ white
        return self.faults(white, black, 0) - self.faults(black, white, 1), 0

    def faults(self: Any, pawns: u64, others: u64, side: int) -> int:
        """How often a side's pawns are doubled, backward or isolated."""
        found = 0
        guarded = self.eastward(others, 1 - side) | self.westward(others, 1 - side)
        for square in ones(pawns):
            file, beside = u64(self.files[square & 7]), u64(self.neighbours[square & 7])
            ahead = u64(self.ahead[side, square])
            if ahead & file & pawns:
                found += 1
            if not beside & pawns or (not beside & pawns & ~ahead and guarded & bit(square + 8 - 16 * side)):
                found += 1
        return found

    def mobility(self: Any, s: State, mine: u64, theirs: u64, side: int) -> int:
        """How many moves a side has, ignoring the safety of its king."""
        occupied, found = mine | theirs, 0
        for square in ones(s.knight & mine):
            found += count(u64(self.knight_steps[square]) & ~mine)
        for square in ones((s.bishop | s.queen) & mine):
            found += count(self.bishop_attacks(square, occupied) & ~mine)
        for square in ones((s.rook | s.queen) & mine):
            found += count(self.rook_attacks(square, occupied) & ~mine)
        for square in ones(s.king & mine):
            found += count(u64(self.king_steps[square]) & ~mine)
        pawns = s.pawn & mine
        found += count(self.forward(pawns, side) & ~occupied)
        return found + count(self.eastward(pawns, side) & theirs) + count(self.westward(pawns, side) & theirs)


def by_shannon(game: Game) -> Game:
    """Chess with Shannon's evaluation."""
    made: Game = derive(game, ShannonEvaluation)
    return made


class ShannonA(Rung):
    """Every variation to the same `depth`, in plies."""

    name = "shannon-a"

    def __init__(self, depth: int = 4) -> None:
        super().__init__(depth)

    def require(self, game: Game) -> None:
        require_own(MACHINES[self.name], game)

    def look(self, p: Playthrough, depth: int, tracer: SilentTracer | RecordingTracer | None = None) -> Decision:
        return alpha_beta.search(by_shannon(p.game), p.state, depth, tracer, p.before)


class ShannonB(AlphaBeta):
    """Forceful variations further, within a `depth`, a `time` in seconds or `nodes`; in each position only the `beam`
    moves that look best."""

    def __init__(
        self, depth: int | None = None, time: float | None = None, nodes: int | None = None, beam: int = 0
    ) -> None:
        super().__init__(
            depth,
            time,
            nodes,
            table=False,
            beam=beam,
            techniques="none",
            ordering=True,
            quiescence=True,
            extensions=True,
        )
        kept, plain = self.spec.partition(":")[2].split(","), ("depth", "time", "nodes", "beam")
        chosen = [option for option in kept if option.partition("=")[0] in plain]
        self.spec = ":".join(["shannon-b", *([",".join(chosen)] if chosen else [])])

    def require(self, game: Game) -> None:
        require_own(MACHINES["shannon-b"], game)
        super().require(game)

    def searched(self, game: Game) -> Game:
        return by_shannon(game)
