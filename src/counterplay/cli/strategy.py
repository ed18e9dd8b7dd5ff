"""`strategy`: what a policy does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import GameSpec, Json, whole_number

if TYPE_CHECKING:
    from counterplay.core.game import Game
    from counterplay.equilibrium.knowledge import Knowledge
    from counterplay.equilibrium.policy import Policy

PolicyFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A policy, as `counterplay equilibrium GAME -o FILE` writes it.")
]
Information = Annotated[
    str,
    typer.Option(
        "--information", metavar="TEXT", help='Only where the player has seen this, written as in the table: "K ? bet".'
    ),
]
Limit = Annotated[int, typer.Option("--limit", metavar="N", parser=whole_number, help="Show at most N lines.")]
LIMIT = 200


def strategy(
    game: GameSpec, file: PolicyFile, information: Information = "", limit: Limit = LIMIT, json: Json = False
) -> None:
    """Show a policy: what a player knows, and what they do.

    What a player knows is the history as they saw it, with a ? for what was hidden from them.
    """
    from counterplay.cli.arguments import open_game
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
    index = policy.index(each.player, each.key)
    return None if index is None else policy.probabilities[policy.start[index] : policy.start[index + 1]].tolist()


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
