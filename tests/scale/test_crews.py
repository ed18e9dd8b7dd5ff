"""Units of work in this process, in others and on a cluster: the same results, in order, each once."""

from __future__ import annotations

import os
import socketserver
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from counterplay import play_match
from counterplay.arena.store import Store
from counterplay.core.errors import CounterplayError
from counterplay.core.registry import load
from counterplay.games.kayles import Kayles
from counterplay.scale.crew import InOrder, crew_for, require_cluster
from counterplay.scale.job import Job, parcel, require_same_package

HERE = str(Path(__file__).parent)


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Workshops of tests can be imported here and by workers."""
    monkeypatch.syspath_prepend(HERE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([HERE, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]))


def job(name, shared=None):
    return Job("the test", f"workshops:{name}", shared)


def test_results_are_put_in_order():
    order = InOrder("abc")
    taken = [order.take(2), order.take(2), order.take(2)]
    assert taken == [(0, "a"), (1, "b"), None]
    assert list(order.put(1, "B")) == []
    assert list(order.put(0, "A")) == ["A", "B"]
    assert list(order.put(0, "again")) == []  # nothing twice
    assert order.take(2) == (2, "c")
    assert not order.is_over
    assert list(order.put(2, "C")) == ["C"]
    assert order.take(2) is None
    assert order.is_over


def test_a_pack_of_short_units_lasts_about_half_a_second():
    pytest.importorskip("ray")
    from counterplay.scale.ray_crew import LARGEST_PACK, Pace

    pace = Pace()
    assert pace.pack == 1
    pace.note(1, 5.0)  # compiles
    assert pace.pack == 1
    for _ in range(20):
        pace.note(pace.pack, 0.05 * pace.pack)
    assert 9 <= pace.pack <= 10
    pace.note(20, 40.0)  # they have become long
    assert pace.pack <= 1
    for _ in range(10):
        pace.note(1000, 0.001)
    assert pace.pack == LARGEST_PACK


@pytest.mark.parametrize("workers", [0, 2])
def test_a_crew_gives_results_in_order(workers):
    with crew_for(job("squares"), workers) as crew:
        assert list(crew.map(range(40))) == [i * i for i in range(40)]
        assert list(crew.map([7])) == [49]  # the same processes go on


def test_a_process_that_dies_is_replaced_and_its_unit_done_once_more(tmp_path):
    with crew_for(job("fragile", str(tmp_path)), 2) as crew:
        found = [unit for unit, _ in crew.map(range(7))]
    assert found == list(range(7))


def test_leaving_early_ends_all_processes():
    with crew_for(job("sleepy", 0.05), 2) as crew:
        stream = crew.map(range(10**9))
        next(stream)
        workers = list(crew.workers)
        stream.close()
        assert all(worker.process.poll() is not None for worker in workers)


@pytest.mark.parametrize("text", ["locla:x1", "local:2", "local:0x1", "somewhere", "host:port"])
def test_an_address_without_a_cluster_is_refused(text):
    with pytest.raises(CounterplayError, match=r"--cluster .*: write auto, the address"):
        require_cluster(text)


def test_no_cluster_at_the_address():
    pytest.importorskip("ray")
    with pytest.raises(CounterplayError, match=r"no Ray cluster answers at 127.0.0.1:9 "):
        crew_for(job("squares"), 0, "127.0.0.1:9")


def test_what_listens_but_is_not_ray_is_refused(capfd):
    pytest.importorskip("ray")
    with socketserver.TCPServer(("127.0.0.1", 0), socketserver.BaseRequestHandler) as other:  # hangs up at once
        threading.Thread(target=other.serve_forever, daemon=True).start()
        address = f"127.0.0.1:{other.server_address[1]}"
        try:
            with pytest.raises(
                CounterplayError, match=f"something listens at {address}, but not a working Ray cluster"
            ):
                crew_for(job("squares"), 0, address)
        finally:
            other.shutdown()
    assert capfd.readouterr() == ("", "")


def test_ray_missing_is_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(CounterplayError, match=r"pip install 'counterplay\[scale\]'"):
        crew_for(job("squares"), 0, "auto")


def test_nodes_start_from_any_thread():
    """Commands work in a thread, so that Ctrl-C is heard."""
    pytest.importorskip("ray")
    import ray._private.utils

    from counterplay.scale.cluster import unhandled_signals

    def start():
        with unhandled_signals():
            ray._private.utils.set_sigterm_handler(print)
        return True

    with ThreadPoolExecutor(1) as beside:
        assert beside.submit(start).result()


def test_another_release_is_refused():
    with pytest.raises(CounterplayError, match=r"and the job was started with 0\.0 \(sources abc\): install the same"):
        require_same_package(("0.0", "abc"))


def test_a_game_file_travels_with_its_modules(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    (home / "stones_beside.py").write_text("MOST = 3\n")
    source = (Path(__file__).parents[2] / "src/counterplay/games/kayles.py").read_text()
    (home / "own_kayles.py").write_text(source + "\nfrom stones_beside import MOST\n")
    spec = f"{home / 'own_kayles.py'}"
    sent = parcel(load(spec), spec)
    assert sorted(sent.files) == ["own_kayles.py", "stones_beside.py"]
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    elsewhere = sent._replace(spec=spec.replace("home", "nowhere"))
    assert not elsewhere.is_here()
    assert elsewhere.open().initial() == load(spec).initial()
    with pytest.raises(CounterplayError, match="has different rules on"):
        elsewhere._replace(mark="another").open()


def test_rules_have_the_same_mark_before_and_after_play(tmp_path):
    """Of a game whose state is not declared by @state as well: play declares it."""
    source = (Path(__file__).parents[2] / "src/counterplay/games/kayles.py").read_text()
    (tmp_path / "plain_kayles.py").write_text(source.replace("@state\n", ""))
    game = load(str(tmp_path / "plain_kayles.py"))
    sent = parcel(game)
    assert game.frozen
    assert parcel(game).mark == sent.mark


def test_a_game_that_no_file_has_stays_here():
    class Unfiled(Kayles):
        name = "unfiled"

    assert play_match(Unfiled(), "random", "random", games=2).games == 2
    with pytest.raises(CounterplayError, match="no node of a cluster can load unfiled, which this program defines"):
        play_match(Unfiled(), "random", "random", games=2, cluster="auto")


def games_of(file):
    store = Store.existing(file)
    try:
        return [(text.game, text.opening, text.moves, result.scores) for text, result in store.texts_and_results()]
    finally:
        store.close()


PLAYERS = ("mcts:simulations=20", "random")


def test_a_small_cluster(tmp_path, cluster):
    """The only cluster test in the usual run, since a cluster takes 20 s to start: the same games as here and in
    processes, each once even if workers die."""
    found = []
    for name, how in (("a", {"workers": 0}), ("b", {"workers": 2}), ("c", {"cluster": "local:2x1"})):
        play_match("tic-tac-toe", *PLAYERS, games=12, seed=5, output=tmp_path / name, **how)
        found.append(games_of(tmp_path / name))
    assert len(found[0]) == 12
    assert found[0] == found[1] == found[2]
    with crew_for(job("fragile", str(tmp_path)), 0, "local:2x1") as crew:
        assert [unit for unit, _ in crew.map(range(4))] == list(range(4))
    assert subprocess.run([sys.executable, "-c", "raise SystemExit(3)"]).returncode == 3  # not Ray
    with crew_for(job("squares"), 0, "local:2x1") as crew:
        packs, submit = [], crew._submit
        crew._submit = lambda pack, **how: packs.append(len(pack.units)) or submit(pack, **how)
        assert list(crew.map(range(400))) == [i * i for i in range(400)]
        assert packs[:4] == [1, 1, 1, 1]  # until it is known how long a unit takes
        assert len(packs) < 20
        packs.clear()
        assert list(crew.map(range(6))) == [i * i for i in range(6)]
        assert packs == [2, 2, 1, 1]  # short as they are, both cores have a share


@pytest.mark.scale
def test_a_test_stops_the_fleet_at_the_same_game(tmp_path, cluster):
    found = []
    for name, how in (("a", {"workers": 0}), ("b", {"cluster": "local:2x1"})):
        play_match("tic-tac-toe", *PLAYERS, sprt="0,400", seed=5, output=tmp_path / name, **how)
        found.append(games_of(tmp_path / name))
    assert 4 <= len(found[0]) < 1000
    assert found[0] == found[1]


@pytest.mark.scale
def test_a_cluster_retries_and_gives_up_on_what_hangs(tmp_path, cluster):
    from counterplay.scale.ray_crew import RayCrew

    with RayCrew(job("fragile", str(tmp_path)), "local:2x1") as crew:
        found = list(crew.map(range(7)))
    assert [unit for unit, _ in found] == list(range(7))
    began = time.monotonic()
    with RayCrew(job("sleepier_once", str(tmp_path)), "local:2x1", patience=1.0) as crew:
        assert list(crew.map(range(6))) == list(range(6))
    assert time.monotonic() - began < 60


@pytest.mark.scale
def test_too_few_cores(cluster, monkeypatch):
    with pytest.raises(CounterplayError, match="the cluster has 2 cores, and --workers asks for 5: add nodes"):
        crew_for(job("squares"), 5, "local:2x1")
    monkeypatch.setattr(type(cluster), "cores", 0)  # all nodes were started with --num-cpus 0
    with pytest.raises(CounterplayError, match="the cluster has no cores for tasks: add a node"):
        crew_for(job("squares"), 0, "local:2x1")
