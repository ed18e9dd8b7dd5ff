"""Backgammon: race your checkers home and off the board; hit the opponent's single checkers to send them back.

Each side moves 15 checkers from its 24-point to its 1-point and then off; the opponent moves the other way. Both sides
roll a die, and the higher one begins with these two dice (ties are rolled again); from then on each rolls two. A die
moves one checker; doubles move four times. A checker may not land on a point with two or more of the opponent's; a
single checker there, a blot, is hit and must enter again from the bar before its side moves anything else. Once all
checkers are in the home board they are borne off, by the exact number or, from the farthest point, by a higher one. As
many dice as possible must be played; if only one of two can be, it must be the higher one if possible. The first to
bear off all checkers wins: a point; two (a gammon) if the opponent has borne off none; three (a backgammon) if the
opponent also has a checker on the bar or in the winner's home (rules of the U.S. Backgammon Federation).

With `cube` it is money play: before rolling, the player who owns the cube, or either player while it is in the middle,
may double; the opponent drops and loses the points so far, or takes and owns the cube, up to 64. With `jacoby`, gammons
and backgammons count only once the cube has been turned.
"""

from __future__ import annotations

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.diagram import Diagram
from counterplay.core.game import CHANCE, Game
from counterplay.core.language.actions import Actions
from counterplay.core.language.features import Features
from counterplay.core.language.rng import mix
from counterplay.core.language.wide import u64
from counterplay.games.backgammon import notation, picture
from counterplay.games.backgammon.bearoff import ROLLS, STEPS, bear_off, index_of, is_first
from counterplay.games.backgammon.board import (
    BAR,
    CENTRED,
    CHECKERS,
    DECIDING,
    DROPPED,
    HOME,
    OFFERED,
    OPENING,
    PLAYING,
    POINTS,
    ROLLING,
    START,
    WIDTH,
    Board,
    State,
    count_at,
    moved,
)
from counterplay.games.backgammon.evaluation import STAGES, chances, stage_of
from counterplay.games.backgammon.features import FEATURES, RAW_FEATURES, escapes, list_features, list_raw
from counterplay.games.backgammon.plays import list_plays

NAMES = ("red (x)", "white (o)")
ROLL, DOUBLE, TAKE, DROP = range(4)
"""The actions of the cube; no play is legal where one of them is."""
TURNS = 6
"""The maximum number of turns of the cube: it shows at most 64."""


