"""A node of the engine before its actions are tried: its table entry and its static evaluation."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.game import Game
from counterplay.core.language.marks import inlined
from counterplay.core.language.state import state
from counterplay.core.types import State
from counterplay.search.engine.killers_and_history import EngineContext
from counterplay.search.engine.symmetry import folded_key
from counterplay.search.engine.techniques import Technique
from counterplay.search.engine.transposition_table import (
    COMPLETE,
    EXACT,
    LOWER,
    NO_ACTION,
    TOLD,
    UPPER,
    action_of,
    bound_of,
    depth_of,
)
from counterplay.search.memory import INFINITY

NEAR = 6
"""Within this many plies of the horizon, estimates decide what is searched."""
FIRST_PLIES = 6
"""Within this many plies of the root, where it pays, symmetric positions share table entries."""
BY_ESTIMATE = int(Technique.STATIC | Technique.LATE | Technique.FUTILITY | Technique.REDUCTIONS)
"""Techniques that need an estimate."""


@state
class Node(NamedTuple):
    """The arguments of a search once it looks at the actions."""

    mover: int
    depth: int
    alpha: float
    beta: float
    ply: int
    last: int  # the action that led here


@state
class TableKnowledge(NamedTuple):
    """A position's table entry."""

    entry: int  # the key of its entry
    form: int  # the symmetric form that the entry is about
    action: int  # the best one, as that form writes it, or NO_ACTION
    value: float
    firm: bool  # whether the action is reliably good
    settles: bool  # whether the value ends the search of this node


@state
class Outlook(NamedTuple):
    """The static view of a position."""

    narrow: bool  # a null window: all that matters is whether the value is above it
    calm: bool  # and an estimate may answer that
    estimate: float  # -INFINITY if there is none
    improving: bool  # whether it is better than when the same side moved last


@inlined
def recall(
    game: Game, s: State, depth: int, alpha: float, beta: float, ply: int, context: EngineContext
) -> TableKnowledge:
    """The table entry of `s`. Next to the horizon, a lookup costs more than a search."""
    if game.has_repetition and game.repetition != "draw" and context.uses(Technique.TABLE):
        # If repeating is forbidden or loses, what wins on one path may lose on another: then the table leaves
        # everything in doubt. If it draws, a win is a win.
        context.doubts += 1
    entry, form = context.keys[ply], 0
    if depth <= 1 or not context.uses(Technique.TABLE):
        return TableKnowledge(entry, form, NO_ACTION, 0.0, False, False)
    if game.symmetries > 1 and ply < FIRST_PLIES and context.uses(Technique.SYMMETRY):
        entry, form = folded_key(game, s, entry)
    data, value = context.table.probe(entry)
    bound, reach, action = bound_of(data), depth_of(data), action_of(data)
    if not bound:
        return TableKnowledge(entry, form, NO_ACTION, 0.0, False, False)
    context.table_hits += 1
    value = context.to_path(value, ply)
    firm = action != NO_ACTION and bound != UPPER and reach >= depth - 3
    firm = firm and abs(value) < context.high - context.margin
    enough = reach == COMPLETE or depth == reach or (reach > depth and context.uses(Technique.DEEPER))
    if game.has_repetition and game.repetition == "draw" and beta - alpha > context.unit:
        # On the expected line, the table must not hide a repetition; entries from endgame tables count.
        enough = reach == TOLD
    settles = False
    if enough and ply > 0 and context.excluded[ply] == NO_ACTION:
        settles = bound == EXACT or (value >= beta if bound == LOWER else value <= alpha)
    if settles:
        context.table_cuts += 1
        context.doubts += reach != COMPLETE
    return TableKnowledge(entry, form, action, value, firm, settles)


def best_known(entry: int, context: EngineContext) -> int:
    """The best action now in the table, or NO_ACTION."""
    data, _ = context.table.probe(entry)
    return action_of(data) if bound_of(data) else NO_ACTION


@inlined
def judge(game: Game, s: State, mover: int, alpha: float, beta: float, ply: int, context: EngineContext) -> Outlook:
    """The static evaluation of `s`, if an estimate decides anything."""
    narrow = beta - alpha <= context.unit
    tense = game.has_tension and game.is_tense(s)
    calm = narrow and not tense and ply > 0 and context.excluded[ply] == NO_ACTION
    estimate, improving = -INFINITY, False
    if game.has_noise and not tense and context.uses(BY_ESTIMATE):
        estimate = context.evaluated(game, s, mover, ply)
        improving = ply < 2 or estimate > context.estimates[ply - 2]
    context.estimates[ply] = estimate
    return Outlook(narrow, calm, estimate, improving)
