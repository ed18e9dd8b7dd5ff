"""Numba's errors in the words of the rules' author: which line does not compile, and why."""

from __future__ import annotations

import re
from pathlib import Path
from types import FunctionType

from counterplay.core.errors import BrokenGame
from counterplay.core.game import Game

OURS = Path(__file__).resolve().parent.parent
PLACES = re.compile(r'(?: at |File ")([^"\n]+?\.py)(?: \(|", line )(\d+)')
METHOD = re.compile(r"CPUDispatcher\(<function (?:\w+\.)*(\w+) at")
ADVICE = (
    "compiled rules use numbers, tuples, @state values and arrays; `compiled = False` in the class plays it as it is"
)

WORDS = [
    (r"Literal\[str\]\([^)]*\)|unicode_type", "a str"),
    (r"Literal\[int\]\([^)]*\)|u?int\d+", "an int"),
    (r"float\d+", "a float"),
    (r"Literal\[bool\]\([^)]*\)|\bbool(ean)?\b", "a bool"),
    (r"Wide\(64\)", "a u64"),
    (r"DictType\[[^\]]*\](<iv=[^>]*>)?", "a dict"),
    (r"reflected list\([^)]*\)(<iv=[^>]*>)?|list\([^)]*\)(<iv=[^>]*>)?", "a list"),
    (r"Uni(form)?Tuple\((.*?) x \d+\)", r"a tuple of \2"),
    (r"Game\([\w.]*?(\w+)-\w+\)", r"the game"),
    (r"[\w.]*?(\w+)\(((an? \w+|a tuple of an? \w+)(, )?)+\)", r"a \1"),
    (r"\bnone\b", "None"),
]

REASONS = [
    (
        r"The use of a .*list.* type, assigned to variable '(\w+)' in globals",
        r"\1 is a list; let it be a tuple, or a NumPy array where it is long",
    ),
    (r"(\w+ has no field \w+; it has .*|\w+\._replace\(\.\.\.\) takes .*)", r"\1"),
    (r"use of yield in a closure", "a generator expression does not compile; write a loop"),
    (r"TypingError: (\w+(?:\.\w+|\(\.\.\.\)).*)", r"\1"),
    (r"NameError: (.*)", r"\1"),
    (r"Unknown attribute '(\w+)' of type Game\(.*", r"the game has no \1 that compiled rules can use"),
    (r"Unknown attribute '(\w+)' of type (.*)", r"\2 has no \1"),
    (
        r"Untyped global name '(\w+)':? *Cannot determine Numba type of <class '([^']+)'>",
        r"\1 is a \2, which compiled rules cannot use",
    ),
    (r"Cannot unify (.*?) and (.*?) for '(\w+?)(?:\.\d+)?'", r"\3 is \1 in one place and \2 in another"),
    (r"Can't unify return type from the following types: (.*)", r"it returns values of different types: \1"),
    (
        r"No implementation of function Function\(<built-in function (\w+)>\) found for signature:\s*>>> \w+\((.*)\)",
        r"\1 cannot be used on \2",
    ),
    (
        r"No implementation of function Function\(<class '(?:\w+\.)*(\w+)'>\) found for signature:\s*>>> \w+\((.*)\)",
        r"\1 cannot be made from \2",
    ),
    (r"Invalid use of getiter with parameters \((.*)\)", r"one cannot loop over \1"),
    (r"Invalid use of (\S+) with parameters \((.*)\)", r"\1 cannot be used on \2"),
    (r"The 'with' statement|[Uu]nsupported.*with.*context|Unsupported context", "a `with` statement does not compile"),
    (r"Use of unsupported opcode \(IMPORT_NAME\)", "a rule cannot import; import at the top of the file"),
    (r"Use of unsupported opcode \((\w+)\)", r"this statement (\1) does not compile"),
    (r"cannot type infer runaway recursion", "it calls itself without an end in sight"),
]


def explain(wrong: Exception, game: Game | None) -> BrokenGame:
    """One sentence with file and line."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(wrong))
    return BrokenGame(f"{place(text, game)}: this does not compile: {reason(text)}; {ADVICE}")


def place(text: str, game: Game | None) -> str:
    """The innermost line of the rules that Numba names; else the method, as far as it can be found."""
    for file, line in PLACES.findall(text):
        path = Path(file).resolve()
        if OURS not in path.parents and "numba" not in path.parts:
            return f"{path}:{line}"
    for name in METHOD.findall(text):
        method = getattr(type(game), name, None)
        if isinstance(method, FunctionType) and OURS not in Path(method.__code__.co_filename).parents:
            return f"{method.__code__.co_filename}:{method.__code__.co_firstlineno} ({name})"
    return type(game).__name__ if game is not None else "a kernel"


def reason(text: str) -> str:
    """Why it does not compile."""
    for pattern, said in REASONS:
        match = re.search(pattern, text)
        if match:
            return in_words(match.expand(said))
    lines = [line.strip() for line in text.splitlines()]
    telling = [
        line for line in lines if line and not line.startswith(("Failed in", "During", "File", "^", "def ", "<source"))
    ]
    return in_words(telling[0]) if telling else "Numba does not say why"


def in_words(text: str) -> str:
    """Numba's names of types as Python's."""
    for pattern, word in WORDS:
        text = re.sub(pattern, word, text)
    return " ".join(text.split())
