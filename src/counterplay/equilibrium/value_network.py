"""Counterfactual value networks (Moravčík and others, DeepStack, 2017): what each of both players' hands is worth in a
public state, given the public information and both ranges.

A network is for one *street*: the states with a given number of public cards. Ranges add up to 1; values are fractions
of the pot (of 1 if there is none), each against the opponent's whole range. Weighted by the ranges, both players'
values sum to 0 by construction: half of the layers' error is subtracted from each.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.game import CHANCE, Game
from counterplay.core.rules import legal
from counterplay.equilibrium.look_ahead import Keyed, Valued, keyed
from counterplay.equilibrium.public_tree import after_event, require_deals, symmetries
from counterplay.equilibrium.public_unrolling import TO_THE_CARD, TO_THE_END
from counterplay.evaluation.model import Model, require_shapes

KIND, ENCODING = "values", "ranges"
ACTIONS = 2
"""A look-ahead's length in actions when no public card is to come."""


def has_cards(game: Game) -> bool:
    """Whether hands are of cards."""
    return any(int(game.hand_cards(hand)) for hand in range(game.private_hands))


def street(game: Game, s: Any) -> int:
    """The number of public cards."""
    return int(game.public_cards(s)).bit_count()


def require_values(game: Game) -> None:
    """Refuse games whose public states this kind of network cannot distinguish."""
    require_deals(game)
    if not has_cards(game) and not len(game.public_features(game.initial())):
        raise Unsuitable(f"{game.spec}: value networks are for hands of cards, or for games with `public_features`")


def deck(game: Game) -> int:
    """The number of cards."""
    return max(int(game.hand_cards(hand)).bit_length() for hand in range(game.private_hands))


class NetworkView(NamedTuple):
    """What a network sees of a public state. Names of suits do not matter to it: of all states that differ only in them
    it knows one, and hands have the names that they have there."""

    features: np.ndarray  # the cards, what both have paid, who acts, and what the game adds
    stake: float  # the unit of values: the pot, or 1
    free: np.ndarray  # [hands] whether a hand shares no card with the public ones
    own: np.ndarray  # [hands] the hand here that each hand there is
    there: np.ndarray  # [hands] the name of each hand here there


def seen(game: Game, s: Any) -> NetworkView:
    """What a network sees of a public state."""
    return _seen(game, keyed(game, s))


@functools.lru_cache(maxsize=65536)
def _seen(game: Game, root: Keyed) -> NetworkView:
    s = root.state
    cards, names = cards_renamed(game), game.suit_symmetries()[0]
    public = [card for card in range(deck(game)) if int(game.public_cards(s)) >> card & 1]
    chosen = min(range(len(names)), key=lambda k: sorted(cards[k, public]))
    bits = np.zeros(deck(game))
    bits[cards[chosen, public]] = 1.0
    most = max(map(abs, game.utility_bounds)) or 1.0
    paid = [game.invested(s, player) / most for player in range(2)]
    features = np.array([*bits, *paid, float(game.to_move(s) == 1), *game.public_features(s)], np.float32)
    stake = float(game.invested(s, 0) + game.invested(s, 1)) or 1.0
    return NetworkView(features, stake, possible(game, s), np.argsort(names[chosen]), names[chosen])


@functools.lru_cache(maxsize=16)
def cards_renamed(game: Game) -> np.ndarray:
    """[symmetries, cards] each card's name under each symmetry: what all hands with it then share."""
    masks = [int(game.hand_cards(hand)) for hand in range(game.private_hands)]
    names = game.suit_symmetries()[0]
    found = np.zeros((len(names), deck(game)), np.int64)
    for k, row in enumerate(names):
        for card in range(deck(game)):
            shared = functools.reduce(int.__and__, (masks[row[h]] for h, mask in enumerate(masks) if mask >> card & 1))
            found[k, card] = shared.bit_length() - 1
    return found


def possible(game: Game, s: Any) -> np.ndarray:
    """[hands] whether a hand shares no card with the public ones."""
    cards = int(game.public_cards(s))
    return np.array([not int(game.hand_cards(hand)) & cards for hand in range(game.private_hands)])


