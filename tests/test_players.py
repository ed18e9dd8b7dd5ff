"""Players: what their specs mean, what they choose, what they refuse."""

import pytest

import counterplay as cp
from counterplay import CounterplayError, load
from counterplay.core.errors import Unsuitable
from counterplay.players import alpha_beta
from counterplay.players.clock import Clock, thinking_time
from counterplay.players.specs import PLAYERS, best, player
from counterplay.search.engine import decide, iterative_deepening
from counterplay.search.engine.techniques import SOUND, Technique, default_for


@pytest.mark.parametrize(
    "spec, whole",
    [
        ("random", "random"),
        ("random:seed=3", "random:seed=3"),
        ("random:3", "random:seed=3"),
        (" alphabeta ", "alphabeta:time=1"),
        ("alphabeta:depth=6", "alphabeta:depth=6"),
        ("alphabeta: depth = 6 ", "alphabeta:depth=6"),
        ("alphabeta:time=0.25", "alphabeta:time=0.25"),
        ("alphabeta:time=1,table=256,null_move=off", "alphabeta:time=1,table=256,null_move=off"),
        ("alphabeta:6,table=off,beam=off,threads=1", "alphabeta:depth=6,table=off"),
        ("alphabeta:depth=6,table=0,secondary=2", "alphabeta:depth=6,table=off,secondary=2"),
        ("alphabeta:depth=6,techniques=none,table=no", "alphabeta:depth=6,techniques=none"),
        ("alphabeta:depth=6,techniques=none,table=64", "alphabeta:depth=6,table=64,techniques=none"),
        ("alphabeta:nodes=5000,techniques=usual,pvs=on", "alphabeta:nodes=5000,pvs=on"),
        ("greedy", "greedy"),
        ("greedy:evaluation=mine.npz", "greedy:evaluation=mine.npz"),
        ("minimax:evaluation=mine.npz", "minimax:depth=4,evaluation=mine.npz"),
        ("maxn:depth=2,evaluation=mine.npz", "maxn:depth=2,evaluation=mine.npz"),
        ("minimax", "minimax:depth=4"),
        ("minimax:3", "minimax:depth=3"),
        ("negamax:depth=2", "negamax:depth=2"),
        ("plain-alphabeta:depth=5", "plain-alphabeta:depth=5"),
        ("expectiminimax", "expectiminimax:time=1"),
        ("expectiminimax:3,prune=star1", "expectiminimax:depth=3,prune=star1"),
        ("expectiminimax:depth=3,prune=star2,samples=8", "expectiminimax:depth=3,samples=8"),
        ("expectiminimax:nodes=500,table=off,seed=4", "expectiminimax:nodes=500,table=off"),
        ("maxn:depth=5", "maxn:depth=5"),
        ("maxn:depth=5,prune=off", "maxn:depth=5,prune=off"),
        ("paranoid:depth=4,time=2,table=1", "paranoid:depth=4,time=2,table=1"),
        ("bestreply:time=0.5,prune=on", "bestreply:time=0.5"),
        ("mcts", "mcts:time=1"),
        ("mcts:0.5", "mcts:time=0.5"),
        ("mcts:simulations=10000,c=1.2,rollout=eps", "mcts:simulations=10000,c=1.2,rollout=eps"),
        ("mcts:simulations=5,fpu=off,solver=on,memory=256", "mcts:simulations=5"),
        ("mcts:simulations=5,fpu=0,solver=off,final=value", "mcts:simulations=5,fpu=0,final=value,solver=off"),
        ("flat", "flat:time=1"),
        ("flat:playouts=200", "flat:playouts=200"),
        ("flat:200,seed=3", "flat:playouts=200,seed=3"),
        ("human", "human"),
    ],
)
def test_a_spec_makes_a_player_whose_repr_makes_it_again(spec, whole):
    made = player(spec)
    assert made.spec == whole
    assert repr(eval(repr(made))) == repr(made)


