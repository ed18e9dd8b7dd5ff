"""The work of worker processes: choose, evaluate every action, record a search, train.

Each task receives the thinker and the question's fields, says "ready" when everything is compiled, reports news and
returns data. The work before "ready" is bounded as well: moves by the time that they take to play, trees by their size.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from counterplay.core.derived import derive
from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.formats.options import parameters_of, read_options
from counterplay.core.game import CHANCE, Game
from counterplay.core.playthrough import Playthrough
from counterplay.core.registry import forget, load
from counterplay.players.clock import Clock
from counterplay.players.hidden import InformationSetSearch
from counterplay.players.montecarlo import Simulating
from counterplay.players.player import Player
from counterplay.players.specs import player, player_class
from counterplay.players.wording import as_data, in_words
from counterplay.search.decision import Decision, Report
from counterplay.search.tracing.trace import compose
from counterplay.web.seating import SeatedPlayer

if TYPE_CHECKING:
    from counterplay.core.conversation import Data
    from counterplay.web.worker import Thinker

Rehearsal = Callable[[Player, Playthrough], None]
ENOUGH = 3.0
"""Seconds to think in plain Python."""
MOST_NUMBERS = 600_000
"""The maximum number of regrets and probabilities in a recorded training."""
USUAL_ITERATIONS = 100
"""The default number of iterations of a recorded training."""
MOST_RECORDED = 200_000
"""The maximum number of events kept of a search, of which a visitor sees a piece at a time."""
MOST_HISTORIES = 100_000
"""The maximum number of histories of a game to watch."""

SIMULATING = (Simulating, InformationSetSearch)

_prepared: set[tuple[str, str, bool]] = set()
"""What has been compiled here: a game and a player, and whether only for positions without a choice."""


class Stopped(Exception):
    """The visitor no longer needs the answer."""


@lru_cache(maxsize=32)
def rules_of(game: str) -> Game:
    """The rules, made once."""
    return load(game)


@lru_cache(maxsize=32)
def uncompiled_rules_of(game: str) -> Game:
    """The same rules, which every kernel runs as plain Python."""
    rules: Game = derive(rules_of(game), compiled=False)
    return rules


def forget_rules(game: str) -> None:
    """Reload the file of a game before its next use."""
    forget(game)
    rules_of.cache_clear()
    uncompiled_rules_of.cache_clear()
    _prepared.clear()


@contextlib.contextmanager
def opened(
    talk: Thinker,
    game: str,
    position: str | None,
    moves: str,
    spec: str,
    seed: int,
    rehearsal: Rehearsal | None = None,
    table: str | None = None,
    number: int = 0,
) -> Iterator[tuple[Playthrough, Player]]:
    """The playthrough and the player, ready to think: one that is kept for its seat at a `table`, else a new one. A
    `rehearsal` does a small version of the work, so that everything is compiled before its time runs."""
    rules = rules_of(game)
    if table is not None:
        seat = talk.seating.seat(table, number, rules, position, spec, seed)
    else:
        seat = SeatedPlayer(rules, position, spec, seed)
    try:
        seat.follow(moves)
        p, made = seat.playthrough, seat.player
        key = game, f"{spec} {rehearsal and rehearsal.__name__}", p.is_over or p.to_move == CHANCE
        if key not in _prepared:
            made.prepare(p)
            small = least(spec)
            if rehearsal is not None and small is not None and not p.is_over and p.to_move != CHANCE:
                rehearsal(small, p)
            _prepared.add(key)
        talk.say({"ready": True})
        yield p, made
    finally:
        if table is None:
            seat.close()


def least(spec: str) -> Player | None:
    """The same player with the smallest budget; None if it has no such option."""
    for budget in ({"depth": 1}, {"simulations": 1}, {"playouts": 1}):
        try:
            return player(spec, budget=budget)
        except CounterplayError:
            continue
    return None


def rehearse_rank(made: Player, p: Playthrough) -> None:
    """Evaluate every action, briefly."""
    ranked(made, p, None)


def rehearse_trace(made: Player, p: Playthrough) -> None:
    """Record a search, briefly."""
    if isinstance(made, SIMULATING):
        made.record(p, 10, game=p.game.spec)
    else:
        made.trace(p, made.recorder(p.game, 10))


def told(p: Playthrough, found: Decision) -> Data:
    """A decision as JSON data."""
    text = p.game.action_text
    options = [
        {**each._asdict(), "action": text(p.state, each.action), "line": list(each.line)} for each in found.options
    ]
    return {**as_data(p, found), "number": found.action, "words": in_words(p, found), "actions": options}


def choose(
    talk: Thinker,
    game: str,
    position: str | None,
    moves: str,
    player: str,
    seed: int = 0,
    clock: list[float] | None = None,
    increment: float = 0.0,
    table: str | None = None,
    seat: int = 0,
) -> Data | None:
    """A player's choice; news are the best so far. At a `table`, the player of a `seat` is kept for the next action."""
    time = Clock(None, tuple(clock), increment) if clock else None
    with opened(talk, game, position, moves, player, seed, None, table, seat) as (p, made):
        return stopped_or_done(talk, p, lambda report: made.choose(p, report, time))


