"""Running a search beside the main thread: deadlines, Ctrl-C, and rules that do not return."""

from __future__ import annotations

import threading
import time

import pytest

from counterplay.search import background as running
from counterplay.search.background import run


def stubborn(seconds):
    """A worker that ignores the stop flag for a number of seconds, and an event that is set when it has ended."""
    ended = threading.Event()

    def work():
        time.sleep(seconds)
        ended.set()

    return work, ended


def test_rules_that_do_not_come_back_are_told_of_once(capsys, monkeypatch):
    monkeypatch.setattr(running, "GRACE", 0.1)
    work, ended = stubborn(0.6)
    run([work], lambda: None, seconds=0.05)
    assert ended.is_set()
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "the game's rules have not returned for 0.1 seconds" in told


def test_a_search_that_stops_in_time_says_nothing(capsys):
    sign = threading.Event()
    run([sign.wait], sign.set, seconds=0.05)
    assert capsys.readouterr().err == ""


def test_control_c_does_not_wait_for_rules_that_never_come_back(monkeypatch):
    monkeypatch.setattr(running, "GRACE", 0.1)
    monkeypatch.setattr(running, "TICK", 0.02)
    work, ended = stubborn(1.5)
    stopped = threading.Event()

    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run([work], stopped.set, report=interrupt)
    assert stopped.is_set()
    assert not ended.is_set()
    ended.wait()


def test_where_there_is_no_room_for_all_threads_the_first_ones_search(monkeypatch):
    start, done = threading.Thread.start, []

    def scarce(thread):
        if thread.name != "search 0":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", scarce)
    run([lambda: done.append(0), lambda: done.append(1)], lambda: None)
    assert done == [0]
