"""The registry: every game has known facts, a recorded playthrough and a page, and a wrong name gets one clear
sentence.
"""

from __future__ import annotations

import importlib
import math
import pickle
import re
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from record import FOLDER, describe, moves_of, spec_of
from truths import TRUTHS, Truth

from counterplay import CHANCE, Game, Playthrough, load
from counterplay.core import registry
from counterplay.core.aspects.picture import clicked
from counterplay.core.errors import BrokenGame, CounterplayError, UnknownGame
from counterplay.core.formats import options
from counterplay.core.formats.svg import Box
from counterplay.core.language.rng import Rng
from counterplay.core.perft import perft
from counterplay.core.rules import legal
from counterplay.games import GAMES

ROOT = Path(__file__).parents[1]
NAMES = sorted(GAMES)
PLAIN_LEAVES = 3_000
"""As many leaves as are counted uncompiled as well."""


# What each game must have.


@pytest.mark.parametrize("name", NAMES)
def test_game_has_a_page(name):
    page = ROOT / "docs" / "games" / f"{name}.md"
    assert page.exists(), f"write docs/games/{name}.md"
    assert page.read_text().startswith("# "), f"docs/games/{name}.md starts with its title"


@pytest.mark.parametrize("name", NAMES)
def test_game_has_a_truth(name):
    known = [truth for truth in TRUTHS if truth.spec.partition(":")[0] == name]
    assert any(truth.perft or truth.value is not None for truth in known), f"add a Truth for {name} to tests/truths.py"


@pytest.mark.plain
@pytest.mark.parametrize("name", NAMES)
def test_game_plays_as_recorded(name):
    file = FOLDER / f"{name}.txt"
    assert file.exists(), f"record a playthrough: python tests/record.py {name}"
    text = file.read_text()
    assert spec_of(text).partition(":")[0] == name
    assert describe(load(spec_of(text)), moves_of(text)) == text


def test_nothing_is_kept_of_games_that_are_gone():
    assert {file.stem for file in FOLDER.glob("*")} == set(NAMES)
    assert {truth.spec.partition(":")[0] for truth in TRUTHS} == set(NAMES)


# Truths.


@pytest.mark.plain
@pytest.mark.parametrize("truth", [truth for truth in TRUTHS if truth.perft], ids=lambda truth: truth.spec)
def test_perft_counts_what_is_known(truth):
    game = load(truth.spec)
    for depth, leaves in enumerate(truth.perft, 1):
        if leaves > PLAIN_LEAVES and not game.compiles:
            break
        assert perft(game, game.initial(), depth) == leaves


@pytest.mark.peer
@pytest.mark.parametrize("truth", [truth for truth in TRUTHS if truth.openspiel], ids=lambda truth: truth.spec)
def test_openspiel_counts_the_same(truth):
    pyspiel = pytest.importorskip("pyspiel")

    def leaves(t: Any, depth: int) -> int:
        if t.is_terminal():
            return 0
        options = [event for event, _ in t.chance_outcomes()] if t.is_chance_node() else t.legal_actions()
        return len(options) if depth == 1 else sum(leaves(t.child(option), depth - 1) for option in options)

    root = pyspiel.load_game(truth.openspiel).new_initial_state()
    assert len(truth.perft) >= 3
    for depth, known in enumerate(truth.perft, 1):
        if known <= 20_000:
            assert leaves(root, depth) == known


def values() -> list[Any]:
    """Each game whose value is known."""
    return [
        pytest.param(truth.spec, truth.value, marks=[pytest.mark.slow] if truth.slow else [])
        for truth in TRUTHS
        if truth.value is not None
    ]


@pytest.mark.parametrize("spec, value", values())
def test_value_is_what_is_known(spec, value):
    game = load(spec)
    assert best(game, game.initial(), {})[0] == pytest.approx(value)