class Backgammon(Game):
    """Race your checkers home and off; single ones can be hit and sent back."""

    name = "backgammon"
    feature_names = FEATURES
    raw_names = RAW_FEATURES
    version = 4
    stages = STAGES

    def __init__(self, cube: bool = False, jacoby: bool = False, bearoff: bool = False) -> None:
        if jacoby and not cube:
            raise CounterplayError("backgammon: jacoby=on needs cube=on: gammons would never count")
        self.cube, self.jacoby, self.bearoff = cube, jacoby, bearoff
        self.steps = STEPS
        self.rolls = bear_off().rolls if bearoff else np.zeros((1, ROLLS))
        most = 3.0 * (1 << TURNS if cube else 1)
        self.utility_bounds = self.evaluation_bounds = (-most, most)
        self.escapes = escapes()
        if not cube:
            self.outcomes = (-3.0, -2.0, -1.0, 1.0, 2.0, 3.0)

    def initial(self) -> State:
        return State(START, START, 0, 0, OPENING, 0, CENTRED)

    def to_move(self, s: State) -> int:
        if s.stage == OPENING or s.stage == ROLLING:
            return CHANCE
        return 1 - s.player if s.stage == OFFERED else s.player

    def actions(self, s: State, out: Actions) -> None:
        if s.stage == PLAYING:
            list_plays(s.mine, s.theirs, s.dice, out)
        elif s.stage == DECIDING:
            out.append(ROLL)
            out.append(DOUBLE)
        else:
            out.append(TAKE)
            out.append(DROP)

    # The dice: an event is one die * 8 + the other, the higher first. In the opening the first die is the first player's.

    def chance(self, s: State, out: Actions) -> None:
        for a in range(1, 7):
            for b in range(1, 7):
                if (s.stage == OPENING and a != b) or (s.stage != OPENING and a >= b):
                    out.append(a * 8 + b)

    def probability(self, s: State, event: int) -> float:
        if s.stage == OPENING:
            return 1 / 30
        return 1 / 36 if event >> 3 == event & 7 else 1 / 18

    def result(self, s: State, action: int) -> State:
        if s.stage == PLAYING:
            return self.played(s, action)
        if s.stage == ROLLING or s.stage == OPENING:
            a, b = action >> 3, action & 7
            player = s.player
            if s.stage == OPENING:
                player = 0 if a > b else 1
            return State(s.mine, s.theirs, player, max(a, b) * 8 + min(a, b), PLAYING, s.cube, s.owner)
        cube, owner, stage = s.cube, s.owner, ROLLING
        if action == DOUBLE:
            stage = OFFERED
        elif action == TAKE:
            cube, owner = cube + 1, 1 - s.player
        elif action == DROP:
            stage = DROPPED
        return State(s.mine, s.theirs, s.player, 0, stage, cube, owner)

    def played(self, s: State, play: int) -> State:
        """The state after a play; the other side is on roll."""
        mine, theirs = s.mine, s.theirs
        while play:
            point, die = play >> 3 & 31, play & 7
            mine = moved(mine, point, die)
            if point > die and count_at(theirs, BAR - point + die) == 1:
                hit = BAR - point + die
                theirs = theirs - (Board(1) << WIDTH * hit) + (Board(1) << WIDTH * BAR)
            play >>= 8
        rival = 1 - s.player
        may_double = self.cube and s.owner != s.player and s.cube < TURNS
        return State(theirs, mine, rival, 0, DECIDING if may_double else ROLLING, s.cube, s.owner)

    def is_terminal(self, s: State) -> bool:
        return s.stage == DROPPED or (s.stage != PLAYING and int(s.theirs & 15) == CHECKERS)

    def utility(self, s: State, player: int) -> float:
        stake = float(1 << s.cube)
        if s.stage == DROPPED:
            return stake if player == s.player else -stake
        if not self.jacoby or s.cube:
            stake *= self.worth(s.mine)
        return -stake if player == s.player else stake

    def worth(self, loser: Board) -> float:
        """1, or 2 for a gammon, or 3 for a backgammon."""
        if loser & 15:
            return 1.0
        return 3.0 if loser >> WIDTH * (POINTS - 5) else 2.0

    def key(self, s: State) -> u64:
        rest = s.dice | s.stage << 6 | s.cube << 9 | (s.owner + 1) << 12 | s.player << 14
        mine, theirs = s.mine >> WIDTH, s.theirs >> WIDTH  # borne-off checkers follow from the rest
        h = mix(mix(u64(mine) ^ mix(u64(rest))) ^ u64(mine >> 64))
        return mix(mix(h ^ u64(theirs)) ^ u64(theirs >> 64))

    # Evaluation.

    def evaluate(self, s: State, player: int) -> float:
        value = chances(s)
        if self.bearoff:
            if not (s.mine | s.theirs) >> WIDTH * (HOME + 1):  # both bear off
                won = is_first(index_of(s.mine, self.steps), index_of(s.theirs, self.steps), self.rolls)
                value = 2.0 * won - 1.0
        value *= 1 << s.cube
        return value if player == s.player else -value

    # Learning: each kind of position has its own weights.

    def viewer(self, s: State) -> int:
        return s.player

    def stage(self, s: State) -> int:
        return stage_of(s.mine, s.theirs)

    def features(self, s: State, out: Features) -> None:
        list_features(s, self.escapes, out)

    def raw_features(self, s: State, out: Features) -> None:
        list_raw(s, out)

    # Notation: plays such as "13/8 6/5*", rolls such as 31; positions as GNU Backgammon writes them. Pictures.

    def action_text(self, s: State, action: int) -> str:
        return notation.action_text(s, action)

    def parse_action(self, s: State, text: str) -> int:
        return notation.parse_action(self, s, text)

    def split_moves(self, text: str) -> list[str]:
        return notation.split_moves(text)

    def position_text(self, s: State) -> str:
        return notation.position_text(s, self.cube)

    def parse_position(self, text: str) -> State:
        return notation.parse_position(text, self.spec, self.cube)

    def value_text(self, value: float, plies: int | None = None) -> str:
        return f"equity {value:+.3f}"

    def player_name(self, player: int) -> str:
        return "the dice" if player == CHANCE else NAMES[player]

    def board(self, s: State, viewer: int | None = None) -> str:
        return picture.board(s)

    def diagram(self, s: State, viewer: int | None = None) -> Diagram:
        return picture.diagram(s)

    def clicks(self, s: State, action: int) -> tuple[str, ...]:
        """Start and end of each checker's move, the highest start first."""
        if s.stage != PLAYING:
            return ()
        ways = sorted(notation.moves_of(action), reverse=True)
        return tuple(picture.stop_name(stop) for way in ways for stop in way)
