"""Every topic's answers against an independent computation, over seeds; how answers are read; sheets."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from functools import reduce
from html import escape
from itertools import permutations, product
from operator import xor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import counterplay as cp
from counterplay.core.errors import CounterplayError
from counterplay.teaching.exercise import Blank, from_json, grade, mark
from counterplay.teaching.numbers import agrees, fraction, read_number, written
from counterplay.teaching.sheets import html, pdf, size_of, text
from counterplay.teaching.topics import TOPICS, exercises_of

SEEDS = st.integers(0, 10**9)
few = settings(max_examples=8)


def one(topic, seed):
    return exercises_of(topic, 1, seed)[0]


def answers(exercise):
    return {blank.name: blank.answer for blank in exercise.blanks}


# Trees: plain algorithms over the tree as the figure has it.


def inner(part):
    """The children of a part with their names and odds."""
    if isinstance(part, dict) and "chance" in part:
        return [(name, odds, child) for name, (odds, child) in part["chance"].items()]
    return [(name, None, child) for name, child in part["actions"].items()]


def minimax(part, name, maximizes, values):
    """The value of a part, by plain recursion; `values` gets those of all inner nodes."""
    if not isinstance(part, dict):
        return Fraction(part)
    chance = "chance" in part
    below = [minimax(child, label, maximizes == chance, values) for label, _, child in inner(part)]
    if chance:
        values[name] = sum(Fraction(str(odds)) * v for (_, odds, _), v in zip(inner(part), below, strict=True))
    else:
        values[name] = max(below) if maximizes else min(below)
    return values[name]


def alpha_beta(part, name, maximizes, low, high, seen, windows):
    """Alpha-beta as in a textbook; `seen` gets the leaves that are looked at, `windows` those of inner nodes."""
    if not isinstance(part, dict):
        seen.append(part)
        return part
    windows[name] = low, high
    best = -math.inf if maximizes else math.inf
    for label, _, child in inner(part):
        value = alpha_beta(child, label, not maximizes, low, high, seen, windows)
        if maximizes:
            best, low = max(best, value), max(low, value)
        else:
            best, high = min(best, value), min(high, value)
        if low >= high:
            break
    return best


def searched(source):
    seen, windows = [], {}
    alpha_beta(source, "A", True, -math.inf, math.inf, seen, windows)
    return seen, windows


def leaves(part):
    return [leaf for _, _, child in inner(part) for leaf in leaves(child)] if isinstance(part, dict) else [part]


@few
@given(SEEDS, st.sampled_from(["minimax", "chance"]))
def test_values_are_those_of_plain_minimax(seed, topic):
    exercise, values = one(topic, seed), {}
    minimax(exercise.figure["source"], "A", True, values)
    told = answers(exercise)
    for name, answer in told.items():
        if name != "move":
            assert read_number(answer) == values[name.removeprefix("value-")]
    best = {name for name, _, _ in inner(exercise.figure["source"]) if values[name] == values["A"]}
    assert best == {told["move"]}
    everything = leaves(exercise.figure["source"])
    assert len(set(everything)) == len(everything) <= 14
    assert values["A"] != max(everything)


@few
@given(SEEDS)
def test_pruned_leaves_are_those_that_alpha_beta_never_sees(seed):
    exercise = one("alpha-beta", seed)
    source, blank = exercise.figure["source"], exercise.blanks[0]
    seen, _ = searched(source)
    everything = leaves(source)
    assert sorted(map(int, blank.answers[0].split())) == sorted(set(everything) - set(seen))
    assert tuple(map(str, everything)) == blank.options
    assert len(everything) - len(seen) >= 2
    assert len(set(everything)) == len(everything) <= 16
    # An answer with all the other leaves gets a reason for every one of them.
    other = " ".join(str(leaf) for leaf in seen)
    wrong = grade(exercise, {"pruned": other})[0]
    assert not wrong.right
    assert wrong.words.count("You missed") >= 1
    assert "(alpha " in wrong.words
    assert "when its turn comes at" in wrong.words


@few
@given(SEEDS)
def test_windows_are_those_of_alpha_beta(seed):
    exercise = one("windows", seed)
    _, windows = searched(exercise.figure["source"])
    asked = Counter()
    for blank in exercise.blanks:
        end, _, name = blank.name.partition("-")
        assert read_number(blank.answer) == windows[name][end == "beta"]
        asked[name] += 1
    assert list(asked.values()) == [2, 2]


@few
@given(SEEDS)
def test_orders_are_right_exactly_where_fewest_leaves_are_seen(seed):
    exercise = one("ordering", seed)
    below = {name: [leaf for _, _, leaf in inner(child)] for name, _, child in inner(exercise.figure["source"])}
    told = answers(exercise)
    blanks = {blank.name: blank for blank in exercise.blanks}

    def seen(order, orders):
        source = {"actions": {name: {"actions": {str(leaf): leaf for leaf in orders[name]}} for name in order}}
        return len(searched(source)[0])

    counts = {}
    for order, *each in product(permutations(below), *(list(permutations(row)) for row in below.values())):
        orders = dict(zip(below, each, strict=True))
        right = " ".join(order) in blanks["order-A"].answers and all(
            " ".join(map(str, row)) in blanks[f"order-{name}"].answers for name, row in orders.items()
        )
        counts.setdefault(seen(order, orders), set()).add(right)
    fewest = min(counts)
    assert counts.pop(fewest) == {True}
    assert set().union(*counts.values()) == {False}
    assert int(told["fewest"]) == fewest
    assert int(told["drawn"]) == seen(list(below), below) >= 8


# Tables.


@few
@given(SEEDS)
def test_uct_visits_the_child_with_the_largest_sum(seed):
    exercise = one("uct", seed)
    c = float(exercise.question.partition("c = ")[2].partition(",")[0])
    visits = {row[0]: int(row[1]) for row in exercise.figure["rows"]}
    total = sum(visits.values())
    sums = {
        row[0]: int(row[2]) / int(row[1]) + c * math.sqrt(math.log(total) / int(row[1]))
        for row in exercise.figure["rows"]
    }
    told = answers(exercise)
    for name, value in sums.items():
        assert float(told[f"sum-{name}"]) == pytest.approx(value, abs=0.006)
    first, second = sorted(sums.values())[:-3:-1]
    assert first - second > 0.04
    assert told["next"] == max(sums, key=sums.__getitem__)
    assert grade(exercise, told | {"sum-A": f"{sums['A'] + 0.01:.3f}"})[0].right
    assert not grade(exercise, told | {"sum-A": f"{sums['A'] + 0.05:.3f}"})[0].right


@few
@given(SEEDS)
def test_an_iteration_of_cfr_by_hand(seed):
    exercise = one("cfr", seed)
    told = {name: Fraction(answer) for name, answer in answers(exercise).items()}
    words = exercise.question.split()
    column = [Fraction(words[words.index("left") + 2]), Fraction(words[words.index("right") + 2].rstrip("."))]
    rows = {row[0]: [Fraction(cell) for cell in row[1:]] for row in exercise.figure["rows"]}
    old = [max(row[2], Fraction(0)) for row in rows.values()]
    for row in rows.values():  # the current strategy follows from the regrets so far
        assert row[3] == (max(row[2], 0) / sum(old) if sum(old) else Fraction(1, 3))
    wins = {name: column[0] * row[0] + column[1] * row[1] for name, row in rows.items()}
    mean = sum(row[3] * wins[name] for name, row in rows.items())
    regrets = {name: row[2] + wins[name] - mean for name, row in rows.items()}
    above = sum(max(regret, Fraction(0)) for regret in regrets.values())
    for name in rows:
        assert told[f"value-{name}"] == wins[name]
        assert told[f"regret-{name}"] == regrets[name]
        assert told[f"next-{name}"] == max(regrets[name], Fraction(0)) / above
    assert len(set(regrets.values())) == 3


@few
@given(SEEDS)
def test_the_equilibrium_makes_both_indifferent(seed):
    exercise = one("equilibrium", seed)
    (a, b), (c, d) = [[int(cell) for cell in row[1:]] for row in exercise.figure["rows"]]
    told = {name: Fraction(answer) for name, answer in answers(exercise).items()}
    p, q = told["up"], told["left"]
    assert 0 < p < 1
    assert 0 < q < 1
    assert a * p + c * (1 - p) == b * p + d * (1 - p) == told["value"]
    assert a * q + b * (1 - q) == c * q + d * (1 - q) == told["value"]
    assert max(min(a, b), min(c, d)) < min(max(a, c), max(b, d))  # no saddle point
    assert np.linalg.det([[a, b], [c, d]]) == pytest.approx(a * d - b * c)


@few
@given(SEEDS)
def test_nim_by_the_exclusive_or_of_heaps(seed):
    exercise = one("nim", seed)
    sizes = [int(part.split()[-1]) for part in exercise.figure["alt"].replace(" and ", ", ").split(", ")]
    total = reduce(xor, sizes)
    wins = {f"{chr(97 + i)}{size - (size ^ total)}" for i, size in enumerate(sizes) if size ^ total < size}
    number, move = exercise.blanks
    assert number.answers == (str(total),)
    assert set(move.answers) == wins
    assert len(move.options) == sum(sizes)
    lost = next(option for option in move.options if option not in wins)
    assert "the opponent wins" in grade(exercise, {"sum": str(total), "move": lost})[1].words


# Drawing.


@pytest.mark.parametrize("topic", TOPICS)
def test_the_same_seed_gives_the_same_sheet_and_no_two_exercises_are_alike(topic):
    sheet, again = exercises_of(topic, 3, 5), exercises_of(topic, 2, 5)
    assert sheet[:2] == again
    assert sheet[0].figure != exercises_of(topic, 1, 6)[0].figure
    assert len({json.dumps(each.figure) for each in sheet}) == 3
    for each in sheet:
        assert from_json(json.loads(json.dumps(each.to_json()))) == each
        assert all(mark.right for mark in grade(each, answers(each)))
        assert not any(mark.right for mark in grade(each, {}) if mark.answer != "none")
    page, paper, shown = html(sheet), pdf(sheet), text(sheet)
    before, after = page.split('class="solutions"')
    for each in sheet:
        for blank in each.blanks:
            assert escape(blank.reason) in after
            assert escape(blank.reason) not in before
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert paper.startswith(b"%PDF-")
    assert shown.count("____") == sum(len(each.blanks) for each in sheet)
    widths = [size_of(each)[0] for each in page.split("<p>")[1:2]]
    assert all(width < 900 for width in widths)  # it fits on a page


def test_the_pdf_is_sound():
    """Every object is where the table says, every stream as long as it says, and solutions begin a page."""
    import re

    paper = pdf(exercises_of("alpha-beta", 4, 1))
    start = int(paper.rpartition(b"startxref\n")[2].split()[0])
    places = re.findall(rb"(\d{10}) 00000 n", paper[start:])
    for i, place in enumerate(places, 1):
        assert paper[int(place) :].startswith(b"%d 0 obj" % i)
    streams = re.findall(rb"/Length (\d+) >>\nstream\n(.*?)\nendstream", paper, re.DOTALL)
    assert [int(length) for length, _ in streams] == [len(content) for _, content in streams]
    words = [
        b"".join(bytes.fromhex(run.decode()) for run in re.findall(rb"<([0-9a-f]*)> Tj", each)) for _, each in streams
    ]
    first = next(i for i, each in enumerate(words) if b"solutions" in each)
    assert first >= 1
    assert words[first].startswith(b"Alpha-beta: solutions")
    assert not any(b"pruned." in each for each in words[:first])
    assert any(b"pruned." in each for each in words[first:])


# Answers as people write them.


@pytest.mark.parametrize(
    "written, value",
    [
        *((each, Fraction(1, 2)) for each in ("1/2", "0.5", ".5", " 0,5", "50%", "2/4", "+.50", "1 / 2", "0.25/0.5")),
        *((each, Fraction(-3)) for each in ("-3", "\N{MINUS SIGN}3", "- 3", "-3.", "-6/2", "-3.0")),
        *((each, math.inf) for each in ("inf", "∞", "Infinity", "+inf", "oo")),
        *((each, -math.inf) for each in ("-inf", "-∞", "\N{MINUS SIGN}∞")),
    ],
)
def test_numbers_are_read_as_people_write_them(written, value):
    assert read_number(written) == value


@pytest.mark.parametrize("nonsense", ["", "x", "1/0", "--3", "1/2/3", "1e5", "3 apples", "9" * 50, "nan", "½½"])
def test_an_answer_that_is_not_a_number_is_refused(nonsense):
    with pytest.raises(CounterplayError, match=r"not a number|divides by zero"):
        read_number(nonsense)


@pytest.mark.parametrize(
    "given, answer, right",
    [
        ("0.33", "1/3", True),
        ("0.333", "1/3", True),
        ("0.3", "1/3", False),  # too coarse
        ("0.34", "1/3", False),
        ("0.67", "2/3", True),
        ("3", "3.25", False),
        ("3.2", "3.25", False),
        ("inf", "∞", True),
        ("-inf", "∞", False),
        ("5", "∞", False),
    ],
)
def test_rounded_decimals_count_from_two_places_on(given, answer, right):
    assert agrees(given, answer) == right


@given(st.fractions(-50, 50, max_denominator=60))
def test_every_answer_agrees_with_itself_however_written(value):
    assert read_number(written(value)) == value == fraction(float(value))
    for given_ in (str(value), f"{float(value):.4f}", f"{float(value):.10f}"):
        assert agrees(given_, written(value))
        assert not agrees(given_, written(value + 1))


def test_sets_orders_and_choices_are_read_tolerantly():
    several = Blank("x", "x", "set", ("3 12",), "why", ("3", "12", "8"), {"8": "seen", "3": "cut"})
    assert mark(several, "12, 3").right
    assert mark(several, "12 8").words == "You missed 3: cut Not 8: seen"
    assert mark(Blank("x", "x", "set", ("",), "nothing is cut", ("3", "8")), "none").right
    order = Blank("x", "x", "order", ("B A C", "B C A"), "B first", ("A", "B", "C"))
    assert mark(order, "bca").right
    assert mark(order, "B > A > C").right
    assert mark(order, "A,B,C").words == "Not A B C; B A C, for example. B first"
    choice = Blank("x", "x", "choice", ("b3",), "0 behind it", ("a1", "b3"))
    assert mark(choice, " B3 ").right
    for blank, bad in ((several, "3 99"), (order, "A B"), (order, "A A B"), (choice, "z")):
        with pytest.raises(CounterplayError, match=r"none of|write each of"):
            mark(blank, bad)
    with pytest.raises(CounterplayError, match="no 'y' to fill in"):
        grade(one("nim", 1), {"y": "1"})


def test_the_function_of_the_package(tmp_path):
    topics = cp.exercises()
    assert [line.split()[0] for line in str(topics).splitlines()] == list(TOPICS)
    sheet = cp.exercises("nim", count=2, seed=4)
    assert (len(sheet), sheet[1].number) == (2, 1)
    marks = sheet.grade(0, {"sum": "99"})
    assert [each.right for each in marks] == [False, False]
    for name in ("sheet.pdf", "sheet.html"):
        sheet.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 2000
    with pytest.raises(CounterplayError, match=r"\.html or \.pdf"):
        sheet.save(tmp_path / "sheet.doc")


def test_what_a_group_moves_is_moved_on_paper():
    from counterplay.core.formats.pdf import PdfPage
    from counterplay.core.formats.svg import picture, rect

    drawn = [PdfPage(), PdfPage()]
    drawn[0].picture(picture(9, 9, [rect(3, 4, 1, 2, "#fff")]), 10, 10, 2)
    drawn[1].picture(picture(9, 9, [f'<g transform="translate(3 4)">{rect(0, 0, 1, 2, "#fff")}</g>']), 10, 10, 2)
    assert drawn[0].content == drawn[1].content
