"""Training methods by name: the requested method or preset, with its options checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.options import convert, either, nearest
from counterplay.core.game import Game

METHODS = ("td", "comparison", "rounds", "alphazero", "alphago", "nnue", "league", "values", "rebel")
USUAL_SECONDS = 600.0
"""The default length of training."""


def training_for(
    game: Game,
    *,
    method: str = "",
    preset: str = "",
    games: int | None = None,
    seconds: float | None = None,
    options: Mapping[str, str] | None = None,
) -> Any:
    """The training for a method or preset."""
    from counterplay.evaluation.encoding import try_encoding
    from counterplay.learning import comparison, td_training

    presets: dict[str, tuple[str, str, Any]] = {
        **{name: ("td", *known) for name, known in td_training.PRESETS.items()},
        **{name: ("comparison", *known) for name, known in comparison.PRESETS.items()},
    }
    if preset and preset not in presets:
        raise CounterplayError(f"no preset {preset!r}; choose {either(list(presets))}")
    if method and method not in METHODS:
        raise CounterplayError(f"no method {method!r}; choose {either(list(METHODS))}")
    if preset and method not in ("", presets[preset][0]):
        raise CounterplayError(f"the preset {preset} is for the method {presets[preset][0]}, not for {method}")
    if games is not None and games < 1:
        raise CounterplayError(f"--games must be 1 or more, not {games}")
    if games is None and seconds is None:
        seconds = USUAL_SECONDS
    if method == "league":
        from counterplay.learning.league import league_for

        return league_for(game, read(usual_options(method), options or {}, "league"), games, seconds)
    if method in ("values", "rebel"):
        from counterplay.learning.rebel import RebelTraining
        from counterplay.learning.value_training import ValueTraining

        kind = ValueTraining if method == "values" else RebelTraining
        return kind(game, read(usual_options(method), options or {}, method), games, seconds)
    try_encoding(game)
    if method == "alphazero":
        from counterplay.learning.alphazero import AlphaZero

        return AlphaZero(game, read(usual_options(method), options or {}, "alphazero"), games, seconds)
    if method == "alphago":
        from counterplay.learning.alphago import AlphaGo

        return AlphaGo(game, read(usual_options(method), options or {}, "alphago"), games, seconds)
    if method == "nnue":
        from counterplay.learning.nnue import NnueTraining

        return NnueTraining(game, read(usual_options(method), options or {}, "nnue"), games, seconds)
    if method == "rounds":
        from counterplay.learning.rounds import RoundsTraining

        return RoundsTraining(game, read(usual_options(method), options or {}, "rounds"), games, seconds)
    recipe: Any = usual_options(method or "td")
    if preset:
        method, meant, recipe = presets[preset]
        if game.spec != meant:
            raise CounterplayError(f"the preset {preset} is for {meant}, not for {game.spec}")
    if method == "comparison":
        return comparison.Comparison(game, read(recipe, options or {}, preset or method), games, seconds)
    return td_training.TemporalTraining(game, read(recipe, options or {}, preset or "td"), games, seconds)


def usual_options(method: str) -> Any:
    """The default options of a method."""
    if method == "alphazero":
        from counterplay.learning.alphazero import Settings

        return Settings()
    if method == "alphago":
        from counterplay.learning.alphago import AlphaGoSettings

        return AlphaGoSettings()
    if method == "nnue":
        from counterplay.learning.nnue import Generations

        return Generations()
    if method == "rounds":
        from counterplay.learning.rounds import Rounds

        return Rounds()
    if method == "league":
        from counterplay.learning.league import LeagueSettings

        return LeagueSettings()
    if method in ("values", "rebel"):
        from counterplay.learning.value_training import ValueSettings

        return ValueSettings()
    if method == "comparison":
        from counterplay.learning.comparison import ComparisonSettings

        return ComparisonSettings()
    from counterplay.learning.td_training import Recipe

    return Recipe()


def read(usual: Any, options: Mapping[str, str], shown: str) -> Any:
    """The options of a method, some of them given as text."""
    kinds = {field.name: type(getattr(usual, field.name)) for field in fields(usual)}
    for name in options:
        if name not in kinds:
            near = nearest(name, kinds)
            hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(kinds)}"
            raise CounterplayError(f"{shown} has no option {name!r}; {hint}")
    try:
        return replace(usual, **{name: convert(shown, name, text, kinds[name]) for name, text in options.items()})
    except CounterplayError as wrong:
        text = str(wrong)
        raise CounterplayError(text if text.startswith(shown) else f"{shown}: {text}") from None
