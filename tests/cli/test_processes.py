"""The program in a separate process: how fast it starts, signals, pipes, terminals."""

import json
import os
import pty
import re
import resource
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = [sys.executable, "-c", "from counterplay.cli import run; run()"]


def start(*arguments, **more):
    """A command in a separate process."""
    pipe = subprocess.PIPE
    return subprocess.Popen([*PROGRAM, *arguments], stdout=pipe, stderr=pipe, text=True, **more)


def interrupted(*arguments, after):
    """What a command prints if it receives Ctrl-C after this many seconds: it must still be running then, and exit
    soon after.
    """
    process = start(*arguments)
    time.sleep(after)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    try:
        out, err = process.communicate(timeout=40)
    finally:
        process.kill()
    assert process.returncode == 130
    return out, err


def test_help_is_quick_and_imports_nothing_heavy():
    code = (
        "import sys; from counterplay.cli import main; main(['--help']);"
        "print('loaded:', *[name for name in ('numba', 'llvmlite', 'numpy', 'scipy', 'rich') if name in sys.modules])"
    )
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert done.stdout.splitlines()[-1].split() == ["loaded:"]
    assert min(spent) < 0.5


def test_seconds_do_not_count_compiling(tmp_path):
    environment = {**os.environ, "COUNTERPLAY_CACHE": str(tmp_path)}
    if environment.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        pytest.skip("nothing is compiled")
    began = time.perf_counter()
    process = start("perft", "tic-tac-toe", "2", "--json", env=environment)
    out, _ = process.communicate()
    whole = time.perf_counter() - began
    assert list(tmp_path.iterdir()), "it was not compiled"
    assert json.loads(out)["seconds"] < whole / 5


def test_control_c_ends_compiled_work_immediately():
    out, err = interrupted("perft", "connect-four", "30", after=8)
    assert out == ""
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "arguments",
    [
        *("games --json", "games", "show hex", "search tree --depth 2 --all"),
        pytest.param("trace tree --depth 2", marks=pytest.mark.slow),
    ],
)
def test_a_reader_that_goes_away_hears_no_complaint(arguments):
    program = "import sys, time; from counterplay.cli import main; time.sleep(0.5); sys.exit(main())"
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -c "{program}" {arguments} | true'], capture_output=True, text=True
    )
    assert re.sub(r"^(compiling .*|24 events, complete: .*)\n", "", done.stderr, flags=re.MULTILINE) == ""


@pytest.mark.parametrize("arguments", ["show chomp.py", "show chomp.py --json", "search chomp.py --depth 2 --all"])
@pytest.mark.parametrize("streams", ["|", "2>&1 |"])
def test_a_closed_pipe_is_not_the_fault_of_the_persons_rules(tmp_path, arguments, streams):
    (tmp_path / "chomp.py").write_text((EXAMPLES / "chomp.py").read_text())
    program = "import sys, time; from counterplay.cli import main; time.sleep(0.5); sys.exit(main())"
    command = f'"{sys.executable}" -c "{program}" {arguments} {streams} true; exit ${{PIPESTATUS[0]}}'
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, cwd=tmp_path, env=plain)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize(
    "redirected, code, said",
    [
        ("play nim --against random <&-", 0, ""),
        ("show nim >&-", 0, ""),
        ("show nope 2>&-", 2, ""),
        ("show nim > /dev/full", 2, "error: the operating system refused: no space left on device\n"),
    ],
)
def test_streams_that_are_closed_or_full(redirected, code, said):
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -c "{PROGRAM[-1]}" {redirected}'], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (code, said)


