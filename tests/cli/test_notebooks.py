"""The notebooks in examples/ run in a fresh IPython, and objects are shown as intended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import counterplay as cp
from counterplay.api import onlookers

pytest.importorskip("anywidget")

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
SMALLER = {
    "1-first-game": "",
    "2-alpha-beta": 'GAME, DEPTH = "tic-tac-toe", 4',
    "3-mcts-against-alpha-beta": 'GAME, GAMES = "tic-tac-toe", 4\n'
    'FIRST, SECOND = "alphabeta:depth=3", "mcts:simulations=20"',
    "4-alphazero": 'GAME, TIME, GAMES, RIVAL = "tic-tac-toe", "2s", 2, "random"\n'
    'SETTINGS = {"simulations": 8, "positions": 256, "width": 8, "blocks": 1}',
    "5-solving-poker": 'ITERATIONS, LARGER = 200, "kuhn-poker"',
}
"""What replaces the parameters of each notebook, so that it runs in a moment."""


@pytest.fixture
def shell(tmp_path, monkeypatch):
    """An IPython that knows how to show our objects."""
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    from counterplay.notebook.display import register

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(onlookers, "MATCHES", [])
    made = InteractiveShell.instance(history_manager=None)
    register()

    def run(code):
        with capture_output(display=False):
            done = made.run_cell(code, store_history=False)
        done.raise_error()
        return done.result

    made.run = run
    yield made
    InteractiveShell.clear_instance()


def test_every_notebook_has_its_smaller_settings():
    assert sorted(file.stem for file in FOLDER.glob("*.ipynb")) == sorted(SMALLER)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "4-alphazero" else name for name in SMALLER]
)
def test_a_notebook_runs(name, shell):
    notebook = json.loads((FOLDER / f"{name}.ipynb").read_text())
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []  # what it prints is not kept
            result = shell.run("".join(cell["source"]))
            if result is not None:
                assert shell.display_formatter.format(result)[0]
            if "parameters" in cell["metadata"].get("tags", []):
                shell.run(SMALLER[name])


def test_a_playthrough_is_a_board_to_play_on(shell):
    from counterplay.notebook.widgets import BoardWidget

    p = cp.load("tic-tac-toe").start()
    shown, _ = shell.display_formatter.format(p)
    assert {"application/vnd.jupyter.widget-view+json", "image/svg+xml"} <= set(shown)
    board = BoardWidget(p)
    action = board.scene["actions"][4]
    board.hear({"do": "act", "action": action["number"], "key": board.scene["key"]})
    assert (p.moves, board.status) == ([action["text"]], "o to move")
    board.hear({"do": "act", "action": 0, "key": -1})  # of a scene that is no longer shown
    assert len(p) == 1
    board.hear({"do": "write", "text": "z9"})
    assert board.status.startswith("no action 'z9' here")
    board.hear({"do": "undo"})
    assert p.moves == []
    for move in ("a1", "a2", "b1", "b2", "c1"):
        board.hear({"do": "write", "text": move})
    assert (board.status, board.others, board.scene["actions"]) == ("over: x wins", [], [])
    board.hear({"do": "again"})
    assert len(p) == 0
    assert "new Board(" in BoardWidget._esm
    assert BoardWidget._esm.count("export ") == 1


def test_chance_rolls_by_itself(shell):
    from counterplay.notebook.widgets import BoardWidget

    p = cp.load("pig").start()
    board = BoardWidget(p)
    board.hear({"do": "write", "text": "roll"})
    assert p.to_move in (0, 1)
    assert len(p) == 2
    board.hear({"do": "undo"})
    assert len(p) == 0
    assert set(board.others) <= {"roll", "hold"}


def test_a_trace_is_a_tree_to_step_through(shell):
    from counterplay.notebook.widgets import TraceWidget

    found = cp.trace("tree", "plain-alphabeta", depth=2)
    shown, _ = shell.display_formatter.format(found)
    assert {"application/vnd.jupyter.widget-view+json", "text/html"} <= set(shown)
    story = json.loads(TraceWidget(found).story)
    assert story["spec"] == "plain-alphabeta:depth=2 on tree"
    assert "pruned" in "".join(step["words"] for step in story["steps"])


def test_without_widgets_there_are_a_picture_the_outline_and_a_table(shell, monkeypatch):
    from counterplay.notebook import display

    monkeypatch.setattr(display, "has_widgets", lambda: False)
    assert "image/svg+xml" in shell.display_formatter.format(cp.load("tic-tac-toe").start())[0]
    shown, _ = shell.display_formatter.format(cp.trace("tree", "minimax", depth=1))
    assert shown["text/html"].startswith("<p>")
    assert "application/vnd.jupyter.widget-view+json" not in shown


def test_a_match_is_a_live_table(shell, monkeypatch, tmp_path):
    told = []

    class Handle:
        def update(self, what):
            told.append(what.data)

    monkeypatch.setattr("IPython.display.display", lambda *what, display_id: Handle())
    monkeypatch.setattr("counterplay.notebook.display.OFTEN", 0.0)
    shell.kernel = object()  # what a notebook has, and a terminal has not
    found = cp.play_match("nim", "random", "random:seed=1", games=4, workers=0, output=tmp_path / "m.db")
    assert [text.split("</p>")[0] for text in told] == [f"<p>{n} of 4 games" for n in (1, 2, 3, 4)]
    assert "<th>score</th>" in told[-2]
    assert told[-2].count("<tr>") == 3
    assert "<table>" not in told[-1]  # the result itself shows the last one
    assert "<table>" in shell.display_formatter.format(found)[0]["text/html"]
