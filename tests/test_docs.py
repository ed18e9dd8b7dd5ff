"""The documentation runs: no snippet that a test does not execute.

In README.md and docs/, in the order of the page and in one folder and namespace per page:

- a `python` block with >>> is a doctest; one without is executed;
- a block with a title (```python title="chomp.py") is a file, written where the page's commands find it;
- a `console` block's `$ ` lines are run, and what is shown below them must be what they print; `...` stands for
  anything within a line, or, alone on a line, for any number of lines. What a command prints to stderr (progress)
  counts only where it fails;
- of `make` commands, the target must exist; `git`, `pip` and `cd` are not run;
- `<!-- skip: reason -->` on the line before a block leaves it out; the reason must be given.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if page.exists()]
LONG = {
    "docs/adapters.md",
    "docs/add-a-game.md",
    "docs/arena/index.md",
    "docs/arena/tournaments.md",
    "docs/commands.md",
    "docs/equilibrium/play.md",
    "docs/equilibrium/secrets.md",
    "docs/games/chess.md",
    "docs/equilibrium/resolving.md",
    "docs/equilibrium/subgames.md",
    "docs/learning/evaluation.md",
    "docs/learning/index.md",
    "docs/lessons/depth-limits.md",
    "docs/lessons/learned-evaluation.md",
    "docs/lessons/many-players.md",
    "docs/lessons/monte-carlo.md",
    "docs/python.md",
    "docs/rules.md",
    "docs/search/chance.md",
    "docs/search/index.md",
    "docs/search/many-players.md",
    "docs/search/montecarlo.md",
    "docs/search/solving.md",
    "docs/search/tables.md",
}
"""Pages that compile for ten seconds and more: `make test-slow` runs them."""
RUN = [
    pytest.param(page, marks=pytest.mark.slow) if page.relative_to(ROOT).as_posix() in LONG else page for page in PAGES
]
PROSE = [*PAGES, *(ROOT / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"))]

NOT_RUN = ("git", "pip", "cd")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})\s*(?P<language>[\w+-]*)(?P<rest>.*)$")
SKIP = re.compile(r"^\s*<!--\s*skip\b:?\s*(?P<reason>.*?)\s*-->\s*$")
TITLE = re.compile(r'title="([^"]+)"')


class Block(NamedTuple):
    """A fenced block of a page."""

    language: str
    title: str  # the file that it is, or empty
    text: str
    line: int  # of its first line of text, from 1
    skipped: bool


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    lines = page.read_text().splitlines()
    i = 0
    while i < len(lines):
        opening = FENCE.match(lines[i])
        if not opening:
            i += 1
            continue
        end = i + 1
        closing = re.compile(rf"^ *{opening['fence']}\s*$")
        while end < len(lines) and not closing.match(lines[end]):
            end += 1
        assert end < len(lines), f"{page.name}:{i + 1}: the block has no end"
        skip = SKIP.match(lines[i - 1]) if i else None
        assert not skip or len(skip["reason"]) > 10, f"{page.name}:{i}: say why: <!-- skip: reason -->"
        title = TITLE.search(opening["rest"])
        text = textwrap.dedent("\n".join(lines[i + 1 : end])) + "\n"
        yield Block(opening["language"], title[1] if title else "", text, i + 2, bool(skip))
        i = end + 1


@pytest.mark.parametrize("page", RUN, ids=lambda page: str(page.relative_to(ROOT)))
def test_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if (ROOT / "examples").exists():
        (tmp_path / "examples").symlink_to(ROOT / "examples")
    module = ModuleType(f"page_{page.stem.replace('-', '_')}")  # in sys.modules, where type hints are looked up
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for block in blocks(page):
        if block.skipped:
            continue
        if block.title:
            (tmp_path / block.title).write_text(block.text)
        elif block.language in ("python", "py", "pycon"):
            run_python(block, module, page)
        elif block.language == "console":
            for line, command, expected in commands(block):
                run_command(command, expected, f"{page.relative_to(ROOT)}:{line}")
        else:
            assert block.language not in ("sh", "bash", "shell"), f"{page.name}:{block.line}: write it as `console`"


def run_python(block: Block, module: ModuleType, page: Path) -> None:
    """Execute a block in the page's namespace, as a doctest where it shows a session."""
    if not re.search(r"^\s*>>> ", block.text, flags=re.MULTILINE):
        source = "\n" * (block.line - 1) + block.text  # so that an error shows the line of the page
        exec(compile(source, str(page), "exec"), vars(module))
        return
    name = str(page.relative_to(ROOT))
    test = doctest.DocTestParser().get_doctest(block.text, vars(module), name, str(page), block.line - 1)
    test.globs = vars(module)  # not a copy: later blocks use what this one defines
    report: list[str] = []
    failures = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False).failed
    assert not failures, "".join(report)


