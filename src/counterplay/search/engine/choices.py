"""The actions of a node of the engine: which are tried, how deep, and what is learned from them."""

from __future__ import annotations

from typing import NamedTuple

from counterplay.core.game import Game
from counterplay.core.language.marks import inlined
from counterplay.core.language.state import state
from counterplay.core.types import State
from counterplay.search.engine.killers_and_history import TRUST, EngineContext
from counterplay.search.engine.move_ordering import TRIED, drop_barred, promote
from counterplay.search.engine.node import NEAR, Node, Outlook, TableKnowledge
from counterplay.search.engine.symmetry import stored_action
from counterplay.search.engine.techniques import Technique
from counterplay.search.engine.transposition_table import COMPLETE, EXACT, LOWER, NO_ACTION, UPPER
from counterplay.search.tracing.tracer import SEARCHED

BY_EXPERIENCE = int(Technique.KILLERS | Technique.HISTORY | Technique.COUNTERS)
"""Techniques that order actions by what the search has learned."""


@state
class Choices(NamedTuple):
    """The actions of a node, by their indices in the action list."""

    start: int
    end: int
    scored: int  # from here on they are tried by score; one from the table, if any, goes first
    sort: bool  # whether they have scores
    futile: bool  # quiet actions cannot reach alpha
    crowd: int  # from here on, quiet actions are too late in the order


@state
class BestChoice(NamedTuple):
    """The result of trying the actions of a node."""

    value: float
    action: int
    at_once: bool  # whether the first action tried was the best
    tried: int  # the number of actions looked at


@inlined
def list_choices(
    game: Game, s: State, node: Node, known: TableKnowledge, outlook: Outlook, context: EngineContext
) -> Choices:
    """List the actions of a node, and decide which are tried by their score and which not at all."""
    out, first = context.out, known.action
    if node.ply == 0 and context.first != NO_ACTION:
        first = stored_action(game, context.first, known.form)
    start = len(out)
    context.list_options(game, s, node.ply)
    if node.ply == 0 and context.barred > 0:
        drop_barred(context, start)
    end = len(out)
    context.actions += end - start
    sort = context.uses(Technique.ORDERING) and (game.has_ordering or game.has_noise)
    if node.depth > 1 and context.uses(BY_EXPERIENCE):
        sort = True
    scored = start
    if first != NO_ACTION and promote(game, first, known.form, context, start, end):
        scored = start + 1  # the table's action is tried before the others are even scored
    futile, crowd = False, end
    if game.has_noise and outlook.calm and node.depth <= NEAR:
        futile = context.uses(Technique.FUTILITY) and hoped(node, outlook, context) <= node.alpha
        if context.uses(Technique.LATE):
            square = node.depth * node.depth
            crowd = start + (4 + square if outlook.improving else 3 + square // 2)
    return Choices(start, end, scored, sort, futile, crowd)


def hoped(node: Node, outlook: Outlook, context: EngineContext) -> float:
    """The highest value that a quiet action can reach."""
    return outlook.estimate + context.futility * (node.depth + 0.5)


def leave_quiet(game: Game, s: State, ply: int, action: int, choices: Choices, context: EngineContext) -> int:
    """Leave a quiet action out, and with it, if actions have scores, all quiet ones that are not tried yet and threaten
    nothing; returns how many."""
    context.doubts += 1
    context.tracer.pruned(ply, action)
    left = 0
    if choices.sort:
        for i in range(choices.scored, choices.end):
            other = context.out[i]
            if context.scores[i] != TRIED and not game.is_noisy(s, other):
                if not (game.has_tension and game.threatens(s, other)):
                    context.scores[i] = TRIED
                    context.tracer.pruned(ply, other)
                    left += 1
    return left


@inlined
def is_forced(game: Game, s: State, action: int, after: State, choices: Choices, context: EngineContext) -> bool:
    """Whether an action is searched deeper because it forces the opponent or is the only one."""
    if not context.uses(Technique.EXTENSIONS):
        return False
    return (game.has_forcing and game.is_forcing(s, action, after)) or choices.end - choices.start == 1


@inlined
def reduced_by(
    node: Node, outlook: Outlook, action: int, noisy: bool, losing: bool, before: int, context: EngineContext
) -> int:
    """The plies by which an action is first reduced; `before` is the number of actions tried before it."""
    if not context.uses(Technique.REDUCTIONS):
        return 0
    reduction = 0
    if not noisy:
        reduction = context.reduction(node.depth, before) + (0 if outlook.improving or not outlook.narrow else 1)
        reduction -= context.history[node.mover, context.slot(action)] // (TRUST // 2)
    elif losing:
        reduction = 1
    return min(max(reduction - (0 if outlook.narrow else 1), 0), node.depth - 2)


@inlined
def conclude(
    game: Game,
    s: State,
    node: Node,
    known: TableKnowledge,
    choices: Choices,
    found: BestChoice,
    whole: bool,
    context: EngineContext,
) -> float:
    """Count, remember and return the result; `whole` if the subtree was searched to its end."""
    ply, skipped = node.ply, context.excluded[node.ply]
    if found.value >= node.beta:
        context.cuts += 1
        context.first_cuts += found.at_once
        quiet = not game.has_noise or not game.is_noisy(s, found.action)
        context.refuted(node.mover, found.action, node.depth, ply, node.last, not quiet)
        if quiet and choices.sort and choices.start + found.tried > choices.scored:
            blame(game, s, node, found.action, choices, context)
    elif found.value > node.alpha:
        context.left += 1
    else:
        context.all += 1
    tell_cuts(ply, choices, found.tried, context)  # what a refutation or the beam left unsearched
    context.out.truncate(choices.start)
    if found.action == NO_ACTION and skipped != NO_ACTION:  # there is no other action
        context.tracer.leave(ply, node.alpha, SEARCHED)
        return node.alpha
    if node.depth > 1 and context.uses(Technique.TABLE):
        if skipped == NO_ACTION and (ply > 0 or context.barred == 0):
            bound = EXACT if found.value > node.alpha else UPPER
            if found.value >= node.beta:
                bound = LOWER
            reach = COMPLETE if whole else min(node.depth, COMPLETE - 1)
            best = stored_action(game, found.action, known.form)
            context.table.store(known.entry, context.to_node(found.value, ply), reach, bound, best)
    context.tracer.leave(ply, found.value, SEARCHED)
    return found.value


def blame(game: Game, s: State, node: Node, best: int, choices: Choices, context: EngineContext) -> None:
    """Lower the history of the quiet actions that were tried before the refutation."""
    for i in range(choices.start, choices.end):
        action = context.out[i]
        if action != best and (i < choices.scored or context.scores[i] == TRIED):
            if not game.has_noise or not game.is_noisy(s, action):
                context.credit(node.mover, action, -min(16 * node.depth * node.depth, TRUST // 8))


def tell_cuts(ply: int, choices: Choices, tried: int, context: EngineContext) -> None:
    """Report to the tracer which actions were not searched."""
    out, seen = context.out, choices.start + tried
    if not choices.sort or seen <= choices.scored:
        context.tracer.cut(ply, out, seen, choices.end)
    else:
        for i in range(choices.scored, choices.end):
            if context.scores[i] != TRIED:
                context.tracer.pruned(ply, out[i])
