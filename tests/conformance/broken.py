"""Games with one deliberate mistake each, and what `check` must say about it."""

import math
from typing import NamedTuple

import numpy as np
from core import toys

from counterplay import CHANCE, Game, state, u64
from counterplay.core.language.features import note
from counterplay.core.language.rng import Rng

# Rules that are not functions of their arguments.


class Lists(Game):
    """Take 1 or 2 from one of two heaps; whoever takes the last one wins. Its states are lists of lists."""

    def initial(self):
        return [[3, 4], [0]]

    def to_move(self, s):
        return s[1][0] % 2

    def actions(self, s, out):
        out.extend(2 * heap + n - 1 for heap in (0, 1) for n in (1, 2) if n <= s[0][heap])

    def result(self, s, action):
        heaps = list(s[0])
        heaps[action // 2] -= action % 2 + 1
        return [heaps, [s[1][0] + 1]]

    def is_terminal(self, s):
        return s[0] == [0, 0]

    def utility(self, s, player):
        return -1.0 if player == self.to_move(s) else 1.0


class InPlace(Lists):
    def result(self, s, action):
        s[0][action // 2] -= action % 2 + 1
        s[1][0] += 1
        return s


class Shallow(Lists):
    def result(self, s, action):
        after = s.copy()
        after[0][action // 2] -= action % 2 + 1
        after[1] = [s[1][0] + 1]
        return after


class Sorts(Lists):
    def actions(self, s, out):
        s[0].sort(reverse=True)
        super().actions(s, out)


DICE = Rng(5)


class Dicey(toys.AnyObject):
    def result(self, s, action):
        return {"left": s["left"] - action, "ply": s["ply"] + 1 + 2 * DICE.below(2)}


class Moody(toys.AnyObject):
    def actions(self, s, out):
        out.extend(range(1, min(1 + DICE.below(3), s["left"]) + 1))


class OwnDice(toys.Subtraction):
    def sample(self, s, rng):
        return 1 + DICE.below(min(3, s.left))


class Hides(toys.Subtraction):
    def part(self, s):
        return s.left // 2


class Counts(toys.Subtraction):
    """It counts in the game object, which all playthroughs share."""

    taken = 0

    def result(self, s, action):
        self.taken += action
        return super().result(s, action)


class Marks(Lists):
    """It writes into an array of the game."""

    def __init__(self):
        self.seen = np.zeros(20)

    def result(self, s, action):
        self.seen[s[1][0]] += 1
        return super().result(s, action)


class Lister(toys.Subtraction):
    def actions(self, s):
        return list(range(1, min(3, s.left) + 1))


class Compares(toys.Subtraction):
    def to_move(self, s):
        return s.ply % 2 == 1


class OverAtOnce(toys.Subtraction):
    def is_terminal(self, s):
        return s.left


class Misspelt(toys.Subtraction):
    """Whoever writes this gets no evaluation and no bounds."""

    utility_bound = (-2.0, 2.0)

    def evalute(self, s, player):
        return 0.0


# Values that are not valid numbers.


class NanUtility(toys.Subtraction):
    def utility(self, s, player):
        return math.nan


class InfiniteEstimate(toys.Subtraction):
    evaluation_bounds = (-math.inf, math.inf)

    def evaluate(self, s, player):
        return math.inf if s.left == 3 else 0.0


class NanEstimate(toys.Subtraction):
    def evaluate(self, s, player):
        return math.nan


class NanChance(toys.Draws):
    def probability(self, s, event):
        return math.nan


class HugeAction(toys.Subtraction):
    def actions(self, s, out):
        out.append(2**63 + s.left)


class LateMover(toys.Subtraction):
    """Only when the game is over is nobody to move."""

    def to_move(self, s):
        return s.ply % 2 if s.left else 2


# Secrets.


@state
class Cards(NamedTuple):
    mine: int  # of player 0; 0: not dealt
    theirs: int
    said: int  # of player 0: 0 nothing, else 1 + their action
    ply: int


class Guess(Game):
    """Both get a card of 1 to 3; the first says something twice, the second calls."""

    def initial(self):
        return Cards(0, 0, 0, 0)

    def to_move(self, s):
        return CHANCE if s.theirs == 0 else 0 if s.ply < 2 else 1

    def chance(self, s, out):
        for card in range(1, 4):
            if card != s.mine:
                out.append(card)

    def probability(self, s, event):
        return 1 / 3 if s.mine == 0 else 1 / 2

    def actions(self, s, out):
        out.append(0)
        out.append(1)

    def result(self, s, action):
        if s.mine == 0:
            return Cards(action, 0, 0, 0)
        if s.theirs == 0:
            return Cards(s.mine, action, 0, 0)
        return Cards(s.mine, s.theirs, 3 * s.said + action + 1, s.ply + 1)

    def is_terminal(self, s):
        return s.ply == 3

    def utility(self, s, player):
        first = 1.0 if (s.mine > s.theirs) == (s.said % 3 == 1) else -1.0
        return first if player == 0 else -first

    def information(self, s, player):
        return 100 * (s.mine if player == 0 else s.theirs) + s.said

    def resample(self, s, player, rng):
        if player == 0:
            return Cards(s.mine, 1 + (s.mine + rng.below(2)) % 3, s.said, s.ply)
        return Cards(1 + (s.theirs + rng.below(2)) % 3, s.theirs, s.said, s.ply)

    def board(self, s, viewer=None):
        return f"{s.mine if viewer != 1 else '?'} {s.theirs if viewer != 0 else '?'} {s.said}"


class TrueState(Guess):
    def resample(self, s, player, rng):
        return s


class OneState(Guess):
    def resample(self, s, player, rng):
        if player == 0:
            return Cards(s.mine, 1 + s.mine % 3, s.said, s.ply)
        return Cards(1 + s.theirs % 3, s.theirs, s.said, s.ply)


class OneSide(Guess):
    """Only the second player's states vary."""

    def resample(self, s, player, rng):
        return s if player == 0 else super().resample(s, player, rng)


class SameCard(Guess):
    """Resampling can give both the same card."""

    def resample(self, s, player, rng):
        card = 1 + rng.below(3)
        return s._replace(theirs=card) if player == 0 else s._replace(mine=card)


class Untyped(Guess):
    def resample(self, s, player, rng):
        return (s.mine, s.theirs, s.said, s.ply)


class Hurries(Guess):
    """Resampling draws the other's card, but forgets whose turn it is."""

    def resample(self, s, player, rng):
        return super().resample(s, player, rng)._replace(ply=2)


class Peeks(Guess):
    def board(self, s, viewer=None):
        return f"{s.mine} {s.theirs} {s.said}"


class PeeksInColour(Guess):
    def svg(self, s, viewer=None):
        return f'<svg xmlns="http://www.w3.org/2000/svg"><text>{s.mine}{s.theirs}</text></svg>'


class Whispers(Guess):
    def action_text(self, s, action):
        return f"{action} against {s.theirs}"


class Words(Guess):
    compiled = False

    def information(self, s, player):
        return f"{s.mine if player == 0 else s.theirs} {s.said}"


class Forgets(Guess):
    """The first player does not remember what they said first."""

    def information(self, s, player):
        return 100 * (s.mine if player == 0 else s.theirs) + s.ply


# Learning.


class Featured(toys.Subtraction):
    feature_names = ("left", "odd")

    def features(self, s, out):
        note(out, 0, s.left / 10)
        note(out, 1, s.left % 2)


class WrongFeature(Featured):
    def features(self, s, out):
        note(out, 7, 1.0)


class NoFeature(Featured):
    def features(self, s, out):
        return s.left / 10, s.left % 2


class NanFeature(Featured):
    def features(self, s, out):
        note(out, 1, math.nan)


class LateStage(Featured):
    stages = 2

    def stage(self, s):
        return s.ply // 2


class Planes(toys.Subtraction):
    plane_shape = (2, 3, 3)
    policy_size = 4

    def planes(self, s, out):
        out[s.left % 2, s.left % 3, 0] = 1.0


class WrongPlane(Planes):
    def planes(self, s, out):
        out[s.left // 4, 0, 0] = 1.0


class NoPlane(Planes):
    def planes(self, s, out):
        out = out + 1.0


class NanPlane(Planes):
    def planes(self, s, out):
        out[0, 0, 0] = math.inf


class NoPlace(Planes):
    def policy_index(self, s, action):
        return action + 2


class OnePlace(Planes):
    def policy_index(self, s, action):
        return action // 2


class Overlaps(toys.Subtraction):
    patterns = ((0, 1), (2, 3))

    def stones(self, s):
        return u64(0) + 7, u64(0) + 4


class NoView(toys.Draws):
    """Nothing says from whose point of view the features are at chance nodes."""

    feature_names = ("cards",)
    information = Game.information

    def to_move(self, s):
        return CHANCE if s.tosses[1] else s.tosses[0] // 9 % 3

    def features(self, s, out):
        note(out, 0, s.drawn)


# Searches.


@state
class Race(NamedTuple):
    left: int
    ply: int
    score: int


class Parity(Game):
    """Take 1 or 2 of 8 sticks; the first player wants what was taken, weighed by turn, to be a multiple of 3."""

    def initial(self):
        return Race(8, 0, 0)

    def to_move(self, s):
        return s.ply % 2

    def actions(self, s, out):
        for n in range(1, min(2, s.left) + 1):
            out.append(n)

    def result(self, s, action):
        return Race(s.left - action, s.ply + 1, (s.score + action * (s.ply + 1)) % 3)

    def is_terminal(self, s):
        return s.left == 0

    def utility(self, s, player):
        return 1.0 if (s.score == 0) == (player == 0) else -1.0


class Blind(Parity):
    """Its key distinguishes the score only at the end."""

    def key(self, s):
        return s.left * 1000 + s.ply * 10 + (s.score if s.left == 0 else 5)


class Careless(Parity):
    """Its `candidates` lists only one action, which need not be the best."""

    def candidates(self, s, out):
        out.append(1)
        return -math.inf, 1, math.inf, 1


class Partial(Parity):
    """It claims to be impartial, but is not."""

    impartial = True


# Beyond 64 bits.


class Overflow(Parity):
    """A square and 1 leave 1, 2, 3 or 5 when divided by 7; compiled, it wraps around."""

    def actions(self, s, out):
        out.append(1)
        x = s.left + 3
        for _ in range(6):
            x = x * x + 1
        if s.left > 1 and (x % 7 in (1, 2, 3, 5)):
            out.append(2)


# Cautions: what the author should look at.


class Idle(toys.Subtraction):
    zero_sum = True

    def to_move(self, s):
        return 0

    def utility(self, s, player):
        return 1.0 if player == 0 else -1.0


class Wanders(toys.Shuffle):
    """The first step decides whether there is ever an end."""

    def __init__(self):
        super().__init__(repetition="none")

    def result(self, s, action):
        if s.ply == 0:
            return toys.Spot(-1 if action == 0 else 2, 1)
        return toys.Spot(s.at, (s.ply + 1) % 2 + 2)


class Broad(toys.Shuffle):
    """5,000 actions in each of 400 plies: this is correct."""

    def __init__(self):
        super().__init__(repetition="none")

    def actions(self, s, out):
        for action in range(5000):
            out.append(action)

    def result(self, s, action):
        return toys.Spot(1, s.ply + 1)

    def is_terminal(self, s):
        return s.ply == 400


class FlatList(Game):
    """A pass if nothing else is legal, decided by the length of the list."""

    def initial(self):
        return Race(3, 0, 3)

    def to_move(self, s):
        return s.ply % 2

    def actions(self, s, out):
        mine = s.left if s.ply % 2 == 0 else s.score
        for n in range(1, min(2, mine) + 1):
            out.append(n)
        if len(out) == 0:
            out.append(0)

    def result(self, s, action):
        if s.ply % 2 == 0:
            return Race(s.left - action, s.ply + 1, s.score)
        return Race(s.left, s.ply + 1, s.score - action)

    def is_terminal(self, s):
        return s.left + s.score == 0

    def utility(self, s, player):
        return 1.0 if player == s.ply % 2 else -1.0


WRONG = [
    (InPlace, "rules", "result", r"`result` changes the state it is given: \[\[3, 4\], \[0\]\] has become \[\["),
    (Shallow, "rules", "result", r"`result` changes the state it is given.*copy it first and return the copy"),
    (Sorts, "rules", "actions", r"`actions` changes the state it is given.*it must only read it"),
    (Dicey, "rules", "result", r"`result` gives different answers for the same state and action: \{.*\} and \{"),
    (Moody, "rules", "actions", "`actions` lists different actions for the same state"),
    (OwnDice, "rules", "sample", "`sample` gives . and . from the same random stream"),
    (Hides, "names", "part", r"`part\(self, s\)` hides the method `part\(self, s, k\)` that every Game has"),
    (Counts, "rules", "result", "its taken is fixed: what changes in play belongs in the state"),
    (Marks, "rules", "result", "read-only; what changes in play belongs in the state"),
    (
        Lister,
        "names",
        "actions",
        r"`actions\(self, s, out\)` in place of `actions\(self, s\)`, and append each action",
    ),
    (Compares, "rules", "to_move", r"`to_move` returns False, a bool; .* write int\(\.\.\.\)"),
    (OverAtOnce, "ends", None, "the game is over at the start"),
    (NanUtility, "rules", "utility", "`utility` gives nan, which no search can compare"),
    (InfiniteEstimate, "rules", "evaluate", "`evaluate` gives inf, which no search can compare"),
    (NanEstimate, "rules", "evaluate", "`evaluate` gives nan"),
    (NanChance, "rules", "probability", "`probability` gives nan, which is not a probability"),
    (HugeAction, "rules", "actions", r"lists 9223372036854775818; an action must be below 2\*\*63"),
    (LateMover, "rules", "to_move", "but the 2 players are 0 to 1, even when the game is over"),
    (TrueState, "resampling", "resample", "always returns the true state, .* but player . also considers .* possible"),
    (OneSide, "resampling", "resample", "always returns the true state, .* but player 0 also considers .* possible"),
    (SameCard, "resampling", "resample", r"`resample` gives Cards\(.*\) for Cards\(.*\), but no play leads there"),
    (Untyped, "resampling", "resample", "`resample` returns a tuple, but `initial` a Cards"),
    (
        Hurries,
        "resampling",
        "resample",
        r"`resample` gives Cards\(.*\), in which player 0 is not to move, as in Cards\(",
    ),
    (OneState, "resampling", "resample", "always returns the same state|always returns the true state"),
    (Peeks, "secrets", "board", "`board` shows player . a secret: its pictures of .* differ"),
    (PeeksInColour, "secrets", "svg", "`svg` shows player . a secret"),
    (Whispers, "secrets", "action_text", "`action_text` shows player 0 a secret: its words in .* differ"),
    (Words, "rules", "information", "`information` returns '. 0', a str; it must be an int or a tuple of ints"),
    (Forgets, "information", "information", "player 0 forgets: they know .*perfect recall"),
    (WrongFeature, "learning", "features", "notes feature 7, but `feature_names` has 2, numbered from 0"),
    (NoFeature, "learning", "features", "`features` notes nothing in any position"),
    (NoPlane, "learning", "planes", "`planes` leaves `out` as it is in every position"),
    (NanFeature, "learning", "features", "notes nan as 'odd'"),
    (LateStage, "learning", "stage", "`stage` gives 2, but `stages` is 2: it must be 0 to 1"),
    (WrongPlane, "learning", "planes", "IndexError: index 2 is out of bounds"),
    (NanPlane, "learning", "planes", "writes a value that is not a finite number"),
    (NoPlace, "learning", "policy_index", "`policy_index` is 4 for the action 2, but `policy_size` is 4"),
    (Overlaps, "learning", "stones", "gives a cell to both sides"),
    (NoView, "learning", "features", r"chance moves in .* from whose point of view is it shown\?"),
    (Blind, "searches", None, r"(alphabeta|solve) \(in plain Python\) finds .* is `key` right\?"),
    (Careless, "searches", None, r"solve \(in plain Python\) finds .* is `candidates` right\?"),
    (Partial, "searches", None, r"solve \(in plain Python\) finds .* is `impartial` right\?"),
    (Overflow, "compiles", "actions", "`actions` answers differently compiled and in plain Python"),
]

DOUBTFUL = [
    (OnePlace, "learning", r"`policy_index` is 1 for both 2 and 3 in Pile\(.*is that intended"),
    (
        Misspelt,
        "names",
        "`evalute` means nothing to Counterplay; did you mean `evaluate`.*`utility_bound` .*`utility_bounds`",
    ),
    (Idle, "players", "player 1 of 2 never moves in .* is `players = 2` right"),
    (Wanders, "ends", r"only \d+ of \d+ random playthroughs ended within 5000 plies"),
]
