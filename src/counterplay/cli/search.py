"""`search`: ask a player what it would do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from counterplay.cli.options import Depth, GameSpec, Json, Moves, Nodes, PlayerSpec, Position, Seconds, Simulations
from counterplay.players.wording import in_words, worth

if TYPE_CHECKING:
    from counterplay.api.search import SearchResult
    from counterplay.core.playthrough import Playthrough
    from counterplay.search.decision import Decision

SHARES = 4
"""The number of actions shown live with their share of the simulations."""


def search(
    game: GameSpec,
    position: Position = None,
    moves: Moves = "",
    player: PlayerSpec = "",
    depth: Depth = None,
    seconds: Seconds = None,
    nodes: Nodes = None,
    simulations: Simulations = None,
    everything: Annotated[bool, typer.Option("--all", help="Show the value of each action.")] = False,
    counts: Annotated[bool, typer.Option("--counts", help="Show the search's statistics (JSON always does).")] = False,
    json: Json = False,
) -> None:
    """Find the best action of a position.

    Its value is from the point of view of the side to move. If chance moves, there is a value but no action.
    --depth, --time, --nodes and --simulations override what SPEC says. Ctrl-C stops the search and prints the best so far.
    A player that simulates shows the visits and the value of each action.
    """
    from counterplay.api.search import ask
    from counterplay.cli.arguments import open_game, open_player
    from counterplay.cli.terminal import note, patience, write_json
    from counterplay.core.playthrough import open_playthrough

    p = open_playthrough(open_game(game), position, moves)
    chosen = open_player(p, player, depth=depth, time=seconds, nodes=nodes, simulations=simulations)
    heard: list[SearchResult] = []

    stopped = False
    try:
        with chosen, patience("searching") as say:

            def hear(found: SearchResult) -> None:
                heard.append(found)
                say(f"{shares(p, found.decision) or in_words(p, found.decision)}, ")

            found = ask(p, chosen, everything, hear)
    except KeyboardInterrupt:
        if not heard:
            raise
        found, stopped = heard[-1], True
        note("stopped; the best so far:")
    if json:
        write_json(found.to_json() | {"game": game})
    else:
        print_decision(p, found, everything, counts)
    if stopped:
        raise KeyboardInterrupt


def shares(p: Playthrough, found: Decision) -> str:
    """How a search distributes its simulations, for a status line."""
    if "simulations" not in found.counts or not found.options:
        return ""
    total = sum(each.visits for each in found.options) or 1
    parts = [
        f"{p.game.action_text(p.state, each.action)} {each.visits / total:.0%} "
        f"({worth(p.game, each.value, each.plies, simulated=True)})"
        for each in found.options[:SHARES]
    ]
    return f"{found.nodes:,} simulations: {' '.join(parts)}"


def print_decision(p: Playthrough, result: SearchResult, everything: bool, counts: bool) -> None:
    """A player's decision as text."""
    from counterplay.cli.terminal import console
    from counterplay.search.statistics import figures
    from counterplay.search.statistics import in_words as count_words

    out, text, found = console(), p.game.action_text, result.decision
    out.print(result.text)
    simulated = "simulations" in found.counts
    if everything or simulated:
        width = max((len(text(p.state, each.action)) for each in found.options), default=0)
        if not found.options:
            out.print("  (not even depth 1 was completed)")
        for each in found.options:
            visits = f"  {each.visits:>10,} visits" if simulated else ""
            out.print(
                f"  {text(p.state, each.action):{width}}{visits}  {worth(p.game, each.value, each.plies, simulated)}"
            )
    if counts:
        for line in count_words(found.counts, figures(found)):
            out.print(f"  {line}")