@pytest.mark.parametrize(
    "spec, why",
    [
        ("alphbeta", "did you mean alphabeta"),
        ("deep=3", "a player's name comes before its options, as in alphabeta:depth=3"),
        ("stockfish", "there are ajedrecista, alphabeta, .*random"),
        ("", "there are"),
        ("random:sed=3", "did you mean seed"),
        ("random:depth=3", "random has no option 'depth'; it takes seed"),
        ("random:1,2", "no option for '2'"),
        ("random:seed=1,seed=2", "given twice"),
        ("human:5", "it takes no options"),
        ("alphabeta:depth=x", "depth='x' must be a whole number"),
        ("alphabeta:depth=2.5", "must be a whole number"),
        ("alphabeta:time=soon", "time='soon' must be a number"),
        ("alphabeta:depth=0", "1 to 512 plies"),
        ("alphabeta:depth=1000000", "1 to 512 plies"),
        ("alphabeta:time=0", "more than 0"),
        ("alphabeta:time=nan", "more than 0"),
        ("alphabeta:time=inf", "more than 0"),
        ("alphabeta:nodes=0", "a limit of 1 to"),
        ("alphabeta:null_move=perhaps", "must be on or off"),
        ("alphabeta:null_mov=on", "did you mean null_move"),
        ("alphabeta:deep=3", "did you mean depth"),
        ("alphabeta:deep=on", "did you mean deeper"),
        ("mcts:sims=10", "did you mean simulations"),
        ("alphabeta:seconds=1", "did you mean time"),
        ("alphabeta:hash=64", "did you mean table"),
        ("mcts:xyz=10", "it takes time, simulations"),
        ("alphabeta:table=x", "table='x' must be a number or off"),
        ("alphabeta:table=-1", "table=-1 must be from 0 to 65536 MB, or off"),
        ("alphabeta:table=inf", "table=inf must be from 0"),
        ("alphabeta:table=nan", "table=nan must be from 0"),
        ("alphabeta:threads=0", "threads=0 must be from 1 to 256"),
        ("alphabeta:beam=-2", "beam=-2 must be from 0"),
        ("alphabeta:chip=-1", "chip=-1 must be from 0"),
        ("alphabeta:beam=2.5", "beam='2.5' must be a whole number or off"),
        ("alphabeta:secondary=1000", "secondary=1000 must be from 0 to 512 plies"),
        ("alphabeta:techniques=all", "techniques='all' must be usual, sound or none"),
        ("greedy:depth=2", "greedy has no option 'depth'; it takes evaluation"),
        ("alphabeta:evaluation=", "no model is named"),
        ("greedy:evaluation=", "no model is named"),
        ("maxn:evaluation= ,depth=2", "no model is named"),
        ("net:model=", "no model is named"),
        ("minimax:depth=0", "1 to 512 plies"),
        ("minimax:time=1", "minimax has no option 'time'; it takes depth"),
        ("negamax:depth=off", "depth='off' must be a whole number"),
        ("expectiminimax:prune=star3", "prune='star3' must be none, star1 or star2"),
        ("expectiminimax:samples=-1", "samples=-1 must be from 1"),
        ("expectiminimax:table=-1", "table=-1 must be a number of MB"),
        ("maxn:depth=0", "1 to 512"),
        ("maxn:prune=star2", "must be on or off"),
        ("paranoid:time=0", "more than 0"),
        ("bestreply:nodes=0", "a limit of 1 to"),
        ("mcts:simulations=0", "at least 1 simulation"),
        ("mcts:time=0", "more than 0"),
        ("mcts:c=-1", "mcts: c=-1 must be from 0"),
        ("mcts:c=nan", "mcts: c=nan must be from 0"),
        ("mcts:mix=2", "mcts: mix=2 must be from 0 to 1"),
        ("mcts:rollout=clever", "rollout='clever' must be own, uniform, eps or odds"),
        ("mcts:final=luck", "must be visits or value"),
        ("mcts:memory=0", "memory=0 must be more than 0"),
        ("mcts:threads=0", "threads=0 must be from 1"),
        ("mcts:depth=3", "mcts has no option 'depth'"),
        ("flat:playouts=0", "at least 1 playout"),
        ("flat:c=1", "flat has no option 'c'"),
    ],
)
def test_a_wrong_spec_is_one_sentence_that_names_what_there_is(spec, why):
    with pytest.raises(CounterplayError, match=why) as raised:
        player(spec)
    assert "\n" not in str(raised.value)


