"""`play`: a person at the terminal against a player."""

from __future__ import annotations

from typing import Annotated

import typer

from counterplay.cli.options import GameSpec, Json, Moves, Position, whole_number


def play(
    game: GameSpec,
    against: Annotated[
        str,
        typer.Option(
            "--against",
            metavar="SPEC",
            help="Your opponent, such as alphabeta:time=5, random or human (default: the best for the game).",
        ),
    ] = "",
    seat: Annotated[
        str, typer.Option("--as", metavar="PLAYER", help="Your seat: a number from 1, or a name (default: the first).")
    ] = "",
    seed: Annotated[
        int | None,
        typer.Option("--seed", metavar="N", parser=whole_number, help="Fix dice, deals and random players."),
    ] = None,
    position: Position = None,
    moves: Moves = "",
    json: Json = False,
) -> None:
    """Play a game in the terminal."""
    import contextlib
    import random

    from counterplay.api.position import find_player
    from counterplay.cli.arguments import open_game, tell_of
    from counterplay.cli.dialogue import Dialogue, Names
    from counterplay.cli.terminal import console, wait_for, write_json
    from counterplay.core.playthrough import open_playthrough
    from counterplay.players.human import Human
    from counterplay.players.specs import best, player

    rules = open_game(game)
    lot = random.randrange(1 << 32) if seed is None else seed
    p = open_playthrough(rules, position, moves, seed=lot)
    me = find_player(rules, seat) if seat else 0
    rival = against or best(rules)
    seats = [Human() if i == me else player(rival, seed=lot + i) for i in range(rules.players)]
    with contextlib.ExitStack() as stack:
        for each in seats:
            stack.enter_context(each)
            each.require(rules)
            tell_of(each, rules)
            wait_for(lambda each=each: each.prepare(p), "compiling")  # type: ignore[misc]
        Dialogue(p, seats, Names(game, rival, position), console(stderr=json)).run()
    if json:
        end = {"over": p.is_over, "returns": list(p.returns) if p.is_over else None}
        write_json({"game": game, "players": [each.spec for each in seats], "moves": p.moves, **end})