def best(game: Game, s: Any, known: dict[Any, tuple[float, ...]]) -> tuple[float, ...]:
    """What each player gets if each maximizes their own payoff: the textbook's recursion, uncompiled, with a memory."""
    if s not in known:
        if game.is_terminal(s):
            known[s] = tuple(game.utility(s, player) for player in range(game.players))
        else:
            player = game.to_move(s)
            options = [(action, best(game, game.result(s, action), known)) for action in legal(game, s)]
            if player == CHANCE:
                shares = [[game.probability(s, event) * x for x in values] for event, values in options]
                known[s] = tuple(map(math.fsum, zip(*shares, strict=True)))
            else:
                known[s] = max((values for _, values in options), key=lambda values: values[player])
    return known[s]


@pytest.mark.parametrize("truth", [truth for truth in TRUTHS if truth.positions], ids=lambda truth: truth.spec)
def test_positions_are_as_many_as_is_known(truth: Truth):
    game = load(truth.spec)
    layer = {game.initial()}
    for known in truth.positions:
        assert len(layer) == known
        layer = {game.result(s, action) for s in layer for action in legal(game, s)}


# Names and parameters.


@pytest.mark.parametrize("name", NAMES)
def test_repr_and_pickle_round_trip(name):
    game = load(name)
    module = importlib.import_module(type(game).__module__)
    for copy in (eval(repr(game), vars(module)), pickle.loads(pickle.dumps(game)), load(game.spec)):
        assert copy == game
        assert hash(copy) == hash(game)
        assert copy is not game
        assert copy.parameters == game.parameters
        assert copy.initial() == game.initial()
    p = game.start()
    while not p.is_over and len(p) < 6:
        p.play(p.options()[-1])
    copy = eval(repr(p), {**vars(module), "Playthrough": Playthrough})
    assert copy.state == p.state
    assert copy.actions == p.actions
    assert pickle.loads(pickle.dumps(p.state)) == p.state


@pytest.mark.parametrize("name", NAMES)
def test_spec_is_the_registered_name(name):
    assert load(name).spec == name
    assert type(load(name)).name == name


@pytest.mark.parametrize("name", NAMES)
def test_traits_are_sensible(name):
    traits = load(name).traits
    assert traits.players >= 1
    low, high = traits.utility_bounds
    assert low < high
    if traits.zero_sum:
        assert low < 0 < high


def test_parameters_by_position_and_by_name():
    game = load("connect-four:5,4")
    assert (game.width, game.height) == (5, 4)
    assert game == load("connect-four:height=4,width=5") == load(" connect-four: width = 5 , 4")
    assert game.spec == "connect-four:width=5,height=4"
    assert load("connect-four:height=6").spec == "connect-four"
    assert load("connect-four") != game


def test_parameters_are_split_at_commas_outside_brackets():
    assert options.split("[[1, 2], [3, (4, 5)]], size=5,, x") == ["[[1, 2], [3, (4, 5)]]", "size=5", "x"]
    assert options.split("") == []


@pytest.mark.parametrize(
    "spec, sentence",
    [
        ("conect-four", r"no game 'conect-four'; did you mean connect-four"),
        ("reversi", "did you mean othello"),
        ("poker", r"did you mean kuhn-poker or leduc-poker\?"),
        ("zzz", r"no game 'zzz'; `counterplay games` lists them"),
        ("", r"no game ''"),
        ("connect-four:depth=5", r"no parameter 'depth'; did you mean width"),
        ("connect-four:7,6,wary,4", r"no parameter for '4'; it takes width, height, playouts"),
        ("connect-four:5,width=6", r"'width' is given twice"),
        ("connect-four:width=five", r"width='five' must be a whole number"),
        ("connect-four:width=5.5", r"must be a whole number"),
        ("connect-four:width=", r"must be a whole number"),
        ("connect-four:width=99", r"does not fit"),
        ("nim:misere=perhaps", r"misere='perhaps' must be on or off"),
        ("no/such/file.py", r"no file 'no/such/file.py'"),
        ("no/such/folder:Chomp", r"no file"),
    ],
)
def test_wrong_specs_get_one_sentence(spec, sentence):
    with pytest.raises(CounterplayError, match=sentence) as raised:
        load(spec)
    assert "\n" not in str(raised.value)


