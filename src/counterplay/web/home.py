"""The home page: every game with its picture, the user's own first, and chips to filter them."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from nicegui import ui

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.svg import text_card
from counterplay.core.game import Traits
from counterplay.players.wording import first_sentence, kind, title_of
from counterplay.web.admission import REMEMBERED
from counterplay.web.frame import heading

if TYPE_CHECKING:
    from counterplay.web.server import House

FIRST = ("connect-four", "tic-tac-toe", "othello", "chess", "go", "kuhn-poker")
"""The games that a newcomer sees first, and that are compiled before anyone asks."""
KINDS = (
    ("", "all games"),
    ("open", "perfect information"),
    ("dice", "dice and cards"),
    ("hidden", "hidden information"),
)
PLAYERS = (("", "any number"), ("1", "1 player"), ("2", "2 players"), ("3", "3 or more"))
FILTER = """(e) => {
  const chip = e.target.closest("[data-value]");
  if (!chip) return;
  for (const each of chip.parentElement.querySelectorAll("[data-value]"))
    each.setAttribute("aria-pressed", each === chip);
  const chosen = (name) => document.querySelector(`[data-filter="${name}"] [aria-pressed="true"]`).dataset.value;
  const [kind, players] = [chosen("kind"), chosen("players")];
  let any = false;
  for (const section of document.querySelectorAll(".cp-shelf")) {
    let some = false;
    for (const card of section.querySelectorAll("a[data-kind]")) {
      const fits = (!kind || card.dataset.kind.split(" ").includes(kind)) && (!players || card.dataset.players === players);
      card.hidden = !fits;
      some ||= fits;
    }
    section.hidden = !some;
    any ||= some;
  }
  document.querySelector(".cp-no-game").hidden = any;
}"""
"""Show the games that match the pressed chips; in the browser alone."""


def home_page(house: House) -> None:
    """Every game; a click starts one."""
    heading("Pick a game and play.")
    with ui.row().classes("items-center"):
        ui.label("Or see how a search thinks:").classes("cp-dim")
        ui.link("watch alpha-beta prune the lecture's tree", "/watch")
    chips = chips_of("kind", KINDS) + chips_of("players", PLAYERS)
    ui.html(f'<div class="cp-filters">{chips}</div>', sanitize=False).on("click", js_handler=FILTER)
    own = list(house.shelf.own)
    rest = [name for name in house.shelf.names() if name not in FIRST and name not in own]
    sections = (("Your games", own), ("Start here", FIRST), ("More games", rest))
    shelves = "".join(shelf_of(house, title, names) for title, names in sections if names)
    none = '<p class="cp-note cp-no-game" hidden>No game matches these filters.</p>'
    ui.html(f"{shelves}{none}", sanitize=False).classes("cp-shelves")


def chips_of(name: str, values: tuple[tuple[str, str], ...]) -> str:
    """A row of chips, one of them pressed."""
    chips = "".join(
        f'<button type="button" class="cp-chip" data-value="{value}" aria-pressed="{"false" if value else "true"}">'
        f"{word}</button>"
        for value, word in values
    )
    return f'<div class="cp-chips" role="group" aria-label="{name}" data-filter="{name}">{chips}</div>'


def shelf_of(house: House, title: str, names: tuple[str, ...] | list[str]) -> str:
    """Some games under a heading."""
    cards = "".join(card(house, name) for name in names)
    return f'<section class="cp-shelf"><h2 class="cp-title">{title}</h2><div class="cp-games">{cards}</div></section>'


def kinds_of(traits: Traits) -> str:
    """The kinds of a game, for the chips."""
    words = ["dice"] * traits.chance + ["hidden"] * traits.hidden
    return " ".join(words) or "open"


@lru_cache(maxsize=REMEMBERED)
def card(house: House, name: str) -> str:
    """A game as a link with a picture."""
    try:
        game = house.shelf.game(name)
    except CounterplayError:
        return ""
    traits = game.traits
    return (
        f'<a href="/play?game={quote(name)}" title="{escape(name)}" data-kind="{kinds_of(traits)}" '
        f'data-players="{min(traits.players, 3)}"><div class="cp-stage" aria-hidden="true">{drawn(house, name)}</div>'
        f"<b>{escape(title_of(game))}</b><span>{escape(first_sentence(type(game)))}</span>"
        f'<span class="cp-dim">{escape(kind(traits._asdict()))}</span></a>'
    )


@lru_cache(maxsize=REMEMBERED)
def drawn(house: House, name: str) -> str:
    """The picture of a game on its card."""
    try:
        p = house.shelf.game(name).start(seed=3).roll()
        return p.game.svg(p.state)
    except CounterplayError as wrong:
        return text_card(str(wrong))
