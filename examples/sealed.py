"""Sealed: bids that are opened at the same time.

Prizes of 1, 2 and 3 points come up in this order. For each, both players seal one of their cards in an envelope. The
higher card wins the prize; equal cards win nothing. A card can be used only once.

A simultaneous move is two moves in turn, where the second player cannot see the first. Only `information` says so.
"""

from typing import NamedTuple

from counterplay import Game, state

NONE = -1


@state
class State(NamedTuple):
    """The cards in hand, a bit each, the envelope on the table, the round, and the first player's lead."""

    hands: tuple[int, int]
    sealed: int  # what the first player put in, until the second has done so as well
    round: int
    lead: int
    seen: int  # the opened envelopes, in base 16: both players remember them


class Sealed(Game):
    """Bid for prizes, both at once."""

    def __init__(self, rounds: int = 3) -> None:
        self.rounds = rounds
        total = rounds * (rounds + 1) / 2
        self.utility_bounds = (-total, total)

    def initial(self):
        whole = 2**self.rounds - 1
        return State((whole, whole), NONE, 0, 0, 0)

    def to_move(self, s):
        return 0 if s.sealed == NONE else 1

    def actions(self, s, out):
        for card in range(self.rounds):
            if s.hands[self.to_move(s)] >> card & 1:
                out.append(card)

    def result(self, s, action):
        if s.sealed == NONE:
            return State(s.hands, action, s.round, s.lead, s.seen)
        hands = (s.hands[0] & ~(1 << s.sealed), s.hands[1] & ~(1 << action))
        won = (s.sealed > action) - (s.sealed < action)
        seen = (s.seen * 16 + s.sealed + 1) * 16 + action + 1
        return State(hands, NONE, s.round + 1, s.lead + won * (s.round + 1), seen)

    def is_terminal(self, s):
        return s.round == self.rounds

    def utility(self, s, player):
        return float(s.lead if player == 0 else -s.lead)

    def information(self, s, player):
        own = s.sealed + 1 if player == 0 else 0  # players know their own envelope
        return (s.seen * 16 + own) * 2 + (s.sealed != NONE)

    def resample(self, s, player, rng):
        if player == 0 or s.sealed == NONE:
            return s
        cards = [card for card in range(self.rounds) if s.hands[0] >> card & 1]
        return State(s.hands, cards[rng.below(len(cards))], s.round, s.lead, s.seen)

    def action_text(self, s, action):
        return str(action + 1)

    def board(self, s, viewer=None):
        hand = ["".join(str(c + 1) for c in range(self.rounds) if hand >> c & 1) for hand in s.hands]
        closed = s.sealed != NONE and viewer != 0 and viewer is not None
        envelope = "" if s.sealed == NONE else f", in the envelope: {'?' if closed else s.sealed + 1}"
        if closed:
            hand[0] = "?"
        return f"prize {s.round + 1}, the first player leads by {s.lead}\nhands {hand[0]} and {hand[1]}{envelope}"
