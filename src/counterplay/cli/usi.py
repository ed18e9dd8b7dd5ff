"""`usi`: a shogi engine for other programs."""

from __future__ import annotations


def usi() -> None:
    """Speak USI with shogi programs, as an engine.

    On stdin and stdout, for shogi and, with the option USI_Variant, minishogi. Programs such as ShogiGUI, Shogidokoro or
    Electron Shogi start this command and send position, go and so on. It ends on `quit` or at the end of the input.
    """
    import sys

    from counterplay import __version__
    from counterplay.protocols.usi.server import UsiServer

    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    UsiServer(__version__, sys.stdin, sys.stdout).run()
