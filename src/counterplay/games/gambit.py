"""Gambit's files: games in normal form (.nfg) and as trees (.efg), read and written.

Both formats are documented at gambitproject.readthedocs.io (McKelvey, McLennan & Turocy). Input becomes the data that
`matrix` and `tree` take; names of actions become single words, since ours have no spaces.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, NoReturn

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.repetition import repetition_word
from counterplay.core.rules import legal, payoff

if TYPE_CHECKING:
    from counterplay.games.matrix import Matrix

TOKEN = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([{}])|,|([^\s{}",]+)|(?P<bad>"))', re.DOTALL)
MOST_NODES = 2_000_000
REPORTED = 1_000
"""The number of nodes between two reports."""


class Reader:
    """The tokens of a file, taken one after another."""

    def __init__(self, text: str, location: str) -> None:
        self.location = location
        self.tokens: list[tuple[str, str]] = []  # kind: text, brace or word
        for match in TOKEN.finditer(text):
            quoted, brace, word = match[1], match[2], match[3]
            if match["bad"]:
                self.fail("a quotation mark without its end")
            if quoted is not None:
                self.tokens.append(("text", re.sub(r"\\(.)", r"\1", quoted)))
            elif brace or word:
                self.tokens.append(("brace", brace) if brace else ("word", word))
        self.next = 0

    def fail(self, why: str) -> NoReturn:
        raise CounterplayError(f"{self.location} is not a readable Gambit file: {why}")

    def peek(self) -> tuple[str, str]:
        return self.tokens[self.next] if self.next < len(self.tokens) else ("end", "the end of the file")

    def take(self, kind: str, value: str | None = None) -> str:
        """The next token, which must be of this kind."""
        found, text = self.peek()
        if found != kind or value not in (None, text):
            wanted = repr(value) if value else {"text": "a text in quotation marks", "word": "a number"}[kind]
            self.fail(f"{wanted} is expected instead of {text!r} (token {self.next + 1})")
        self.next += 1
        return text

    def taken(self, kind: str, value: str | None = None) -> bool:
        """Whether the next token is this one; if so, it is taken."""
        found, text = self.peek()
        if found != kind or value not in (None, text):
            return False
        self.next += 1
        return True

    def number(self) -> Fraction:
        word = self.take("word")
        try:
            return Fraction(word)
        except (ValueError, ZeroDivisionError):
            self.fail(f"{word!r} is not a number")

    def whole(self) -> int:
        number = self.number()
        if number.denominator != 1:
            self.fail(f"{number} is not a whole number")
        return int(number)

    def texts(self) -> list[str]:
        """Texts in braces."""
        self.take("brace", "{")
        found = []
        while not self.taken("brace", "}"):
            found.append(self.take("text"))
        return found

    def numbers(self) -> list[Fraction]:
        """Numbers in braces."""
        self.take("brace", "{")
        found = []
        while not self.taken("brace", "}"):
            found.append(self.number())
        return found

    def heading(self, kind: str, version: str) -> tuple[str, list[str]]:
        """The title and the players, after the line that names the format."""
        if self.peek() != ("word", kind):
            self.fail(f"it must begin with {kind} {version} R")
        self.take("word", kind)
        self.take("word", version)
        if not (self.taken("word", "R") or self.taken("word", "D")):
            self.fail(f"R must follow {kind} {version}")
        return self.take("text"), self.texts()


def words(names: Sequence[str]) -> list[str]:
    """Names as different words; those without a name are numbered."""
    found: list[str] = []
    for i, name in enumerate(names, 1):
        word = "-".join(name.replace("/", " ").split()) or str(i)
        while word.casefold() in {other.casefold() for other in found}:
            word += f"-{i}"
        found.append(word)
    return found


def read_nfg(text: str, location: str) -> dict[str, Any]:
    """A game in normal form, as `matrix` takes it."""
    reader = Reader(text, location)
    title, players = reader.heading("NFG", "1")
    actions = _strategies(reader)
    if len(actions) != len(players):
        reader.fail(f"it names {len(players)} players, but strategies of {len(actions)}")
    reader.taken("text")  # a comment
    counts = [len(names) for names in actions]
    profiles = [tuple(reversed(profile)) for profile in product(*(range(count) for count in reversed(counts)))]
    outcomes: list[list[Fraction]] = []
    if reader.taken("brace", "{"):
        while not reader.taken("brace", "}"):
            reader.take("brace", "{")
            reader.taken("text")
            outcomes.append([reader.number() for _ in players])
            reader.take("brace", "}")
    payoffs: dict[tuple[int, ...], list[float]] = {}
    for profile in profiles:  # the first player's strategy changes fastest
        if outcomes:
            index = reader.whole()
            if not 0 <= index <= len(outcomes):
                reader.fail(f"there is no outcome {index}")
            row = outcomes[index - 1] if index else [Fraction(0)] * len(players)
        else:
            row = [reader.number() for _ in players]
        payoffs[profile] = [float(number) for number in row]
    if reader.peek()[0] != "end":
        reader.fail(f"something follows after the last payoff: {reader.peek()[1]!r}")

    def nested(before: tuple[int, ...]) -> Any:
        if len(before) == len(counts):
            return payoffs[before]
        return [nested((*before, i)) for i in range(counts[len(before)])]

    data = {"title": title, "actions": [words(names) for names in actions], "payoffs": nested(())}
    return data | ({"players": players} if len({name for name in players if name.strip()}) == len(players) else {})


def _strategies(reader: Reader) -> list[list[str]]:
    """The names of each player's strategies, or their numbers."""
    reader.take("brace", "{")
    actions: list[list[str]] = []
    while not reader.taken("brace", "}"):
        actions.append(reader.texts() if reader.peek() == ("brace", "{") else [""] * reader.whole())
    return actions


