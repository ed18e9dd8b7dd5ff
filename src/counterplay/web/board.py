"""The board to play on: a position as a scene, which the browser shows and lets a person act on.

A scene is data: where the cells are, what is on them, and every legal action as the path of cells to click. It is made
from a game's diagram or, if a game draws by itself, from its picture and its spots. `static/board.js` does the rest.
"""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from counterplay.core.aspects.picture import clicked
from counterplay.core.formats.diagram import Cell, Diagram, grid, square
from counterplay.core.formats.svg import Box, text_card
from counterplay.core.game import CHANCE, Game
from counterplay.core.playthrough import Playthrough

TOO_LARGE = 1_500_000
"""The maximum number of characters of a picture in a page."""
Scene = dict[str, Any]
Paths = dict[int, tuple[str, ...]]

_keys = itertools.count(1)


def diagram_of(game: Game, s: Any, viewer: int | None, paths: Iterable[tuple[Box, ...]]) -> Diagram:
    """The diagram of a position; for a game that draws by itself, its picture with a cell for every spot."""
    drawn = game.diagram(s, viewer)
    if drawn is None and type(game).svg is Game.svg:
        drawn = grid_of(game.board(s, viewer))
    if drawn is not None:
        return drawn
    svg = game.svg(s, viewer)
    if len(svg) > TOO_LARGE:
        svg = text_card(f"the picture is too large to be shown ({len(svg):,} characters)")
    found = re.match(r'\s*<svg[^>]*viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>', svg)
    width, height = (float(each) for each in found.groups()) if found else (400.0, 300.0)
    boxes = dict.fromkeys(box for path in paths for box in path)
    return Diagram(width, height, tuple(map(cell_of, boxes)), (), {}, svg, "", turns=False)


def grid_of(text: str) -> Diagram | None:
    """A board that a game draws only as text, as cells: rows that begin with their number, and a line with the letters
    of the columns above or below them. None if the text looks different."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    for head, rows in ((lines[:1], lines[1:]), (lines[-1:], lines[:-1])):
        if not rows or not head[0] or any(len(row) != len(head[0]) + 1 for row in rows):
            continue
        drawn = [grid([row[1:] for row in rows], from_top=from_top) for from_top in (True, False)]
        names = [f"{letter}{row[0]}" for row in rows for letter in head[0]]
        return next((each for each in drawn if [cell.name for cell in each.cells] == names), None)
    return None


def cell_of(box: Box) -> Cell:
    """A spot of a picture as a cell."""
    x, y, width, height = box
    corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
    return Cell(spot_name(box), x + width / 2, y + height / 2, corners)


def spot_name(box: Box) -> str:
    """The name of a spot's cell among the others."""
    return f"place {box.x:g} {box.y:g} {box.width:g} {box.height:g}"


def path_of(game: Game, s: Any, action: int, names: set[str]) -> tuple[str, ...]:
    """The cells to click for an action, from the diagram if there is one, otherwise from its spots."""
    spots = game.spots(s, action)
    if spots:
        return tuple(map(spot_name, spots))
    path = clicked(names, game.clicks(s, action))
    return path if all(name in names for name in path) else ()


def scene(
    p: Playthrough, ply: int, viewer: int | None, *, acts: bool = False, hint: int | None = None, flipped: bool = False
) -> Scene:
    """The position after `ply` actions as `viewer` sees it; `acts`: the viewer may act in it; `hint`: an action to show."""
    game, s = p.game, p.states[ply]
    options = list(p.options()) if acts else []
    before = last_choice(p, ply, viewer)
    spots = [game.spots(s, action) for action in options] + ([game.spots(*before)] if before else [])
    drawn = diagram_of(game, s, viewer, spots)
    index = {cell.name: i for i, cell in enumerate(drawn.cells)}
    names = set(index)
    paths: Paths = {action: path_of(game, s, action, names) for action in options}
    last = cells_of_last(game, before, drawn)
    hinted = path_of(game, s, hint, names) if hint is not None else ()
    return {
        "key": next(_keys),
        "width": drawn.width,
        "height": drawn.height,
        "cells": [
            cell_data(cell, cell.name if drawn.looks else label_of(game, s, paths, cell.name)) for cell in drawn.cells
        ],
        "pieces": [list(piece) for piece in drawn.pieces],
        "looks": {letter: {"name": look.name, "svg": look.svg} for letter, look in drawn.looks.items()},
        "empty": "empty" if drawn.looks else "",
        "ground": drawn.ground,
        "over": drawn.over,
        "any_order": drawn.any_order,
        "picks": drawn.picks,
        "falls": drawn.falls,
        "turns": drawn.turns,
        "flipped": flipped and drawn.turns,
        "moved": pairs(last, drawn.any_order),
        "marks": sorted(set(last if drawn.any_order else last[:1] + last[-1:])),
        "line": [index[name] for name in drawn.line if name in index],
        "alarm": [index[name] for name in drawn.alarm if name in index],
        "arrows": arrows([index[name] for name in hinted], drawn.any_order),
        "actions": actions(game, s, paths, index, drawn, viewer),
        "ghost": ghost(game, s, paths, drawn, viewer),
        "label": "board",
    }


