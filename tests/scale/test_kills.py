"""kill -9 of a worker, of an actor in mid-game, of a node and of the driver; a node that joins late, and one that hangs."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from counterplay.arena.store import Store
from counterplay.scale.job import Job

pytestmark = pytest.mark.scale
PLAYERS = ("mcts:simulations=50000", "random")
GAMES = 40


def sleepy(seconds):
    return Job("the test", "workshops:sleepy", seconds)


def children(pid):
    """The processes that another one has started, and all of theirs."""
    found = [int(each) for file in Path(f"/proc/{pid}/task").glob("*/children") for each in file.read_text().split()]
    return [each for child in found for each in (child, *children(child))]


def freeze(node):
    """Let a node hang, with all its processes."""
    raylet = node.all_processes["raylet"][0].process.pid
    for pid in (raylet, *children(raylet)):
        os.kill(pid, signal.SIGSTOP)


def test_a_killed_worker_a_killed_node_a_late_one_and_one_that_hangs(apart):
    from counterplay.scale.cluster import Cluster, simulated
    from counterplay.scale.ray_crew import RayCrew

    here = str(Path(__file__).parent)
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([here, before])
    made = simulated(2, 1)
    connection = None
    try:
        connection = Cluster(made.address)
        with RayCrew(sleepy(0.3), made.address, patience=2.0) as crew:
            found, removed, frozen = [], 0, 0
            for unit, pid in crew.map(itertools.count()):
                found.append(unit)
                number, used = len(found), len(crew.nodes_used)
                if number == 10:
                    os.kill(pid, signal.SIGKILL)
                if not removed and number >= 25 and used == 2:  # a busy machine starts the second one's worker late
                    removed = number
                    made.remove_node(made.worker_nodes.copy().pop(), allow_graceful=False)
                if removed and number == removed + 15:
                    late = made.add_node(num_cpus=1, object_store_memory=80 << 20)
                if not frozen and used == 3 and number >= removed + 55:
                    frozen = number
                    freeze(late)
                if number > (frozen + 60 if frozen else 1000):
                    break
            assert found == list(range(len(found)))  # in order, each once
            assert len(crew.nodes_used) == 3, (removed, frozen, crew.cluster.nodes, crew.size)  # the late one as well
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
        while games_in(file) < 5 and driver.poll() is None and time.monotonic() < deadline:
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


SETTINGS = "simulations=32 slots=16 width=8 blocks=1 positions=900 window=2000 batch=32 gate=0 lanes=2"
TRAINING = [
    *("train", "tic-tac-toe", "--method", "alphazero", "--games", "1500", "--seed", "3"),
    *(word for setting in SETTINGS.split() for word in ("--set", setting)),
]


def trained(folder, *how, disturb=None):
    """All numbers that training ends with, even if it is disturbed."""
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(
        [sys.executable, "-m", "counterplay", *TRAINING, "-o", str(folder), *how], **options
    ) as driver:
        if disturb is not None:
            disturb(driver, folder)
        errors = driver.communicate(timeout=400)[1]
    if driver.returncode == -signal.SIGKILL:
        return None
    assert driver.returncode == 0, errors
    return {name: part.tolist() for name, part in np.load(folder / "checkpoint.npz").items() if name != "head"}


def generations(folder):
    file = folder / "metrics.jsonl"
    return len(file.read_text().splitlines()) if file.exists() else 0


def actors():
    """The processes in which Ray plays."""
    told = ((int(file.parent.name), file) for file in Path("/proc").glob("[0-9]*/cmdline"))
    return [pid for pid, file in told if b"ray::work_on" in read(file)]


def read(file):
    try:
        return file.read_bytes()
    except OSError:
        return b""  # it has just ended


def test_actors_killed_in_mid_game_and_a_killed_driver_change_nothing(tmp_path, cluster):
    killed = []

    def kill_actors(driver, folder):
        while driver.poll() is None and len(killed) < 4:
            if generations(folder) > len(killed) and (playing := actors()):
                os.kill(playing[0], signal.SIGKILL)
                killed.append(playing[0])
            time.sleep(0.1)

    def kill_driver(driver, folder):
        while driver.poll() is None and generations(folder) < 3:
            time.sleep(0.05)
        os.kill(driver.pid, signal.SIGKILL)

    there = ("--cluster", cluster.own.address)
    alone = trained(tmp_path / "alone")
    assert trained(tmp_path / "actors", *there, disturb=kill_actors) == alone
    assert len(killed) == 4
    assert trained(tmp_path / "driver", *there, disturb=kill_driver) is None
    assert trained(tmp_path / "driver", *there) == alone


def test_the_object_store_holds_nothing_of_what_is_done(cluster):
    """Results of half a megabyte each, and new shared values now and then: far more in total than the store can
    hold.
    """
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
        pytest.raises(CounterplayError, match=r"game 1 of the test killed its process 4 times .*; Ray's log is in /"),
    ):
        list(crew.map([0]))
    assert capfd.readouterr() == ("", "")  # Ray's complaints stay in its files
