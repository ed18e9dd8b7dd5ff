"""One simulated cluster of two nodes for all tests here that need one: it takes 20 s to start."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def cluster():
    """Where a cluster is that runs as long as the tests."""
    pytest.importorskip("ray")
    from counterplay.scale.cluster import Cluster

    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), before])  # its workers find workshops.py
    made = Cluster("local:2x1")
    os.environ["PYTHONPATH"] = before
    yield made
    made.close()
