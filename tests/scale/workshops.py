"""Workshops for tests: what units do there."""

from __future__ import annotations

import os
import time
from pathlib import Path


def squares(shared):
    return lambda unit: unit * unit


def fragile(folder):
    """Each unit notes that it was worked on; every third kills its process the first time."""

    def work(unit):
        first = not (Path(folder) / f"{unit}").exists()
        (Path(folder) / f"{unit}").touch()
        if first and unit % 3 == 0:
            os._exit(1)
        return unit, os.getpid()

    return work


def sleepy(seconds):
    def work(unit):
        time.sleep(seconds)
        return unit, os.getpid()

    return work


def sleepier_once(folder):
    """The unit 3 hangs the first time that somebody works on it."""

    def work(unit):
        mark = Path(folder) / "hung"
        if unit == 3 and not mark.exists():
            mark.touch()
            time.sleep(600)
        return unit

    return work


def bulky(size):
    def work(unit):
        return bytes(size) if len(unit.get()) else b""

    return work


def deadly(shared):
    def work(unit):
        os._exit(1)

    return work
