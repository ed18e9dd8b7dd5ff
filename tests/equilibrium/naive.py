"""Counterfactual regret minimization as the papers write it: by recursion over histories, in plain Python."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

from counterplay.core.game import CHANCE, Game
from counterplay.core.rules import legal
from counterplay.equilibrium.cfr import Fading

Table = dict[tuple[int, Any], dict[int, float]]


class Naive:
    """Regrets, sums and strategies by (player, information), an action at a time."""

    def __init__(self, game: Game, fading: Fading) -> None:
        self.game, self.fading = game, fading
        self.regrets: Table = defaultdict(lambda: defaultdict(float))
        self.last: Table = defaultdict(lambda: defaultdict(float))
        self.sums: Table = defaultdict(lambda: defaultdict(float))
        self.count = 0

    def mixture(self, key: Any, options: list[int]) -> dict[int, float]:
        hopes = {a: max(0.0, self.regrets[key][a] + self.fading.predictive * self.last[key][a]) for a in options}
        total = sum(hopes.values())
        return {a: hopes[a] / total if total > 0 else 1 / len(options) for a in options}

    def iterate(self) -> None:
        self.count += 1
        for player in range(self.game.players):
            news: Table = defaultdict(lambda: defaultdict(float))
            self.walk(self.game.initial(), player, [1.0] * self.game.players, 1.0, news, {})
            for key, gained in news.items():
                for action, regret in gained.items():
                    total = self.regrets[key][action] + regret
                    power = self.fading.above if total > 0 else self.fading.below
                    kept = 1.0 if power == math.inf else 0.0 if power == -math.inf else self.count**power
                    self.regrets[key][action] = total * (kept if math.isinf(power) else kept / (kept + 1))
                    self.last[key][action] = regret

    def walk(self, s: Any, player: int, reach: list[float], chance: float, news: Table, now: Table) -> float:
        """What `player` gets from `s`; adds their regrets to `news`. Strategies are fixed at their first use in a pass."""
        game = self.game
        if game.is_terminal(s):
            return game.utility(s, player)
        mover, options = game.to_move(s), legal(game, s)
        if mover == CHANCE:
            odds = {event: game.probability(s, event) for event in options}
            return sum(
                p * self.walk(game.result(s, event), player, reach, chance * p, news, now) for event, p in odds.items()
            )
        key = (mover, game.information(s, mover))
        mixture = now.setdefault(key, self.mixture(key, options))
        values = {}
        for action, p in mixture.items():
            further = list(reach)
            further[mover] *= p
            values[action] = self.walk(game.result(s, action), player, further, chance, news, now)
        value = sum(mixture[action] * values[action] for action in options)
        if mover == player:
            others = chance * math.prod(r for q, r in enumerate(reach) if q != player)
            for action in options:
                news[key][action] += others * (values[action] - value)
                self.sums[key][action] += self.count**self.fading.average * reach[player] * mixture[action]
        return value

    def average(self, key: Any, action: int) -> float:
        total = sum(self.sums[key].values())
        return self.sums[key][action] / total if total else 1 / len(self.sums[key])


def best_response_value(game: Game, player: int, policy: Any) -> float:
    """The most that `player` gets against `policy(s)`, a dict of probabilities, by trying every pure strategy of
    their information sets, deepest first: sets of states with their weights, as in the definition."""

    def best(states: list[tuple[Any, float]]) -> float:
        total = 0.0
        waiting: dict[Any, list[tuple[Any, float]]] = defaultdict(list)
        states = list(states)
        while states:
            s, weight = states.pop()
            if game.is_terminal(s):
                total += weight * game.utility(s, player)
                continue
            mover, options = game.to_move(s), legal(game, s)
            if mover == player:
                waiting[game.information(s, player)].append((s, weight))
                continue
            odds = {a: game.probability(s, a) for a in options} if mover == CHANCE else policy(s)
            states += [(game.result(s, a), weight * p) for a, p in odds.items() if p > 0]
        for group in waiting.values():
            options = legal(game, group[0][0])
            total += max(best([(game.result(s, a), weight) for s, weight in group]) for a in options)
        return total

    return best([(game.initial(), 1.0)])
