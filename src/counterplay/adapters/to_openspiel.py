"""Our games as games of OpenSpiel, for its algorithms: `to_openspiel("leduc-poker")` is a `pyspiel.Game`.

An action's number is its index in the game's policy or, without one, in the list of legal actions; a chance event's is its
index in the list of events.
"""

from __future__ import annotations

import functools
from random import Random
from typing import Any

import numpy as np

from counterplay.adapters.batch import action_count
from counterplay.adapters.extras import imported
from counterplay.api.position import AnyGame, game_of
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.kept_states import words_of
from counterplay.core.repetition import repetition_word
from counterplay.core.rules import is_over, legal, payoff

SURVEYED = 20
"""The number of random playthroughs that show how many events chance draws from."""
LENGTH = 10_000
"""The maximum number of actions of a game, as reported to OpenSpiel."""


def to_openspiel(game: AnyGame, *, length: int = LENGTH) -> Any:
    """A game as a `pyspiel.Game`. `length` is the maximum number of actions, which OpenSpiel requires."""
    imported("pyspiel", "to_openspiel")
    rules = game_of(game)
    return game_class()(rules, length)


def game_type(game: Game) -> Any:
    """What OpenSpiel needs to know about the kind of game."""
    kind = imported("pyspiel", "to_openspiel").GameType
    name = "".join(letter if letter.isalnum() else "_" for letter in game.spec)
    return kind(
        short_name=f"counterplay_{name}",
        long_name=f"Counterplay: {game.spec}",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if game.has_chance else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.IMPERFECT_INFORMATION
        if game.has_secrets
        else kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if game.zero_sum else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=game.players,
        min_num_players=game.players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )


def most_events(game: Game) -> int:
    """Twice the number of events that chance draws from, as far as random playthroughs show."""
    most, random = 1, Random(0)
    for _ in range(SURVEYED if game.has_chance else 0):
        p = game.start()
        while not p.is_over and len(p) < 200:
            options = p.options()
            most = max(most, len(options) if p.to_move == CHANCE else 0)
            p.play(random.choice(options))
    return 2 * most if game.has_chance else 0


@functools.cache
def game_class() -> Any:
    """Our class of games, derived from OpenSpiel's when that is installed."""
    pyspiel = imported("pyspiel", "to_openspiel")
    states = state_class()

    class SpielGame(pyspiel.Game):  # type: ignore[misc, name-defined]
        """One of our games."""

        def __init__(self, rules: Game, length: int) -> None:
            low, high = rules.utility_bounds
            info = pyspiel.GameInfo(
                num_distinct_actions=action_count(rules),
                max_chance_outcomes=most_events(rules),
                num_players=rules.players,
                min_utility=low,
                max_utility=high,
                utility_sum=0.0 if rules.zero_sum else None,
                max_game_length=length,
            )
            super().__init__(game_type(rules), info, {})
            self.rules = rules

        def new_initial_state(self) -> Any:
            return states(self)

        def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
            return SpielObserver(self.rules, params)

    return SpielGame


@functools.cache
def state_class() -> Any:
    """The same for their states."""
    pyspiel = imported("pyspiel", "to_openspiel")

    class SpielState(pyspiel.State):  # type: ignore[misc, name-defined]
        """A position of one of our games."""

        def __init__(self, game: Any) -> None:
            super().__init__(game)
            self.rules = game.rules
            self.position = self.rules.initial()
            self.before: tuple[int, ...] = ()  # repetition keys
            self.played: tuple[int, ...] = ()

        def __deepcopy__(self, memo: Any) -> Any:
            copied = SpielState(self.get_game())
            for action in self.history():
                copied.apply_action(action)
            return copied

        def options(self) -> dict[int, int]:
            """The legal actions, or the events, by OpenSpiel's numbers."""
            rules, s = self.rules, self.position
            listed = legal(rules, s, self.before)
            if rules.policy_size and rules.to_move(s) != CHANCE:
                return dict(sorted((int(rules.policy_index(s, action)), action) for action in listed))
            return dict(enumerate(listed))

        def current_player(self) -> Any:
            if self.is_terminal():
                return pyspiel.PlayerId.TERMINAL
            mover = self.rules.to_move(self.position)
            return pyspiel.PlayerId.CHANCE if mover == CHANCE else mover

        def _legal_actions(self, player: int) -> list[int]:
            return list(self.options())

        def chance_outcomes(self) -> list[tuple[int, float]]:
            chances = [(i, self.rules.probability(self.position, event)) for i, event in self.options().items()]
            return [(i, probability) for i, probability in chances if probability > 0]

        def _apply_action(self, action: int) -> None:
            rules = self.rules
            chosen = self.options()[action]
            if rules.has_repetition:
                self.before = (*self.before, repetition_word(rules, self.position))
            self.position = rules.result(self.position, chosen)
            self.played = (*self.played, chosen)

        def _action_to_string(self, player: int, action: int) -> str:
            return str(self.rules.action_text(self.position, self.options()[action]))

        def is_terminal(self) -> bool:
            return is_over(self.rules, self.position, self.before)

        def returns(self) -> list[float]:
            rules = self.rules
            if not self.is_terminal():
                return [0.0] * rules.players
            return [payoff(rules, self.position, player) for player in range(rules.players)]

        def __str__(self) -> str:
            return str(self.rules.board(self.position))

    return SpielState


class SpielObserver:
    """What a player knows, for OpenSpiel: as text and as numbers."""

    def __init__(self, rules: Game, params: Any) -> None:
        if params:
            raise ValueError(f"an observer of {rules.spec} takes no parameters, but was given {params}")
        self.rules = rules
        self.tensor = np.zeros(len(words_of(self.known(rules.initial(), 0))), np.float32)
        self.dict = {"observation": self.tensor}

    def known(self, s: Any, player: int) -> Any:
        """What a player knows in `s`."""
        known = self.rules.information(s, player) if self.rules.has_secrets else s
        return known if isinstance(known, (int, float, tuple)) else hash(known)

    def set_from(self, state: Any, player: int) -> None:
        """Write what a player knows as numbers."""
        self.tensor[:] = words_of(self.known(state.position, player))

    def string_from(self, state: Any, player: int) -> str:
        """What a player knows, as text."""
        if self.rules.has_secrets:
            return f"{player} {self.rules.information(state.position, player)!r}"
        return " ".join(map(str, state.played))
