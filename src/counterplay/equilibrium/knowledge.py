"""What a player knows, in words: the history as they have seen it.

The rules say only when two states look the same to a player. So all histories that end in an information set are
compared, step by step between one own action and the next: what is the same in all of them is known, and written as it
is. Where some differ, all that may have happened is written, as in a|b, with a - if there may have been nothing; and if
that is everything possible, a ? is written.

In a game too large to walk through, the histories of each set are searched for separately, by way of what the player
knew at each earlier turn (which needs perfect recall). If they are too many, all that others did between own actions is
a "...": nothing is called known that was not compared with every history. In a game far too large, only what a policy
has met is walked through, for a few seconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.state import words
from counterplay.core.rules import legal
from counterplay.equilibrium.information_tree import is_far_larger

MOST_STATES = 1_000_000
"""The maximum number of states visited to find the information sets, and again for the histories of sets."""
MOST_OF_A_SET = 20_000
"""The maximum number of states visited to find the histories of one set."""
PATIENCE = 5.0
"""Seconds for the walk through a game that is far too large, and for the histories of its sets."""
MOST_NAMED = 3
"""The maximum number of steps that look the same and are named; of more, only the first are."""
OWN = 1 << 30
"""The moment of an own action, after all steps of others before it."""
NOTHING = "-"


class Knowledge(NamedTuple):
    """An information set."""

    player: int
    key: tuple[int, ...]
    text: str  # what the player has seen
    actions: tuple[str, ...]  # what they can do, in the order of the game


class HistoryStep(NamedTuple):
    """A step of a history, and the step before it."""

    before: HistoryStep | None
    mover: int
    action: int
    text: str


Moment = tuple[int, int]
"""How many own actions came before a step, and how many steps since then, or OWN."""


@dataclass
class InformationSet:
    """An information set with what happened in the histories that end there."""

    first: tuple[HistoryStep, ...]  # one history
    actions: tuple[str, ...]
    histories: int = 0
    seen: dict[Moment, dict[str, int]] = field(default_factory=dict)  # what happened at each moment, and how often

    def add(self, history: Iterable[HistoryStep], player: int) -> None:
        """Add one more history."""
        self.histories += 1
        for moment, step in moments(history, player):
            here = self.seen.setdefault(moment, {})
            here[step.text] = here.get(step.text, 0) + 1


def all_knowledge(game: Game, is_met: Callable[[tuple[int, ...]], bool] | None = None) -> Iterator[Knowledge]:
    """The information sets of a game, in the order in which a walk meets them, as far as the walk goes. Of a game far
    too large to walk, those that `is_met`, by player and key."""
    is_vast = is_met is not None and is_far_larger(game, MOST_STATES)
    sets, is_whole = walk(game, is_met if is_vast else None)
    texts: dict[tuple[int, str], int] = {}
    left, until = MOST_STATES, time.monotonic() + PATIENCE
    for (player, *key), found in sets.items():
        is_known = is_whole
        if not is_whole:
            found.seen, found.histories, most = {}, 0, min(left, MOST_OF_A_SET)
            if is_vast and time.monotonic() > until:
                most = 0
            looked = add_histories(game, found, player, tuple(key), most)
            is_known, left = looked < most, left - looked
        text = seen_text(game, found, player) if is_known else own_text(found, player)
        again = texts[player, text] = texts.get((player, text), 0) + 1  # the difference is in several steps
        yield Knowledge(player, tuple(key), text if again == 1 else f"{text} ({again})", found.actions)


def walk(
    game: Game, is_met: Callable[[tuple[int, ...]], bool] | None = None
) -> tuple[dict[tuple[int, ...], InformationSet], bool]:
    """The information sets by player and key, with their histories; and whether those are all. With `is_met`, only
    those that are met, for a few seconds."""
    sets: dict[tuple[int, ...], InformationSet] = {}
    waiting: list[tuple[Any, HistoryStep | None]] = [(game.initial(), None)]
    looked, until = 0, time.monotonic() + PATIENCE
    while waiting and looked < MOST_STATES and not (is_met and time.monotonic() > until):
        s, last = waiting.pop()
        looked += 1
        options = legal(game, s)
        if not options:
            continue
        mover = int(game.to_move(s))
        names = tuple(game.action_text(s, action) for action in options)
        if mover != CHANCE:
            history = tuple(steps(last))
            key = (mover, *words(game.information(s, mover)))
            if is_met and not is_met(key):
                continue
            if key not in sets:
                sets[key] = InformationSet(history, names)
            sets[key].add(history, mover)
        further = [
            (game.result(s, action), HistoryStep(last, mover, action, name))
            for action, name in zip(options, names, strict=True)
        ]
        waiting.extend(reversed(further))
    return sets, not waiting and not is_met


def steps(last: HistoryStep | None) -> list[HistoryStep]:
    """The steps of a history, from its last one."""
    found = []
    while last is not None:
        found.append(last)
        last = last.before
    return found[::-1]


def moments(history: Iterable[HistoryStep], player: int) -> Iterator[tuple[Moment, HistoryStep]]:
    """Each step of a history with its moment, counted by `player`'s actions."""
    own = others = 0
    for step in history:
        if step.mover == player:
            yield (own, OWN), step
            own, others = own + 1, 0
        else:
            yield (own, others), step
            others += 1


