"""What a cluster cannot do is refused in one sentence with exit code 2; a game file travels with the job."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import counterplay

pytestmark = pytest.mark.scale
SOURCE = Path(counterplay.__file__).parent
OWN = '''
"""Take stones from a heap; whoever takes the last wins."""
from typing import NamedTuple
from counterplay import Game
from {} import MOST

class State(NamedTuple):
    left: int
    turn: int

class Stones(Game):
    """Take a few stones."""
    def initial(self): return State(9, 0)
    def to_move(self, s): return s.turn
    def actions(self, s, out):
        for n in range(1, min(MOST, s.left) + 1): out.append(n)
    def result(self, s, n): return State(s.left - n, 1 - s.turn)
    def is_terminal(self, s): return s.left == 0
    def utility(self, s, player): return 1.0 if player != s.turn else -1.0
'''
MANY = ("--games", "20000")
"""So many that the second node's worker starts before they are over."""
BEGIN = "; from counterplay.cli import run; run()"
ANOTHER_RAY = "import ray; ray.__version__ = '2.0.0'" + BEGIN
ALONE = (
    "import functools; from ray._private import services; services.find_gcs_addresses = functools.cache(set)" + BEGIN
)


def match(*how, game="tic-tac-toe", python=("-m", "counterplay"), before=(), **more):
    command = [*before, sys.executable, *python, "match", game, "random", "random", "--games", "4", *how]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **more)


def assert_refused(done, of):
    assert done.returncode == 2, done.stderr
    assert of in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr  # nothing of Ray's


def test_no_ray_cluster_anywhere(tmp_path):
    nowhere = {**os.environ, "RAY_TMPDIR": str(tmp_path)}
    assert_refused(
        match("--cluster", "auto", env=nowhere, python=("-c", ALONE)), "error: no Ray cluster runs on this machine"
    )
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray/ray_current_cluster").write_text("127.0.0.1:9")  # what a cluster that is gone leaves behind
    assert_refused(
        match("--cluster", "auto", env=nowhere, python=("-c", ALONE)), "no Ray cluster answers at 127.0.0.1:9"
    )
    assert_refused(match("--cluster", "127.0.0.1:9"), "error: no Ray cluster answers at 127.0.0.1:9")


def test_no_ray(tmp_path):
    (tmp_path / "ray.py").write_text("raise ImportError\n")
    without = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    assert_refused(match("--cluster", "auto", env=without), "pip install 'counterplay[scale]'")


def test_another_ray(cluster):
    done = match("--cluster", cluster.own.address, python=("-c", ANOTHER_RAY))
    assert_refused(done, "error: the cluster has a different Ray or Python than this machine")
    assert "2.0.0" in done.stderr


def test_too_few_cores_for_the_plan(cluster):
    done = match("--cluster", cluster.own.address, "--workers", "3")
    assert_refused(done, "error: the cluster has 2 cores, and --workers asks for 3: add nodes, or ask for fewer")


@pytest.fixture
def small_disk(tmp_path):
    """A full disk, where one may be mounted."""
    folder = tmp_path / "full"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk_of_the_driver(cluster, small_disk):
    done = match("--cluster", cluster.own.address, "--games", "2000", "-o", str(small_disk / "games.db"))
    assert done.returncode == 2
    assert "full" in done.stderr
    assert "Traceback" not in done.stderr
    assert "ray" not in done.stderr


def test_a_game_file_travels_to_where_it_is_not(cluster, tmp_path):
    """The nodes cannot see the folder of the game: it is on a disk that only the command has mounted."""
    folder = tmp_path / "games"
    folder.mkdir()
    mount = f"mount -t tmpfs none {folder} && cp {tmp_path}/*.py {folder}"
    if subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    (tmp_path / "heap_beside.py").write_text("MOST = 3\n")
    (tmp_path / "own_stones.py").write_text(OWN.format("heap_beside"))
    done = match(
        "--cluster", cluster.own.address, game=f"{folder}/own_stones.py",
        before=("unshare", "-m", "sh", "-c", f'{mount} && "$0" "$@"'),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not list(folder.iterdir())
    assert "4 games" in done.stdout


def test_a_node_with_another_release_or_other_rules_is_refused(tmp_path):
    """A cluster of two nodes, the second with a changed copy of the package, and a changed module that a game imports."""
    from counterplay.scale.cluster import simulated

    for node, most in (("one", 3), ("two", 4)):
        (tmp_path / node).mkdir()
        (tmp_path / node / "stones_apart.py").write_text(f"MOST = {most}\n")
    shutil.copytree(SOURCE, tmp_path / "changed/counterplay", ignore=shutil.ignore_patterns("*.pyc"))
    with (tmp_path / "changed/counterplay/__init__.py").open("a") as file:
        file.write("# another\n")
    (tmp_path / "apart.py").write_text(OWN.format("stones_apart"))
    before = os.environ.get("PYTHONPATH", "")
    path = {node: os.pathsep.join([str(tmp_path / node), before]) for node in ("one", "two", "changed")}
    made = None
    try:
        os.environ["PYTHONPATH"] = path["one"]
        made = simulated(1, 1)
        os.environ["PYTHONPATH"] = path["two"]
        other = made.add_node(num_cpus=1, object_store_memory=80 << 20)
        here = {**os.environ, "PYTHONPATH": path["one"]}
        done = match("--cluster", made.address, *MANY, game=str(tmp_path / "apart.py"), env=here)
        assert_refused(done, "has different rules on")
        made.remove_node(other)
        os.environ["PYTHONPATH"] = path["changed"]
        made.add_node(num_cpus=1, object_store_memory=80 << 20)
        done = match("--cluster", made.address, *MANY, env=here)
        assert_refused(done, ": install the same on all nodes")
        assert f"has Counterplay {counterplay.__version__} (sources " in done.stderr
    finally:
        os.environ["PYTHONPATH"] = before
        if made is not None:
            made.shutdown()


def test_a_second_cluster_in_one_process(cluster):
    from counterplay.scale.cluster import Cluster

    with pytest.raises(counterplay.CounterplayError, match="this process has joined the Ray cluster at "):
        Cluster("127.0.0.1:1")
    port = cluster.own.address.rpartition(":")[2]
    for same in (cluster.own.address, f"localhost:{port}", "auto"):
        Cluster(same).close()