def choose_uncompiled(
    talk: Thinker, game: str, position: str | None, moves: str, player: str, seed: int = 0
) -> Data | None:
    """The same while the player is being compiled: the same source as plain Python, which is slow but available at
    once. If a move takes long, the best so far is used."""
    seat = SeatedPlayer(uncompiled_rules_of(game), position, hurried(player), seed)
    try:
        seat.follow(moves)
        talk.say({"ready": True})
        return stopped_or_done(talk, seat.playthrough, lambda report: seat.player.choose(seat.playthrough, report))
    finally:
        seat.close()


def hurried(spec: str) -> str:
    """The same player with little time, if it takes a time limit."""
    name, _, text = spec.partition(":")
    takes_time = "time" in parameters_of(player_class(name)) and "time" not in read_options(
        player_class(name), name, text
    )
    return f"{spec}{',' if text else ':'}time={ENOUGH:g}" if takes_time else spec


def prepare(talk: Thinker, game: str, player: str) -> Data:
    """Compile what a player needs for a game, at its first choice: after chance has rolled or dealt."""
    dealt = " ".join(rules_of(game).start(seed=0).roll().moves)
    with opened(talk, game, None, dealt, player, 0):
        return {}


def rank(talk: Thinker, game: str, position: str | None, moves: str, player: str, seed: int = 0) -> Data | None:
    """The same with a value for each action, if the player evaluates each."""
    with opened(talk, game, position, moves, player, seed, rehearse_rank) as (p, made):
        return stopped_or_done(talk, p, lambda report: ranked(made, p, report))


def appraise(talk: Thinker, game: str, position: str | None, moves: str, player: str, seed: int = 0) -> Data | None:
    """The value of a position in which chance moves, with the value of each event."""
    with opened(talk, game, position, moves, player, seed) as (p, made):
        return stopped_or_done(talk, p, lambda report: made.appraise(p, report))


def ranked(made: Player, p: Playthrough, report: Any) -> Decision:
    """Every action evaluated; by a player that cannot do this, at least the best."""
    try:
        return made.rank(p, report)
    except Unsuitable:
        return made.choose(p, report)


def stopped_or_done(talk: Thinker, p: Playthrough, work: Callable[[Report], Decision]) -> Data | None:
    """The result of a search, or the best so far if it was stopped."""
    heard: list[Decision] = []

    def report(found: Decision) -> None:
        heard[:] = [found]
        talk.news(told(p, found))

    try:
        return told(p, work(report))
    except Stopped:
        return told(p, heard[-1]) if heard else None