def test_switches_are_on_or_off():
    for word in ("on", "true", "Yes", "1"):
        assert load(f"nim:misere={word}").parameters["misere"] is True
    for word in ("off", "false", "No", "0"):
        assert load(f"nim:misere={word}").parameters["misere"] is False


# A user's own file.

CHOMP = '''
from counterplay import Game, state
from typing import NamedTuple
from bites import BITE  # beside it

@state
class State(NamedTuple):
    left: int
    turn: int

class Chomp(Game):
    """Eat; who eats the last loses."""

    def __init__(self, size: int = 4, poisoned: bool = True) -> None:
        if size > 9:
            raise ValueError("too much to eat")
        self.size, self.poisoned = size, poisoned

    def initial(self): return State(self.size, 0)
    def to_move(self, s): return s.turn
    def actions(self, s, out):
        for n in range(BITE, s.left + 1):
            out.append(n)
    def result(self, s, action): return State(s.left - action, 1 - s.turn)
    def is_terminal(self, s): return s.left == 0
    def utility(self, s, player): return 1.0 if (player == s.turn) == self.poisoned else -1.0
'''


@pytest.fixture
def chomp(tmp_path, monkeypatch):
    """A user's file with its helper beside it."""
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    (tmp_path / "bites.py").write_text("BITE = 1\n")
    file = tmp_path / "chomp.py"
    file.write_text(CHOMP)
    return file


def test_users_file(chomp):
    game = load(f"{chomp}:Chomp:size=5,poisoned=off")
    assert (game.size, game.poisoned) == (5, False)
    assert game == load(f"{chomp}:Chomp:5,off")
    assert load(f"{chomp}:Chomp").size == load(str(chomp)).size == 4
    assert load(f"{chomp}:size=6").size == 6
    assert type(load(f"{chomp}")) is type(game)  # imported once
    assert len(game.start().legal()) == 5
    assert perft(game, game.initial(), 5) == 1


def test_users_file_relative_to_where_one_is(chomp, monkeypatch):
    monkeypatch.chdir(chomp.parent)
    assert load("chomp.py").size == load("./chomp.py:Chomp").size == 4


@pytest.mark.parametrize(
    "rest, sentence",
    [
        (":Chess", r"chomp.py has no game class 'Chess'; it has Chomp"),
        (":State", r"no game class 'State'"),
        (":Chomp:sise=5", r"Chomp has no parameter 'sise'; did you mean size"),
        (":Chomp:size=10", r"chomp.py:16: Chomp cannot be created: ValueError: too much to eat"),
    ],
)
def test_users_file_asked_wrongly(chomp, rest, sentence):
    with pytest.raises(CounterplayError, match=sentence) as raised:
        load(f"{chomp}{rest}")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "text, error, sentence",
    [
        ("def (:\n", BrokenGame, r"mine.py:1: the file does not import: SyntaxError: "),
        ("import math\n\nimport no_such_module\n", BrokenGame, r"mine.py:3: .* ModuleNotFoundError: .*no_such_module"),
        ("x = 1\ny = 1 / (x - 1)\n", BrokenGame, r"mine.py:2: .* ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)\n", BrokenGame, r"mine.py:1: .* SystemExit: 3"),
        ("x = 1\n", UnknownGame, r"mine.py has no subclass of Game"),
        (
            "from counterplay import Game\nclass A(Game): ...\nclass B(Game): ...\n",
            UnknownGame,
            r"has 2 games \(A, B\): say which, as .*mine.py:A",
        ),
        (
            "from counterplay import Game\nclass A(Game):\n    def __init__(self, size: int) -> None: ...\n",
            UnknownGame,
            r"(.*mine\.py) needs the parameter 'size': \1:size=\.\.\.",
        ),
        (
            "from counterplay import Game\nclass A(Game):\n    def __init__(self):\n        self.x = {}['y']\n",
            BrokenGame,
            r"mine.py:4: A cannot be created: KeyError: 'y'",
        ),
    ],
)
def test_users_file_that_is_broken(tmp_path, text, error, sentence):
    file = tmp_path / "mine.py"
    file.write_text(text)
    with pytest.raises(error, match=sentence) as raised:
        load(str(file))
    assert "\n" not in str(raised.value)