def add_histories(game: Game, found: InformationSet, player: int, key: tuple[int, ...], most: int) -> int:
    """Add the histories that end in a set, by way of what the player knew and did at each turn of the first of them.
    Returns how many states that took; `most` if it is cut short."""
    turns: list[tuple[tuple[int, ...], int]] = []
    s = game.initial()
    for step in found.first:
        if step.mover == player:
            turns.append((words(game.information(s, player)), step.action))
        s = game.result(s, step.action)
    waiting: list[tuple[Any, HistoryStep | None, int]] = [(game.initial(), None, 0)]
    looked = 0
    while waiting:
        if looked >= most:
            return most
        s, last, own = waiting.pop()
        looked += 1
        options, mover = legal(game, s), int(game.to_move(s))
        if options and mover == player:
            known = words(game.information(s, player))
            if own == len(turns):
                if known == key:
                    found.add(steps(last), player)
                continue
            options = [turns[own][1]] if known == turns[own][0] else []
            own += 1
        further = [HistoryStep(last, mover, action, game.action_text(s, action)) for action in reversed(options)]
        waiting.extend((game.result(s, step.action), step, own) for step in further)
    return looked


def seen_text(game: Game, found: InformationSet, player: int) -> str:
    """What `player`, who considers all histories of the set possible, knows of what happened."""
    at = {moment: i for i, (moment, _) in enumerate(moments(found.first, player))}
    states = [game.initial()]
    for step in found.first:
        states.append(game.result(states[-1], step.action))
    told = []
    for moment, here in sorted(found.seen.items()):
        is_sure = sum(here.values()) == found.histories
        if is_sure and len(here) == 1:
            told.append(next(iter(here)))
        elif moment in at and possible(game, states[at[moment]], found.first[at[moment] :]) <= set(here):
            told.append("?")
        else:
            named = [*here][:MOST_NAMED] + ["..."] * (len(here) > MOST_NAMED) + [NOTHING] * (not is_sure)
            told.append("|".join(named))
    return " ".join(told) or "-"


def own_text(found: InformationSet, player: int) -> str:
    """What a player did, with dots for what others did before and after."""
    own = [step.text for step in found.first if step.mover == player]
    return " ".join(["...", *(part for text in own for part in (text, "..."))])


def possible(game: Game, s: Any, rest: tuple[HistoryStep, ...]) -> set[str]:
    """What might have happened in `s` instead of the first step of `rest`, the remaining history, which must still be
    possible."""
    found = set()
    for action in legal(game, s):
        after = game.result(s, action)
        for step in rest[1:]:
            if step.action not in legal(game, after):
                break
            after = game.result(after, step.action)
        else:
            found.add(game.action_text(s, action))
    return found