def trace(
    talk: Thinker,
    game: str,
    position: str | None,
    moves: str,
    player: str,
    limit: int,
    opened_nodes: list[int] | None = None,
) -> Data:
    """A recorded search: of nodes and windows, or of simulations. A long one is cut to the upper levels, and to those
    below the opened nodes."""
    with opened(talk, game, position, moves, player, 0, rehearse_trace) as (p, made):
        if isinstance(made, SIMULATING):
            return {"kind": "simulations", **made.record(p, limit, game=game, start=position)._asdict()}
        recorder = made.recorder(p.game, MOST_RECORDED)
        found = made.trace(p, recorder)
        nodes = opened_nodes or ()
        written = compose(p, recorder, found, game=game, player=made.spec, start=position, limit=limit, opened=nodes)
        return {"kind": "search", **written._asdict()}


def train(talk: Thinker, game: str, method: str, iterations: int | None) -> Data:
    """Regret minimization, iteration by iteration: regrets and average strategy of every information set. By default,
    as many iterations as can be watched."""
    from counterplay.equilibrium.information_tree import information_tree
    from counterplay.equilibrium.knowledge import all_knowledge
    from counterplay.equilibrium.plans import evaluate_policy
    from counterplay.equilibrium.training import TreeLearner, learner_for

    rules = rules_of(game)
    tree = information_tree(rules, MOST_HISTORIES)
    learner = learner_for(rules, method, tree)
    if not isinstance(learner, TreeLearner):
        raise CounterplayError(f"{method} samples; to watch every iteration, use cfr, cfr+, linear, dcfr or pcfr+")
    few = MOST_NUMBERS // (3 * tree.sequences) - 1
    if few < 1:
        raise CounterplayError(f"{game} has {tree.sets:,} information sets, too many to watch")
    if iterations is None:
        iterations = min(few, USUAL_ITERATIONS)
    if iterations > few:
        raise CounterplayError(f"{game} has {tree.sets:,} information sets: watch at most {few} iterations")
    learner.run(0)
    evaluate_policy(tree, learner.strategy(tree))
    talk.say({"ready": True})
    names = {(each.player, each.key): each for each in all_knowledge(rules)}
    sets, words = [], tree.key_words()
    for k in range(tree.sets):
        owner = int(tree.owner[k])
        known = names[owner, tuple(int(word) for word in words[k])]
        start, end = int(tree.start[k]), int(tree.start[k + 1])
        sets.append({"player": owner, "knows": known.text, "actions": known.actions, "start": start, "end": end})
    steps = []
    for i in range(iterations + 1):
        average = learner.strategy(tree)
        found = evaluate_policy(tree, average)
        steps.append(
            {
                "regrets": rounded(learner.regrets.regrets),
                "strategy": rounded(learner.regrets.strategy),
                "average": rounded(average),
                "exploitability": found.exploitability,
                "values": list(found.values),
            }
        )
        if i < iterations:
            learner.run(1)
        if i % 50 == 0:
            talk.news({"iteration": i})
    players = [rules.player_name(i) for i in range(rules.players)]
    return {"kind": "training", "game": game, "method": method, "players": players, "sets": sets, "steps": steps}


def exercises(talk: Thinker, topic: str, count: int, seed: int) -> Data:
    """Exercises of a topic, with their answers."""
    from counterplay.teaching.topics import exercises_of

    found = [each.to_json() for each in exercises_of(topic, count, seed)]
    talk.say({"ready": True})
    return {"exercises": found}


def rounded(numbers: Any) -> list[float]:
    """Numbers for a record; -0.0 is 0.0."""
    return [round(float(each), 6) + 0.0 for each in numbers]


TASKS: dict[str, Callable[..., Any]] = {
    "prepare": prepare,
    "choose": choose,
    "choose_uncompiled": choose_uncompiled,
    "rank": rank,
    "appraise": appraise,
    "trace": trace,
    "train": train,
    "exercises": exercises,
}