def commands(block: Block) -> Iterator[tuple[int, str, str]]:
    """The commands of a console block, each with its line and the output shown below it."""
    lines = block.text.splitlines()
    assert lines[0].startswith("$ "), f"a console block starts with a command, not with {lines[0]!r}"
    starts = [i for i, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        first = start + 1
        while lines[first - 1].endswith("\\"):  # the command goes on
            first += 1
        yield block.line + start, "\n".join(lines[start:first])[2:], "\n".join(lines[first:end])


def run_command(command: str, expected: str, place: str) -> None:
    """Run a command; its output must be what is shown, if something is."""
    program, *arguments = command.split()
    if program == "make":
        assert all(re.search(rf"^{re.escape(target)}:", MAKEFILE, flags=re.MULTILINE) for target in arguments), (
            f"{place}: there is no `{command}`"
        )
        return
    if program in NOT_RUN:
        return
    if program == "counterplay" and not SHELL.search(command):
        code, shown = run_here(arguments)
    else:
        code, shown = run_in_shell(command)
    assert code == 0 or (code in (1, 2) and expected), f"{place}: {command} failed:\n{shown}"
    if expected.strip():
        assert matches(shown, expected), f"{place}: {command}\nshould print\n{expected}\nbut prints\n{shown}"


SHELL = re.compile(r"""[|><&;$`"'*\\]|\.py\b""")
"""What a shell is needed for; rules in a file are loaded by a process of their own, as a person would."""
ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


def run_here(arguments: list[str]) -> tuple[int, str]:
    """Run a command in this process, which has the kernels at hand: its exit code and what it printed."""
    from counterplay.cli import main

    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**ENVIRONMENT, "XDG_DATA_HOME": os.getcwd()}.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdin", io.StringIO())
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(arguments)
    return code, out.getvalue() if code == 0 else out.getvalue() + err.getvalue()


def run_in_shell(command: str) -> tuple[int, str]:
    """The same in a shell."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **ENVIRONMENT, "PATH": path}
    environment["XDG_DATA_HOME"] = os.getcwd()  # what a command stores, it stores in the page's folder
    done = subprocess.run(
        ["bash", "-c", command],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, done.stdout if done.returncode == 0 else done.stdout + done.stderr


MAKEFILE = (ROOT / "Makefile").read_text()


def matches(shown: str, expected: str) -> bool:
    """Whether a command printed what the page shows."""
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else inline(line) + "\n" for line in tidy(expected).splitlines()
    )
    return re.fullmatch(pattern, tidy(shown) + "\n") is not None


def inline(line: str) -> str:
    """A regular expression for a line in which `...` (but not a longer row of dots) stands for anything."""
    return ".*".join(map(re.escape, re.split(r"(?<!\.)\.\.\.(?!\.)", line)))


def tidy(text: str) -> str:
    """Without trailing spaces and empty lines at the end."""
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines())


@pytest.mark.parametrize(
    "shown, expected, same",
    [
        ("a\nb\n", "a\nb", True),
        ("a  \nb\n\n", "a\nb", True),
        ("a\nb\nc\n", "a\nb", False),
        ("took 0.31 s\n", "took ... s", True),
        ("took 0.31 s\nend\n", "took ...", False),
        ("a\nb\nc\nd\n", "a\n...\nd", True),
        ("a\nd\n", "a\n...\nd", True),
        ("...x...\n", "...o...", False),
        ("......./xo.....\n", "......./ox.....", False),
    ],
)
def test_the_judge_of_shown_output_is_strict(shown, expected, same):
    assert matches(shown, expected) == same


def test_a_page_with_a_wrong_output_fails(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 2\n```\n\n<!-- skip: needs a network -->\n```console\n$ counterplay fly\n```\n")
    found = list(blocks(page))
    assert [(block.language, block.line, block.skipped) for block in found] == [
        ("python", 2, False),
        ("console", 7, True),
    ]
    page.write_text("<!-- skip -->\n```python\n```\n")
    with pytest.raises(AssertionError, match="say why"):
        list(blocks(page))
    with pytest.raises(AssertionError, match="failed"):
        run_command("counterplay no-such-command", "", "here")
    with pytest.raises(AssertionError, match="no `make nonsense`"):
        run_command("make nonsense", "", "here")


@pytest.mark.parametrize("page", PROSE, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}, which does not exist"


@pytest.mark.parametrize("page", PROSE, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_line_is_there_twice(page):
    """As after a merge that keeps both versions."""
    text = re.sub(r"(?s:```.*?```)|^.*\n\|[ -]+\|.*$", "", page.read_text(), flags=re.MULTILINE)
    begun = [line[:90] for line in text.splitlines() if len(line) > 60]
    assert [line for line in begun if begun.count(line) > 1] == []


def test_documentation_builds_and_asks_nothing_of_the_network(tmp_path):
    pytest.importorskip("mkdocs")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        check=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert (tmp_path / "index.html").exists()
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(r"""<(?:script|img|iframe)[^>]* src=["']?(https?:[^"' >]+)""", page.read_text())
        loaded += re.findall(
            r"""<link[^>]* rel=["']?(?:stylesheet|preconnect)[^>]*(https?:[^"' >]+)""", page.read_text()
        )
        assert not loaded, f"{page.relative_to(tmp_path)} loads {loaded}"
