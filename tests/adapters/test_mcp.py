"""`counterplay mcp`, asked by the package's own client."""

from __future__ import annotations

import asyncio
import json
import sys

import pytest

pytest.importorskip("mcp")


async def conversation():
    """The answers of one server to a few questions."""
    from mcp import ClientSession
    from mcp.client.stdio import StdioServerParameters, get_default_environment, stdio_client

    import counterplay

    source = counterplay.__file__.rpartition("/counterplay/")[0]
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "counterplay", "mcp"],
        env=get_default_environment() | {"PYTHONPATH": source, "NUMBA_DISABLE_JIT": "1"},
    )
    asked = [
        ("list_games", {}),
        ("rules", {"game": "tic-tac-toe"}),
        ("legal_actions", {"game": "tic-tac-toe", "moves": ["a1", "b2"]}),
        ("play", {"game": "tic-tac-toe", "action": "c3", "moves": "a1 b2"}),
        ("render", {"game": "tic-tac-toe", "moves": ["a1"]}),
        ("analyse", {"game": "nim", "moves": [], "seconds": 0.5}),
        ("play", {"game": "tic-tac-toe", "action": "z9"}),
        ("rules", {"game": "chesss"}),
        ("rules", {"game": "secret.py"}),
    ]
    async with stdio_client(command) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = await session.list_tools()
        return [tool.name for tool in tools.tools], [await session.call_tool(*each) for each in asked]


def test_a_client_lists_plays_analyses_and_hears_what_is_wrong():
    tools, answers = asyncio.run(asyncio.wait_for(conversation(), 120))
    assert tools == ["list_games", "rules", "legal_actions", "play", "analyse", "render"]
    texts = ["\n".join(part.text for part in answer.content) for answer in answers]
    assert json.loads(texts[0])["connect-four"] == "Drop stones into columns; four in a row wins."
    assert json.loads(texts[1])["players"] == ["x", "o"]
    assert len(json.loads(texts[2])["legal"]) == 7
    played = json.loads(texts[3])
    assert (played["moves"], played["to_move"], played["over"]) == (["a1", "b2", "c3"], "o", False)
    assert "x" in texts[4]
    assert json.loads(texts[5])["action"]
    assert "no action 'z9' here" in texts[6] or "'z9'" in texts[6]
    assert "did you mean chess" in texts[7]
    assert "names a file" in texts[8]