class UnfinishedNode:
    """A node of an .efg file whose children are still to come."""

    def __init__(self, node: dict[str, Any], names: list[str], chances: list[Fraction], paid: list[Fraction]) -> None:
        self.node, self.names, self.chances, self.paid = node, names, chances, paid
        self.children: list[Any] = []


def read_efg(text: str, location: str) -> Any:
    """A tree, as `tree` takes it."""
    reader = Reader(text, location)
    _, players = reader.heading("EFG", "2")
    reader.taken("text")
    sets: dict[tuple[str, int, int], tuple[list[str], list[Fraction]]] = {}
    outcomes: dict[int, list[Fraction]] = {0: [Fraction(0)] * len(players)}
    members: dict[tuple[str, int, int], list[dict[str, Any]]] = {}
    path: list[UnfinishedNode] = []
    root: Any = None
    while root is None:
        kind = reader.take("word")
        if kind not in ("c", "p", "t"):
            reader.fail(f"{kind!r} does not begin a node; c, p or t does")
        reader.take("text")
        node: dict[str, Any] = {}
        names: list[str] = []
        chances: list[Fraction] = []
        if kind != "t":
            player = reader.whole() if kind == "p" else 0
            if kind == "p" and not 1 <= player <= len(players):
                reader.fail(f"there is no player {player}")
            key = (kind, player, reader.whole())
            names, chances = _actions(reader, sets, key)
            if kind == "p":
                node["player"] = player - 1
                members.setdefault(key, []).append(node)
        before = path[-1].paid if path else outcomes[0]
        paid = [a + b for a, b in zip(before, _outcome(reader, outcomes, len(players)), strict=True)]
        if kind != "t":
            path.append(UnfinishedNode(node, names, chances, paid))
            continue
        done: Any = {"payoffs": [float(number) for number in paid]}
        while path:  # a finished node is the next child of the last open one
            branch = path[-1]
            branch.children.append(done)
            if len(branch.children) < len(branch.names):
                break
            done = _closed(path.pop())
        if not path:
            root = done
    if reader.peek()[0] != "end":
        reader.fail(f"something follows after the last node: {reader.peek()[1]!r}")
    for number, nodes in enumerate(members.values(), 1):
        if len(nodes) > 1:
            for one in nodes:
                one["information"] = f"{one['player'] + 1}:{number}"
    return root


def _actions(reader: Reader, sets: dict[Any, Any], key: Any) -> tuple[list[str], list[Fraction]]:
    """The names (and chances) of the actions of an information set; they may be left out when it recurs."""
    if reader.peek()[0] == "text":
        reader.take("text")
    if reader.taken("brace", "{"):
        names, chances = [], []
        while not reader.taken("brace", "}"):
            names.append(reader.take("text"))
            if key[0] == "c":
                chances.append(reader.number())
        if not names:
            reader.fail("an information set without actions")
        sets[key] = words(names), chances
    if key not in sets:
        reader.fail(f"information set {key[2]} comes without its actions")
    found: tuple[list[str], list[Fraction]] = sets[key]
    return found


