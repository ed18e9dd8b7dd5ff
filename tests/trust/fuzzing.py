"""Fuzzing in forked processes: many inputs a second, a seed for each, every failure shrunk.

The parent imports what is tried and then only forks: a child tries a batch of inputs and says a line about each. So an
input that kills its process, hangs it or eats its memory is known by its number, and costs only that child. An input is a
list of parts (words, lines, edits), so that all are shrunk the same way.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

BATCH = 250
"""Inputs that a child tries before another one takes over, so that nothing piles up."""
PATIENCE = 30.0
"""Seconds that an input may take after it was interrupted."""
GROWTH = 1 << 30
"""Bytes that one input may add to a process."""
SETTLED = 20
"""Inputs after which a process should grow no more."""
SPACE = 16 << 30
"""Bytes of addresses that a child may use, so that a fuzzer finds what the machine must not."""
DISTINCT = 20
"""This many different failures are enough."""
ATTEMPTS = 150
"""This many smaller inputs are tried to shrink one."""


class Fuzzer(Protocol):
    """What is tried. `limit`: seconds after which an input is interrupted as by Ctrl-C. With `counts_parts`, each part
    counts as an input: the lines of a conversation."""

    limit: float

    def make(self, rng: random.Random) -> list[Any]:
        """An input, as parts."""

    def attempt(self, parts: list[Any], said: Said) -> str:
        """What is wrong; empty if nothing is. The working directory is the child's own."""


@dataclass
class Failure:
    """An input that fails."""

    number: int
    parts: list[Any]
    why: str


@dataclass
class Report:
    """What a hunt found."""

    name: str
    seed: int
    inputs: int = 0
    seconds: float = 0.0
    cpu: float = 0.0
    interrupted: int = 0
    failures: list[Failure] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [
            f"{self.name}: {self.inputs:,} inputs in {self.seconds:.0f} s, {self.cpu:.0f} s of CPU time, seed {self.seed}, "
            f"{self.interrupted} interrupted, {len(self.failures)} failures"
        ]
        for failure in self.failures:
            lines.append(f"  input {failure.number} of seed {self.seed}: {failure.why}")
            lines.append(f"    shrunk: {json.dumps(failure.parts)}")
        return "\n".join(lines)


class Said(io.StringIO):
    """What was printed; behaves like a terminal's stream."""


EXAMPLES = json.loads(Path(__file__).with_name("examples.json").read_text())
"""Inputs that failed once, shrunk: fuzzer by fuzzer."""


def hunt(name: str, fuzzer: Fuzzer, seed: int, inputs: int, first: int = 0) -> Report:
    """Try the inputs that failed before, and this many more."""
    report, began, spent, at = Report(name, seed), time.monotonic(), cpu_time(), first
    seen: set[str] = set()
    for parts in EXAMPLES.get(name, []):
        if why := fails(fuzzer, parts):
            report.failures.append(Failure(-1, parts, why))
    while at < first + inputs and len(seen) < DISTINCT:
        for number, why, interrupted in tried(
            fuzzer, lambda i: made(name, fuzzer, seed, i), range(at, min(at + BATCH, first + inputs))
        ):
            at = number + 1
            report.inputs += len(made(name, fuzzer, seed, number)) if getattr(fuzzer, "counts_parts", False) else 1
            report.interrupted += interrupted
            if why and signature(why) not in seen:
                seen.add(signature(why))
                report.failures.append(Failure(number, made(name, fuzzer, seed, number), why))
    report.seconds, report.cpu = time.monotonic() - began, cpu_time() - spent
    for failure in report.failures:
        shrink(fuzzer, failure)
    return report


