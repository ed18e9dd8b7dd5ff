"""The examples that a newcomer copies are right, short, and not games that we have anyway."""

from pathlib import Path

import pytest

from counterplay.core.check import check
from counterplay.core.registry import catalogue

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))


def test_check_praises_what_is_right(run):
    code, out, _ = run("check", FOLDER / "ghost.py", "--playthroughs", "20")
    assert code == 0
    assert out.startswith("ok     rules        20 random playthroughs, ")
    assert "playouts per second, in plain Python" in out
    assert "is right as far as random play can tell" in out


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_are_right(file):
    report = check(str(file), playthroughs=100)
    assert report.ok, report.findings


def test_examples_are_short_and_not_games_that_we_have():
    assert len(EXAMPLES) >= 3
    for file in EXAMPLES:
        assert len(file.read_text().splitlines()) <= 80
        assert file.stem not in catalogue()


def test_the_first_player_wins_chomp(answer):
    for rows, columns in ((2, 2), (2, 3), (3, 3), (3, 4)):
        found = answer("search", f"{FOLDER}/chomp.py:rows={rows},columns={columns}", "--depth", rows * columns)
        assert found["value"] == 1
    assert answer("search", f"{FOLDER}/chomp.py:rows=1,columns=1", "--depth", 1)["value"] == -1