def at_a_terminal(arguments, *dialogue):
    """What a command shows at a terminal; `dialogue` is pairs of what to wait for and what to type then."""
    ours, theirs = pty.openpty()
    variables = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    variables.pop("NO_COLOR", None)
    own = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "  # so that keys such as Ctrl-C reach it
    command = [sys.executable, "-c", own + PROGRAM[-1], *arguments]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=variables, start_new_session=True
    )
    os.close(theirs)
    shown, seen, deadline = "", 0, time.monotonic() + 60
    try:
        for awaited, typed in [*dialogue, ("nothing, but the end", "")]:
            while awaited not in shown[seen:] and time.monotonic() < deadline:
                if select.select([ours], [], [], 1)[0]:
                    try:
                        shown += os.read(ours, 65536).decode(errors="replace").replace("\r", "")
                    except OSError:  # the command has ended
                        break
            seen = len(shown)
            time.sleep(0.3)  # a key that comes between the prompt and the wait for keys may be lost, as for anyone
            os.write(ours, typed.encode())
        process.wait(timeout=20)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
    return process.returncode, shown


@pytest.mark.slow
def test_at_a_terminal_what_changed_stands_out():
    code, shown = at_a_terminal(["play", "connect-four", "--against", "human"], ("x> ", "4\n"), ("o> ", "quit\n"))
    assert code == 0
    assert "\x1b[1;36mx\x1b[0m" in shown
    assert "\x1b[2mlegal: 1 2 3 4 5 6 7\x1b[0m" in shown
    assert "counterplay play connect-four --moves 4" in shown


@pytest.mark.slow
def test_at_a_terminal_people_hand_the_keyboard_over():
    look = "press Enter when only you are looking: "
    code, shown = at_a_terminal(
        ["play", "kuhn-poker", "--against", "human"], (look, "\n"), ("1> ", "pass\n"), (look, "\n"), ("2> ", "quit\n")
    )
    assert code == 0
    assert "player 1, press Enter" in shown
    assert "player 2, press Enter" in shown
    assert shown.count("\x1b[2J") == 2


@pytest.mark.parametrize("key, code", [("\x04", 0), ("\x03", 130)])
def test_control_d_and_control_c_leave(key, code):
    assert at_a_terminal(["play", "connect-four", "--against", "human"], ("x> ", "4\n"), ("o> ", key))[0] == code


def test_at_a_terminal_a_search_reports_progress_and_stops_with_the_best_so_far():
    code, shown = at_a_terminal(["search", "connect-four", "--time", "60"], ("6 plies ahead", ""), ("(Ctrl-C", "\x03"))
    assert code == 130
    assert "stopped; the best so far:" in shown
    found = (
        r"^x plays \d  \(value .* plies ahead, [\d,]+ states(, expects \d.*)?; "  # not if it has just changed its mind
    )
    assert re.search(found, shown, flags=re.MULTILINE)
    assert "Traceback" not in shown


@pytest.mark.slow
def test_control_c_stops_a_search_with_the_best_so_far():
    start("search", "connect-four", "--depth", "1", "--json").communicate(timeout=120)  # compiles
    out, err = interrupted("search", "connect-four", "--depth", "40", "--json", after=14)
    assert json.loads(out)["depth"] >= 1
    assert "stopped; the best so far:" in err


@pytest.mark.slow
def test_at_a_terminal_long_work_shows_a_clock():
    code, shown = at_a_terminal(["perft", "connect-four", "30"], ("counting, 2 s (Ctrl-C stops it)", "\x03"))
    assert code == 130
    assert "Traceback" not in shown


def test_rules_that_loop_forever_are_reported_and_control_c_ends_them(tmp_path):
    rules = """
from counterplay import Game

class Loop(Game):
    def initial(self): return (0, 0)
    def to_move(self, s): return s[1]
    def actions(self, s, out): out.extend((1, 2))
    def result(self, s, action): return s[0] + action, 1 - s[1]
    def is_terminal(self, s): return s[0] >= 12
    def utility(self, s, player): return 1.0 if player == s[1] else -1.0
    def ordering(self, s, action):
        while s[0] > 5: pass
        return 0
"""
    (tmp_path / "loop.py").write_text(rules)
    process = start("search", str(tmp_path / "loop.py"), "--player", "alphabeta", "--time", "0.5")
    try:
        assert process.stderr is not None
        assert select.select([process.stderr], [], [], 60)[0]
        told = process.stderr.readline()
        assert "time is up" in told
        assert "Ctrl-C ends it" in told
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 130
