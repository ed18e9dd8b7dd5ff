"""A second implementation of skirmish, over sets of coordinates, to test the rules against."""

from __future__ import annotations

STEPS = {(0, 1), (1, 0), (0, -1), (-1, 0)}


class Battle:
    """A position: two sets of units, what is in stock, how many rounds are left."""

    def __init__(self, width, height, rounds):
        self.width, self.height, self.left = width, height, rounds
        self.bases = [(0, height // 2), (width - 1, height // 2)]
        self.units, self.stock, self.fallen = [{self.bases[0]}, {self.bases[1]}], [0, 0], set()

    def orders(self, side):
        found = [None]
        if self.stock[side] >= 2 and self.bases[side] not in self.units[side]:
            found.append("build")
        for x, y in self.units[side]:
            for dx, dy in STEPS:
                goal = x + dx, y + dy
                if 0 <= goal[0] < self.width and 0 <= goal[1] < self.height and goal not in self.units[side]:
                    found.append(((x, y), goal))
        return found

    def after(self, *orders):
        t = Battle(self.width, self.height, self.left - 1)
        t.units, t.stock = [set(units) for units in self.units], list(self.stock)
        for side, order in enumerate(orders):
            t.stock[side] = min(9, t.stock[side] + 1 - 2 * (order == "build"))
            if order == "build":
                t.units[side].add(self.bases[side])
        moves = [order if isinstance(order, tuple) else None for order in orders]
        for side, each in enumerate(moves):
            if each:
                t.units[side] = t.units[side] - {each[0]} | {each[1]}
        if all(moves) and (moves[0][1] == moves[1][1] or moves[0] == moves[1][::-1]):
            for side in range(2):
                t.units[side].remove(moves[side][1])
        else:
            for side, each in enumerate(moves):
                if each:
                    t.units[1 - side].discard(each[1])
        t.fallen = {side for side in range(2) if self.bases[side] in t.units[1 - side]}
        return t

    @property
    def is_over(self):
        return bool(self.fallen) or self.left == 0

    def worth(self):
        """What the first side gets."""
        if self.fallen:
            return (1 in self.fallen) - (0 in self.fallen)
        lead = len(self.units[0]) - len(self.units[1])
        return 0.5 * ((lead > 0) - (lead < 0))

    def sees(self, side):
        places = self.units[side] | {self.bases[side]}
        return {u for u in self.units[1 - side] if any(max(abs(u[0] - x), abs(u[1] - y)) < 2 for x, y in places)}


def leaves(battle, depth):
    """The number of sequences of this many orders."""
    if battle.is_over:
        return 0
    if depth == 1:
        return len(battle.orders(0))
    if depth == 2:
        return len(battle.orders(0)) * len(battle.orders(1))
    return sum(leaves(battle.after(a, b), depth - 2) for a in battle.orders(0) for b in battle.orders(1))
