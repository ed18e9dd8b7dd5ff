"""Matrix games: the rules against OpenSpiel, the classics' equilibria, files that are read or refused."""

import itertools
import json
import pickle

import numpy as np
import pytest
from games.openspiel import lockstep, pyspiel
from games.secrets import assert_compiled_secrets_agree
from games.sequence_form import solve
from hypothesis import given
from hypothesis import strategies as st

from counterplay import CounterplayError, Rng, load
from counterplay.games.matrix import (
    BattleOfTheSexes,
    Chicken,
    MatchingPennies,
    Matrix,
    PrisonersDilemma,
    RockPaperScissors,
    StagHunt,
)

CLASSICS = {
    "matrix_rps": RockPaperScissors,
    "matrix_pd": PrisonersDilemma,
    "matrix_mp": MatchingPennies,
    "matrix_bos": BattleOfTheSexes,
    "matrix_sh": StagHunt,
    "matrix_cd": Chicken,
}


@pytest.mark.peer
@pytest.mark.parametrize("name", CLASSICS)
def test_the_classics_agree_with_openspiel(name):
    lockstep(CLASSICS[name](), pyspiel.load_game_as_turn_based(name), lambda s, action: action, playthroughs=60)


@pytest.mark.peer
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_any_table_agrees_with_openspiel(rows, columns, seed):
    first, second = np.random.default_rng(seed).normal(size=(2, rows, columns))
    theirs = pyspiel.convert_to_turn_based(pyspiel.create_matrix_game(first.tolist(), second.tolist()))
    lockstep(Matrix({"tables": [first, second]}), theirs, lambda s, action: action, playthroughs=5)


def profiles(game):
    return itertools.product(*map(range, game.counts))


def payoffs(game, profile):
    s = game.initial()
    for action in profile:
        s = game.result(s, action)
    assert game.is_terminal(s)
    return [game.utility(s, player) for player in range(game.players)]


def pure_equilibria(game):
    """The profiles from which nobody gains by deviating alone, in the players' notation."""

    def is_stable(profile):
        return all(
            payoffs(game, profile)[p] >= payoffs(game, (*profile[:p], other, *profile[p + 1 :]))[p]
            for p in range(game.players)
            for other in range(game.counts[p])
        )

    return {" ".join(play(game, profile).moves) for profile in profiles(game) if is_stable(profile)}


def play(game, profile):
    p = game.start()
    for action in profile:
        p.play(action)
    return p


@pytest.mark.parametrize(
    "game, equilibria",
    [
        (RockPaperScissors(), set()),
        (PrisonersDilemma(), {"defect defect"}),
        (MatchingPennies(), set()),
        (BattleOfTheSexes(), {"bach bach", "stravinsky stravinsky"}),
        (StagHunt(), {"stag stag", "hare hare"}),
        (Chicken(), {"dare swerve", "swerve dare"}),
    ],
)
def test_pure_equilibria_of_the_classics(game, equilibria):
    assert pure_equilibria(game) == equilibria


@pytest.mark.parametrize(
    "game, first, second",
    [
        (RockPaperScissors(), (1 / 3, 1 / 3, 1 / 3), (1 / 3, 1 / 3, 1 / 3)),
        (MatchingPennies(), (1 / 2, 1 / 2), (1 / 2, 1 / 2)),
        (BattleOfTheSexes(), (3 / 5, 2 / 5), (2 / 5, 3 / 5)),
        (StagHunt(), (1 / 2, 1 / 2), (1 / 2, 1 / 2)),
        (Chicken(), (1 / 2, 1 / 2), (1 / 2, 1 / 2)),
        (Matrix("[[4,1],[2,3]]"), (1 / 4, 3 / 4), (1 / 2, 1 / 2)),
    ],
)
def test_mixed_equilibria_leave_no_player_a_better_choice(game, first, second):
    """All actions that a player mixes pay them the same against the other's mixture."""
    table = game.payoffs.reshape(*game.counts, 2)
    for gains in (table[:, :, 0] @ second, first @ table[:, :, 1]):
        assert gains == pytest.approx(np.full(len(gains), gains[0]))


@pytest.mark.parametrize(
    "game, value", [(RockPaperScissors(), 0), (MatchingPennies(), 0), (Matrix("[[4,1],[2,3]]"), 2.5)]
)
def test_values_of_zero_sum_games(game, value):
    """Nobody learns what the other chose: otherwise the second player would win rock-paper-scissors."""
    solution = solve(game)
    assert solution.value == pytest.approx(value, abs=1e-9)
    assert solution.sets == (1, 1)


def test_traits_follow_from_the_numbers():
    assert RockPaperScissors().traits == (2, False, True, True, (-1, 1))
    assert PrisonersDilemma().traits == (2, False, True, False, (0, 10))
    assert Matrix([[2.5, -3]]).traits == (2, False, True, True, (-3, 3))
    three = Matrix([[[[1, 2, -3], [0, 0, 0]], [[4, -4, 0], [1, 1, -2]]]])
    assert three.traits == (3, False, True, True, (-4, 4))
    assert three.counts == (1, 2, 2)
    assert three.start("1 2 1").returns == (4, -4, 0)


