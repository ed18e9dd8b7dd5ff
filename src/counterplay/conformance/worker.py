"""A process that examines a game: `python -m counterplay.conformance.worker`.

It reads one line of JSON from stdin, what to examine, and answers in lines on stdout: {"begin": step}, {"finding":
...}, {"done": true} with the speed or the order of actions at the end, and meanwhile {"beats": ..., "compiling": ...}
as a sign of life. When stdin ends, because the parent is gone, so does the process. Rules that crash or never return
take down only this process.
"""

from __future__ import annotations

import base64
import json
import os
import pickle
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from counterplay.core.pulse import beats

INTERVAL = 0.25
"""Seconds between signs of life."""


def is_compiling() -> bool:
    """Whether a kernel is being compiled now, or the compiler is being loaded, which takes a while."""
    if "numba" not in sys.modules:
        return False
    entry, cache = (sys.modules.get(f"counterplay.core.native.{name}") for name in ("entry", "cache"))
    return not hasattr(entry, "call") or bool(cache is None or cache.is_compiling())


class Voice:
    """The answers, from several threads."""

    def __init__(self) -> None:
        self.answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # rules that print do not disturb
        self.lock = threading.Lock()

    def say(self, **value: Any) -> None:
        """Write a line."""
        with self.lock:
            self.answers.write(json.dumps(value) + "\n")
            self.answers.flush()

    def breathe(self) -> None:
        """Give signs of life, forever."""
        while True:
            self.say(beats=beats(), compiling=is_compiling())
            time.sleep(INTERVAL)


def listen() -> None:
    """End when the parent does."""
    sys.stdin.read()
    os._exit(0)


def main() -> None:
    """Examine the game, and report the findings."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and then ends this process
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, ValueError, OSError):
        pass  # not on every system
    voice = Voice()
    asked = json.loads(sys.stdin.readline())
    for work in (listen, voice.breathe):
        threading.Thread(target=work, daemon=True).start()
    sys.path[:] = asked["path"]
    if asked["file"]:
        from counterplay.core.registry import import_file

        import_file(Path(asked["file"]))
    game = pickle.loads(base64.b64decode(asked["game"]))
    from counterplay.conformance.examination import attempt, examine, speed
    from counterplay.conformance.sameness import order, require_order, require_same

    def same() -> str:
        require_same(game, asked["parts"])
        return "the game is the same in every process"

    def ordered() -> str:
        require_order(game, asked["order"])
        return "so is the order of its actions"

    told: dict[str, Any] = {}
    if not (finding := attempt("same", game, same)).ok:
        voice.say(finding=finding)
    elif asked["task"] == "speed":
        if not (finding := attempt("same", game, ordered)).ok:
            voice.say(finding=finding)
        voice.say(begin="speed")
        finding, told["rate"] = speed(game, asked["seed"])
        voice.say(finding=finding)
    else:
        fine = True
        for finding in examine(
            game, asked["playthroughs"], asked["seconds"], asked["seed"], lambda what: voice.say(begin=what)
        ):
            voice.say(finding=finding)
            fine = fine and finding.ok
        told["order"] = order(game) if fine else ""
    voice.say(done=True, **told)


if __name__ == "__main__":
    main()
