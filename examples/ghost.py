"""Ghost: spell, but do not finish a word.

In turn, each player adds a letter to a growing string, which must be the beginning of some word in the list. Whoever
finishes a word loses.

The state is an ordinary str, so this game does not compile; it is played and searched all the same, as plain Python.
"""

from counterplay import Game

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WORDS = "bishop castle check chess counter game gambit king knight mate match pawn pin piece play queen rook tempo"


class Ghost(Game):
    """Spell, but do not finish a word."""

    def __init__(self) -> None:
        self.words = set(WORDS.split())
        self.beginnings = {word[:n] for word in self.words for n in range(len(word) + 1)}

    def initial(self):
        return ""

    def to_move(self, s):
        return len(s) % 2

    def actions(self, s, out):
        for action, letter in enumerate(LETTERS):
            if s + letter in self.beginnings:
                out.append(action)

    def result(self, s, action):
        return s + LETTERS[action]

    def is_terminal(self, s):
        return s in self.words

    def utility(self, s, player):
        return 1.0 if player == self.to_move(s) else -1.0  # the other one finished the word

    def action_text(self, s, action):
        return LETTERS[action]

    def board(self, s, viewer=None):
        return s + "_"
