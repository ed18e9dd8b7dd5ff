"""How people and programs write actions, positions and whole playthroughs. Plain Python, never compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from counterplay.core.aspects.chance import CHANCE
from counterplay.core.errors import CounterplayError, InvalidAction
from counterplay.core.formats.text import summary
from counterplay.core.types import State

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from counterplay.core.playthrough import Playthrough


class Notation:
    """How people and programs write actions, positions and whole playthroughs. Plain Python, never compiled."""

    record_suffix: ClassVar[str] = ""
    """How files with records of this game end, such as "sgf" or "pgn"; empty: it has no format of its own."""

    more_suffixes: ClassVar[tuple[str, ...]] = ()
    """How files in other formats end that the game reads, and that it writes where the tag Format names one."""

    title: ClassVar[str] = ""
    """What people call the game, such as "Connect Four"; empty: it is made from the name."""

    def action_text(self, s: State, action: int) -> str:
        """How players write `action` in `s`; chance events, too."""
        return str(action)

    def protocol_text(self, s: State, action: int) -> str:
        """How engines write `action` in protocols such as UCI, where that differs from what people write; `parse_action`
        reads it, too."""
        return self.action_text(s, action)

    @property
    def protocol_settings(self) -> dict[str, str]:
        """What engines must be told to play this game, by the names of their options."""
        return {}

    def parse_action(self: Any, s: State, text: str) -> int:
        """The legal action that `text` means in `s`."""
        wanted = text.strip().casefold()
        from counterplay.core.rules import legal

        options = {self.action_text(s, action): action for action in legal(self, s)}
        for written, action in options.items():
            if written.casefold() == wanted:
                return action
        raise InvalidAction(f"no action {text.strip()!r} here; legal: {summary(options)}")

    def split_moves(self, text: str) -> list[str]:
        """The actions of a line of them, such as `--moves` has: words, unless the players write actions of several."""
        return text.split()

    def position_text(self, s: State) -> str:
        """A line that describes `s` completely; `parse_position` reads it."""
        return repr(s)

    def parse_position(self: Any, text: str) -> Any:
        """The state that a line from `position_text` (or a person) describes. A `@state`, or a state of plain numbers,
        texts, tuples, lists, sets and dicts, is read as `repr` writes it."""
        from counterplay.core.formats.literals import read_state

        return read_state(text, self.initial(), self.spec)

    def playthrough_text(
        self: Any, p: Playthrough, names: Sequence[str], returns: Sequence[float], tags: Mapping[str, str]
    ) -> str:
        """A playthrough as a record in the game's own format, where it has one: `names` are the players', by seat,
        `returns` what each got, by the rules or because somebody forfeited; `tags` are named as in PGN (Event, Date,
        Round, Termination), the date written 2026-11-16."""
        raise CounterplayError(f"{self.spec} has no format of its own for records")

    def read_playthroughs(self: Any, file: Path) -> Iterator[tuple[Playthrough, tuple[float, ...] | None]]:
        """The playthroughs of a file in the game's own format, as far as they are recorded, each with what the players got;
        None where that is not said."""
        raise CounterplayError(f"{self.spec} has no format of its own for records")

    def value_text(self, value: float, plies: int | None = None) -> str:
        """How a value is written in the game's own units, such as "+1.5 pawns", or, where a proven end is `plies` away,
        "mate in 3"; empty: as a plain number."""
        return ""

    def ending(self, s: State) -> str:
        """How the game ended in the terminal state `s`, such as "by checkmate" or "34 to 30"; empty: who won says
        it all."""
        return ""

    def player_name(self, player: int) -> str:
        """What people call `player`."""
        return "chance" if player == CHANCE else f"player {player + 1}"
