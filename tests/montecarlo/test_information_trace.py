"""Recorded simulations over information sets: sums by what each player knows, deals that the root considers possible."""

import math

import pytest

from counterplay import CounterplayError, load
from counterplay.hidden.trace import history_of
from counterplay.montecarlo.trace import read_simulations, replay
from counterplay.players.specs import player

GAME = load("kuhn-poker")


def recorded(simulations=40, moves="J Q", limit=10_000):
    p = GAME.start(moves)
    return p, player(f"ismcts:simulations={simulations}").record(p, limit, game="kuhn-poker")


def test_every_choice_is_the_rule_s():
    p, trace = recorded()
    assert (len(trace.steps), trace.complete) == (40, True)
    tried, possible, gains = {}, {}, {}
    for step in trace.steps:
        deal = GAME.start(position=step["deal"])
        assert GAME.information(deal.state, 0) == GAME.information(p.state, 0)  # one that the player considers possible
        for text in step["line"]:
            deal.play(text)
        assert list(deal.returns) == step["backed_up"]
        keys = []
        for choice in step["choices"]:
            sums = {}
            for each in choice["sums"]:
                key = choice["player"], choice["knows"], each["action"]
                possible[key] = possible.get(key, 0) + 1
                if each["state"] == "untried":
                    assert key not in tried
                    continue
                mean, bonus = gains[key] / tried[key], 0.7 * math.sqrt(math.log(possible[key]) / tried[key])
                assert (each["mean"], each["bonus"]) == (pytest.approx(mean), pytest.approx(bonus))
                sums[each["action"]] = mean + bonus
            if len(sums) == len(choice["sums"]):
                assert sums[choice["took"]] == pytest.approx(max(sums.values()))
            keys.append((choice["player"], choice["knows"], choice["took"]))
        for who, *rest in keys:
            tried[who, *rest] = tried.get((who, *rest), 0) + 1
            gains[who, *rest] = gains.get((who, *rest), 0.0) + (step["backed_up"][who] + 2) / 4
    *_, last = replay(trace)
    assert last[0].visits == 40


def test_the_steps_are_told_and_the_file_is_read_again(tmp_path):
    _, trace = recorded(12)
    said = [step.words for step in history_of(trace).steps]
    assert all(words.endswith(".") for words in said)
    assert sum(words.startswith("Deal: ") for words in said) == 12
    assert any(words.startswith("Expand: player 2, who knows ") for words in said)
    assert any(words.startswith("Select: player 1, who knows ") and ", highest (then " in words for words in said)
    file = tmp_path / "trace.json"
    file.write_text(trace.text())
    assert read_simulations(file) == trace
    assert not recorded(12, limit=20)[1].complete
    with pytest.raises(CounterplayError, match="needs a number of simulations"):
        player("ismcts:time=1").record(GAME.start("J Q"), 10, game="kuhn-poker")
