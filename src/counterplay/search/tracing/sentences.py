"""What each step of a recorded search does and why, in one sentence with its numbers, for the terminal and the app."""

from __future__ import annotations

import re
from collections.abc import Sequence

from counterplay.core.game import CHANCE, Game
from counterplay.search.memory import Scale
from counterplay.search.tracing.history import INFINITY, History, Step, Visit
from counterplay.search.tracing.pseudocode import ENGINE, STAR, has_windows, pseudocode_of

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
MOST_LISTED = 6
"""The maximum number of values listed in a sentence."""
SLACK = 1e-9
HAIR = 1e-5
"""The maximum width of a null window."""


def number(value: float | None) -> str:
    """A value as shown to people."""
    if value is None:
        return "?"
    return "∞" if value == INFINITY else "-∞" if value == -INFINITY else f"{round(value, 6) + 0.0:.4g}"


def counted(count: int) -> str:
    """A small number as a word."""
    return NUMBERS[count] if count < len(NUMBERS) else f"{count:,}"


def listed(words: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1] if words else "")))


def unit_of(game: Game) -> str:
    """The unit of the game's values, such as "pawns"; empty: plain numbers."""
    return re.sub(r"[+-]?[\d.]+", "", game.value_text(0.0)).strip()


def in_units(game: Game, value: float, low: float, high: float) -> str:
    """A value in the game's own units, without their name; one that cannot be is a win, a loss, or a plain number."""
    if found := re.search(r"[+-]?\d[\d.]*", game.value_text(value)):
        return found[0].removeprefix("+")
    return "a win" if value >= high - SLACK else "a loss" if value <= low + SLACK else number(value)