def in_balance(values: Any, ranges: Any) -> Any:
    """Values shifted so that, weighted by both ranges [n, 2, hands], they sum to 0. Arrays of NumPy or of PyTorch."""
    together = (values * ranges).sum((1, 2))
    return values - together[:, None, None] / 2


def inputs(features: np.ndarray, ranges: np.ndarray) -> np.ndarray:
    """The input of the first layer: ranges are scaled so that a uniform one is all 1."""
    flat = ranges.reshape(len(ranges), -1) * ranges.shape[-1]
    return np.concatenate([features, flat], axis=1, dtype=np.float32)


def layers_of(arrays: dict[str, np.ndarray], number: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The layers of a street's network, the first one first."""
    k = 0
    while f"street{number}_w{k}" in arrays:
        yield arrays[f"street{number}_w{k}"], arrays[f"street{number}_b{k}"]
        k += 1


def graph(layers: list[tuple[np.ndarray, np.ndarray]]) -> bytes:
    """A street's network as ONNX: rectified layers, the last one linear."""
    try:
        from onnx import TensorProto, helper, numpy_helper
    except ImportError:
        raise CounterplayError("a network needs onnx and onnxruntime: pip install 'counterplay[nets]'") from None
    constants, nodes, x = [], [], "seen"
    for k, (weight, bias) in enumerate(layers):
        last = k == len(layers) - 1
        constants.append(numpy_helper.from_array(np.ascontiguousarray(weight, np.float32), f"w{k}"))
        constants.append(numpy_helper.from_array(np.ascontiguousarray(bias, np.float32), f"b{k}"))
        out = "values" if last else f"sum{k}"
        nodes.append(helper.make_node("Gemm", [x, f"w{k}", f"b{k}"], [out], transB=1))
        if not last:
            x = f"layer{k}"
            nodes.append(helper.make_node("Relu", [out], [x]))
    made = helper.make_graph(
        nodes,
        "values",
        [helper.make_tensor_value_info("seen", TensorProto.FLOAT, ["n", layers[0][0].shape[1]])],
        [helper.make_tensor_value_info("values", TensorProto.FLOAT, ["n", len(layers[-1][1])])],
        constants,
    )
    whole = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return bytes(whole.SerializeToString())


class ValueNetwork:
    """The networks of a game's streets, answering in batches by ONNX Runtime."""

    def __init__(self, game: Game, model: Model, actions: int = ACTIONS) -> None:
        require_values(game)
        if model.kind != KIND:
            raise CounterplayError(
                f"the model is of the kind {model.kind}, not of counterfactual values: `counterplay train {game.spec} "
                "--method values` makes one"
            )
        self.game, self.model, self.actions = game, model, actions
        self.cards = has_cards(game)
        self.streets = sorted({int(name.removeprefix("street").partition("_")[0]) for name in model.arrays})
        hands, self.sessions = game.private_hands, {}
        from counterplay.evaluation.residual import session

        for number in self.streets:
            layers = list(layers_of(model.arrays, number))
            shapes: dict[str, tuple[int, ...]] = {}
            before = len(seen(game, game.initial()).features) + 2 * hands
            for k, (weight, _) in enumerate(layers):
                after = 2 * hands if k == len(layers) - 1 else len(weight)
                shapes |= {f"street{number}_w{k}": (after, before), f"street{number}_b{k}": (after,)}
                before = after
            require_shapes(model, shapes, game)
            self.sessions[number] = session(graph(layers), 1)

    def reach(self, s: Any) -> int:
        """To the next public card if its street has a network, else to the end; without cards, a number of actions."""
        if not self.cards:
            return self.actions
        return TO_THE_CARD if street(self.game, s) + 1 in self.sessions else TO_THE_END

    def answer(self, number: int, features: np.ndarray, ranges: np.ndarray) -> np.ndarray:
        """[n, 2, hands] values of public states of a street, by ranges that add up to 1."""
        if number not in self.sessions:
            known = ", ".join(map(str, self.streets))
            raise CounterplayError(
                f"the network was trained for {known} public cards, and this state has {number}: train it for that street"
            )
        found = self.sessions[number].run(None, {"seen": inputs(features, ranges)})[0]
        balanced: np.ndarray = in_balance(found.reshape(ranges.shape).astype(np.float64), ranges)
        return balanced

    def at(self, states: list[Any], weights: np.ndarray | None) -> Valued:
        """The values of a frontier: all its states in one call."""
        game, number = self.game, street(self.game, states[0])
        all_seen = [seen(game, s) for s in states]
        features = np.stack([each.features for each in all_seen])
        scale = 1.0 if weights is None else float(weights.max())
        stakes = scale * np.array([each.stake for each in all_seen])
        free = np.stack([each.free for each in all_seen])
        worths = free * stakes[:, None]
        count, hands = free.shape
        first = hands * np.arange(count)[:, None]
        own_names = first + np.stack([each.own for each in all_seen])  # of all hands of all states
        there = first + np.stack([each.there for each in all_seen])
        even = (free / free.sum(axis=1, keepdims=True)).take(own_names)
        ranges = np.zeros((count, 2, hands))

        def valued(player: int, own: np.ndarray, other: np.ndarray) -> np.ndarray:
            totals = other.sum(axis=1, keepdims=True)
            ranges[:, player] = normal(own.take(own_names), own.sum(axis=1, keepdims=True), even)
            ranges[:, 1 - player] = normal(other.take(own_names), totals, even)
            found = self.answer(number, features, ranges)[:, player]
            worth: np.ndarray = found.take(there) * (totals * worths)
            return worth

        return valued


def normal(reach: np.ndarray, totals: np.ndarray, even: np.ndarray) -> np.ndarray:
    """[n, hands] reaches that add up to 1; uniform if nothing is reached."""
    if totals.min() > 0:
        return reach / totals
    nothing = totals <= 0
    return np.where(nothing, even, reach) / np.where(nothing, 1.0, totals)


def random_range(order: np.ndarray, hands: int, rng: np.random.Generator) -> np.ndarray:
    """A range over the hands in `order`, weakest first: the whole is split at random between the weaker and the
    stronger half, and so on (DeepStack's method, which gives a wide variety of ranges)."""
    found = np.zeros(hands)
    waiting = [(order, 1.0)]
    while waiting:
        part, share = waiting.pop()
        if len(part) == 1:
            found[part[0]] = share
            continue
        left = share * rng.random()
        middle = len(part) // 2
        if len(part) % 2 and rng.random() < 0.5:
            middle += 1
        waiting += [(part[:middle], left), (part[middle:], share - left)]
    return found


def by_strength(game: Game, s: Any, rng: np.random.Generator) -> np.ndarray:
    """The hands possible in `s`, the weakest first, judged by the cards so far; equal ones in random order."""
    hands = np.flatnonzero(possible(game, s))
    strengths = np.array([float(game.showdown_strength(game.with_hands(s, int(h), int(h)), 0)) for h in hands])
    return hands[np.lexsort((rng.random(len(hands)), strengths))]


def alike(game: Game, before: Any, s: Any, weights: np.ndarray) -> np.ndarray:
    """[hands] a range with equal shares for hands that nothing before the last public card told apart: names of suits
    that `before` has not shown. All ranges that occur in play are of this kind."""
    names, free = symmetries(game, before, np.ones((2, game.private_hands)))[0], possible(game, s)
    found = np.where(free, weights[names].sum(axis=0) / np.maximum(free[names].sum(axis=0), 1), 0.0)
    return found / found.sum()


def random_state(
    game: Game, start: Any, weights: np.ndarray | None, number: int, rng: np.random.Generator
) -> tuple[Any, Any]:
    """A decision just after this many public cards were turned, by random actions from the deal on; without cards, any
    decision. With it, the state in which the last card was turned (or the deal)."""
    cards = has_cards(game)
    while True:
        s = before = start
        plies = rng.integers(0, 1 + game.policy_size) if not cards else 0
        while not game.is_terminal(s):
            turn = game.to_move(s) == CHANCE
            if not turn and (street(game, s) == number if cards else plies == 0):
                return before, s
            options = legal(game, s)
            choice = int(options[rng.integers(len(options))])
            before = s if turn else before
            s = after_event(game, s, choice, weights) if turn else game.result(s, choice)
            plies -= 1
