"""One simulated cluster of two nodes for all tests here that need one: it takes 20 s to start."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from counterplay import CounterplayError

BUSY = 3.0
"""With a higher load of each core, Ray's processes do not start in the time that Ray gives them."""


@pytest.fixture(scope="session")
def cluster():
    """The address of a cluster that runs as long as the tests."""
    pytest.importorskip("ray")
    from counterplay.scale.cluster import Cluster

    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), before])  # its workers find workshops.py
    try:
        made = Cluster("local:2x1")
    except CounterplayError as wrong:
        if os.getloadavg()[0] > BUSY * (os.cpu_count() or 1):
            pytest.skip(f"the machine is too busy to start a cluster: {wrong}")
        raise
    finally:
        os.environ["PYTHONPATH"] = before
    yield made
    made.close()


@pytest.fixture
def apart():
    """The shared cluster is left during a test that has its own: a process can be in one at a time."""
    ray = pytest.importorskip("ray")
    from counterplay.scale.cluster import Cluster

    address = ray.get_runtime_context().gcs_address if ray.is_initialized() else None
    ray.shutdown()
    yield
    if address is not None:
        Cluster(address)
