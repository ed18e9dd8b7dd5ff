"""Betting between two players, shared by all poker games: limit, pot-limit and no-limit.

In turn a player folds (only if they have less in the pot than the opponent), calls (evens the pot; a check if it is
even) or raises, at most `raises` times in a round. With a limit every raise of a round costs the same. Without one a
player raises by one of the fractions of the pot in `bets`, by no less than the last raise, or goes all-in; in pot-limit
games, by no more than the pot.
"""

from __future__ import annotations

from typing import Any

from counterplay.core.errors import CounterplayError
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions

FOLD, CALL, RAISE = 0, 1, 2
"""Actions; from RAISE on, a raise by each fraction of the pot, then all-in."""
DEALING, BETTING, FOLDED, SHOWDOWN = 0, 1, 2, 3
"""Stages of a hand."""
MOST_CHIPS = 1_000_000
MOST_SIZES = 5


class Betting(Game):
    """Betting over a state with `paid`, `player`, `raises`, `acted` and `stage`."""

    sizes: tuple[int, ...]
    """The price of a raise in each round, with a limit."""
    least: int = 1
    """The minimum price of a round's first raise, without a limit."""

    def set_betting(self, betting: str, raises: int, stack: int, bets: str) -> None:
        """Check and store the form of betting."""
        self.raises = raises
        self.stack = 0 if betting == "limit" else stack  # chips of each player; 0 if only the limit counts
        self.pot_limit = betting == "pot-limit"
        self.fractions: tuple[float, ...] = () if betting == "limit" else self.read_bets(bets)
        self.policy_size = RAISE + len(self.fractions) + 1
        self.digit = 2 if betting == "limit" else 3  # bits of an action in the history
        if betting != "limit" and not 2 * self.least < stack <= MOST_CHIPS:
            raise CounterplayError(
                f"{self.name}: a stack of {stack} chips: there must be from {2 * self.least + 1} to {MOST_CHIPS:,}"
            )
        if self.pot_limit and max(self.fractions) > 1:
            raise CounterplayError(f"{self.name}: bets={bets}: with pot-limit betting no bet is larger than 1")

    def read_bets(self, text: str) -> tuple[float, ...]:
        """Fractions of the pot, the smallest first."""
        try:
            found = sorted({float(part) for part in str(text).split("/")})
        except ValueError:
            found = []
        if not (0 < len(found) <= MOST_SIZES and all(0 < each <= 100 for each in found)):
            raise CounterplayError(
                f"{self.name}: bets={text!r}: write one to {MOST_SIZES} fractions of the pot, such as 0.5/1/2"
            )
        return tuple(found)

    def round_of(self, s: Any) -> int:
        """The number of the betting round, from 0."""
        raise NotImplementedError

    def actions(self, s: Any, out: Actions) -> None:
        stake = max(s.paid[0], s.paid[1])
        if s.paid[0] != s.paid[1]:
            out.append(FOLD)
        out.append(CALL)
        if s.raises >= self.raises or (self.stack > 0 and stake >= self.stack):
            return
        if self.stack == 0:
            out.append(RAISE)
            return
        most = stake
        for i in range(len(self.fractions)):
            to = self.raised_to(s, RAISE + i)
            if most < to < self.stack:
                out.append(RAISE + i)
                most = to
        if not self.pot_limit or self.stack - stake <= 2 * stake:
            out.append(RAISE + len(self.fractions))

    def raised_to(self, s: Any, action: int) -> int:
        """The chips that the player to move has in the pot after a raise."""
        stake = max(s.paid[0], s.paid[1])
        if self.stack == 0:
            return stake + self.sizes[self.round_of(s)]
        if action == RAISE + len(self.fractions):
            return self.stack
        by = int(self.fractions[action - RAISE] * 2 * stake + 0.5)
        return min(stake + max(by, self.least, abs(s.paid[0] - s.paid[1])), self.stack)

    def paid_after(self, s: Any, action: int) -> tuple[int, int]:
        """The chips of both in the pot after a call or a raise."""
        stake = max(s.paid[0], s.paid[1])
        if action >= RAISE:
            stake = self.raised_to(s, action)
        return (stake, s.paid[1]) if s.player == 0 else (s.paid[0], stake)

    def is_all_in(self, paid: tuple[int, int]) -> bool:
        """Whether both players have all their chips in the pot."""
        return self.stack > 0 and paid[0] == self.stack and paid[1] == self.stack

    def is_terminal(self, s: Any) -> bool:
        return bool(s.stage >= FOLDED)

    def invested(self, s: Any, player: int) -> float:
        return float(s.paid[player])

    def is_showdown(self, s: Any) -> bool:
        return bool(s.stage == SHOWDOWN)

    def utility(self, s: Any, player: int) -> float:
        if s.stage == FOLDED:
            lost = s.paid[s.player]
            return float(-lost if player == s.player else lost)
        mine, theirs = self.showdown_strength(s, player), self.showdown_strength(s, 1 - player)
        if mine == theirs:
            return 0.0
        return float(s.paid[0] if mine > theirs else -s.paid[0])

    # Notation and pictures.

    def caption(self, s: Any, action: int) -> str:
        """An action with its chips: "check", "call 1", "bet 3", "raise to 6"."""
        player = self.to_move(s)
        if player == CHANCE or action == FOLD:
            return self.action_text(s, action)
        paid, stake = self.result(s, action).paid[player], s.paid[player]
        if action == CALL:
            return "check" if paid == stake else f"call {paid - stake}"
        if self.is_all_in_action(action):
            return f"all-in {paid - stake}"
        return f"bet {paid - stake}" if s.paid[0] == s.paid[1] else f"raise to {paid}"

    def raise_text(self, action: int) -> str:
        """The text after `raise`: none with a limit, else the fraction of the pot."""
        return "" if self.stack == 0 else f"{self.fractions[action - RAISE]:g}"

    def is_all_in_action(self, action: int) -> bool:
        """Whether an action puts all chips in."""
        return self.stack > 0 and action == RAISE + len(self.fractions)

    def note(self, s: Any, player: int) -> str:
        """The status of `player`: to move, folded, wins, or none of these."""
        if self.is_terminal(s):
            if s.stage == FOLDED and player == s.player:
                return "folds"
            gain = self.utility(s, player)
            return "wins" if gain > 0 else "shares the pot" if gain == 0 else ""
        return "to move" if self.to_move(s) == player else ""

    def value_text(self, value: float, plies: int | None = None) -> str:
        return f"{value:+.3g} chips"