class Narrator:
    """Describes the steps of a history."""

    def __init__(self, history: History) -> None:
        self.history, self.visits = history, history.visits
        self.windows = has_windows(history.trace.player)
        self.begins_bounded = pseudocode_of(history.trace.player) in (ENGINE, STAR)
        self.hero = self.name(history.root)
        self.low, self.high, *_ = Scale.of(history.game)
        self.unit = unit_of(history.game)

    def number(self, value: float | None) -> str:
        """A value as shown to people: in the game's own units, if it has any."""
        if not self.unit or value is None or abs(value) == INFINITY:
            return number(value)
        return in_units(self.history.game, value, self.low, self.high)

    def bounded(self, visit: Visit) -> str:
        """A value in words, and what kind of bound it is."""
        return {"exact": "", "lower": "at least ", "upper": "at most "}[visit.bound] + self.number(visit.value)

    def name(self, player: int) -> str:
        """A player's name."""
        return "chance" if player == CHANCE else self.history.trace.players[player]

    @property
    def rivals(self) -> str:
        """The opponents of the player at the root."""
        players = self.history.game.players
        return self.name(self.history.rival) if players == 2 else "the others"

    def sentence(self, step: Step) -> str:
        """One step."""
        return {
            "enter": self._enter,
            "leaf": self._leaf,
            "prune": self._prune,
            "leave": self._leave,
            "stop": self._stop,
        }[step.kind](step)

    def summary(self) -> str:
        """How the search ended."""
        decision = self.history.trace.decision
        return f"{self.hero} chooses {decision['action']}, worth {self.number(decision['value'])} to {self.hero}"

    # Down.

    def _enter(self, step: Step) -> str:
        visit = self.visits[step.visit]
        mover = "chance decides" if visit.player == CHANCE else f"{self.name(visit.player)} to move"
        if visit.parent is None:
            start = (
                f"{mover} at the root, {counted(visit.depth)} {'ply' if visit.depth == 1 else 'plies'} to look ahead"
            )
            return f"{capital(start)}{self._known_window(visit)}."
        return f"{self._tries(step.visit)}: {mover}{self._known_window(visit)}."

    def _tries(self, k: int) -> str:
        """How a node is reached."""
        visit = self.visits[k]
        above = self.visits[visit.parent or 0]
        if visit.by == "null move":
            return f"{capital(self.name(above.player))} passes, to see whether even that is enough (null move)"
        if visit.by == "same position":
            return "The same position first, at a lower depth"
        if above.player == CHANCE:
            return f"Event {visit.action}, probability {number(visit.odds)}"
        again = any(self.visits[c].action == visit.action and c < k and self.visits[c].left < visit.entered
                    for c in above.children)  # fmt: skip
        return f"{capital(self.name(above.player))} tries {visit.action}{' again' if again else ''}"

    def _known_window(self, visit: Visit) -> str:
        """The meaningful ends of a window, each with its reason."""
        if not self.windows:
            return ""
        low, high = self.number(visit.alpha), self.number(visit.beta)
        has_low, has_high = self._says_something(visit)
        if has_low and has_high and visit.beta - visit.alpha < HAIR * max(1.0, abs(visit.alpha)):
            return f"; a null window only asks whether it is worth more than {low}"
        if not has_low and not has_high:
            return f"; nothing is certain yet (alpha {low}, beta {high})"
        if self._is_under_chance(visit):
            return f"; only a value between {low} and {high} can still matter (alpha {low}, beta {high})"
        parts = [f"{self.hero} has {low} elsewhere (alpha {low})"] * has_low
        parts += [f"{self.rivals} can hold {self.hero} to {high} (beta {high})"] * has_high
        return "; " + ", and ".join(parts)

    def _says_something(self, visit: Visit) -> tuple[bool, bool]:
        """Whether each end of a window is narrower than the game's own bounds, with which some searches begin."""
        low, high = (self.low, self.high) if self.begins_bounded else (-INFINITY, INFINITY)
        return visit.alpha > low, visit.beta < high

    def _is_under_chance(self, visit: Visit) -> bool:
        """Whether a window concerns an average further up."""
        while visit.parent is not None:
            visit = self.visits[visit.parent]
            if visit.player == CHANCE:
                return True
        return False

    def _leaf(self, step: Step) -> str:
        visit = self.visits[step.visit]
        what = {
            "terminal": f"the game ends: {self.bounded(visit)}" + ("" if visit.values else f" for {self.hero}"),
            "horizon": f"depth limit reached: the estimate is {self.bounded(visit)}",
            "table": f"the table knows this position: {self.bounded(visit)}",
            "too late": f"even a win at once would come too late: {self.bounded(visit)}",
        }[visit.why]
        if visit.values is not None:
            end = "the game ends" if visit.why == "terminal" else "depth limit reached: the estimates are"
            what = f"{end}: {self._payoffs(visit.values)}"
        reached = "The root" if visit.parent is None else self._tries(step.visit)
        return f"{reached}: {what}{self._effect(step.visit)}."

    def _payoffs(self, values: Sequence[float]) -> str:
        return listed([f"{self.number(value)} for {self.name(i)}" for i, value in enumerate(values)])

    # What a value means for the node above.

    def _effect(self, k: int) -> str:
        """What a value does at the node above."""
        visit = self.visits[k]
        if visit.parent is None or visit.by != "action":
            return ""
        above, history = self.visits[visit.parent], self.history
        if above.player == CHANCE:
            if visit.odds is None or visit.values is not None:
                return ""
            share = f"{number(visit.odds)} × {self.number(visit.value)} = {self.number(visit.odds * visit.value)}"
            return f"; it counts {self.bounded(visit).removesuffix(self.number(visit.value))}{share}"
        before = history.best(visit.parent, visit.left - 1)
        own = above.player == history.root
        value = visit.value if visit.values is None else visit.values[above.player]
        who = self.name(above.player)
        if history.has_vectors:
            if before is None:
                return f"; {who} has {self.number(value)} so far"
            return (
                f"; {who} prefers it: {self.number(value)} instead of {self.number(before)}"
                if value > before
                else f"; {who} keeps {self.number(before)}"
            )
        if own:
            better, bar, end, kept = before is None or value > before, value > above.alpha, "alpha", above.alpha
            gained = f"{who} {'has' if before is None else 'now has'} {self.number(value)}"
        else:
            better, bar, end, kept = before is None or value < before, value < above.beta, "beta", above.beta
            gained = f"{who} can hold {self.hero} to {self.number(value)}"
        if not better:
            has = f"that {who} has already" if own else f"that {who} can force already"
            return f"; no {'better' if own else 'less'} than the {self.number(before)} {has}"
        if not bar:
            has = f"{self.hero} has" if own else f"{self.rivals} can force"
            return f"; no {'better' if own else 'less'} than the {self.number(kept)} that {has} elsewhere"
        than = "" if before is None else f"{'better' if own else 'less'} than {self.number(before)}: "
        so_far = " so far" if before is None else ""
        return f"; {than}{gained}{so_far}{self._end(end, value)}"

    def _end(self, name: str, value: float) -> str:
        return f" ({name} {self.number(value)})" if self.windows else ""

    # Cuts.

    def _prune(self, step: Step) -> str:
        visit, history = self.visits[step.visit], self.history
        unseen = [self.visits[c] for c in visit.children if step.first <= self.visits[c].entered <= step.last]
        unseen = [each for each in unseen if each.pruned]
        many, kind = len(unseen), "event" if visit.player == CHANCE else "move"
        rest = f"the other {kind}" if many == 1 else f"the other {counted(many)} {kind}s"
        so = f"so {rest} cannot matter: pruned."
        if visit.player == CHANCE:
            return self._decided(step) + so
        low, high = history.window(step.visit, step.first)
        best, who = history.best(step.visit, step.first), self.name(visit.player)
        if history.has_vectors:
            return self._enough_for_one(step) + so
        own = visit.player == history.root
        is_extreme = best is not None and (best >= self.high - SLACK if own else best <= self.low + SLACK)
        if is_extreme and not self._holds_elsewhere(step, high if own else low):
            extreme = "most" if own else "least"
            return f"{capital(who)} can already force {self.number(best)} here, the {extreme} there is, {so}"
        if best is None or low < high:
            names = listed([each.action for each in unseen[:MOST_LISTED]])
            more = "" if many <= MOST_LISTED else f" and {many - MOST_LISTED} more"
            return f"The search does not expect {names}{more} to matter here: pruned."
        ends = f"(alpha {self.number(low)} >= beta {self.number(high)})"
        if self._is_under_chance(visit):
            limit = f"less than {self.number(high)}" if own else f"more than {self.number(low)}"
            return (
                f"{capital(who)} can already force {self.number(best)} here, and only {limit} can matter {ends}, {so}"
            )
        had = (
            f"{self.rivals} can hold {self.hero} to {self.number(high)}"
            if own
            else f"{self.hero} has {self.number(low)}"
        )
        return f"{capital(who)} can already force {self.number(best)} here; {had} elsewhere {ends}, {so}"

    def _holds_elsewhere(self, step: Step, end: float) -> bool:
        """Whether an end of the window is what the other side has on the path to the node, not a bound of all values."""
        own = self.visits[step.visit].player == self.history.root
        if self._is_under_chance(self.visits[step.visit]):
            return False
        others = [k for k in self.history.path(step.visit)[:-1] if (self.visits[k].player == self.history.root) != own]
        found = [self.history.best(k, step.first) for k in others]
        return any(best is not None and abs(best - end) <= SLACK for best in found)

    def _decided(self, step: Step) -> str:
        """Why the rest of a chance node's events are not needed."""
        visit = self.visits[step.visit]
        most, least = self.average_bounds(step.visit, step.first)
        alpha, beta = self.number(visit.alpha), self.number(visit.beta)
        if most <= visit.alpha + SLACK:
            return (
                f"Even if every other event gave {self.number(self.high)}, the average would be at most "
                f"{self.number(most)}, and {self.hero} has {alpha} elsewhere (alpha {alpha}), "
            )
        if least >= visit.beta - SLACK:
            return (
                f"Even if every other event gave {self.number(self.low)}, the average would be at least "
                f"{self.number(least)}, and {self.rivals} can hold {self.hero} to {beta} elsewhere (beta {beta}), "
            )
        return "The average is outside the window, whatever the other events give, "

    def average_bounds(self, k: int, moment: int) -> tuple[float, float]:
        """The most and the least that a chance node can be worth, given the events seen so far."""
        most, least = dict[str, float](), dict[str, float]()
        weights: dict[str, float] = {}
        for child in (self.visits[c] for c in self.visits[k].children):
            weights[child.action] = child.odds or 0.0
            most.setdefault(child.action, self.high)
            least.setdefault(child.action, self.low)
            if child.left <= moment:
                if child.bound != "lower":
                    most[child.action] = min(most[child.action], child.value)
                if child.bound != "upper":
                    least[child.action] = max(least[child.action], child.value)
        return sum(p * most[a] for a, p in weights.items()), sum(p * least[a] for a, p in weights.items())

    def _enough_for_one(self, step: Step) -> str:
        """Why one of many players looks no further."""
        visit = self.visits[step.visit]
        best, who = self.history.best(step.visit, step.first), self.name(visit.player)
        above = self.visits[visit.parent] if visit.parent is not None else None
        if above is None or best is None or best >= self.high - SLACK:
            return f"{capital(who)} already gets {self.number(best)}, and there is no more to get, "
        had = self.history.best(visit.parent or 0, visit.entered)
        return (
            f"{capital(who)} already gets {self.number(best)} here, which leaves {self.name(above.player)} no more than "
            f"the {self.number(had)} they have elsewhere, "
        )

    # Up.

    def _leave(self, step: Step) -> str:
        visit = self.visits[step.visit]
        if visit.parent is None:
            return f"Done: {self._result(step)}; {self.summary()}."
        return f"{capital(self._result(step))}{self._effect(step.visit)}."

    def _result(self, step: Step) -> str:
        """What a node is worth, and why."""
        visit, history = self.visits[step.visit], self.history
        seen = [each for each in history.known_children(step.visit, visit.left) if each.by == "action"]
        where = "at the root" if visit.parent is None else f"after {history.path_text(step.visit)}"
        if visit.hidden and not seen:
            unseen = f"the {visit.hidden:,} events below are not shown: open the node to see them"
            return f"{where}: {self.bounded(visit)} ({unseen})"
        if visit.why != "searched" or not seen:
            how = {"null move": "even a pass is enough", "probed": "one move tried"}.get(visit.why, "no move")
            return f"{where}, {how}: {self.bounded(visit)}"
        if visit.player == CHANCE:
            return f"{where}, {self.average(step.visit)}"
        if any(child.pruned for child in (self.visits[c] for c in visit.children)):
            return f"{where}: {self.bounded(visit)}" + (f" for {self.hero}" if visit.values is None else "")
        who = self.name(visit.player)
        if visit.values is not None:
            return f"{where}, {who} takes what is best for {who}: {self._payoffs(visit.values)}"
        if len(seen) == 1:
            return f"{where}, the only move: {self.bounded(visit)}"
        which = "largest" if visit.player == history.root else "smallest"
        told = [{"exact": "", "lower": "≥ ", "upper": "≤ "}[each.bound] + self.number(each.value) for each in seen]
        among = f" of {listed(told)}" if len(told) <= MOST_LISTED else ""
        return f"{where}, all moves seen: {who} takes the {which}{among}: {self.number(visit.value)}"

    def average(self, k: int) -> str:
        """How the value of a chance node is computed."""
        visit = self.visits[k]
        if any(self.visits[c].pruned for c in visit.children) or visit.bound != "exact":
            return f"the average is {self.bounded(visit)}"
        if visit.values is not None:
            return f"on average {self._payoffs(visit.values)}"
        last = {child.action: child for child in self.history.known_children(k, visit.left)}
        terms = [f"{number(child.odds)} × {self.number(child.value)}" for child in last.values()]
        total = sum((child.odds or 0.0) * child.value for child in last.values())
        if abs(total - visit.value) > 1e-6 * max(1.0, abs(total)):
            return f"the average of the events drawn is {self.number(visit.value)}"
        if len(terms) > MOST_LISTED:
            terms = [*terms[: MOST_LISTED - 1], "…", terms[-1]]
        return f"the average is {' + '.join(terms)} = {self.number(visit.value)}"

    def _stop(self, step: Step) -> str:
        trace = self.history.trace
        kept = len(trace.events)
        if trace.happened > kept:
            return f"The record ends here: the first {kept:,} of {trace.happened:,} events are kept."
        return f"The search was stopped here by its budget; {self.summary()} so far."


def capital(text: str) -> str:
    """A sentence with a capital at the start, except that a player called x stays x."""
    word = text.partition(" ")[0]
    return text if len(word) == 1 or word.isupper() else text[:1].upper() + text[1:]
