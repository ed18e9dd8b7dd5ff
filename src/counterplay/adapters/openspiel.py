"""Every OpenSpiel game as one of our games, under the name `openspiel:GAME`: our kernels run over it in plain Python.

A state is a history: two positions are equal if their histories are. Players who act at the same time act one after
another without seeing the others' actions, as in OpenSpiel's own conversion.
"""

from __future__ import annotations

import bisect
import contextlib
import functools
import hashlib
import itertools
import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from counterplay.adapters.extras import imported
from counterplay.core.errors import InvalidAction, InvalidPosition, UnknownGame, Unsuitable
from counterplay.core.formats.options import nearest
from counterplay.core.formats.text import summary
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.rng import Rng

PARTICLES, TRIES = 200, 5000
"""The maximum number of possible states kept, and of random attempts to reach them."""


class SpielPosition:
    """A state of OpenSpiel, which must not be changed."""

    __slots__ = ("history", "mover", "state")

    def __init__(self, state: Any, history: tuple[int, ...]) -> None:
        self.state, self.history = state, history
        self.mover = int(state.current_player())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SpielPosition) and self.history == other.history

    def __hash__(self) -> int:
        return hash(self.history)

    def __repr__(self) -> str:
        return f"SpielPosition({' '.join(map(str, self.history)) or 'start'})"


class OpenSpielGame(Game):
    """A game of OpenSpiel, with its parameters as OpenSpiel writes them: `openspiel:goofspiel(num_cards=4)`."""

    name = "openspiel"
    compiled = False

    def __init__(self, game: str) -> None:
        self._theirs = load_theirs(game)
        info = self._theirs.get_type()
        self.is_random = info.chance_mode.name != "DETERMINISTIC"
        self.hides = info.information.name != "PERFECT_INFORMATION"
        self.players = int(self._theirs.num_players())
        self.zero_sum = info.utility.name == "ZERO_SUM"
        self.utility_bounds = (float(self._theirs.min_utility()), float(self._theirs.max_utility()))
        self.policy_size = int(self._theirs.num_distinct_actions())

    @property
    def spec(self) -> str:
        """The game, as text."""
        return f"openspiel:{self.parameters['game']}"

    @property
    def has_chance(self) -> bool:
        """Whether dice or deals take part."""
        return self.is_random

    @property
    def has_secrets(self) -> bool:
        """Whether some player does not see everything."""
        return self.hides

    def initial(self) -> SpielPosition:
        return SpielPosition(self._theirs.new_initial_state(), ())

    def to_move(self, s: SpielPosition) -> int:
        return s.mover if s.mover >= CHANCE else 0

    def actions(self, s: SpielPosition, out: Actions) -> None:
        out.extend(s.state.legal_actions())

    def result(self, s: SpielPosition, action: int) -> SpielPosition:
        return SpielPosition(s.state.child(action), (*s.history, action))

    def is_terminal(self, s: SpielPosition) -> bool:
        return bool(s.state.is_terminal())

    def utility(self, s: SpielPosition, player: int) -> float:
        return float(s.state.player_return(player))

    # Chance and secrets.

    def chance(self, s: SpielPosition, out: Actions) -> None:
        out.extend(event for event, _ in s.state.chance_outcomes())

    def probability(self, s: SpielPosition, event: int) -> float:
        return float(dict(s.state.chance_outcomes())[event])

    def information(self, s: SpielPosition, player: int) -> int:
        """What `player` knows, as a number made from OpenSpiel's text and from whether they are to move."""
        known = f"{s.mover == player} {s.state.information_state_string(player)}"
        return int.from_bytes(hashlib.blake2b(known.encode(), digest_size=8).digest(), "little", signed=True)

    def resample(self, s: SpielPosition, player: int, rng: Rng) -> SpielPosition:
        if s.mover != CHANCE and resamples(self.parameters["game"]):
            drawn = s.state.resample_from_infostate(player, rng.uniform)
        elif possible := possible_states(self.parameters["game"], s, player):
            drawn = possible[int(rng.uniform() * len(possible))]
        else:
            raise Unsuitable(
                f"{self.spec}: random play does not reach what player {player} knows, so this search cannot draw the "
                "states that they consider possible; `policy:FILE` plays it"
            )
        return SpielPosition(drawn, tuple(int(action) for action in drawn.history()))

    # Notation: actions as OpenSpiel writes them, without spaces; a position is the actions' numbers so far, or "start".

    def action_text(self, s: SpielPosition, action: int) -> str:
        return self._texts(s)[action]

    def _texts(self, s: SpielPosition) -> dict[int, str]:
        mover = s.mover
        options = [event for event, _ in s.state.chance_outcomes()] if mover == CHANCE else s.state.legal_actions()
        texts = {each: "_".join(s.state.action_to_string(mover, each).split()) or str(each) for each in options}
        written = list(texts.values())
        return {each: text if written.count(text) == 1 else f"{text}#{each}" for each, text in texts.items()}

    def parse_action(self, s: SpielPosition, text: str) -> int:
        options = {} if self.is_terminal(s) else {written: action for action, written in self._texts(s).items()}
        wanted = text.strip()
        if wanted in options:
            return options[wanted]
        alike = [action for written, action in options.items() if written.casefold() == wanted.casefold()]
        if len(alike) != 1:
            raise InvalidAction(f"no action {wanted!r} here; legal: {summary(options)}")
        return alike[0]

    def position_text(self, s: SpielPosition) -> str:
        return " ".join(map(str, s.history)) or "start"

    def parse_position(self, text: str) -> SpielPosition:
        s = self.initial()
        for word in text.split() if text.strip() != "start" else []:
            options = [] if self.is_terminal(s) else list(self._texts(s))
            if not word.isdecimal() or int(word) not in options:
                raise InvalidPosition(
                    f"{self.spec}: a position is the numbers of all actions so far, or `start`; after "
                    f"{self.position_text(s)!r} there is no {word!r}"
                )
            s = self.result(s, int(word))
        return s

    def board(self, s: SpielPosition, viewer: int | None = None) -> str:
        if viewer is not None and self.hides:
            return str(s.state.information_state_string(viewer))
        return str(s.state)