def test_a_mended_file_imports_after_a_failure(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("import no_such_module\n")
    with pytest.raises(BrokenGame):
        load(str(file))
    file.write_text(
        "from counterplay import Game\nclass A(Game):\n    def __init__(self, size: int = 3) -> None: ...\n"
    )
    assert load(str(file)).parameters == {"size": 3}


# Installed packages.


def add_entry(monkeypatch, name: str, value: str) -> None:
    points = [EntryPoint(name, value, registry.GROUP)]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points if group == registry.GROUP else [])


def test_entry_points_add_games(monkeypatch):
    add_entry(monkeypatch, "four", "counterplay.games.connect_four:ConnectFour")
    assert load("four:5,4") == load("connect-four:5,4")
    assert set(registry.catalogue()) == {*GAMES, "four"}


def test_entry_points_do_not_replace_built_in_games(monkeypatch):
    add_entry(monkeypatch, "connect-four", "builtins:dict")
    assert load("connect-four").spec == "connect-four"


@pytest.mark.parametrize(
    "value, sentence",
    [
        ("no_such_package:Chomp", r"'chomp' is registered as no_such_package:Chomp, which cannot be loaded"),
        ("math:Chomp", r"which cannot be loaded"),
        ("builtins:dict", r"'chomp' is registered as builtins:dict, which is not a subclass of Game"),
    ],
)
def test_entry_points_that_do_not_load(monkeypatch, value, sentence):
    add_entry(monkeypatch, "chomp", value)
    with pytest.raises(UnknownGame, match=sentence):
        load("chomp")


def test_a_game_without_a_constructor_loads(tmp_path):
    file = tmp_path / "bare.py"
    file.write_text("from counterplay import Game\n\nclass Bare(Game):\n    def initial(self):\n        return 0\n")
    assert repr(load(str(file))) == "Bare()"


# Where to click.


def click_paths(game: Game, s: Any, options: list[int]) -> tuple[dict[int, tuple[Any, ...]], dict[Any, Box]]:
    """The path of clicks of every action, and where each click lies."""
    drawn = game.diagram(s)
    if drawn is None:
        paths: dict[int, tuple[Any, ...]] = {action: game.spots(s, action) for action in options}
        return paths, {box: box for path in paths.values() for box in path}
    boxes = {cell.name: cell.box for cell in drawn.cells}
    return {action: clicked(boxes, game.clicks(s, action)) for action in options}, boxes


@pytest.mark.parametrize("name", NAMES)
def test_clicks_lie_on_the_picture_and_mean_one_action(name):
    """Every click is on the picture; after the same clicks, the next are the same or separate, and no action is
    complete while another one continues."""
    p = load(name).start(seed=1)
    rng, game = Rng(7), p.game
    for _ in range(12):
        if p.is_over:
            break
        if p.to_move != CHANCE:
            paths, boxes = click_paths(game, p.state, p.options())
            width, height = (float(each) for each in re.findall(r'viewBox="0 0 (\S+) (\S+)"', game.svg(p.state))[0])
            nodes: dict[Any, set[Any]] = {}
            for path in filter(None, paths.values()):
                for i, click in enumerate(path):
                    box = boxes[click]
                    assert 0 <= box.x < box.x + box.width <= width + 0.01, (name, p.position, box)
                    assert 0 <= box.y < box.y + box.height <= height + 0.01, (name, p.position, box)
                    nodes.setdefault(path[:i], set()).add(click)
                nodes.setdefault(path, set()).add(None)
            for below in nodes.values():
                clicks = [click for click in below if click is not None]
                assert not (clicks and None in below), (name, p.position)
                if game.diagram(p.state) is None:
                    assert_apart(clicks)
        options = p.options()
        p.play(options[rng.below(len(options))])


def assert_apart(boxes: list[Box]) -> None:
    """No two of them overlap."""
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart = a.x + a.width <= b.x + 0.01 or b.x + b.width <= a.x + 0.01
            assert apart or a.y + a.height <= b.y + 0.01 or b.y + b.height <= a.y + 0.01, (a, b)