def test_a_budget_replaces_the_one_in_the_spec():
    assert player("alphabeta:time=5", budget={"depth": 2}).spec == "alphabeta:depth=2"
    assert player("alphabeta:depth=9", budget={"time": 0.5}).spec == "alphabeta:time=0.5"
    assert player("alphabeta:depth=9,time=3,pvs=off", budget={"nodes": 10}).spec == "alphabeta:nodes=10,pvs=off"
    with pytest.raises(CounterplayError, match="random has no option 'depth'"):
        player("random", budget={"depth": 2})


def test_a_seed_is_for_players_whose_spec_names_none():
    assert player("random", seed=7).spec == "random:seed=7"
    assert player("random:seed=2", seed=7).spec == "random:seed=2"
    assert player("alphabeta:depth=2", seed=7).spec == "alphabeta:depth=2"


def choices(spec, count=40):
    p, chooser = load("othello").start(), player(spec)
    for _ in range(count):
        p.play(chooser.choose(p).action)
    return p.moves


def test_the_random_player_plays_legally_by_its_seed():
    assert choices("random:seed=1") == choices("random:seed=1")
    assert choices("random:seed=1") != choices("random:seed=2")
    p, chooser = load("tic-tac-toe").start(), player("random")
    assert {chooser.choose(p).action for _ in range(200)} == set(range(9))


SEARCHERS = ["alphabeta:depth=3", "minimax:depth=3", "negamax:depth=3", "plain-alphabeta:depth=3", "greedy"]


@pytest.mark.parametrize("spec", SEARCHERS)
@pytest.mark.parametrize("moves, win", [("1 1 2 2 3 3", "4"), ("1 7 2 7 1 7 2", "7")])
def test_every_rung_takes_a_win(spec, moves, win):
    p = load("connect-four").start(moves)
    found = player(spec).choose(p)
    assert found.value == 1
    assert p.game.action_text(p.state, found.action) == win
    assert found.line[0] == found.action


def test_greedy_sees_one_ply_and_minimax_more():
    p = load("tree:[[-5,-7],3,[9]]").start()
    assert player("greedy").choose(p).action == 1
    assert player("minimax:depth=2").choose(p).action == 2


def test_what_is_switched_is_switched():
    game = load("hex:5")
    usual = default_for(game)
    assert player("alphabeta").techniques(game) == usual
    assert player("alphabeta:null_move=off").techniques(game) == usual & ~Technique.NULL_MOVE
    assert player("alphabeta:techniques=none").techniques(game) == Technique(0)
    assert player("alphabeta:techniques=none,mtdf=on,table=1").techniques(game) == Technique.MTDF | Technique.TABLE
    assert player("alphabeta:techniques=sound").techniques(game) == usual & SOUND
    assert player("alphabeta:table=off").techniques(game) == usual & ~Technique.TABLE


def test_a_player_does_not_take_one_game_for_another():
    """Two trees of one shape share their compiled code, but not what a table knows about them."""
    chooser = player("alphabeta:depth=3")
    for tree, value in (
        ("[[[3],[12]],[[2],[14]]]", 3),
        ("[[[14],[12]],[[2],[3]]]", 12),
        ("[[[2],[3]],[[14],[12]]]", 12),
    ):
        assert chooser.choose(load(f"tree:{tree}").start()).value == value


def test_a_search_reports_each_depth():
    p, heard = load("connect-four").start(), []
    found = player("alphabeta:depth=5").choose(p, heard.append)
    assert [each.depth for each in heard] == [1, 2, 3, 4, 5]
    assert (heard[-1].action, heard[-1].value) == (found.action, found.value)


LONGER = [pytest.param(spec, marks=pytest.mark.slow) for spec in ("connect-four:5,4", "othello:4", "nim", "hex:3")]


