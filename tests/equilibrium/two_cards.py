"""Poker with two cards each: a deck of six in two suits, a bet, a public card, and another bet."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.bits import bit
from counterplay.core.language.state import state
from counterplay.core.language.wide import u64

PAIRS = list(combinations(range(6), 2))
CHECK, BET, FOLD = 0, 1, 2


@state
class Deal(NamedTuple):
    first: int  # the hand, -1 before the deal
    second: int
    public: int  # the card, -1 before it is turned over
    history: int  # base 4, after a leading 1: each action plus one
    turn: int  # whose turn; 2 for chance, 3 after a fold, 4 after a showdown
    pot: int  # what each has paid
    loser: int  # who folded


class TwoCards(Game):
    """One bet a round, which costs 1 and then 2; a hand is the sum of its ranks, times the public card's."""

    name = "two-cards"
    utility_bounds = (-4.0, 4.0)
    private_hands = len(PAIRS)
    compiled = False

    def initial(self):
        return Deal(-1, -1, -1, 1, 2, 1, -1)

    def to_move(self, s):
        return CHANCE if s.turn == 2 else s.turn

    def chance(self, s, out: Actions):
        if s.second >= 0:
            for card in range(6):
                if not int(self.hand_cards(s.first) | self.hand_cards(s.second)) >> card & 1:
                    out.append(card)
        else:
            for hand in range(len(PAIRS)):
                if s.first < 0 or not self.hand_cards(s.first) & self.hand_cards(hand):
                    out.append(hand)

    def probability(self, s, event):
        return 1 / 15 if s.first < 0 else 1 / 6 if s.second < 0 else 1 / 2

    def actions(self, s, out: Actions):
        out.append(CHECK)
        if s.history % 4 == BET + 1:
            out.append(FOLD)
        else:
            out.append(BET)

    def result(self, s, action):
        if s.turn == 2:
            if s.first < 0:
                return s._replace(first=action)
            if s.second < 0:
                return s._replace(second=action, turn=0)
            return s._replace(public=action, turn=0, history=s.history * 4)
        history, size = s.history * 4 + action + 1, 1 if s.public < 0 else 2
        if action == FOLD:
            return s._replace(history=history, turn=3, loser=s.turn)
        over = s._replace(history=history, turn=2 if s.public < 0 else 4)
        if action == CHECK and s.history % 4 == BET + 1:
            return over._replace(pot=s.pot + size)
        if action == CHECK and s.history % 4 == CHECK + 1:
            return over
        return s._replace(history=history, turn=1 - s.turn)

    def is_terminal(self, s):
        return s.turn > 2

    def utility(self, s, player):
        if s.turn == 3:
            return float(-s.pot if player == s.loser else s.pot)
        mine, theirs = self.showdown_strength(s, player), self.showdown_strength(s, 1 - player)
        return float(s.pot * ((mine > theirs) - (mine < theirs)))

    def information(self, s, player):
        return (self.public(s) << 8) + self.hand_of(s, player) + 1

    def public(self, s):
        return ((s.history << 8) + (s.public + 1) * 8 + s.turn << 2) + (s.first >= 0) + (s.second >= 0)

    def hand_of(self, s, player):
        return s.second if player else s.first

    def with_hands(self, s, first, second):
        return s._replace(first=first, second=second)

    def hand_cards(self, hand):
        return bit(PAIRS[hand][0]) | bit(PAIRS[hand][1])

    def public_cards(self, s):
        return bit(s.public) if s.public >= 0 else u64(0)

    def is_showdown(self, s):
        return s.turn == 4

    def showdown_strength(self, s, player):
        ranks = [card // 2 + 1 for card in PAIRS[self.hand_of(s, player)]]
        return sum(ranks) + 3 * (s.public // 2 + 1 in ranks)

    def suit_symmetries(self):
        swapped = [PAIRS.index(tuple(sorted((a ^ 1, b ^ 1)))) for a, b in PAIRS]
        return np.array([range(len(PAIRS)), swapped]), np.array([[0, 1, 2, 3, 4, 5], [1, 0, 3, 2, 5, 4]])
