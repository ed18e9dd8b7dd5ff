"""Positions and whole games from the clipboard, in any notation that a game reads, and back again."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game
from counterplay.core.playthrough import Playthrough, open_playthrough
from counterplay.web.admission import MOST_ACTIONS, MOST_MOVES, SECONDS, playthrough, require_length
from counterplay.web.variations import MoveNode, MoveTree

RECORD = re.compile(r"\s*(\[\s*\w+\s+\"|\(\s*;|#|V\d|\S+：)")
"""How games begin: PGN and PDN with tags, SGF with its tree, CSA with its version, KIF with a comment or a tag."""
TAG = re.compile(r"^\s*\[[^\n]*\]\s*$", re.MULTILINE)
WORD = re.compile(r"[()]|[^\s()]+(?:\([^\s()]*\))?")
"""A parenthesis around a variation, or a move, which may have one of its own, such as 13/8(2)."""
SGF_PART = re.compile(r"[()]|;(?:[^\[\]();]|\[(?:\\.|[^\\\]])*\])*", re.DOTALL)
"""A parenthesis, or a node with its properties."""
WITH_NUMBERS = ("pgn", "pdn")
"""Formats of numbered moves, with variations in parentheses."""
MOST_LINES = 100
"""The maximum number of variations read from an SGF."""
BESIDE = re.compile(r"\{[^}]*\}|\$\d+|\b\d+\s*\.+|(?:^|\s)(?:1-0|0-1|1/2-1/2|\*)\s*$|[?!]+(?=\s|$)")
"""Text beside moves in books: comments, numbers, results, annotations."""


def read_pasted(game: Game, text: str) -> MoveTree:
    """A pasted text: a game in its own format, moves from the start with variations in parentheses, or a position."""
    text = text.strip()
    require_length("the text", text, MOST_MOVES)
    if not text:
        raise CounterplayError("paste a position or a game first")
    if game.record_suffix and RECORD.match(text):
        return read_lines(game, text)
    plain = BESIDE.sub(" ", text)
    reasons = []
    for moves in dict.fromkeys((text, plain)):
        try:
            return MoveTree(playthrough(game, None, moves))
        except CounterplayError as wrong:
            reasons.append(str(wrong))
    try:
        return MoveTree(playthrough(game, text, ""))
    except CounterplayError as wrong:
        if not re.search(r"(?<!\S)\(", plain):
            raise CounterplayError(f"neither moves ({reasons[-1]}) nor a position ({wrong})") from None
    tree = MoveTree(game.start())
    branch(tree, plain)
    return tree


def read_lines(game: Game, text: str) -> MoveTree:
    """A record in the game's own format, with its variations."""
    if game.record_suffix == "sgf":
        lines = sgf_lines(text)
        tree = MoveTree(read_record(game, lines[0] if lines else text))
        for line in lines[1:]:
            actions = read_record(game, line).actions
            tree.go(tree.root)
            for action in actions:
                tree.add(action)
    else:
        tree = MoveTree(read_record(game, text))
        if game.record_suffix in WITH_NUMBERS and "(" in (moves := BESIDE.sub(" ", TAG.sub("", text))):
            tree.go(tree.root)
            branch(tree, moves)
    tree.go(list(tree.root.line())[-1])
    return tree


def branch(tree: MoveTree, text: str) -> None:
    """Play moves from the current position; a variation in parentheses replaces the move before it."""
    left: list[MoveNode] = []
    words: list[str] = []
    for word in (*WORD.findall(text), ""):
        if word not in ("(", ")", ""):
            words.append(word)
            continue
        for move in tree.p.game.split_moves(" ".join(words)):
            tree.add(move)
        words.clear()
        if word == "(":
            left.append(tree.here)
            if tree.here.parent is None:
                raise CounterplayError("a variation replaces the move before it, and there is none")
            tree.go(tree.here.parent)
        elif word == ")":
            if not left:
                raise CounterplayError("a closing parenthesis has no opening one")
            tree.go(left.pop())
    if left:
        raise CounterplayError("a parenthesis is never closed")


def sgf_lines(text: str) -> list[str]:
    """Every line of play of the first game in an SGF, the main one first, each as an SGF without variations."""
    lines: list[str] = []
    nodes: list[str] = []
    starts: list[int] = []
    grown = False
    for part in SGF_PART.findall(text[text.find("(") :]):
        if part == "(":
            starts.append(len(nodes))
        elif part != ")":
            nodes.append(part)
            grown = True
        elif starts:
            if grown and len(lines) < MOST_LINES:
                lines.append(f"({''.join(nodes)})")
            grown = False
            del nodes[starts.pop() :]
            if not starts:
                break
    return lines


def read_record(game: Game, text: str) -> Playthrough:
    """The first game of a text in the game's own format."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"pasted.{game.record_suffix}"
        file.write_text(text + "\n", encoding="utf-8")
        try:
            found = next(iter(game.read_playthroughs(file)), None)
        except CounterplayError as wrong:
            raise CounterplayError(str(wrong).replace(str(file), "the text")) from None
    if found is None:
        raise CounterplayError(f"there is no game in this {game.record_suffix.upper()}")
    p = found[0]
    if len(p) > MOST_ACTIONS:
        raise CounterplayError(f"a playthrough may have at most {MOST_ACTIONS} actions here")
    start = None if p.states[0] == game.initial() else game.position_text(p.states[0])
    return open_playthrough(game, start, " ".join(p.moves), 0, SECONDS)


def written(p: Playthrough) -> tuple[str, str]:
    """A playthrough as text, in the game's own format if it has one, with the extension of such files."""
    game = p.game
    if not game.record_suffix:
        return " ".join(p.moves), "txt"
    names = [game.player_name(player) for player in range(game.players)]
    return game.playthrough_text(p, names, p.returns, {}), game.record_suffix
