"""Poker hands: published counts of all five-card hands, and an independent evaluator."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from counterplay.core.language.bits import bit
from counterplay.core.language.kernel import kernel
from counterplay.core.language.wide import u64
from counterplay.games.poker_hands import KIND, card_of, card_text, hand_strength, kind_text


def hand(text):
    return u64(sum(1 << card_of(word) for word in text.split()))


@kernel
def five_cards(counts: Any, classes: Any) -> int:
    """Count all five-card hands by kind, and write down the strength of each."""
    n = 0
    for a in range(52):
        for b in range(a):
            for c in range(b):
                for d in range(c):
                    for e in range(d):
                        strength = hand_strength(bit(a) | bit(b) | bit(c) | bit(d) | bit(e))
                        counts[strength >> KIND] += 1
                        classes[n] = strength
                        n += 1
    return n


def test_five_cards_are_as_many_of_each_kind_as_is_published():
    counts, classes = np.zeros(9, np.int64), np.zeros(2_598_960, np.int64)
    assert five_cards(counts, classes) == 2_598_960
    assert counts.tolist() == [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40]
    assert len(np.unique(classes)) == 7462  # classes of five-card hands, as published


def test_random_hands_are_ordered_as_another_evaluator_does():
    """Hands of five, six and seven cards."""
    evaluate_cards = pytest.importorskip("phevaluator").evaluate_cards
    rng, known = random.Random(7), {}
    for i in range(6000):
        cards = rng.sample(range(52), 5 + i % 3)
        ours = hand_strength(u64(sum(1 << card for card in cards)))
        theirs = evaluate_cards(*map(card_text, cards))
        assert known.setdefault(theirs, ours) == ours  # equal ones are equal
    assert [known[rank] for rank in sorted(known)] == sorted(known.values(), reverse=True)
    assert len(set(known.values())) == len(known) > 1000


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("As Ks Qs Js Ts 2h 2d", "straight flush"),
        ("As 2s 3s 4s 5s 6h 7h", "straight flush"),
        ("9s 9h 9d 9c Ks Kh Kd", "four of a kind"),
        ("9s 9h 9d Kc Ks Kh 2d", "full house"),
        ("2s 4s 6s 8s Ts Th Td", "flush"),
        ("As 2h 3s 4s 5d Kh Kd", "straight"),
        ("2s 2h 2d Kc Qs Jh 9d", "three of a kind"),
        ("2s 2h 3d 3c 4s 4h 9d", "two pairs"),
        ("2s 2h 3d 5c 7s 9h Jd", "pair"),
        ("2s 4h 6d 8c Ts Qh Ad", "high card"),
    ],
)
def test_kinds_of_seven_cards(text, kind):
    assert kind_text(hand_strength(hand(text))) == kind


def test_among_equals_the_higher_cards_decide():
    order = ["As 2h 3s 4s 5d", "2s 3h 4s 5s 6d", "Ts Jh Qs Ks Ad"]  # the ace below the two is the lowest straight
    assert [hand_strength(hand(text)) for text in order] == sorted(hand_strength(hand(text)) for text in order)
    assert hand_strength(hand("Ks Kh 2d 3c 4s 5h 7h")) == hand_strength(hand("Ks Kh 2d 3d 4s 5h 7h"))
    assert Counter(map(card_text, range(52))).most_common(1)[0][1] == 1
    assert card_of("1s") is None
    assert card_of("aS") == card_of("As")
