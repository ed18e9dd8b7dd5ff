"""One server for the tests of the pages, and browsers that are closed when a test ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from web.chromium import Browser, is_missing, served

from counterplay import load
from counterplay.core.derived import derive
from counterplay.endgame.table import build_table
from counterplay.endgame.table_file import SUFFIX
from counterplay.learning.runs import Run
from counterplay.learning.td_training import Recipe, TemporalTraining

SOLVED = "b1 a1 c2"
"""Moves of tic-tac-toe after which a table knows every position."""


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the events that the Arena lists."""
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory, results: Path) -> Iterator[str]:
    pytest.importorskip("nicegui")
    runs = tmp_path_factory.mktemp("runs")
    trained(runs)
    tables = tmp_path_factory.mktemp("tables")
    game = derive(load("tic-tac-toe"), compiled=False)  # few positions: sooner solved than compiled for
    build_table(game, game.start(SOLVED).state).save(tables / f"some{SUFFIX}")
    with served("--results", str(results), "--runs", str(runs), "--tables", str(tables)) as found:
        yield found


def trained(folder: Path) -> None:
    """Two runs, one with a rating and a model, and the remains of a third."""
    for name, more in (("quick", {}), ("slow", {"rating": 35.0, "cores": 2, "actors_wait": 0.125, "stale_steps": 96})):
        Run(folder / name).begin({"game": "tic-tac-toe", "method": "td", "hidden": 10})
        rows = [{"games": 600 * i, "seconds": 60.0 * i, "loss": 0.5 / i, **more} for i in (1, 2)]
        (folder / name / "metrics.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    TemporalTraining(load("tic-tac-toe"), Recipe(hidden=10), games=1).model().save(folder / "slow" / "model.npz")
    (folder / "damaged").mkdir()
    (folder / "damaged" / "config.json").write_text("{}")


@pytest.fixture(scope="session")
def browsers(address: str) -> Iterator[list[Browser]]:
    """Browsers that are reused: starting one takes longer than most visits."""
    waiting: list[Browser] = []
    yield waiting
    for browser in waiting:
        browser.close()


@pytest.fixture
def visit(address: str, browsers: list[Browser]) -> Iterator[Callable[[str], Browser]]:
    """Open a page in a browser that no other test uses and that remembers nothing."""
    if why := is_missing():
        pytest.skip(why)
    used: list[Browser] = []

    def visit(path: str) -> Browser:
        used.append(browsers.pop() if browsers else Browser(address))
        return used[-1].open(path)

    yield visit
    for browser in used:
        browser.forget()
        browsers.append(browser)
