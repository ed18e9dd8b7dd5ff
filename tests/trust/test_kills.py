"""kill -9 of every long job at random moments: the same command continues and gives the same result."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from trust.kills import JOBS

SEED = os.environ.get("TRUST_SEED", "1")
KILLS = 100


def killed(job, kills):
    """Disturb a job in a separate process, which only forks."""
    script = str(Path(__file__).with_name("kills.py"))
    command = [sys.executable, script, job, "--kills", str(kills), "--seed", SEED]
    done = subprocess.run(command, capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_export_that_is_killed_leaves_no_part_of_a_file():
    killed("export", 3)


@pytest.mark.trust
@pytest.mark.parametrize("job", JOBS)
def test_a_job_that_is_killed_again_and_again_comes_to_the_same(job):
    killed(job, KILLS)
