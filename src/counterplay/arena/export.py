"""Results for other programs: games as CSV or JSON, playthroughs in the format that players of the game use."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from counterplay.arena.openings import Opening
from counterplay.arena.store import Store
from counterplay.core.errors import CounterplayError
from counterplay.core.game import Game

COLUMNS = ["game", "round", "position", "opening", "moves", "ended", "note", "seconds", "finished"]


def rows(store: Store) -> Iterator[dict[str, Any]]:
    """Every game, with each player's payoff."""
    labels = store.plan.labels()
    for text, result in store.texts_and_results():
        yield text._asdict() | {
            "players": [labels[i] for i in result.players],
            "utilities": list(result.utilities),
            "scores": list(result.scores),
        }


def as_csv(game: Game, store: Store) -> str:
    """A line for each game; players by seat."""
    seats = range(1, game.players + 1)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*COLUMNS, *(f"{what}_{seat}" for seat in seats for what in ("player", "utility", "score"))])
    for row in rows(store):
        by_seat = zip(row["players"], row["utilities"], row["scores"], strict=True)
        writer.writerow([*(row[name] for name in COLUMNS), *(value for seat in by_seat for value in seat)])
    return out.getvalue()


def as_json(game: Game, store: Store) -> str:
    """The plan and all games."""
    return json.dumps({"plan": store.plan.as_data(), "games": list(rows(store))}, ensure_ascii=False, indent=1) + "\n"


def as_records(game: Game, store: Store, suffix: str = "") -> str:
    """The playthroughs, one after the other, as the game writes them."""
    found = []
    for row in rows(store):
        p = Opening(f"{row['opening']} {row['moves']}", row["position"]).start(game)
        tags = {"Event": f"Counterplay {store.plan.form}", "Date": row["finished"][:10]}
        tags |= {"Round": str(row["game"] + 1)} | ({"Format": suffix} if suffix else {})
        if row["note"]:
            tags["Termination"] = row["note"]
        found.append(game.playthrough_text(p, row["players"], row["utilities"], tags).rstrip("\n") + "\n")
    return "\n".join(found)


def export(game: Game, store: Store, file: Path) -> str:
    """The results in the format that the suffix of `file` names."""
    kinds: dict[str, Callable[[Game, Store], str]] = {".csv": as_csv, ".json": as_json}
    if game.record_suffix:
        kinds[f".{game.record_suffix}"] = as_records
    kinds |= {f".{suffix}": partial(as_records, suffix=suffix) for suffix in game.more_suffixes}
    if file.suffix.lower() not in kinds:
        *others, last = kinds
        raise CounterplayError(f"cannot export to {str(file)!r}: its name must end in {', '.join(others)} or {last}")
    return kinds[file.suffix.lower()](game, store)
