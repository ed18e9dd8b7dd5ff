"""The hall of machines in the app: every famous program as a card that opens a game against it."""

from __future__ import annotations

from functools import cache
from urllib.parse import urlencode

from nicegui import ui

from counterplay.core.registry import load
from counterplay.players.machines.hall import MACHINES, Machine
from counterplay.players.wording import title_of
from counterplay.web.frame import commands, heading
from counterplay.web.practice import add_style, show_cards


def machines_page() -> None:
    """Every machine, the oldest first."""
    add_style()
    heading("Machines")
    ui.label("Famous programs, rebuilt as their authors described them. Choose one to play against it.").classes(
        "cp-dim"
    )
    show_cards(
        (against(each), f"{each.year} · {each.title}", about(each), picture_of(each)) for each in MACHINES.values()
    )
    ui.label("In a terminal:").classes("cp-dim")
    commands("counterplay play chess --against turing")


@cache
def picture_of(machine: Machine) -> str:
    """The starting position of a game against it."""
    p = load(machine.game).start(position=machine.position or None, seed=3).roll()
    return p.game.svg(p.state)


def about(machine: Machine) -> str:
    """Its game and its idea, as two sentences."""
    return f"{title_of(load(machine.game))}. {machine.idea[:1].upper()}{machine.idea[1:]}."


def against(machine: Machine) -> str:
    """The address of a game against a machine: it takes the second seat, unless the position requires the first."""
    seats = {"p1": machine.name, "p2": "human"} if machine.position else {"p2": machine.name}
    position = {"position": machine.position} if machine.position else {}
    return f"/play?{urlencode({'game': machine.game} | position | seats)}"
