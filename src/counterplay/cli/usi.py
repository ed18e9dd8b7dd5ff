"""`usi`: shogi as an engine for other people's programs."""

from __future__ import annotations


def usi() -> None:
    """Speak USI with shogi programs, as an engine.

    On stdin and stdout, for shogi and, by the option USI_Variant, minishogi. Programs such as ShogiGUI, Shogidokoro or
    Electron Shogi start this command and send position, go and so on. `quit` or the end of the input ends it.
    """
    import sys

    from counterplay import __version__
    from counterplay.protocols.usi.server import UsiServer

    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    UsiServer(__version__, sys.stdin, sys.stdout).run()
