"""Numba's errors in terms of the rules' source: which line does not compile, why, and what to write instead."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import FunctionType

from counterplay.core.errors import BrokenGame
from counterplay.core.game import Game

OURS = Path(__file__).resolve().parent.parent.parent
PLACES = re.compile(r'(?: at |[Rr]aised from |File ")([^"\n]+?\.py)(?: \(|", line )(\d+)')
METHOD = re.compile(r"CPUDispatcher\(<function (?:\w+\.)*(\w+) at")
ADVICE = "or write `compiled = False` in the class, which plays it as plain Python"

WORDS = [
    (r"Literal\[str\]\([^)]*\)|unicode_type", "a str"),
    (r"Literal\[int\]\([^)]*\)|u?int\d+", "an int"),
    (r"float\d+", "a float"),
    (r"Literal\[bool\]\([^)]*\)|(?<!a )\bbool(ean)?\b", "a bool"),
    (r"Wide\(64\)", "a u64"),
    (r"DictType\[[^\]]*\](<iv=[^>]*>)?", "a dict"),
    (r"LooseTuple\(([^()]*)\)", "a tuple"),
    (r"(readonly |nonwritable )?array\([^)]*\)", "an array"),
    (r"reflected list\([^)]*\)(<iv=[^>]*>)?|list\([^)]*\)(<iv=[^>]*>)?", "a list"),
    (r"OptionalType\(([^()]*)\)|Optional\(([^()]*)\)", "a value that may be None"),
    *[(r"Uni(form)?Tuple\(([^()]*?) x \d+\)", r"a tuple of \2")] * 2,  # of nested tuples as well
    (r"Game\([\w.]*?(\w+)-\w+\)", r"the game"),
    (r"(?:\w+\.)+([A-Z]\w*)\([^()]*(?:\([^()]*\)[^()]*)*\)", r"a \1"),
    (r"\bnone\b", "None"),
]

UNEVEN = (
    "the parts of this tuple have different types or lengths, so a variable cannot choose among them; make all rows "
    "equally long (pad them with -1), or put them into a NumPy array"
)
STATE_HOLDS = "what changes belongs in the state"
OPCODES = {
    "IMPORT_NAME": "a rule cannot import; import at the top of the file",
    "STORE_GLOBAL": f"a rule cannot change a global variable; {STATE_HOLDS}",
    "STORE_ATTR": f"a rule cannot set an attribute; {STATE_HOLDS}",
    "MATCH_SEQUENCE": "`match` takes only numbers and strings here, not tuples; compare those with ==",
    "MATCH_CLASS": "`match` takes only numbers and strings here, not classes; compare fields with ==",
    "MATCH_MAPPING": "`match` takes only numbers and strings here, not dicts; compare with ==",
    "UNPACK_EX": "`a, *rest = t` does not compile; write a = t[0] and rest = t[1:]",
    "DICT_MERGE": "`f(**names)` does not compile; write the arguments out",
    "SETUP_ANNOTATIONS": "a class inside a rule does not compile; define it at the top of the file",
    "LOAD_BUILD_CLASS": "a class inside a rule does not compile; define it at the top of the file",
    "BEFORE_WITH": "a `with` statement does not compile",
}

BY_NAME = "arguments by name only (after `*`) do not compile; leave out the `*`"
REASONS = [
    # Messages of our own types, already in plain words.
    (r"(`\w+` (?:returns|ends).*)", r"\1"),
    (r"(\w+\.\w+ is .*?, but here it is given a list)", r"\1; write tuple(...)"),
    (r"(\w+\.\w+ is .*?, but here it is given an array)", r"\1; write tuple(...)"),
    (r"(\w+\.\w+ is an int, but here it is given a float)", r"\1; write // in place of /, or int(...)"),
    (r"(\w+\.\w+ is an? .*?, but here it is given .*)", r"\1"),
    (r"(\w+ has no field \w+; it has .*|\w+\._replace\(\.\.\.\) takes .*|replaced\(\.\.\.\).*)", r"\1"),
    (r"(self\.\w+ is an? .*)", r"\1"),
    (r"TypingError: (\w+(?:\.\w+|\(\.\.\.\)).*)", r"\1"),
    # Names.
    (
        r"The use of a .*list.* type, assigned to variable '(\w+)' in globals",
        r"\1 is a list; make it a tuple, or a NumPy array if it is long",
    ),
    (
        r"Untyped global name '(\w+)':? *Cannot determine Numba type of <class '(dict|list|set)'>",
        r"\1 is a \2; make it a tuple, or a NumPy array if it is long",
    ),
    (
        r"Untyped global name 'super'|LOAD_SUPER_ATTR",
        "super() does not compile; write `inherited = Parent.rule` in the class and `self.inherited(...)` in the rule",
    ),
    (
        r"Untyped global name '(\w+)':? *Cannot determine Numba type of <class '(?:type|abc\.ABCMeta)'>",
        r"\1 is a class, which compiled rules cannot use: for what the game has write `self.`, for a value a @state class",
    ),
    (
        r"Untyped global name 'Wide'",
        "Wide(n) is made at the top of the file, such as Board = Wide(81); a rule writes Board(0)",
    ),
    (
        r"Untyped global name 'bin'",
        "bin(x) does not compile; count(x) of counterplay counts the ones",
    ),
    (
        r"Untyped global name '(\w+)':? *Cannot determine Numba type of <class '([^']+)'>",
        r"\1 is a \2, which compiled rules cannot use",
    ),
    (
        r"Unknown attribute '(\w+)' of type Module\(<module '(\w+)'",
        r"\2.\1 does not compile; write it as a loop or a function of your own",
    ),
    (r"NameError: (.*)", r"\1"),
    (
        r"Unknown attribute '(_\w+)' of type Game\(.*",
        r"compiled rules cannot read an attribute with a leading underscore: rename \1",
    ),
    (r"Unknown attribute '(\w+)' of type Game\(.*", r"the game has no \1 that compiled rules can use"),
    (
        r"Unknown attribute 'bit_count' of type",
        "write count(x), from counterplay, for x.bit_count()",
    ),
    (r"Unknown attribute 'add' of type iter", "{x for ...} does not compile; write set([x for ...])"),
    (r"Unknown attribute '(\w+)' of type none", r"\1 is read from None; does `result` return a state on every path?"),
    (r"Unknown attribute '(\w+)' of type (.*)", r"\2 has no \1"),
    # Tuples and lists.
    (r">>> getitem\(Tuple\(.*", UNEVEN),
    (r"Invalid use of getiter with parameters \(Tuple\(.*", UNEVEN),
    (
        r">>> setitem\((?:Uni)?Tuple\(.*",
        "a tuple cannot be changed; write t = replaced(t, i, value), with `from counterplay import replaced`",
    ),
    (r">>> setitem\(list\(none\).*", "this list began with None; begin it with a number, such as [-1] * 4"),
    (r">>> setitem\((?:readonly|nonwritable) .*", f"a rule cannot write into an array of the game; {STATE_HOLDS}"),
    (r"Cannot resolve setattr: .*\.(\w+) = ", rf"a rule cannot set \1; {STATE_HOLDS}"),
    (r"Cannot modify readonly array", f"a rule cannot write into an array of the game; {STATE_HOLDS}"),
    (r">>> i?add\(Tuple\(\), .*", "a tuple cannot grow in a loop; fill a list, and write tuple(list) at the end"),
    (r">>> iadd\((?:Uni)?Tuple\(.*", "a tuple cannot grow in a loop; fill a list, and write tuple(list) at the end"),
    (r">>> getitem\((.*), bool\)", r"an index is an int, not a bool; write int(...)"),
    (r">>> getitem\((.*), float\d+\)", r"an index is an int, not a float; write // in place of /, or int(...)"),
    (r">>> iadd\(Actions, .*", "write out.extend(...) in place of out += ..."),
    (r"BoundFunction\(actions\.append for Actions\) with parameters \((.*)\)", r"an action is an int, not \1"),
    (
        r"Cannot infer the type of variable '(\w+?)(?:\.\d+)?'.*imprecise type: list",
        r"nothing says what the empty list `\1` will hold; write \1 = [0]; \1.clear()",
    ),
    (
        r"Cannot infer the type of variable '(\w+?)(?:\.\d+)?'.*imprecise type: (set|dict)",
        r"nothing says what the empty \2 `\1` will hold; put something into it, or begin it with a value",
    ),
    (r"(list|set|DictType)\S* as value is forbidden", "a dict cannot hold lists or dicts; use tuples, or an array"),
    # Numbers.
    (r">>> (?:true|i?true)div\(.*Wide\(\d+\).*", "/ does not divide a u64; write //, or float(x) / y"),
    (r"Cannot unify (.*?) and (.*?) for '(\w+?)(?:\.\d+)?'", r"\3 is \1 in one place and \2 in another"),
    (
        r"Can't unify return type from the following types: (.*)",
        r"it returns values of different types: \1; make every `return` give the same type",
    ),
    (r"Int value is too large: (\d+)", r"\1 does not fit into 64 bits; write u64 or Wide(n)"),
    # Functions.
    (r">>> (min|max)\(.*key=.*", r"\1 takes no `key` here; write a loop"),
    (r">>> (min|max)\(.*default=.*", r"\1 takes no `default` here; write an `if` before it"),
    (r"to signature '\([^']*\*, [^']*\)'", BY_NAME),
    (r"expected a type instance, got \{", "a function with `**names` does not compile; write its arguments out"),
    (r"to signature '(\([^']*\))' due to \"TypeError: (.*?)\"", r"the function takes \1: \2"),
    (r'lowering "(\w+) = arg\(', r"the argument \1 has a default that does not compile; make it a number or a tuple"),
    (r"exception_match", "`except` with an exception class does not compile; test with `if` before it can happen"),
    (r"use of yield in a closure", "a generator expression that is kept does not compile; write a loop or a list"),
    (r"cell variable", "a function within a rule cannot call itself; make it a method or a function of the file"),
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
    # Statements.
    (r"The 'with' statement|[Uu]nsupported.*with.*context|Unsupported context", "a `with` statement does not compile"),
    *((rf"Use of unsupported opcode \({opcode}\)", said) for opcode, said in OPCODES.items()),
    (r"Use of unsupported opcode \((\w+)\)", r"this statement (\1) does not compile"),
    (r"cannot type infer runaway recursion", "it calls itself without end"),
    (r"Type of variable .* cannot be determined", "this line is too involved to compile; write it as two statements"),
]


SUSPECTS = [
    (r"\bdel ", "`del` does not compile; write items.pop(i)"),
    (r"strict=", "zip(..., strict=...) does not compile; leave `strict` out"),
    (r"\b(min|max)\(.*\bkey=", r"\1 takes no `key` here; write a loop"),
    (r"\b(min|max)\(.*\bdefault=", r"\1 takes no `default` here; write an `if` before it"),
]
"""Lines on which Numba, or an older release of it, crashes without a message."""
WORDLESS = ("", "tuple index out of range")


def explain(wrong: Exception, game: Game | None) -> BrokenGame:
    """One sentence with file and line."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(wrong))
    suspect = suspicion(getattr(wrong, "function", None), game) if text.strip() in WORDLESS else None
    where, why = suspect or (location(text, game, wrong), reason(text))
    return BrokenGame(f"{where}: this does not compile: {why}; {ADVICE}")


