"""`gtp`: play with other programs over the Go Text Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from counterplay.cli.options import PlayerSpec

GameSpec = Annotated[str, typer.Argument(metavar="GAME", help="go, hex or othello, such as go:9 or hex:11.")]


def gtp(game: GameSpec = "go:19", player: PlayerSpec = "") -> None:
    """Speak GTP with Go boards and other programs.

    Version 2 of the protocol, on stdin and stdout, for Go; for Hex and Othello its board subset.

    Programs such as Sabaki, GoGui, Lizzie or GNU Go's referee start this command and send boardsize, komi, play, genmove
    and so on. It ends on `quit` or at the end of the input.
    """
    import sys

    from counterplay import __version__
    from counterplay.cli.arguments import open_game
    from counterplay.players.specs import best
    from counterplay.players.specs import player as make_player
    from counterplay.protocols.gtp.server import GtpServer
    from counterplay.protocols.gtp.table import GtpTable

    rules = open_game(game)
    table = GtpTable(rules)
    chosen = make_player(player or best(rules))
    chosen.require(rules)
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    GtpServer(table, chosen, __version__, sys.stdin, sys.stdout).run()
