"""kill -9 of a worker, of a node and of the process that owns the file; a node that joins late."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from counterplay.arena.store import Store
from counterplay.scale.job import Job

pytestmark = pytest.mark.scale
PLAYERS = ("mcts:simulations=2000", "random")
GAMES = 40


def sleepy(seconds):
    return Job("the test", "workshops:sleepy", seconds)


def test_a_killed_worker_a_killed_node_and_a_late_one():
    from counterplay.scale.cluster import Cluster, simulated
    from counterplay.scale.ray_crew import RayCrew

    here = str(Path(__file__).parent)
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([here, before])
    made = simulated(2, 1)
    connection = None
    try:
        connection = Cluster(made.address)
        with RayCrew(sleepy(0.3), made.address) as crew:
            found = []
            for unit, pid in crew.map(itertools.count()):
                found.append(unit)
                if len(found) == 10:
                    os.kill(pid, signal.SIGKILL)
                if len(found) == 25:
                    made.remove_node(made.worker_nodes.copy().pop(), allow_graceful=False)
                if len(found) == 40:
                    made.add_node(num_cpus=1, object_store_memory=80 << 20)
                if len(found) >= 80 and (len(crew.nodes_used) == 3 or len(found) > 1000):
                    break
            assert found == list(range(len(found)))  # in order, each once
            assert len(crew.nodes_used) == 3  # the late one as well
    finally:
        os.environ["PYTHONPATH"] = before
        if connection is not None:
            connection.close()
        made.shutdown()


def games_in(file):
    if not file.exists():
        return 0
    try:
        store = Store.existing(file)
    except ValueError:
        return 0
    try:
        return len(store.done())
    finally:
        store.close()


def numbers_and_moves(file):
    store = Store.existing(file)
    try:
        return [(text.game, text.moves) for text, _ in store.texts_and_results()]
    finally:
        store.close()


def command(file, *how):
    options = ["--games", str(GAMES), "--seed", "3", "-o", str(file), *how]
    return [sys.executable, "-m", "counterplay", "match", "connect-four", *PLAYERS, *options]


def test_a_killed_driver_goes_on(tmp_path):
    file = tmp_path / "killed.db"
    with subprocess.Popen(command(file, "--cluster", "local:2x1"), stderr=subprocess.DEVNULL) as driver:
        deadline = time.monotonic() + 400
        while games_in(file) < 5 and time.monotonic() < deadline:
            time.sleep(0.2)
        os.kill(driver.pid, signal.SIGKILL)
    there = games_in(file)
    assert 5 <= there < GAMES
    again = subprocess.run(command(file, "--cluster", "local:2x1"), capture_output=True, text=True, timeout=600)
    assert again.returncode == 0, again.stderr
    assert "raylet" not in again.stderr  # Ray's logs stay in its files
    subprocess.run(command(tmp_path / "whole.db", "--workers", "1"), check=True, capture_output=True, timeout=600)
    found = numbers_and_moves(file)
    assert [number for number, _ in found] == list(range(GAMES))
    assert found == numbers_and_moves(tmp_path / "whole.db")


def test_the_object_store_holds_nothing_of_what_is_done(cluster):
    """Results of half a megabyte each, and something new to share now and then, far more than the store has room for."""
    from counterplay.scale.ray_crew import RayCrew

    most = 0
    with RayCrew(Job("the test", "workshops:bulky", 1 << 19), "local:2x1") as crew:
        for _ in range(8):
            shared = crew.share(bytes(8 << 20))
            for length in crew.map([shared] * 64):
                assert len(length) == 1 << 19
            shared.release()
            time.sleep(1)
            most = max(most, crew.cluster.store()[0])
        used, spilled = crew.cluster.store()
    assert spilled == 0
    assert most < 100 << 20  # 320 MB went through stores of 128 MB
    assert used < 40 << 20


def test_what_kills_its_process_each_time_is_named(cluster, capfd):
    from counterplay.core.errors import CounterplayError
    from counterplay.scale.ray_crew import RayCrew

    with (
        RayCrew(Job("the test", "workshops:deadly", None, "game"), "local:2x1") as crew,
        pytest.raises(CounterplayError, match=r"game 1 of the test killed its process 4 times .* account is in /"),
    ):
        list(crew.map([0]))
    assert capfd.readouterr() == ("", "")  # Ray's complaints stay in its files