def cpu_time() -> float:
    """Seconds of CPU time that this process and its children have taken."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def made(name: str, fuzzer: Fuzzer, seed: int, number: int) -> list[Any]:
    """The input with a number: the same on every machine."""
    return fuzzer.make(random.Random(f"{name} {seed} {number}"))


def signature(why: str) -> str:
    """What two failures with one cause have in common."""
    return re.sub(r"\d+|'[^']*'|\"[^\"]*\"", "", why)[:200]


def fails(fuzzer: Fuzzer, parts: list[Any]) -> str:
    """What is wrong with one input, tried in a child."""
    for _, why, _ in tried(fuzzer, lambda i: parts, range(1)):
        return why
    return ""


def tried(fuzzer: Fuzzer, make: Any, numbers: range) -> Iterator[tuple[int, str, bool]]:
    """Number, what is wrong and whether it was interrupted, for each input that one child has tried."""
    reading, writing = os.pipe()
    folder = tempfile.mkdtemp(prefix="trust-")
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        work(fuzzer, make, numbers, writing, folder)
    os.close(writing)
    number, pending = numbers.start, b""
    try:
        while number < numbers.stop:
            ready, _, _ = select.select([reading], [], [], fuzzer.limit + PATIENCE)
            data = os.read(reading, 1 << 16) if ready else b""
            if not data:
                how = "hangs: it does not end when it is interrupted" if not ready else ""
                os.kill(child, signal.SIGKILL)
                _, status = os.waitpid(child, 0)
                child = 0
                if how or status:
                    yield number, how or f"the process dies ({os.waitstatus_to_exitcode(status)})", False
                return
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                yield tuple(json.loads(line))
                number += 1
    finally:
        os.close(reading)
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        shutil.rmtree(folder, ignore_errors=True)


def work(fuzzer: Fuzzer, make: Any, numbers: range, writing: int, folder: str) -> None:
    """The child: try inputs until one had to be interrupted, whose threads may still run."""
    code = 1
    try:
        silence()
        os.chdir(folder)
        os.environ["XDG_DATA_HOME"] = folder
        resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for number in numbers:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            why, interrupted = attempted(fuzzer, make(number))
            grown = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
            if not why and grown > GROWTH:
                why = f"takes {grown >> 20} MB"
            if number == numbers.start + SETTLED:
                settled = memory()
            if not why and number > numbers.start + SETTLED and memory() > settled + GROWTH // 2:
                why = (
                    f"memory has grown by {memory() - settled >> 20} MB over {number - numbers.start - SETTLED} inputs"
                )
            os.write(writing, json.dumps([number, why, interrupted]).encode() + b"\n")
            if interrupted or why:
                break
        code = 0
    except BaseException:
        os.write(writing, json.dumps([number, "the fuzzer: " + traceback.format_exc(), False]).encode() + b"\n")
        code = 0
    finally:
        os._exit(code)


def memory() -> int:
    """Bytes that this process has in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def silence() -> None:
    """Discard whatever is written past Python's streams."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def attempted(fuzzer: Fuzzer, parts: list[Any]) -> tuple[str, bool]:
    """What is wrong with an input, and whether it was interrupted."""
    interrupted = []

    def interrupt(*_: Any) -> None:
        interrupted.append(True)
        signal.raise_signal(signal.SIGINT)  # which waits while LLVM runs, as a person's Ctrl-C does

    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, fuzzer.limit)
    said = Said()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            why = fuzzer.attempt(parts, said)
    except KeyboardInterrupt:
        why = ""
    except BaseException as wrong:
        why = f"raises {type(wrong).__name__}: {wrong} at {line_of(wrong)}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return why, bool(interrupted)


def line_of(wrong: BaseException) -> str:
    """Where an exception came from."""
    frames = traceback.extract_tb(wrong.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno} {frames[-1].name}" if frames else "?"


def shrink(fuzzer: Fuzzer, failure: Failure) -> None:
    """Make a failing input small: parts removed, then texts shortened, while it fails in the same way."""
    left = [ATTEMPTS]

    def still(parts: list[Any]) -> bool:
        left[0] -= 1
        return left[0] >= 0 and signature(fails(fuzzer, parts)) == signature(failure.why)

    parts = reduced(failure.parts, still)
    for i, part in enumerate(parts):
        if isinstance(part, str) and len(part) > 1:
            shorter = reduced(list(part), lambda text, i=i: still([*parts[:i], "".join(text), *parts[i + 1 :]]))
            parts[i] = "".join(shorter)
    failure.parts = parts


def reduced(parts: Sequence[Any], still: Any) -> list[Any]:
    """A smaller list of parts for which `still` holds (Zeller's delta debugging, removing only)."""
    parts, size = list(parts), max(1, len(parts) // 2)
    while True:
        at = 0
        while at < len(parts):
            fewer = parts[:at] + parts[at + size :]
            if fewer and still(fewer):
                parts = fewer
            else:
                at += size
        if size == 1:
            return parts
        size = max(1, size // 2)