shapes = st.lists(st.integers(1, 3), min_size=2, max_size=3)


@given(shapes, st.integers(0, 2**32 - 1))
def test_both_forms_of_payoffs_say_the_same(shape, seed):
    table = np.random.default_rng(seed).integers(-9, 9, size=(*shape, len(shape))).astype(float)
    by_cell = Matrix({"payoffs": table, "actions": [[f"a{i}" for i in range(n)] for n in shape]})
    by_player = Matrix({"tables": np.moveaxis(table, -1, 0)})
    for profile in profiles(by_cell):
        assert payoffs(by_cell, profile) == payoffs(by_player, profile) == table[profile].tolist()


@given(shapes, st.integers(0, 2**32 - 1))
def test_information_and_resampling_keep_only_the_own_choice(shape, seed):
    game, rng = Matrix({"tables": np.zeros((len(shape), *shape))}), Rng(seed)
    told = {}
    for profile in profiles(game):
        for ply in range(game.players + 1):
            s = play(game, profile[:ply]).state
            assert game.parse_position(game.position_text(s)) == s
            for player in range(game.players):
                own = profile[player] if player < ply else None
                assert told.setdefault((player, game.information(s, player)), (ply, own)) == (ply, own)
                assert game.choice(s, player) == (-1 if own is None else own)
                other = game.resample(s, player, rng)
                assert game.information(other, player) == game.information(s, player)
                assert game.parse_position(game.position_text(other)) == other
    assert len(told) == sum((player + 1) + (len(shape) - player) * n for player, n in enumerate(shape))


def test_compiled_secrets_agree_with_plain_ones():
    assert_compiled_secrets_agree(Matrix({"tables": np.zeros((3, 2, 4, 3))}))


def test_resampling_reaches_every_choice():
    game, rng = RockPaperScissors(), Rng(1)
    seen = {game.position_text(game.resample(game.start("rock").state, 1, rng)) for _ in range(100)}
    assert seen == {"rock", "paper", "scissors"}


FULL = {
    "title": "Where to?",
    "players": ["Ann", "Bob"],
    "actions": [["sea", "hills"], ["sea", "hills", "home"]],
    "payoffs": [[[3, 2], [0, 0], [0, 1]], [[0, 0], [2, 3], [0, 1]]],
}


def test_a_file_is_read(tmp_path):
    file = tmp_path / "where.json"
    file.write_text(json.dumps(FULL))
    game = load(f"matrix:{file}")
    assert game.start("hills home").returns == (0, 1)
    assert [game.player_name(p) for p in (0, 1)] == ["Ann", "Bob"]
    assert str(game.start()).splitlines() == [
        "Where to?",
        "        sea  hills  home",
        "  sea  3, 2   0, 0  0, 1",
        "hills  0, 0   2, 3  0, 1",
        "Ann: -",
        "Bob: -",
    ]
    assert load(game.spec) == game
    assert pickle.loads(pickle.dumps(game)).spec == game.spec
    assert Matrix(file).start("sea sea").returns == (3, 2)


def test_games_of_one_shape_share_their_compiled_code():
    key = Matrix([[1, 2], [3, 4]]).frozen.key
    assert Matrix({"actions": [["a", "b"]] * 2, "payoffs": [[0, 0], [0, 70]]}).frozen.key == key
    assert Matrix([[1, 2, 3], [3, 4, 5]]).frozen.key != key
    assert Matrix([[[1, 2], [2, 1]], [[3, 4], [0, 0]]]).frozen.key != key  # not zero-sum


def test_a_game_round_trips_through_its_repr_and_its_spec():
    for game in (Matrix(), Matrix(FULL), Matrix([[1, 2.5]]), RockPaperScissors()):
        again = eval(repr(game))
        assert again == game
        assert load(game.spec).start().legal() == game.start().legal()
        assert load(game.spec).payoffs.tolist() == game.payoffs.tolist()
    assert Matrix("[[1, -1], [-1, 1]]") == Matrix([[1, -1], [-1, 1]]) == Matrix()


def test_a_viewer_does_not_see_what_the_other_chose():
    game = RockPaperScissors()
    s = game.start("rock").state
    assert "player 1: rock" in game.board(s)
    assert "player 1: rock" in game.board(s, 0)
    assert "player 1: has chosen" in game.board(s, 1)
    assert game.svg(s, 1) == game.svg(game.start("paper").state, 1) != game.svg(s, 0)
    assert "player 1: rock, gets -1" in game.board(game.start("rock paper").state, 1)


