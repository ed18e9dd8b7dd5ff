"""Fuzzed input for everything that reads: a little in every run, much of it in `make test-trust`.

Every input has a number and a seed (TRUST_SEED sets another one), and a failure reports both, with the shrunk input;
`python tests/trust/fuzz.py KIND --seed S --first NUMBER --inputs 1` tries it again.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SEED = os.environ.get("TRUST_SEED", "1")
MANY = {"commands": 8000, "positions": 15000, "files": 6000, "gtp": 1800, "uci": 1500, "usi": 1500}
"""This many inputs; of the last three, conversations of some twenty lines."""


def fuzz(*arguments):
    """Run a hunt; what it prints goes into the report of a failure."""
    script = str(Path(__file__).with_name("fuzz.py"))
    done = subprocess.run([sys.executable, script, *arguments, "--seed", SEED], capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_little_garbage():
    fuzz("commands", "positions", "files", "gtp", "--inputs", "40")


@pytest.mark.trust
@pytest.mark.parametrize("kind", MANY)
def test_much_garbage(kind):
    fuzz(kind, "--inputs", str(MANY[kind]))