@pytest.mark.parametrize("spec", ["tic-tac-toe", *LONGER])
def test_every_action_is_ranked_by_its_true_value(spec):
    p = load(spec).start()
    for _ in range(3):
        p.play(p.options()[0])
    expected = player("minimax:depth=4").rank(p)
    found = player("alphabeta:depth=4,techniques=sound,table=1").rank(p)
    assert (found.value, found.action) == (found.options[0].value, found.options[0].action)
    assert {each.action: (each.value, each.plies) for each in found.options} == {
        each.action: (each.value, each.plies) for each in expected.options
    }
    values = [each.value for each in found.options]
    assert values == sorted(values, reverse=True)
    assert found.value == player("alphabeta:depth=4,techniques=sound").choose(p).value


def test_ranking_prefers_the_sooner_win_and_the_later_loss():
    p = load("tree:[[[1]],1,[-1],[[[-1]]],0]").start()
    found = player("alphabeta:depth=9").rank(p)
    assert [each.action for each in found.options] == [1, 0, 4, 3, 2]
    assert [each.plies for each in found.options] == [1, 3, None, 4, 2]
    assert found.proven


def test_ranking_keeps_to_a_budget():
    p = load("othello").start()
    chooser = player("alphabeta:time=0.2")
    chooser.prepare(p)
    found = chooser.rank(p)
    assert 0.1 < found.seconds < 5
    assert len(found.options) == 4
    assert player("alphabeta:nodes=2000").rank(p).nodes <= 2001


def test_players_without_opinions_rank_nothing():
    for spec in ("random", "plain-alphabeta"):
        with pytest.raises(Unsuitable, match="does not evaluate every action; `alphabeta` does"):
            player(spec).rank(load("nim").start())


def test_choosing_leaves_the_playthrough_as_it_was():
    p = load("connect-four").start("4 4")
    player("alphabeta:depth=4").choose(p)
    player("random").choose(p)
    assert p.moves == ["4", "4"]


@pytest.mark.parametrize(
    "spec, suits",
    [
        ("pig", "expectiminimax"),
        ("kuhn-poker", "ismcts"),
        ("rock-paper-scissors", "ismcts"),
        ("prisoners-dilemma", "ismcts"),
        ("mnk:3,3,3,players=3", "maxn"),
    ],
)
@pytest.mark.parametrize("name", ["alphabeta", "minimax", "negamax", "plain-alphabeta", "greedy"])
def test_searchers_refuse_games_that_they_do_not_suit(name, spec, suits):
    with pytest.raises(Unsuitable, match=f"^{name} .*{suits}"):
        player(name).require(load(spec))
    with pytest.raises(Unsuitable, match=f"^{name} .*{suits}"):
        player(name).choose(load(spec).start(seed=1).roll())


def test_a_search_is_rehearsed_once_and_checks_the_game_once(monkeypatch):
    counted = []

    def count(module, name):
        function = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *args, **options: (counted.append(name), function(*args, **options))[1]
        )

    count(iterative_deepening, "rehearse")
    for module in (decide, alpha_beta):
        count(module, "require_suitable")
    assert cp.search("tic-tac-toe", "alphabeta:depth=2").depth == 2
    assert sorted(counted) == ["rehearse", "require_suitable"]


@pytest.mark.parametrize("name", ["expectiminimax", "maxn", "paranoid", "bestreply", "mcts", "flat"])
def test_with_chance_or_more_players_what_is_hidden_is_refused(name):
    for spec in ("kuhn-poker", "prisoners-dilemma"):
        with pytest.raises(Unsuitable, match=f"^{name} does not suit {spec}.*the player `ismcts` does"):
            player(name).require(load(spec))
        with pytest.raises(Unsuitable, match=f"^{name} does not suit {spec}.*the player `ismcts` does"):
            player(name).choose(load(spec).start(seed=1).roll())


@pytest.mark.parametrize("spec", ["expectiminimax:depth=3", "maxn:depth=3", "paranoid:depth=3", "bestreply:depth=3"])
def test_players_with_chance_choose_rank_and_report(spec):
    p, heard = load("pig:20").start("roll 4 roll 6 hold roll 5"), []
    found = player(spec).choose(p, heard.append)
    assert [each.depth for each in heard] == [1, 2, 3]
    assert (heard[-1].action, heard[-1].value) == (found.action, found.value)
    ranking = player(spec).rank(p).options
    assert {each.action for each in ranking} == set(p.options())
    assert ranking[0].value == pytest.approx(found.value)
    assert player(spec).rank(p).value == pytest.approx(player("expectiminimax:depth=3,prune=none").choose(p).value)