def _outcome(reader: Reader, outcomes: dict[int, list[Fraction]], players: int) -> list[Fraction]:
    """The payoffs at a node."""
    number = reader.whole()
    if reader.peek()[0] == "text":
        reader.take("text")
    if reader.peek() == ("brace", "{"):
        outcomes[number] = reader.numbers()
    if number not in outcomes:
        reader.fail(f"outcome {number} comes without its payoffs")
    if len(outcomes[number]) != players:
        reader.fail(f"outcome {number} pays {len(outcomes[number])} players instead of {players}")
    return outcomes[number]


def _closed(branch: UnfinishedNode) -> Any:
    """A node with all its children."""
    if "player" in branch.node:
        branch.node["actions"] = dict(zip(branch.names, branch.children, strict=True))
        return branch.node
    events = zip(branch.names, branch.chances, branch.children, strict=True)
    return {"chance": {name: [str(chance), child] for name, chance, child in events if chance}}


READERS = {".nfg": read_nfg, ".efg": read_efg}


def nfg_text(game: Matrix) -> str:
    """A game in normal form as an .nfg file."""
    form = game._form
    names = " ".join("{ " + " ".join(map(_quoted, part)) + " }" for part in form.names)
    lines = [f"NFG 1 R {_quoted(form.title)} {{ {' '.join(map(_quoted, form.players))} }}", f"{{ {names} }}", '""', ""]
    lines.extend(
        " ".join(_number(value) for value in form.payoffs[tuple(reversed(profile))])
        for profile in product(*(range(count) for count in reversed(game.counts)))
    )
    return "\n".join(lines) + "\n"


def efg_text(game: Game, report: Callable[[int], None] | None = None) -> str:
    """Any finite game as an .efg file: its whole tree, with probabilities as fractions. `report` receives the number of
    nodes so far."""
    players = " ".join(_quoted(game.player_name(p)) for p in range(game.players))
    nodes: list[str] = []
    for node in _nodes(game):
        nodes.append(node)
        if report is not None and len(nodes) % REPORTED == 0:
            report(len(nodes))
    return f"EFG 2 R {_quoted(game._spec_name())} {{ {players} }}\n" + "\n".join(nodes) + "\n"


def _nodes(game: Game) -> Iterator[str]:
    """The line of each node, parents before children."""
    sets: list[dict[Any, int]] = [{} for _ in range(game.players)]
    chances = ends = count = 0
    waiting: list[tuple[Any, tuple[int, ...]]] = [(game.initial(), ())]
    while waiting:
        s, before = waiting.pop()
        count += 1
        if count > MOST_NODES:
            raise CounterplayError(f"{game.spec}: its tree has more than {MOST_NODES:,} nodes, too many to write")
        options = legal(game, s, before)
        if not options:  # over by the rules, by repetition, or because there are no actions
            ends += 1
            paid = ", ".join(_number(payoff(game, s, p)) for p in range(game.players))
            yield f't "" {ends} "" {{ {paid} }}'
            continue
        mover = game.to_move(s)
        names = [_quoted(game.action_text(s, action)) for action in options]
        if mover == CHANCE:
            chances += 1
            fractions = exact([game.probability(s, event) for event in options])
            events = " ".join(f"{name} {chance}" for name, chance in zip(names, fractions, strict=True))
            yield f'c "" {chances} "" {{ {events} }} 0'
        else:
            known = game.information(s, mover) if game.has_secrets else count
            number = sets[mover].setdefault(known, len(sets[mover]) + 1)
            yield f'p "" {mover + 1} {number} "" {{ {" ".join(names)} }} 0'
        path = (*before, repetition_word(game, s)) if game.has_repetition else ()
        waiting.extend((game.result(s, action), path) for action in reversed(options))


def exact(chances: list[float]) -> list[Fraction]:
    """Probabilities as fractions that add up to 1."""
    found = [Fraction(chance).limit_denominator(1_000_000) for chance in chances]
    found[-1] += 1 - sum(found)
    return found


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
