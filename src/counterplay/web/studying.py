"""The work of workers for the Analyse page: the best lines of a position, deeper and deeper, and the review of a whole
playthrough."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from counterplay.core.errors import Unsuitable
from counterplay.core.game import CHANCE
from counterplay.core.playthrough import Playthrough
from counterplay.equilibrium.information_tree import TooLarge
from counterplay.equilibrium.ranges import read_ranges
from counterplay.equilibrium.strategy_grid import strategy_grid
from counterplay.equilibrium.subgame import CLOSE, METHOD, MOST_ITERATIONS, Subgame
from counterplay.equilibrium.training import PolicyTraining
from counterplay.players.alpha_beta import AlphaBeta
from counterplay.players.clock import Allowance
from counterplay.players.player import Player
from counterplay.search.decision import Decision, Option, Report
from counterplay.search.engine.techniques import default_for
from counterplay.web.judging import LINES, Told, cost, final, findings, has_sides, texts, valued
from counterplay.web.thinking import Stopped, opened, ranked, rules_of

if TYPE_CHECKING:
    from counterplay.core.conversation import Data
    from counterplay.web.worker import Thinker

MOST_PUBLIC = 50_000
"""The maximum number of public nodes in the rest of a hand that a visitor may have solved."""
TICK = 0.05
"""Seconds between checks whether a search was stopped."""


def study(
    talk: Thinker,
    game: str,
    position: str | None,
    moves: str,
    player: str,
    table: str,
    budget: float,
    seat: int = 0,
    seed: int = 0,
) -> Data | None:
    """The best lines of a position; news as the search goes deeper. It ends when nothing is left to find."""
    with opened(talk, game, position, moves, player, seed, None, table, seat) as (p, made):
        heard: list[Told] = []

        def report(found: Decision) -> None:
            heard[:] = [findings(p, found)]
            talk.news(heard[0])

        try:
            if isinstance(made, AlphaBeta) and is_usual(made, p):
                found = best_lines(talk, p, made, budget, report)
            elif p.to_move == CHANCE:
                found = made.appraise(p, report)  # players that cannot refuse in a sentence
            else:
                found = ranked(made, p, report)
            return findings(p, found)
        except Stopped:
            return heard[0] if heard else None


def is_usual(made: AlphaBeta, p: Playthrough) -> bool:
    """Whether a player searches as `best_lines` does: with all defaults, in a position that its tables lack."""
    usual = made.techniques(p.game) == default_for(p.game) and not made.beam and not made.chip
    return usual and p.to_move != CHANCE and made.tables.decision(p) is None


def best_lines(talk: Thinker, p: Playthrough, made: AlphaBeta, seconds: float, report: Report) -> Decision:
    """The best lines by alpha-beta: at each depth the best, then the best of the rest, and so on."""
    from counterplay.protocols.uci.analysis import Analysis

    started, over = time.perf_counter(), threading.Event()
    analysis = Analysis(made.searched(p.game), p.state, p.before, made.table(p.game), 1, ())

    def hear(line: Any) -> None:
        if line.rank == len(analysis.lines):
            report(so_far())

    def so_far() -> Decision:
        searcher = analysis.searchers[0]
        options = [
            Option(
                each.actions[0],
                searcher.scale.plain(each.value),
                plies=searcher.scale.plies(each.value),
                line=each.actions,
            )
            for each in analysis.lines
        ]
        best, spent = analysis.lines[0], time.perf_counter() - started
        proven = analysis.is_whole or searcher.is_decisive(best.value)
        return Decision(
            options[0].action,
            options[0].value,
            best.actions,
            best.depth,
            sum(context.nodes for context in analysis.contexts),
            spent,
            proven,
            options[0].plies,
            options=tuple(options),
        )

    watching = threading.Thread(target=heed, args=(talk, analysis.stop, over), daemon=True)
    watching.start()
    try:
        analysis.run(hear, depth=made.depth, time=Allowance(seconds), nodes=made.nodes, lines=LINES)
    finally:
        over.set()
        watching.join()
    return so_far()


def heed(talk: Thinker, stop: Callable[[], None], over: threading.Event) -> None:
    """Stop a search once nobody waits for it."""
    while not over.wait(TICK):
        if talk.talk.is_stopped:
            stop()
            return


def review(talk: Thinker, game: str, position: str | None, moves: str, player: str, seed: int = 0) -> Data:
    """Every position of a playthrough evaluated, the last first; news are one ply each: its value, the best action, and
    the cost of the action played."""
    with opened(talk, game, position, moves, player, seed) as (p, made):
        actions, later = list(p.actions), None
        for ply in reversed(range(len(actions) + 1)):
            told = judge(made, p, actions[ply] if ply < len(actions) else None, later)
            if told is not None:
                talk.news({"ply": ply, **told})
            later = told
            if ply:
                p.undo()
    return {}


def judge(made: Player, p: Playthrough, played: int | None, later: Told | None) -> Told | None:
    """One position: its value, the best action, and what `played` cost; `later` is the verdict on the position after
    it. None if there is nothing to say."""
    if p.is_over:
        return final(p)
    game, mover = p.game, p.to_move
    if mover == CHANCE:
        return None
    by_later = has_sides(game) and not game.has_chance and not game.has_secrets
    found = made.choose(p) if by_later else ranked(made, p, None)
    told = findings(p, found)
    if not told["lines"]:
        return None
    told["best"] = told["lines"][0]["moves"][0]
    if played is None:
        return told
    judged = next((each for each in found.options if each.action == played), None)
    after = None
    if by_later:
        after = later
    elif judged is not None:
        after = valued(game, mover, judged.value, judged.plies, told["simulated"])
    if after is not None and played != found.action:
        told["cost"], told["after"] = cost(mover, told, after), after["text"]
    else:
        told["cost"] = 0.0 if played == found.action else None
    return told | {"mover": mover, "played": texts(p, (played,))[0]}


def solve_ranges(
    talk: Thinker, game: str, position: str | None, moves: str, ranges: str, budget: float, seed: int = 0
) -> Data:
    """The rest of a hand solved from ranges: the strategy of all hands and the other player's as pictures, and the
    distance from an equilibrium."""
    rules = rules_of(game)
    state = rules.start(moves, position=position).state
    try:
        sub = Subgame(rules, state, read_ranges(rules, ranges), METHOD, most=MOST_PUBLIC)
    except TooLarge:
        raise Unsuitable(
            "the rest of the hand is too large to solve here: go on to the river, or to fewer bets"
        ) from None
    training = PolicyTraining(sub.learner, None)
    sub.learner.run(0)
    talk.say({"ready": True})
    last = training.run(MOST_ITERATIONS, budget, CLOSE * sub.pot)
    found = sub.decision()
    part = (last.exploitability or 0.0) / sub.pot
    facts = f"{last.iterations:,} iterations; nobody gains more than {part:.2%} of the pot"
    other = sub.opposed()
    drawn = strategy_grid(rules, found, f"{rules.player_name(found.player)} to move")
    return {
        "svg": drawn,
        "other": strategy_grid(rules, other, f"range of {rules.player_name(other.player)}"),
        "facts": facts,
    }
