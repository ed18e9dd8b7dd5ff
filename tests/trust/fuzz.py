"""`python tests/trust/fuzz.py KIND... --seed N --inputs N`: hunts in a separate process, which only forks."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from trust.fuzzing import hunt

PLAIN = {
    "commands": ("trust.commands", "CommandLines"),
    "positions": ("trust.texts", "Positions"),
    "files": ("trust.files", "Files"),
    "gtp": ("trust.protocols", "Gtp"),
}
"""Fuzzers of what runs as plain Python here, so that no game has to be compiled first."""
COMPILED = {"uci": ("trust.protocols", "Uci"), "usi": ("trust.protocols", "Usi")}


def run() -> int:
    """Fuzz, and report."""
    reader = argparse.ArgumentParser()
    reader.add_argument("kinds", nargs="+", choices=(*PLAIN, *COMPILED))
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--inputs", type=int, default=1000)
    reader.add_argument("--first", type=int, default=0, help="the number of the first input")
    asked = reader.parse_args()
    if set(asked.kinds) & set(PLAIN):
        os.environ["NUMBA_DISABLE_JIT"] = "1"
    failed = False
    for kind in asked.kinds:
        module, name = (PLAIN | COMPILED)[kind]
        report = hunt(kind, getattr(importlib.import_module(module), name)(), asked.seed, asked.inputs, asked.first)
        print(report, flush=True)
        failed = failed or bool(report.failures)
    return int(failed)


if __name__ == "__main__":
    sys.exit(run())