def pointers(p: Playthrough, actions: Sequence[int]) -> list[list[int]]:
    """The arrows of actions in the current position, each with its rank, the first with 0."""
    game, s = p.game, p.state
    drawn = diagram_of(game, s, None, [game.spots(s, action) for action in p.options()])
    index = {cell.name: i for i, cell in enumerate(drawn.cells)}
    found = []
    for rank, action in enumerate(actions):
        path = [index[name] for name in path_of(game, s, action, set(index)) if name in index]
        found += [[*each, rank] for each in arrows(path, drawn.any_order)] if path else []
    return found


def cell_data(cell: Cell, name: str) -> dict[str, Any]:
    """A cell for the browser."""
    corners = cell.corners or square(cell.x, cell.y)
    return {"name": name, "x": cell.x, "y": cell.y, "zone": cell.zone, "word": cell.is_word, "corners": corners}


def label_of(game: Game, s: Any, paths: Paths, name: str) -> str:
    """The label of a spot: the action that a click there chooses, if there is one."""
    meant = [action for action, path in paths.items() if path[:1] == (name,)]
    return game.action_text(s, meant[0]) if len(meant) == 1 else "place"


def last_choice(p: Playthrough, ply: int, viewer: int | None) -> tuple[Any, int] | None:
    """The last action of a player before `ply`, with the state it was chosen in, if the viewer may see it."""
    for i in reversed(range(ply)):
        if p.game.to_move(p.states[i]) != CHANCE:
            return (p.states[i], p.actions[i]) if viewer is None else None
    return None


def cells_of_last(game: Game, before: tuple[Any, int] | None, drawn: Diagram) -> list[int]:
    """The cells of the last action, by their index: names may depend on who is to move."""
    if before is None:
        return []
    then = game.diagram(before[0]) or drawn
    at = {cell.name: i for i, cell in enumerate(then.cells)}
    return [at[name] for name in path_of(game, *before, set(at)) if name in at]


def pairs(path: Sequence[int], any_order: bool) -> list[list[int]]:
    """The steps of a path: pair by pair, or from its first cell to its last."""
    if any_order:
        return [list(each) for each in zip(path[::2], path[1::2], strict=True)]
    return [[path[0], path[-1]]] if len(path) > 1 else []


def arrows(path: Sequence[int], any_order: bool) -> list[list[int]]:
    """A path as arrows; a single cell is highlighted."""
    if len(path) == 1:
        return [[path[0], path[0]]]
    return [list(path[i : i + 2]) for i in range(0, len(path) - 1, 2 if any_order else 1)]


def actions(
    game: Game, s: Any, paths: Paths, index: dict[str, int], drawn: Diagram, viewer: int | None
) -> list[dict[str, Any]]:
    """Every legal action that can be clicked: its number, its path, its text; and, if several have one path, what is on
    the cell after each."""
    alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for action, path in paths.items():
        alike[path].append(action)
    told = []
    for action, path in paths.items():
        if path:
            one = {"number": action, "path": [index[name] for name in path], "text": game.action_text(s, action)}
            if len(alike[path]) > 1 and len(path) > 1 and drawn.looks and not game.has_secrets:
                one["look"] = standing_after(game, s, action, path[-1], viewer)
            told.append(one)
    return told


def standing_after(game: Game, s: Any, action: int, name: str, viewer: int | None) -> str:
    """What is on a cell after an action; empty: nothing."""
    drawn = game.diagram(game.result(s, action), viewer)
    cells = {i for i, cell in enumerate(drawn.cells) if cell.name == name} if drawn is not None else set()
    return next((piece.look for piece in drawn.pieces if piece.cell in cells), "") if drawn is not None else ""


def ghost(game: Game, s: Any, paths: Paths, drawn: Diagram, viewer: int | None) -> str:
    """What a click would put on a cell: shown faintly under the pointer."""
    placing = next(((action, path) for action, path in paths.items() if len(path) == 1), None)
    if placing is None or not drawn.looks or game.has_secrets:  # the result may be hidden information
        return ""
    look = standing_after(game, s, placing[0], placing[1][0], viewer)
    return look if look in drawn.looks else ""
