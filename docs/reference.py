"""Write docs/reference.md: every public name of `import counterplay as cp`, from its docstring."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

import counterplay

HEAD = """# Reference

The public names of `import counterplay as cp`, from their docstrings (`python docs/reference.py` writes this page).
[In Python](python.md) shows them in use.
"""
FUNCTIONS = (
    ("Games and positions", ("load", "games", "show", "player", "machines", "Playthrough")),
    ("Search", ("search", "solve", "openings", "tables", "book", "trace", "study", "exercises", "perft")),
    ("Matches", ("play_match", "tournament", "results")),
    ("Equilibria", ("equilibrium", "strategy", "exploit", "beliefs", "export")),
    ("Learning", ("train", "runs", "fit")),
    ("Chess", ("suite", "bench", "tune")),
    (
        "Environments and other libraries",
        ("vector_env", "pettingzoo_env", "gymnasium_env", "to_openspiel", "to_json", "from_json"),
    ),
    ("Checks", ("check", "doctor", "cache", "CounterplayError")),
    ("Writing rules", ("Game", "state", "Actions", "Rng", "Traits", "replaced", "note")),
    ("Pictures", ("grid", "hexagons", "points")),
    ("Bits", ("u64", "Wide", "count", "first", "last", "ones")),
)


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for title, names in FUNCTIONS:
        parts.append(f"## {title}\n")
        for name in names:
            thing = counterplay._function(name) if name in counterplay.LAZY else getattr(counterplay, name)
            parts.append(
                f"### {name}\n\n```text\n{signature(name, thing)}\n```\n\n{prose(inspect.getdoc(thing) or '')}\n"
            )
            if inspect.isclass(thing) and name == "Playthrough":
                parts.append("".join(f"- `{each}`: {told}\n" for each, told in members(thing)))
    return "\n".join(parts)


def signature(name: str, thing: Any) -> str:
    """How it is called, an option a line where there are many."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    line = plain(f"{name}{found}")
    if len(line) <= 100:
        return line
    whole = [plain(str(each)) for each in found.parameters.values()]
    keyword = [each.kind is each.KEYWORD_ONLY for each in found.parameters.values()]
    if True in keyword and not any(each.kind is each.VAR_POSITIONAL for each in found.parameters.values()):
        whole.insert(keyword.index(True), "*")
    gives = "" if found.return_annotation is found.empty else f" -> {found.return_annotation}"
    return f"{name}(\n" + "".join(f"    {each},\n" for each in whole) + plain(f"){gives}")


def plain(text: str) -> str:
    """Annotations without the quotes that postponed ones have."""
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)


def prose(doc: str) -> str:
    """A docstring as a page: paragraphs, with indented examples as code."""
    parts = []
    for paragraph in doc.split("\n\n"):
        indented = all(line.startswith(("    ", ">>>")) for line in paragraph.splitlines())
        parts.append(f"```text\n{textwrap.dedent(paragraph)}\n```" if indented and paragraph else paragraph)
    return "\n\n".join(parts)


def members(cls: type) -> list[tuple[str, str]]:
    """The public methods and properties of a class, each with the first line of its docstring."""
    found = []
    for name, value in vars(cls).items():
        doc = inspect.getdoc(value) if callable(value) or isinstance(value, property) else None
        if doc and not name.startswith("_"):
            found.append((name, doc.partition("\n\n")[0].replace("\n", " ")))
    return found


if __name__ == "__main__":
    (Path(__file__).parent / "reference.md").write_text(page())
