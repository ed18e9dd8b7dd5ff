"""Studies: the rows that are compared; and no sound technique ever changes a value."""

from pathlib import Path

import pytest

from counterplay import CounterplayError, load
from counterplay.core.perft import perft
from counterplay.search.engine.decide import decide
from counterplay.search.engine.study import ORDER, affordable_depth, study
from counterplay.search.engine.techniques import SOUND, Technique, default_for

EXAMPLES = Path(__file__).parents[2] / "examples"


def groups(found):
    """The names of the rows, by group, in order."""
    told = {}
    for row in found.rows:
        told.setdefault(row.group, []).append(row.name)
    return told


def test_the_rows_of_a_study():
    game, heard = load("hex:5"), []
    s = game.initial()
    found = study(game, s, 3, table=1, report=heard.append)
    told = groups(found)
    assert told["ladder"] == ["minimax", "alpha-beta", "deepening"]
    sound = ["table", "symmetry", "ordering", "killers", "history", "counters", "iid", "pvs"]
    gambles = ["deeper", "extensions", "null_move"]
    assert (told["added"], told["other"], told["gamble"]) == (sound, ["aspiration", "mtdf"], gambles)
    assert told["removed"] == sound + gambles
    assert heard == [row.name for row in found.rows[1:]] + ["minimax"]
    rows = {(row.group, row.name): row for row in found.rows}
    leaves = perft(game, s, 3)
    assert rows["ladder", "minimax"].decision.nodes == 1 + perft(game, s, 1) + perft(game, s, 2) + leaves
    assert rows["gamble", "null_move"].techniques == default_for(game)
    assert rows["removed", "pvs"].techniques == default_for(game) & ~Technique.PVS
    plain = rows["ladder", "alpha-beta"].decision
    assert plain.nodes < rows["ladder", "minimax"].decision.nodes
    assert plain.nodes < rows["ladder", "deepening"].decision.nodes
    assert {row.is_sound for row in found.rows if row.group in ("ladder", "added", "other")} == {True}
    assert not rows["gamble", "deeper"].is_sound


@pytest.mark.parametrize(
    "spec, moves",
    [
        pytest.param("connect-four:5,4", "3 3", marks=pytest.mark.slow),
        pytest.param("othello:4", "", marks=pytest.mark.slow),
        ("nim:2-3", ""),
        pytest.param("tic-tac-toe", "b2", marks=pytest.mark.slow),
    ],
)
def test_sound_techniques_agree_at_every_depth(spec, moves):
    game = load(spec)
    s = game.start(moves).state
    for depth in (1, 2, 4, 5):
        found = study(game, s, depth, table=0.1)
        assert found.faults == []
        values = {row.decision.value for row in found.rows if row.is_sound}
        assert values == {found.value}


def test_a_difference_is_told():
    game = load("nim:2-3")
    found = study(game, game.initial(), 3, table=0.1)
    wrong = found.rows[2]._replace(agrees=False)
    assert found._replace(rows=(*found.rows[:2], wrong, *found.rows[3:])).faults == [wrong.name]


def test_the_depth_is_what_plain_alpha_beta_affords():
    game = load("connect-four:5,4")
    depth = affordable_depth(game, game.initial())
    nodes = [decide(game, game.initial(), depth=d, first=d, techniques=Technique(0)).nodes for d in (depth, depth + 1)]
    assert nodes[0] <= 2_000_000 < nodes[1]
    tiny = load("tree")
    assert affordable_depth(tiny, tiny.initial()) == 2
    assert study(tiny, tiny.initial(), table=0.1).depth == 2


def test_every_technique_has_its_row():
    assert set(ORDER) == set(Technique) - {Technique.MTDF, Technique.PROBCUT}
    assert [each in SOUND for each in ORDER] == sorted((each in SOUND for each in ORDER), reverse=True)


def test_a_game_in_plain_python_is_studied_without_a_table():
    game = load(str(EXAMPLES / "ghost.py"))
    found = study(game, game.initial(), 4)
    assert found.faults == []
    by_name = {row.name: row.decision.nodes for row in found.rows if row.group != "removed"}
    assert by_name["table"] == by_name["deepening"]


@pytest.mark.parametrize("spec, why", [("pig", "expectiminimax"), ("kuhn-poker", "hides information")])
def test_a_study_refuses_what_does_not_suit(spec, why):
    game = load(spec)
    with pytest.raises(CounterplayError, match=f"^study .*{why}"):
        study(game, game.initial(), 2)


def test_a_study_refuses_what_allows_nothing():
    game = load("nim")
    with pytest.raises(CounterplayError, match="1 to 512"):
        study(game, game.initial(), 0)
    with pytest.raises(CounterplayError, match="the game is over"):
        study(game, game.start("a3 b4 c5").state, 2)
