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
    """The file extension of this game's records, such as "sgf" or "pgn"; empty: it has no format of its own."""

    more_suffixes: ClassVar[tuple[str, ...]] = ()
    """The file extensions of other formats that the game reads, and writes if the tag Format names one."""

    title: ClassVar[str] = ""
    """The game's title, such as "Connect Four"; empty: it is derived from the name."""

    def action_text(self, s: State, action: int) -> str:
        """How players write `action`, or a chance event, in `s`."""
        return str(action)

    def protocol_text(self, s: State, action: int) -> str:
        """How engines write `action` in protocols such as UCI, if that differs from the players' notation; `parse_action`
        also reads it."""
        return self.action_text(s, action)

    @property
    def protocol_settings(self) -> dict[str, str]:
        """The options that engines need to play this game, by name."""
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
        """The actions in a line such as that of `--moves`: one word each, unless actions are written in several words."""
        return text.split()

    def position_text(self, s: State) -> str:
        """A line that describes `s` completely; `parse_position` reads it."""
        return repr(s)

    def parse_position(self: Any, text: str) -> Any:
        """The state that a line from `position_text` (or the user) describes. A `@state`, or a state of plain numbers,
        strings, tuples, lists, sets and dicts, is read as `repr` writes it."""
        from counterplay.core.formats.literals import read_state

        return read_state(text, self.initial(), self.spec)

    def playthrough_text(
        self: Any, p: Playthrough, names: Sequence[str], returns: Sequence[float], tags: Mapping[str, str]
    ) -> str:
        """A playthrough as a record in the game's own format, if it has one: `names` are the players', by seat, `returns`
        their payoffs, by the rules or by forfeit; `tags` are named as in PGN (Event, Date, Round, Termination), with the
        date as 2026-11-16."""
        raise CounterplayError(f"{self.spec} has no record format of its own")

    def read_playthroughs(self: Any, file: Path) -> Iterator[tuple[Playthrough, tuple[float, ...] | None]]:
        """The playthroughs in a file of the game's own format, as far as they are recorded, each with the players'
        payoffs (None if the file does not give them)."""
        raise CounterplayError(f"{self.spec} has no record format of its own")

    def value_text(self, value: float, plies: int | None = None) -> str:
        """How a value is written in the game's own units, such as "+1.5 pawns", or, if a proven end is `plies` away,
        "mate in 3"; empty: as a plain number."""
        return ""

    def ending(self, s: State) -> str:
        """How the game ended in the terminal state `s`, such as "by checkmate" or "34 to 30"; empty: the winner says it
        all."""
        return ""

    def player_name(self, player: int) -> str:
        """The name of `player`."""
        return "chance" if player == CHANCE else f"player {player + 1}"
