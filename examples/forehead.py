"""Forehead: poker with the card on your forehead.

Each of two players holds a card to their own forehead: everybody sees it except its owner. Both have put in a chip. The
first player bets one more or checks; a bet is called or folded, a check answered by a bet or a check. The higher card wins.

What a player knows is `information`; `resample` draws a deal that they consider possible, for players that sample.
"""

from typing import NamedTuple

from counterplay import CHANCE, Game, replaced, state

NONE = -1
GIVE_IN, STAKE = 0, 1  # check or fold; bet or call


@state
class State(NamedTuple):
    """The cards, and the bets so far."""

    cards: tuple[int, int]  # on whose forehead
    said: tuple[int, int, int]  # NONE if nothing has been said yet


class Forehead(Game):
    """Bet on a card that everybody sees but you."""

    utility_bounds = (-2.0, 2.0)

    def __init__(self, ranks: int = 6) -> None:
        self.ranks = ranks

    def initial(self):
        return State((NONE, NONE), (NONE, NONE, NONE))

    def turns(self, s):
        return 3 - s.said.count(NONE)

    def to_move(self, s):
        return CHANCE if s.cards[1] == NONE else self.turns(s) % 2

    def chance(self, s, out):
        for card in range(self.ranks):
            if card != s.cards[0]:
                out.append(card)

    def probability(self, s, event):
        return 1 / self.ranks if s.cards[0] == NONE else 1 / (self.ranks - 1)

    def actions(self, s, out):
        out.append(GIVE_IN)
        out.append(STAKE)

    def result(self, s, action):
        if s.cards[1] == NONE:
            return State(replaced(s.cards, 0 if s.cards[0] == NONE else 1, action), s.said)
        return State(s.cards, replaced(s.said, self.turns(s), action))

    def is_terminal(self, s):
        return self.turns(s) == 3 or (self.turns(s) == 2 and s.said[:2] != (GIVE_IN, STAKE))

    def utility(self, s, player):
        if s.said.count(STAKE) == 1:  # a bet was not called
            return 1.0 if s.said.index(STAKE) % 2 == player else -1.0
        return (1.0 if STAKE not in s.said else 2.0) * (1 if s.cards[player] > s.cards[1 - player] else -1)

    def information(self, s, player):
        return (s.cards[1 - player] + 1) * 64 + (s.said[0] + 1) * 16 + (s.said[1] + 1) * 4 + s.said[2] + 1

    def resample(self, s, player, rng):
        card = rng.below(self.ranks - 1)  # any card for me, except the one that I see
        return State(replaced(s.cards, player, card + (card >= s.cards[1 - player])), s.said)

    def action_text(self, s, action):
        words = ("fold", "call") if STAKE in s.said else ("check", "bet")
        return str(action + 1) if s.cards[1] == NONE else words[action]

    def board(self, s, viewer=None):
        shown = ["?" if i == viewer or s.cards[i] == NONE else str(s.cards[i] + 1) for i in range(2)]
        return f"on the foreheads: {shown[0]} and {shown[1]}; in the pot: {2 + s.said.count(STAKE)}"
