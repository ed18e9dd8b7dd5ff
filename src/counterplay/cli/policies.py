"""`strategy` and `exploit`: what a policy does, and what it is worth against its worst enemy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import GameSpec, Json, whole_number

if TYPE_CHECKING:
    import numpy as np

    from counterplay.core.game import Game
    from counterplay.equilibrium.information_tree import InformationTree
    from counterplay.equilibrium.knowledge import Knowledge
    from counterplay.equilibrium.plans import Judgement
    from counterplay.equilibrium.policy import Policy

PolicyFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A policy, as `counterplay equilibrium GAME -o FILE` writes it.")
]
Information = Annotated[
    str,
    typer.Option(
        "--information", metavar="TEXT", help='Only where the player has seen this, as the table writes it: "K ? bet".'
    ),
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", parser=whole_number, help="Show N lines at most.")]
LIMIT = 200


def strategy(
    game: GameSpec, file: PolicyFile, information: Information = "", limit: Limit = LIMIT, json: Json = False
) -> None:
    """Show a policy: what a player knows, and what he does.

    What he knows is the history as he has seen it, with a ? for what was hidden from him.
    """
    from counterplay.cli.opening import open_game
    from counterplay.cli.terminal import wait_for, write_json
    from counterplay.equilibrium.knowledge import all_knowledge
    from counterplay.equilibrium.policy import load_policy

    rules = open_game(game)
    policy = load_policy(rules, file)
    sets = wait_for(lambda: wanted(all_knowledge(policy.game), information), "looking for information sets")
    require_found(sets, information)
    rows = [(each, probabilities(policy, each)) for each in sets]
    if json:
        write_json([as_data(rules, each, chances) for each, chances in rows[:limit]])
    else:
        print_rows(rules, rows, limit)


def wanted(sets: Any, information: str) -> list[Knowledge]:
    """The information sets that begin with what is asked for."""
    asked = information.split()
    return [each for each in sets if each.text.split()[: len(asked)] == asked or not asked]


def require_found(sets: list[Knowledge], information: str) -> None:
    """Refuse what no player ever sees."""
    from counterplay.core.errors import CounterplayError

    if not sets:
        raise CounterplayError(f"nobody ever sees {information!r}; without --information the table shows what is seen")


def probabilities(policy: Policy, each: Knowledge) -> list[float] | None:
    """What the policy does there; None where it has never been."""
    place = policy.place(each.player, each.key)
    return None if place is None else policy.probabilities[policy.start[place] : policy.start[place + 1]].tolist()


def as_data(rules: Game, each: Knowledge, chances: list[float] | None) -> dict[str, Any]:
    """A line for programs."""
    actions = None if chances is None else dict(zip(each.actions, chances, strict=True))
    return {"player": rules.player_name(each.player), "information": each.text, "actions": actions}


def print_rows(rules: Game, rows: list[tuple[Knowledge, list[float] | None]], limit: int) -> None:
    """The table for people, a player after the other."""
    from counterplay.cli.terminal import console, note

    out, left = console(), limit
    for player in range(rules.players):
        own = [(each, chances) for each, chances in rows if each.player == player]
        shown = own[:left]
        left -= len(shown)
        if shown:
            out.print(rules.player_name(player))
        width = max((len(each.text) for each, _ in shown), default=0)
        for each, chances in shown:
            mixed = "(never met in training: any action)"
            if chances is not None:
                mixed = "  ".join(f"{name} {chance:.3f}" for name, chance in zip(each.actions, chances, strict=True))
            out.print(f"  {each.text:{width}}  {mixed}")
    if len(rows) > limit:
        note(f"{len(rows) - limit:,} more lines; --limit shows more, --information fewer")


def exploit(
    game: GameSpec,
    file: PolicyFile,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the best responses as a policy.")
    ] = None,
    limit: Limit = LIMIT,
    json: Json = False,
) -> None:
    """Find the best response to a policy.

    What it earns is exact. Each player in turn plays against the others, who follow the policy. Shown are the
    information sets that he comes to.
    """
    from counterplay.cli.opening import open_game
    from counterplay.cli.terminal import console, note, wait_for, write_json
    from counterplay.equilibrium.information_tree import information_tree
    from counterplay.equilibrium.plans import judge
    from counterplay.equilibrium.policy import Policy, load_policy

    rules = open_game(game)
    policy = load_policy(rules, file)
    tree = wait_for(lambda: information_tree(rules), "unrolling the tree")
    followed, missing = policy.strategy(tree)
    found = judge(tree, followed)
    if missing:
        note(f"the policy knows nothing of {missing:,} of {tree.sets:,} information sets, and draws evenly there")
    answer = best_answers(tree, followed, found)
    if output is not None:
        Policy.on_tree(rules, tree, answer, method="best response").save(output)
    if json:
        names = [rules.player_name(player) for player in range(rules.players)]
        gains = [
            {"player": name, "value": value, "best_response": response.value}
            for name, value, response in zip(names, found.values, found.responses, strict=True)
        ]
        write_json(
            {"game": game, "exploitability": found.exploitability, "nash_conv": found.nash_conv, "players": gains}
            | ({} if output is None else {"file": str(output)})
        )
        return
    out = console()
    for player, (value, response) in enumerate(zip(found.values, found.responses, strict=True)):
        out.print(
            f"{rules.player_name(player)}: {value:+.6g} by the policy, {response.value:+.6g} by the best response"
        )
    out.print(f"exploitability: {found.exploitability:.6g}")
    out.print("the best responses:")
    print_rows(rules, reached_rows(rules, tree, answer), limit)


def best_answers(tree: InformationTree, followed: np.ndarray, found: Judgement) -> np.ndarray:
    """The best response of each player, in one strategy."""
    import numpy as np

    answer = followed.copy()
    owner = np.append(np.full(tree.players, -1), np.repeat(tree.owner, np.diff(tree.start)))
    for player, response in enumerate(found.responses):
        answer[owner == player] = response.strategy[owner == player]
    return answer


def reached_rows(rules: Game, tree: InformationTree, answer: np.ndarray) -> list[tuple[Knowledge, list[float] | None]]:
    """What each best response does, where its own actions lead to."""
    from counterplay.equilibrium.knowledge import all_knowledge
    from counterplay.equilibrium.plans import plan_of

    plan = plan_of(tree, answer)
    arrives = {
        (int(owner), *key): k
        for k, (owner, key) in enumerate(zip(tree.owner, tree.key_words().tolist(), strict=True))
        if plan[tree.arrival[k]] > 0
    }
    rows: list[tuple[Knowledge, list[float] | None]] = []
    for each in all_knowledge(rules):
        k = arrives.get((each.player, *each.key))
        if k is not None:
            rows.append((each, answer[tree.start[k] : tree.start[k + 1]].tolist()))
    return rows
