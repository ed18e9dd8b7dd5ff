"""`uci`: a chess engine for other programs."""

from __future__ import annotations


def uci() -> None:
    """Speak UCI with chess programs, as an engine.

    On stdin and stdout, for chess and Chess960. Programs such as Arena, Cute Chess, En Croissant or python-chess start this
    command and send position, go and so on. It ends on `quit` or at the end of the input.
    """
    import sys

    from counterplay import __version__
    from counterplay.protocols.uci.server import UciServer

    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    UciServer(__version__, sys.stdin, sys.stdout).run()
