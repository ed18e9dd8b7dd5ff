"""`beliefs`: what a player considers possible, and what they can be sure of."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from counterplay.cli.options import GameSpec, Json, Moves, whole_number

if TYPE_CHECKING:
    from counterplay.core.playthrough import Playthrough
    from counterplay.hidden.sure_wins import Prospect, Prospects

LIMIT = 20


def beliefs(
    game: GameSpec,
    moves: Moves = "",
    seat: Annotated[
        str,
        typer.Option("--as", metavar="PLAYER", help="Whose belief, by number or name (default: the player to move)."),
    ] = "",
    sample: Annotated[
        int | None,
        typer.Option(
            "--particles", metavar="N", parser=whole_number, help="Sample N states, where there are too many to list."
        ),
    ] = None,
    wins: Annotated[bool, typer.Option("--wins", help="Report which actions win for sure, and which by luck.")] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", parser=whole_number, help="For the sample.")] = 0,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", parser=whole_number, help="Show at most N states.")
    ] = LIMIT,
    json: Json = False,
) -> None:
    """Show which states a player considers possible after some moves.

    --wins searches all beliefs that may follow: a win is guaranteed if the player wins whatever the others do,
    probabilistic if they win with probability 1 by mixing, accidental if an action wins at once in some of the states.
    """
    from counterplay.cli.arguments import find_player, open_game
    from counterplay.cli.terminal import wait_for, write_json
    from counterplay.core.errors import CounterplayError
    from counterplay.core.playthrough import open_playthrough
    from counterplay.hidden.beliefs import exact_belief, particles
    from counterplay.hidden.sure_wins import prospects

    rules = open_game(game)
    p = open_playthrough(rules, None, moves)
    player = find_player(rules, seat) if seat else p.to_move
    if player < 0 or player >= rules.players:
        raise CounterplayError("chance is to move: say whose belief you want with --as PLAYER")
    if sample is not None and sample < 1:
        raise CounterplayError(f"--particles must be 1 or more, not {sample}")
    if wins and (sample is not None or p.is_over or p.to_move != player):
        raise CounterplayError("--wins needs the player to move and every possible state, not a sample")
    if sample is None:
        held = Counter(wait_for(lambda: exact_belief(p, player), "thinking"))
    else:
        held = Counter(wait_for(lambda: particles(p, player, sample, seed), "thinking"))
    found = wait_for(lambda: prospects(rules, player, frozenset(held)), "searching beliefs") if wins else None
    if json:
        write_json({"game": game, "player": rules.player_name(player), **as_data(p, held, found, limit)})
    else:
        print_belief(p, player, held, found, limit)


def listed(p: Playthrough, held: Counter[Any]) -> list[tuple[str, float]]:
    """The states as one writes them, each with its share, the likeliest first."""
    total = sum(held.values())
    return sorted(((p.game.position_text(s), n / total) for s, n in held.items()), key=lambda one: (-one[1], one[0]))


def as_data(p: Playthrough, held: Counter[Any], found: Prospects | None, limit: int) -> dict[str, Any]:
    """What is possible and what is sure, for programs."""
    told: dict[str, Any] = {
        "states": len(held),
        "possible": [{"position": text, "share": share} for text, share in listed(p, held)[:limit]],
    }
    if found is not None:
        told["beliefs"] = found.beliefs
        told["actions"] = [
            each._asdict() | {"action": p.game.action_text(p.state, each.action)} for each in found.actions
        ]
    return told


def print_belief(p: Playthrough, player: int, held: Counter[Any], found: Prospects | None, limit: int) -> None:
    """The same for people."""
    from counterplay.cli.terminal import console, note

    out, rows = console(), listed(p, held)
    out.print(f"{p.game.player_name(player)} considers {counted(len(rows), 'state')} possible:")
    even = len({share for _, share in rows}) == 1
    for text, share in rows[:limit]:
        out.print(f"  {text}" if even else f"  {share:6.1%}  {text}")
    if len(rows) > limit:
        note(f"{len(rows) - limit:,} more; --limit shows more")
    if found is None:
        return
    out.print(f"{counted(found.beliefs, 'belief')} searched:")
    width = max(len(p.game.action_text(p.state, each.action)) for each in found.actions)
    for each in found.actions:
        out.print(f"  {p.game.action_text(p.state, each.action):{width}}  {in_words(each, found.states)}")


def in_words(each: Prospect, states: int) -> str:
    """What an action promises."""
    luck = f"wins at once in {each.accidental} of {states}" if each.accidental else ""
    if each.guaranteed is not None:
        return f"a guaranteed win, within {counted(each.guaranteed, 'action')}"
    if each.probabilistic:
        return "a win with probability 1, by mixing" + (f"; {luck}" if luck else "")
    return f"accidental: {luck}" if luck else "nothing sure"


def counted(n: int, what: str) -> str:
    """1 state, 2 states."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"
