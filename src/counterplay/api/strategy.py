"""`strategy` and `exploit`: what a policy does, and the best response to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from counterplay.api.exploit_player import AskedExploitResult, exploit_player, is_player
from counterplay.api.position import AnyGame, game_of
from counterplay.api.result import Result
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.equilibrium.information_tree import InformationTree, information_tree
from counterplay.equilibrium.knowledge import Knowledge, all_knowledge
from counterplay.equilibrium.plans import PolicyEvaluation, evaluate_policy, plan_of
from counterplay.equilibrium.policy import Policy, load_policy

LIMIT = 200
"""The default number of lines shown."""


class StrategyRow(NamedTuple):
    """What a policy does in one information set."""

    player: str
    information: str  # what the player has seen
    actions: dict[str, float] | None  # with their probabilities; None if the policy has never been there


@dataclass(frozen=True, repr=False)
class StrategyResult(Result):
    """A policy as a table, one player after another."""

    game: str
    names: tuple[str, ...]  # of the players
    rows: tuple[StrategyRow, ...]
    limit: int = LIMIT

    @property
    def rest(self) -> int:
        """How many rows `str` leaves out."""
        return max(len(self.rows) - self.limit, 0)

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        return {"game": self.game, "rows": [row._asdict() for row in self.rows[: self.limit]]}

    def __str__(self) -> str:
        return "\n".join(table_lines(self))


@dataclass(frozen=True, repr=False)
class ExploitResult(Result):
    """What each player gets by a policy and by the best response to it."""

    game: str
    players: tuple[dict[str, Any], ...]  # player, value, best_response
    exploitability: float
    nash_conv: float
    response: StrategyResult  # the best responses, in the information sets that their own actions reach
    missing: int  # information sets that the policy does not contain
    sets: int
    file: Path | None = None

    def to_json(self) -> dict[str, Any]:
        """The result as plain data."""
        told = {"game": self.game, "exploitability": self.exploitability, "nash_conv": self.nash_conv}
        return told | {"players": list(self.players)} | ({} if self.file is None else {"file": str(self.file)})

    def __str__(self) -> str:
        lines = [
            f"{each['player']}: {each['value']:+.6g} by the policy, {each['best_response']:+.6g} by the best response"
            for each in self.players
        ]
        return "\n".join(
            [*lines, f"exploitability: {self.exploitability:.6g}", "the best responses:", str(self.response)]
        )


def strategy(
    game: AnyGame, policy: str | Path | Policy, *, information: str = "", limit: int = LIMIT
) -> StrategyResult:
    """What a policy does: each information set, as the history that its player saw, with the probabilities of actions.

    `policy` is a file written by `equilibrium`, or its result's `policy`. `information` keeps the sets that begin with it.
    """
    rules = game_of(game)
    followed = policy_of(rules, policy)
    asked = information.split()
    known = all_knowledge(followed.game, lambda key: followed.index(key[0], key[1:]) is not None)
    sets = [each for each in known if each.text.split()[: len(asked)] == asked]
    if not sets:
        raise CounterplayError(
            f"no player ever sees {information!r}; without --information the table shows all information sets"
        )
    return result(rules, ((each, probabilities(followed, each)) for each in sets), limit)


def exploit(
    game: AnyGame,
    policy: str | Path | Policy,
    *,
    method: str = "exact",
    output: str | Path | None = None,
    limit: int = LIMIT,
) -> ExploitResult | AskedExploitResult:
    """The best response to a policy, and its exact value. The best responses are written to the file `output`, if given.

    In games with private deals `policy` may be a player instead (`resolve` with its options, or `random`), which is asked
    at every public state. With the method `lbr` it is always a player, and local best responses give a lower bound on what
    it loses.
    """
    rules = game_of(game)
    if method not in ("exact", "lbr"):
        raise CounterplayError(f"no method {method!r}; choose exact or lbr")
    if method == "lbr" or (not isinstance(policy, Policy) and is_player(str(policy))):
        return exploit_player(rules, str(policy), method, output)
    followed_policy = policy_of(rules, policy)
    tree = information_tree(rules)
    followed, missing = followed_policy.strategy(tree)
    found = evaluate_policy(tree, followed)
    answer = best_answers(tree, followed, found)
    file = None if output is None else Path(output)
    if file is not None:
        Policy.on_tree(rules, tree, answer, method="best response").save(file)
    names = [rules.player_name(player) for player in range(rules.players)]
    gains = tuple(
        {"player": name, "value": value, "best_response": response.value}
        for name, value, response in zip(names, found.values, found.responses, strict=True)
    )
    response = result(rules, reached(rules, tree, answer), limit)
    return ExploitResult(rules.spec, gains, found.exploitability, found.nash_conv, response, missing, tree.sets, file)


def policy_of(rules: Game, policy: str | Path | Policy) -> Policy:
    """A policy, read from its file if necessary."""
    return policy if isinstance(policy, Policy) else load_policy(rules, Path(policy))


def probabilities(policy: Policy, each: Knowledge) -> list[float] | None:
    """What the policy does in an information set; None if it was never visited."""
    index = policy.index(each.player, each.key)
    return None if index is None else policy.probabilities[policy.start[index] : policy.start[index + 1]].tolist()


def result(rules: Game, rows: Iterable[tuple[Knowledge, list[float] | None]], limit: int) -> StrategyResult:
    """Information sets and probabilities as a table."""
    names = tuple(rules.player_name(player) for player in range(rules.players))
    found = (
        StrategyRow(
            names[each.player], each.text, None if chances is None else dict(zip(each.actions, chances, strict=True))
        )
        for each, chances in rows
    )
    return StrategyResult(rules.spec, names, tuple(found), limit)


def table_lines(found: StrategyResult) -> Iterator[str]:
    """The table as text, one player after another."""
    left = found.limit
    for player in found.names:
        shown = [row for row in found.rows if row.player == player][:left]
        left -= len(shown)
        if shown:
            yield player
        width = max((len(row.information) for row in shown), default=0)
        for row in shown:
            mixed = "(never met in training: any action)"
            if row.actions is not None:
                mixed = "  ".join(f"{name} {chance:.3f}" for name, chance in row.actions.items())
            yield f"  {row.information:{width}}  {mixed}"


def best_answers(tree: InformationTree, followed: np.ndarray, found: PolicyEvaluation) -> np.ndarray:
    """The best response of each player, in one strategy."""
    answer = followed.copy()
    owner = np.append(np.full(tree.players, -1), np.repeat(tree.owner, np.diff(tree.start)))
    for player, response in enumerate(found.responses):
        answer[owner == player] = response.strategy[owner == player]
    return answer


def reached(rules: Game, tree: InformationTree, answer: np.ndarray) -> Iterator[tuple[Knowledge, list[float] | None]]:
    """What each best response does, in the information sets that its own actions reach."""
    plan = plan_of(tree, answer)
    arrives = {
        (int(owner), *key): k
        for k, (owner, key) in enumerate(zip(tree.owner, tree.key_words().tolist(), strict=True))
        if plan[tree.arrival[k]] > 0
    }
    for each in all_knowledge(rules):
        k = arrives.get((each.player, *each.key))
        if k is not None:
            yield each, answer[tree.start[k] : tree.start[k + 1]].tolist()