def location(text: str, game: Game | None, wrong: Exception | None = None) -> str:
    """The innermost line of the rules that Numba names; else the method, if it can be found."""
    for file, line in PLACES.findall(text):
        path = Path(file).resolve()
        if OURS not in path.parents and "numba" not in path.parts:
            return f"{path}:{line}"
    methods = [getattr(type(game), name, None) for name in METHOD.findall(text)]
    for method in (*methods, getattr(wrong, "function", None)):
        if isinstance(method, FunctionType) and OURS not in Path(method.__code__.co_filename).parents:
            return f"{method.__code__.co_filename}:{method.__code__.co_firstlineno} ({method.__name__})"
    return type(game).__name__ if game is not None else "a kernel"


def reason(text: str) -> str:
    """Why the rule does not compile."""
    for pattern, said in REASONS:
        if found := re.search(pattern, text):
            return re.sub(r"\\(\d)", lambda group: in_words(found[int(group[1])]), said)
    lines = [line.strip() for line in text.splitlines()]
    telling = [
        line for line in lines if line and not line.startswith(("Failed in", "During", "File", "^", "def ", "<source"))
    ]
    return in_words(telling[0]) if telling else "Numba does not say why; try its parts one at a time"


def suspicion(function: FunctionType | None, game: Game | None) -> tuple[str, str] | None:
    """The line of a function that can crash Numba without a message, and why."""
    try:
        lines, first = inspect.getsourcelines(function) if function is not None else ([], 0)
    except (OSError, TypeError):
        return None
    for number, line in enumerate(lines, first):
        where = f"{function.__code__.co_filename}:{number}" if function is not None else ""
        for pattern, said in SUSPECTS:
            if found := re.search(pattern, line):
                return where, found.expand(said)
        for name in re.findall(r"\bself\.(\w+)\(", line):
            called = inspect.unwrap(getattr(type(game), name, len))
            if isinstance(called, FunctionType) and called.__code__.co_kwonlyargcount:
                return where, BY_NAME
    return None


def in_words(text: str) -> str:
    """Numba's type names as Python's."""
    for pattern, word in WORDS:
        text = re.sub(pattern, word, text)
    return " ".join(text.split())
