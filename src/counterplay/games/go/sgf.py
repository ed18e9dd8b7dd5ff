"""The Smart Game Format (Kierulf 1987; FF[4] by Hollosi): whole games of Go as players exchange them.

    for record in read_sgf(text):
        print(record.tags.get("PB"), record.playthrough.returns)
    text = write_sgf(game.start("E5 C3"), PB="Honinbo Shusaku")

A file has the board's size, the komi, the stones at the start and the moves of the main line; variations, comments and
properties that say nothing about play are skipped. sgfmill does the parsing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.text import shorten
from counterplay.core.language.bits import ones
from counterplay.core.playthrough import Playthrough
from counterplay.games.go import notation
from counterplay.games.go.rules import Go

SIZE, KOMI = 19, 0.0
"""The defaults for what a file does not say."""
MOST_MOVES = 5000
TAGS = (
    "PB",
    "PW",
    "BR",
    "WR",
    "RE",
    "DT",
    "EV",
    "RO",
    "PC",
    "GN",
    "SO",
    "US",
    "AN",
    "CP",
    "BT",
    "WT",
    "TM",
    "OT",
    "GC",
)
"""Properties of the whole game that are kept, and that can be written."""


class SgfGame(NamedTuple):
    """One game of a file."""

    tags: dict[str, str]  # by SGF's names: PB and PW are the players, RE the result
    playthrough: Playthrough


def read_sgf(text: str | bytes, moves: int | None = None) -> list[SgfGame]:
    """The games of a file; only the first `moves` moves of each, if given."""
    return list(each_game(text, moves))


def each_game(text: str | bytes, moves: int | None = None) -> Iterator[SgfGame]:
    """The same games one by one, each parsed on demand."""
    from sgfmill import sgf, sgf_grammar

    data = text.encode() if isinstance(text, str) else text
    number, begin = 1, 0
    while True:
        tokens, end = sgf_grammar.tokenise(data, begin)
        if number > 1 and not tokens:
            return
        try:
            coarse = sgf_grammar.parse_sgf_game(data[begin:end])
        except ValueError as wrong:
            raise CounterplayError(f"this is not an SGF: game {number}: {wrong}") from None
        try:
            tree = sgf.Sgf_game.from_coarse_game_tree(coarse)
        except ValueError as wrong:
            raise CounterplayError(f"game {number} of the SGF cannot be read: {wrong}") from None
        yield read_game(tree, moves)
        number, begin = number + 1, end


def read_game(tree: Any, moves: int | None) -> SgfGame:
    """One game."""
    root = tree.get_root()
    if root.has_property("GM") and raw(root, "GM") != "1":
        raise CounterplayError(f"the SGF is of game {shorten(raw(root, 'GM'))!r}; Go is game 1")
    size = prop(root, "SZ", SIZE)
    if not isinstance(size, int):
        raise CounterplayError("the SGF has a board that is not square")
    rules = raw(root, "RU").lower()
    game = Go(
        size,
        prop(root, "KM", KOMI),
        superko=not any(word in rules for word in ("simple ko", "japan", "korea")),
        suicide=any(word in rules for word in ("suicide", "nz", "zealand")),
    )
    p = game.start(position=starting_position(game, root))
    for number, node in enumerate(tree.get_main_sequence()[1:], 1):
        if moves is not None and number > moves:
            break
        if number > MOST_MOVES:
            raise CounterplayError(f"the SGF has more than {MOST_MOVES} moves")
        play_node(p, node, number)
    return SgfGame({name: raw(root, name) for name in TAGS if root.has_property(name)}, p)


def starting_position(game: Go, root: Any) -> str | None:
    """The stones that a game starts with, as a position; None if the board is empty."""
    try:
        black, white, _ = root.get_setup_stones()
    except ValueError as wrong:
        raise CounterplayError(f"the starting stones of the SGF are impossible: {wrong}") from None
    first = raw(root, "PL").lower()[:1] or ("w" if black and not white else "b")
    if not black and not white and first == "b":
        return None
    rows = [
        "".join(
            "x" if (row, column) in black else "o" if (row, column) in white else "." for column in range(game.size)
        )
        for row in reversed(range(game.size))
    ]
    return f"{'/'.join(rows)} {notation.STONES[0 if first == 'b' else 1]}"


def play_node(p: Playthrough, node: Any, number: int) -> None:
    """Play the move of a node, if it has one. If a side moves twice, the other passed in between."""
    if node.has_setup_stones():
        raise CounterplayError(f"the SGF puts stones on the board at node {number}, in the middle of the game")
    try:
        colour, vertex = node.get_move()
    except ValueError as wrong:
        raise CounterplayError(f"the move at node {number} of the SGF cannot be read: {wrong}") from None
    if colour is None:
        return
    game, player = p.game, 0 if colour == "b" else 1
    size = game.parameters["size"]
    move = "pass" if vertex is None else f"{notation.LETTERS[vertex[1]]}{vertex[0] + 1}" if vertex[0] < size else "?"
    try:
        if p.to_move != player:
            p.play("pass")
        p.play(move)
    except CounterplayError:
        sentence = f"node {number} of the SGF: {game.player_name(player)} cannot play {move}"
        raise CounterplayError(f"{sentence}{': the game is over' if p.is_over else ' there'}") from None


def prop(root: Any, name: str, otherwise: Any) -> Any:
    """The value of a numeric property."""
    if not root.has_property(name):
        return otherwise
    try:
        return root.get(name)
    except ValueError:
        raise CounterplayError(f"the SGF says {name}[{shorten(raw(root, name))}], which is not a number") from None


def raw(node: Any, name: str) -> str:
    """A property as text; empty if it is missing."""
    from sgfmill import sgf_grammar

    if not node.has_property(name):
        return ""
    written: bytes = sgf_grammar.simpletext_value(node.get_raw(name))
    try:
        return written.decode(node.get_encoding())
    except (LookupError, UnicodeDecodeError):
        return written.decode("utf-8", "replace")


def lead_of(result: str, score: bool) -> float | None:
    """Black's lead by a result such as B+3.5 or W+R, in points if they count; None if it does not say."""
    text = result.strip().upper()
    if text in ("0", "DRAW"):
        return 0.0
    winner, _, by = text.partition("+")
    if winner not in ("B", "W"):
        return None
    sign = 1.0 if winner == "B" else -1.0
    if not score:
        return sign
    return sign * float(by) if re.fullmatch(r"\d+(\.\d+)?", by) else None


