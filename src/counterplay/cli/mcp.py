"""`mcp`: games for language models."""

from __future__ import annotations


def mcp() -> None:
    """Serve games to language models over the Model Context Protocol.

    On stdin and stdout: a client such as an assistant's desktop app starts this command. It has the tools list_games,
    rules, legal_actions, play, analyse and render.
    """
    from counterplay import __version__
    from counterplay.adapters.mcp_server import server

    server(__version__).run("stdio")
