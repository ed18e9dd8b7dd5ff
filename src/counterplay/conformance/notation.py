"""What people read and write: actions, positions, pictures."""

from __future__ import annotations

from xml.etree import ElementTree

from counterplay.core.aspects.picture import clicked
from counterplay.core.calling import ask, refuse
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.diagram import Diagram
from counterplay.core.game import Game
from counterplay.core.pulse import within
from counterplay.core.purity import ask_twice
from counterplay.core.survey import SampledPosition

ACTIONS = 50
"""The maximum number of a position's actions that are written and read back."""


def notation(game: Game, positions: list[SampledPosition]) -> str:
    """Each action must be read back as written, and no two actions may be written alike."""
    tried = 0
    for s, _, options, _ in within(positions):
        written: dict[str, int] = {}
        for action in options[:ACTIONS]:
            text = ask_twice(game, "action_text", s, action)
            if not isinstance(text, str) or not text or game.split_moves(text) != [text]:
                raise refuse(game, "action_text", f"`action_text` gives {text!r}; it must be a word without spaces")
            if text in written:
                raise refuse(
                    game,
                    "action_text",
                    f"`action_text` writes the actions {written[text]} and {action} alike: {text!r}",
                )
            written[text] = action
        for text, action in within(written.items(), 0.1):
            try:
                read = ask(game, "parse_action", s, text)
            except CounterplayError as wrong:
                raise refuse(
                    game, "parse_action", f"`parse_action` does not read {text!r}, action {action}: {wrong}"
                ) from None
            if read != action:
                raise refuse(
                    game, "parse_action", f"`parse_action` reads {text!r} as {read}, but it is action {action}"
                )
            tried += 1
    return f"{tried} actions read back as written"


def position_texts(game: Game, positions: list[SampledPosition]) -> str:
    """Each position must be read back from its text; the default can read only states that are plain values."""
    is_default = type(game).parse_position is Game.parse_position
    for position in within(positions):
        text = ask(game, "position_text", position.state)
        try:
            read = ask(game, "parse_position", text)
        except CounterplayError as wrong:
            if is_default:
                return "none: the game has no `parse_position`, and the default reads only plain values"
            raise refuse(game, "parse_position", f"`parse_position` does not read {text!r}: {wrong}") from None
        if read != position.state:
            raise refuse(game, "parse_position", f"`parse_position` reads {text!r} as {read}, not {position.state}")
    return f"{len(positions)} positions read back as written"


def pictures(game: Game, positions: list[SampledPosition]) -> str:
    """Every position can be drawn, in the terminal and as well-formed SVG, for every viewer."""
    for position in within(positions):
        for viewer in (None, *range(game.players)):
            require_diagram(game, position, viewer)
            text = ask_twice(game, "board", position.state, viewer)
            if not isinstance(text, str):
                raise refuse(game, "board", f"`board` returns {text!r}; it must be text")
            svg = ask_twice(game, "svg", position.state, viewer)
            try:
                ElementTree.fromstring(svg)
            except (ElementTree.ParseError, TypeError) as wrong:
                raise refuse(game, "svg", f"`svg` gives no well-formed SVG: {wrong}") from None
    return f"{len(positions)} positions drawn"


def require_diagram(game: Game, position: SampledPosition, viewer: int | None) -> None:
    """A diagram, if the game has one, must have cells with distinct names, and clicks that are among them."""
    drawn = ask_twice(game, "diagram", position.state, viewer)
    if drawn is None:
        return
    if not isinstance(drawn, Diagram):
        raise refuse(game, "diagram", f"`diagram` returns {drawn!r}; make it by `grid`, `hexagons` or `points`")
    names = {cell.name for cell in drawn.cells}
    if len(names) < len(drawn.cells):
        raise refuse(game, "diagram", "`diagram` has two cells of the same name")
    for action in position.options[:ACTIONS] if viewer is None else ():
        told = ask(game, "clicks", position.state, action)
        for name in clicked(names, told):
            if name not in names:
                raise refuse(game, "clicks", f"`clicks` names the cell {name!r}, which `diagram` does not have")