@functools.cache
def resamples(game: str) -> bool:
    """Whether OpenSpiel itself samples the states that a player considers possible; for most games it does not."""
    state, rng = load_theirs(game).new_initial_state(), Rng(1)
    while not state.is_terminal() and state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    try:
        with quiet():
            state.resample_from_infostate(state.current_player(), rng.uniform)
    except Exception:
        return False
    return True


class Moment(NamedTuple):
    """What a player knew at some point, how many actions after the previous moment, and what they did."""

    known: str
    steps: int | None  # None at their own decisions: whenever it is their turn again
    action: int | None


@functools.lru_cache(maxsize=16)  # a search draws from the same states again and again
def possible_states(game: str, s: SpielPosition, player: int) -> list[Any]:
    """States in which `player` knows the same as in `s`, by a particle filter: from one of their decisions to the next,
    the others play at random, and states that lead to what the player knew are kept."""
    start = load_theirs(game).new_initial_state()
    rng, particles = Rng(len(s.history) + 1), [start]
    for moment in moments_of(start.clone(), s, player):
        kept: list[Any] = []
        for _ in range(TRIES):
            origin = particles[int(rng.uniform() * len(particles))]
            trial = played_on(origin.clone(), player, moment.steps, rng)
            if trial is not None and trial.information_state_string(player) == moment.known:
                if moment.action is not None:
                    trial.apply_action(moment.action)
                kept.append(trial)
                if len(kept) == PARTICLES:
                    break
        particles = kept
        if not particles:
            break
    return particles


def moments_of(state: Any, s: SpielPosition, player: int) -> list[Moment]:
    """What `player` knew at each of their decisions from `state`, the start, to `s`, and what they know in `s`."""
    found, since = [], 0
    for action in s.history:
        since += 1
        if state.current_player() == player:
            found.append(Moment(state.information_state_string(player), None, action))
            since = 0
        state.apply_action(action)
    steps = None if s.mover == player else since
    return [*found, Moment(s.state.information_state_string(player), steps, None)]


def played_on(state: Any, player: int, steps: int | None, rng: Rng) -> Any:
    """`state` after random play to the next decision of `player`, or after `steps` actions of the others; None if that
    does not happen."""
    done = 0
    while done != steps and not state.is_terminal() and state.current_player() != player:
        u = rng.uniform()
        if state.is_chance_node():
            events, odds = zip(*state.chance_outcomes(), strict=True)
            drawn = min(bisect.bisect(list(itertools.accumulate(odds)), u), len(events) - 1)
            state.apply_action(events[drawn])
        else:
            options = state.legal_actions()
            state.apply_action(options[int(u * len(options))])
        done += 1
    is_turn = not state.is_terminal() and state.current_player() == player
    return state if (is_turn if steps is None else done == steps and not is_turn) else None


@functools.cache
def load_theirs(text: str) -> Any:
    """The OpenSpiel game that a text names, with one player to move at a time."""
    pyspiel = imported("pyspiel", f"openspiel:{text}")
    name = text.partition("(")[0].strip()
    known = pyspiel.registered_names()
    if name not in known:
        near = nearest(name, known)[:3]
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UnknownGame(f"OpenSpiel has no game {name!r}{hint}")
    try:
        with quiet():
            game = pyspiel.load_game(text)
    except Exception as wrong:
        raise UnknownGame(f"OpenSpiel cannot load {text!r}: {' '.join(str(wrong).split())}") from None
    kind = game.get_type()
    if kind.dynamics.name == "MEAN_FIELD" or kind.chance_mode.name == "SAMPLED_STOCHASTIC":
        why = "is a mean-field game" if kind.dynamics.name == "MEAN_FIELD" else "does not list its chance events"
        raise Unsuitable(f"openspiel:{text} {why}, and none of our searches supports it")
    if kind.dynamics.name == "SIMULTANEOUS":
        game = pyspiel.convert_to_turn_based(game)
        kind = game.get_type()
    if kind.information.name != "PERFECT_INFORMATION" and not kind.provides_information_state_string:
        raise Unsuitable(f"openspiel:{text} hides information and does not say what each player knows")
    return game


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hide what OpenSpiel prints to stderr before it raises."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
