"""The other players at a table: prepared while the person views the board, asked on their turn and for hints."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from nicegui import Client, background_tasks, context, ui

from counterplay.core.errors import CounterplayError
from counterplay.players.wording import title_of
from counterplay.web.frame import complain, told
from counterplay.web.phrases import Phrases, capital
from counterplay.web.preparing import stand_in
from counterplay.web.strength import strongest
from counterplay.web.table import HUMAN, GameTable

if TYPE_CHECKING:
    from counterplay.web.preparing import Preparation
    from counterplay.web.server import House

STOOD_IN = "A quick, easy move: full strength as soon as the preparation is done."
"""The message about a move of an easy player that stands in for one being compiled."""


class Replies:
    """The part of the Play page that waits for the other players."""

    house: House
    table: GameTable
    phrases: Phrases
    key: str
    lot: int
    shown: int | None
    hinted: int | None
    thought: str
    figures: str
    preparation: Preparation | None
    task: asyncio.Task[Any] | None
    note: ui.label
    progress: ui.element
    waiting: ui.timer

    def refresh(self) -> None:
        """Draw everything again."""
        raise NotImplementedError

    def draw(self) -> None:
        """Draw the board."""
        raise NotImplementedError

    def tell(self) -> None:
        """Update the status."""
        raise NotImplementedError

    def may_act(self) -> bool:
        """Whether the person may choose."""
        raise NotImplementedError

    def question(self) -> dict[str, Any]:
        """The position, as a question for workers."""
        table = self.table
        told: dict[str, Any] = {"game": self.house.shelf.spec(table.spec), "position": table.position}
        return told | {"moves": " ".join(table.p.moves), "seed": self.lot + len(table.p)}

    def prepare(self) -> None:
        """Compile the other players while the person views the board."""
        for seat in dict.fromkeys(self.table.seats):
            if seat != HUMAN and not self.table.is_over:
                self.preparation = self.house.preparations.begin(self.house.shelf.spec(self.table.spec), seat)
        self.waiting.active = self.preparation is not None
        self.tell_preparing()

    def tell_preparing(self) -> None:
        """Show the progress of preparation."""
        words = self.preparation.words(title_of(self.table.game)) if self.preparation else ""
        self.progress.set_visibility(bool(words))
        if words:
            self.note.set_text(f"{STOOD_IN} {words}" if self.thought == STOOD_IN else words)
        elif self.preparation is None or self.preparation.is_done:
            self.waiting.active = False
            self.note.set_text(self.thought)

    def let_play(self) -> None:
        """Ask the player to move, unless it is a person."""
        if self.table.is_over or self.table.is_persons_turn or self.shown is not None:
            return
        self.stop()
        self.task = background_tasks.create(self.think_here(context.client), name="think")

    async def think_here(self, client: Client) -> None:
        """The same as `think`, in its visitor's page."""
        with client:
            await self.think()

    async def think(self) -> None:
        """Let a player choose, and play its action."""
        table = self.table
        others = {seat: stand_in(table.game, seat) for seat in table.seats if seat != HUMAN}
        while not table.is_over and not table.is_persons_turn:
            mover, ply = table.p.to_move, len(table.p)
            asked = {"player": table.seats[mover], "table": self.key, "seat": mover, **self.question()}
            asked["other"] = others.get(table.seats[mover], "")
            if table.clocks:
                asked["clock"] = [max(0.01, table.clocks.shown(i)) for i in range(table.game.players)]
                asked["increment"] = table.clocks.increment
            try:
                found = await self.house.preparations.choose(**asked)
            except CounterplayError as wrong:
                table.lose(mover, f"has lost: {wrong}")
                self.refresh()
                return
            if found is None or len(table.p) != ply or table.is_over:
                return
            with told():
                table.play(found["number"])
            seen = table.viewer is None or table.p.can_see(ply, table.viewer)
            self.thought = (
                self.phrases.thought(mover, found) if seen else f"{capital(self.phrases.who(mover))} has moved, unseen."
            )
            if found.get("stands_in"):
                self.thought = STOOD_IN
            self.figures = f"{found['action']}: {found['words']}" if seen else ""
            self.refresh()
            if not table.people:
                await asyncio.sleep(0.35)

    async def hint(self) -> None:
        """A strong player's choice."""
        table, ply = self.table, len(self.table.p)
        if not self.may_act():
            return
        asked = {"player": strongest(table.game).spec, **self.question()}
        try:
            preparation = self.house.preparations.begin(asked["game"], asked["player"])
            self.preparation, self.waiting.active, self.thought = preparation, True, "Looking for a good move ..."
            self.note.set_text(self.thought)
            await preparation.wait()
            found = await self.house.crew.ask("choose", **asked)
        except CounterplayError as wrong:
            complain(wrong)
            return
        if found is not None and len(table.p) == ply:
            self.hinted = found["number"]
            self.thought, self.figures = f"Hint: {found['action']}", found["words"]
            self.tell()
            self.draw()

    def stop(self) -> None:
        """Stop the search."""
        if self.task is not None and not self.task.done():
            self.task.cancel()
        self.task = None
