"""`check` on private deals: what public trees rely on."""

from __future__ import annotations

import pytest

from counterplay.conformance.deals import private_deals
from counterplay.core.errors import BrokenGame
from counterplay.core.survey import survey
from counterplay.games.kuhn_poker import KuhnPoker
from counterplay.games.leduc_poker import LeducPoker
from counterplay.games.liars_dice import LiarsDice


class TellsTheHand(KuhnPoker):
    compiled = False

    def public(self, s):
        return s.history << 8 | s.dealt << 4 | self.card(s, 0)


class ForgetsTheBets(KuhnPoker):
    compiled = False

    def public(self, s):
        return s.dealt


class TooFewHands(KuhnPoker):
    compiled = False

    def __init__(self):
        super().__init__()
        self.private_hands = 2


class OtherHands(KuhnPoker):
    compiled = False

    def with_hands(self, s, first, second):
        return super().with_hands(s, second, first)


@pytest.mark.parametrize(
    "game", [KuhnPoker(), LeducPoker(), LeducPoker(distinct_suits=False), LiarsDice(2, 3)], ids=repr
)
def test_right_deals_are_approved(game):
    assert "make up what a player knows" in private_deals(game, survey(game, 40, 5.0))


@pytest.mark.parametrize(
    ("cls", "why"),
    [
        (TellsTheHand, "reveals more than player 1 knows"),
        (ForgetsTheBets, "more than what `public` and `hand_of` give"),
        (TooFewHands, "gives hand 2, but `private_hands` is 2"),
        (OtherHands, "`with_hands` with the hands of .* gives another state"),
    ],
)
def test_wrong_deals_are_found(cls, why):
    with pytest.raises(BrokenGame, match=why):
        private_deals(cls(), survey(cls(), 40, 5.0))
