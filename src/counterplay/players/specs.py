"""Players by spec: `random`, `random:seed=3`, `minimax:depth=4`, `alphabeta:time=1`, `mcts:simulations=1000`, `human`."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterable, Mapping
from typing import Any

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.formats.options import nearest, parameters_of, read_options, require_option
from counterplay.core.game import Game
from counterplay.core.rules import legal
from counterplay.players.book_option import BookPlayer, split_off
from counterplay.players.machines.hall import MACHINES, MachinePlayer, expanded
from counterplay.players.player import Player

PLAYERS: dict[str, str] = {
    "ajedrecista": "counterplay.players.machines.ajedrecista:Ajedrecista",
    "alphabeta": "counterplay.players.alpha_beta:AlphaBeta",
    "bestreply": "counterplay.players.chance:BestReplyPlayer",
    "determinize": "counterplay.players.hidden:Determinization",
    "expectiminimax": "counterplay.players.chance:ExpectiminimaxPlayer",
    "flat": "counterplay.players.montecarlo:Flat",
    "greedy": "counterplay.players.textbook:Greedy",
    "gtp": "counterplay.players.engines.gtp:Gtp",
    "http": "counterplay.players.http:Http",
    "human": "counterplay.players.human:Human",
    "ismcts": "counterplay.players.hidden:InformationSetSearch",
    "line": "counterplay.players.engines.line:LineProtocol",
    "maxn": "counterplay.players.chance:MaxNPlayer",
    "mcts": "counterplay.players.montecarlo:MonteCarloTreeSearch",
    "minimax": "counterplay.players.textbook:Minimax",
    "negamax": "counterplay.players.textbook:Negamax",
    "net": "counterplay.players.network:Network",
    "paranoid": "counterplay.players.chance:ParanoidPlayer",
    "plain-alphabeta": "counterplay.players.textbook:PlainAlphaBeta",
    "policy": "counterplay.players.policy:PolicyPlayer",
    "random": "counterplay.players.random:Uniform",
    "shannon-a": "counterplay.players.machines.shannon:ShannonA",
    "shannon-b": "counterplay.players.machines.shannon:ShannonB",
    "skirmish-script": "counterplay.players.skirmish_scripts:SkirmishScript",
    "turing": "counterplay.players.machines.turing:Turing",
    "resolve": "counterplay.players.resolving:Resolve",
    "uci": "counterplay.players.engines.uci:Uci",
    "usi": "counterplay.players.engines.usi:Usi",
    "xboard": "counterplay.players.engines.xboard:Xboard",
}
"""Every player's name and class, imported on use."""

BUDGET = ("depth", "time", "nodes", "simulations", "playouts")
"""The options that say how long a player may think."""

STRENGTH = ["alphabeta", "expectiminimax", "maxn", "ismcts", "determinize", "random"]
"""The order in which players are tried by default, the strongest first; the last suits every game. `mcts` comes before
them if the game has no `evaluate`, unless it is small."""
FEW = 10_000
"""The maximum number of states of a small game."""


def player(spec: str, *, budget: Mapping[str, Any] | None = None, seed: int | None = None) -> Player:
    """The player that `spec` describes.

    A `budget`, such as {"depth": 6}, overrides the spec's depth, time and nodes; `seed` is for players that draw at
    random and whose spec gives no seed. Every player takes `book=FILE`.
    """
    if (inner := expanded(spec)) != spec:
        made = player(inner, budget=budget, seed=seed)
        return MachinePlayer(MACHINES[spec.strip().partition(":")[0]], made, spec.strip())
    name, _, text = spec.strip().partition(":")
    cls = player_class(name)
    text, book = split_off(cls, name, text)
    options = read_options(cls, name, text)
    if budget:
        for option in budget:
            require_option(cls, name, option)
        options = {k: v for k, v in options.items() if k not in BUDGET} | dict(budget)
    if seed is not None and "seed" in parameters_of(cls):
        options.setdefault("seed", seed)
    made = cls(**options)
    return made if book is None else BookPlayer(made, book)


def player_class(name: str) -> type[Player]:
    """The class of a player."""
    if name not in PLAYERS:
        near = nearest(name, (*PLAYERS, *MACHINES))
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted({*PLAYERS, *MACHINES}))}"
        if "=" in name:
            hint = "a player's name comes before its options, as in alphabeta:depth=3"
        raise CounterplayError(f"no player {name!r}; {hint}")
    module, _, attribute = PLAYERS[name].partition(":")
    cls: type[Player] = getattr(importlib.import_module(module), attribute)
    return cls


def best(game: Game, budget: Iterable[str] = ()) -> str:
    """The strongest player that suits `game` and takes such a `budget`: the one that the game names, if it does. If
    none takes it, the strongest, whose refusal says what it takes instead."""
    asked = set(budget)
    expert = player_class(game.expert.partition(":")[0]) if game.expert else None
    if expert is not None and asked <= set(parameters_of(expert)):
        return game.expert
    fit = (name for name in (["mcts"] if prefers_playouts(game) else []) + STRENGTH if suits(name, game))
    strongest = next(fit)
    for name in (strongest, *fit) if asked else (strongest,):
        if asked <= set(parameters_of(player_class(name))):
            return name
    return strongest


def best_appraiser(game: Game) -> str:
    """The player that evaluates positions in which chance moves."""
    return "expectiminimax" if suits("expectiminimax", game) else "maxn"


@functools.lru_cache(maxsize=64)
def prefers_playouts(game: Game) -> bool:
    """Whether playouts evaluate positions better than a search with a horizon: the game is open, has no `evaluate` and
    is too large to be searched to its end. (A puzzle is searched for its shortest solution.)"""
    if game.has_evaluation or game.has_secrets or (game.players == 1 and not game.has_chance):
        return False
    return game.has_repetition or not has_few_states(game)


def has_few_states(game: Game) -> bool:
    """Whether at most `FEW` states can be reached from the first one, so that a search sees them all at once."""
    try:
        found, waiting = {game.initial()}, [game.initial()]
        while waiting and len(found) <= FEW:
            s = waiting.pop()
            new = {game.result(s, action) for action in legal(game, s)} - found
            found |= new
            waiting.extend(new)
    except TypeError:  # states that have no hash
        return False
    return len(found) <= FEW


def suits(name: str, game: Game) -> bool:
    """Whether the player of this name suits the game."""
    try:
        player(name).require(game)
    except Unsuitable:
        return False
    return True