def test_games_without_a_small_table_are_shown_as_text():
    three = Matrix({"tables": np.zeros((3, 2, 2, 2))})
    assert three.board(three.start("1 2").state).splitlines() == ["player 1: 1", "player 2: 2", "player 3: -"]
    assert three.svg(three.initial()).startswith("<svg")
    large = Matrix(np.zeros((30, 2)))
    assert large.svg(large.initial()).startswith("<svg")
    assert len(large.board(large.initial()).splitlines()) == 2


@pytest.mark.parametrize(
    "text, why",
    [
        ("[[1, -1], [-1, 1]", "is not JSON: line 1"),
        ("", "cannot read the file ''"),
        ("nowhere.json", "cannot read the file 'nowhere.json'"),
        ("[[1, 2], [3]]", '"payoffs", entry 2 has 1 entries; it must have 2'),
        ("[[1, 2], 3]", "entry 2 is not a list"),
        ("[[1, 2], [3, [4]]]", r"must be a number, not \[4\]"),
        ('[[1, "two"]]', 'must be a number, not "two"'),
        ("[[1, true]]", "must be a number, not true"),
        ("[[1, NaN]]", "must be a number, not NaN"),
        ("[[1, 1e999]]", "must be a number, not Infinity"),
        ("[[1, null]]", "must be a number, not null"),
        (f"[[1, {'9' * 400}]]", "must be a number, not 9"),
        ("[[]]", r"must be a number, not \[\]"),
        ("[1, 2]", "must be a list of rows"),
        ("5", "the game must be a table of payoffs"),
        ("{}", "the game must be a table of payoffs"),
        ('{"payoffs": [[1]], "tables": [[[1]], [[1]]]}', 'either "payoffs" or "tables"'),
        ('{"payoffs": [[1]], "payoffs": [[2]]}', "'payoffs' appears twice"),
        ('{"payoffs": [[1]], "colour": 3}', "there is no 'colour' in a matrix game"),
        ('{"payoffs": [[1]], "actions": 3}', '"actions" must be a list of names'),
        ('{"payoffs": [[1]], "actions": [["a"], ["b", "c"]]}', "the actions are 1 by 2, but the payoffs are 1 by 1"),
        ('{"payoffs": [[1]], "actions": [["a"], ["b"], ["c"]]}', "of 3 players must be nested 3 deep"),
        ('{"payoffs": [[1, 2]], "actions": [["a"], ["b", "B"]]}', "two actions have the same name among b B"),
        ('{"payoffs": [[1]], "actions": [["a"], ["go home"]]}', "'go home' cannot name an action"),
        ('{"payoffs": [[1]], "actions": [["a"], [7]]}', "7 cannot name an action"),
        ('{"payoffs": [[1]], "players": ["Ann"]}', '"players" must be 2 different names'),
        ('{"payoffs": [[1]], "players": ["Ann", "Ann"]}', '"players" must be 2 different names'),
        ('{"payoffs": [[1]], "title": 7}', '"title" must be a text'),
        ('{"tables": [[[1, 2]], [[1, 2]], [[1, 2]]]}', "has 3 tables, but the tables have 2 dimensions"),
        ("[" * 100_000, "nested too deep|not JSON"),
        ("[" * 500 + "1" + "]" * 500, "can play|number"),
    ],
)
def test_malformed_games_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why) as refusal:
        Matrix(text)
    assert len(str(refusal.value)) < 300
    assert "\n" not in str(refusal.value)


numbers = st.none() | st.integers() | st.floats() | st.text(max_size=3)


@given(st.text(max_size=20) | st.lists(numbers | st.lists(numbers | st.lists(numbers, max_size=2), max_size=3)))
def test_anything_else_is_refused_in_a_sentence(source):
    try:
        game = Matrix(source)
    except CounterplayError as refusal:
        said = str(refusal)
    else:
        said = f"matrix: {np.isfinite(game.payoffs).all()}"
    assert said.startswith("matrix: ")
    assert "False" not in said


@given(st.data())
def test_a_truncated_file_is_refused(tmp_path_factory, data):
    text = json.dumps(FULL)
    file = tmp_path_factory.getbasetemp() / "truncated.json"
    file.write_text(text[: data.draw(st.integers(0, len(text) - 1))])
    with pytest.raises(CounterplayError, match=r"truncated\.json is not JSON: line 1"):
        Matrix(file)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00[")
    with pytest.raises(CounterplayError, match="is not a text file"):
        Matrix(tmp_path / "bytes.json")
    with pytest.raises(CounterplayError, match="cannot read the file"):
        Matrix(tmp_path)
    with pytest.raises(CounterplayError, match="is described by"):
        Matrix({"payoffs": object()})


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "write a position"),
        ("rock rock rock", "at most 2 words"),
        ("rok", "no action 'rok'"),
        ("- rock", "no action"),
    ],
)
def test_malformed_positions_are_refused(text, why):
    with pytest.raises(CounterplayError, match=why):
        RockPaperScissors().parse_position(text)