def write_sgf(p: Playthrough, **tags: str) -> str:
    """A game as a file; `tags` are properties such as PB and PW, the players' names."""
    from sgfmill import sgf

    game = p.game
    if not isinstance(game, Go):
        raise CounterplayError(f"SGF is written for go, not for {game.spec}")
    unknown = [name for name in tags if name not in TAGS]
    if unknown:
        raise CounterplayError(f"no SGF property {unknown[0]!r} to write; there are {', '.join(TAGS)}")
    tree = sgf.Sgf_game(size=game.size, encoding="UTF-8")
    root = tree.get_root()
    root.set("KM", game.komi)
    root.set("RU", rules_text(game))
    write_start(game, p.states[0], root)
    if p.is_over:
        root.set("RE", result_text(game.margin(p.state)))
    for name, value in tags.items():
        root.set_raw(name, sgf_text(value))
    for s, action in zip(p.states, p.actions, strict=False):
        vertex = None
        if action != game.skip:
            row, column = divmod(action, game.size)
            vertex = game.size - 1 - row, column
        tree.extend_main_sequence().set_move("bw"[s.player], vertex)
    return str(tree.serialise().decode())


def write_start(game: Go, s: Any, root: Any) -> None:
    """The stones of the first position, and the side to move if it is not Black."""
    black, white = (s.mine, s.theirs) if s.player == 0 else (s.theirs, s.mine)
    sets = [[(game.size - 1 - at // game.stride, at % game.stride) for at in ones(board)] for board in (black, white)]
    if sets[0] or sets[1]:
        root.set_setup_stones(*sets)
    if sets[0] or sets[1] or s.player:
        root.set("PL", "bw"[s.player])


def rules_text(game: Go) -> str:
    """The value of the property RU."""
    if game.superko:
        return "NZ" if game.suicide else "Chinese"
    return "simple ko, suicide" if game.suicide else "simple ko"


def result_text(margin: float) -> str:
    """A score as SGF and GTP write it: B+3.5, W+12, 0."""
    return "0" if not margin else f"{'B' if margin > 0 else 'W'}+{abs(margin):g}"


def sgf_text(value: str) -> bytes:
    """A text with special characters of SGF escaped."""
    return value.replace("\\", "\\\\").replace("]", "\\]").encode()