def test_a_seed_also_applies_to_samples():
    assert player("expectiminimax:depth=2,samples=3", seed=5).spec == "expectiminimax:depth=2,samples=3,seed=5"


@pytest.mark.parametrize(
    "spec, name",
    [
        *((spec, "alphabeta") for spec in ("connect-four", "othello:6", "hex:5", "nim", "tic-tac-toe")),
        ("othello", "alphabeta:evaluation=othello,cuts=othello"),
        ("pig", "expectiminimax"),
        ("pig:players=3", "maxn"),
        ("mnk:3,3,3,players=3", "maxn"),
        *((spec, "ismcts") for spec in ("kuhn-poker", "kuhn-poker:players=3", "goofspiel", "rock-paper-scissors")),
    ],
)
def test_the_best_player_searches(spec, name):
    assert best(load(spec)) == name


def test_the_best_player_takes_the_budget():
    assert best(load("kuhn-poker"), ["simulations"]) == best(load("kuhn-poker"), ["time"]) == "ismcts"
    assert best(load("kuhn-poker"), ["depth"]) == "determinize"
    assert best(load("kuhn-poker"), ["nodes"]) == "ismcts"  # no player takes it, and the strongest refuses


def test_there_is_nothing_to_choose_where_the_game_is_over_or_chance_moves():
    willing = set()
    for name in PLAYERS:
        spec = f"{name}:cat" if name in ("uci", "usi", "gtp", "xboard", "line", "policy", "net") else name
        spec = "http:http://localhost:9" if name == "http" else spec
        with pytest.raises(CounterplayError, match="the game is over"):
            player(spec).choose(load("connect-four").start("1 2 1 2 1 2 1"))
        sentence = "there is nothing to choose: chance moves, and its events are 1 2 3 4 5 6"
        try:
            player(spec).require(load("pig"))
            willing.add(name)
        except CounterplayError as wrong:
            sentence = str(wrong)  # a game that the player never plays is refused first
        with pytest.raises(CounterplayError) as refusal:
            player(spec).choose(load("pig").start("roll"))
        assert str(refusal.value) == sentence
    assert {"expectiminimax", "maxn", "mcts", "random", "line"} <= willing
    assert "alphabeta" not in willing


@pytest.mark.parametrize(
    "clock, limit, share",
    [
        (Clock(move=2.0), 2.0, 2.0),
        (Clock(left=(50.0, 1.0)), 50.0, 2.0),
        (Clock(left=(50.0, 1.0), increment=4.0), 50.0, 5.0),
        (Clock(left=(5.0, 1.0), increment=4.0), 5.0, 2.0),
        (Clock(move=1.0, left=(50.0, 1.0), increment=4.0), 1.0, 1.0),
    ],
)
def test_a_clock_says_how_much_time_there_is_and_how_much_to_spend(clock, limit, share):
    assert (clock.limit(0), clock.share(0)) == (pytest.approx(limit), pytest.approx(share))


def test_a_player_thinks_as_long_as_its_options_and_the_clock_allow():
    clock = Clock(move=0.5)
    assert thinking_time(0, None, None, 1.0) == 1.0
    assert thinking_time(0, None, 3.0, None) == 3.0
    assert thinking_time(0, None, None, None) is None
    assert thinking_time(0, clock, 3.0, None) == 0.5
    assert thinking_time(0, clock, 0.2, None) == 0.2
    assert thinking_time(0, Clock(move=5.0), None, 1.0) == 5.0


@pytest.mark.parametrize("spec", ["alphabeta", "alphabeta:time=60", "expectiminimax:depth=500"])
def test_a_clock_ends_a_search(spec):
    game = "hex:9" if spec.startswith("alphabeta") else "pig"
    found = player(spec).choose(load(game).start(), clock=Clock(left=(1.0, 1.0)))
    assert found.seconds < 30


def test_a_person_does_not_choose_without_a_board():
    with pytest.raises(CounterplayError, match="counterplay play"):
        player("human").choose(load("nim").start())
