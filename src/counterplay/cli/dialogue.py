"""The dialogue of a game in the terminal: boards, prompts and answers, until the game ends or the user quits."""

from __future__ import annotations

import contextlib
import shlex
import sys
from typing import TYPE_CHECKING, NamedTuple

from counterplay.cli.arguments import program
from counterplay.cli.terminal import wait_for, with_changes
from counterplay.core.errors import CounterplayError
from counterplay.core.formats.text import summary
from counterplay.core.game import CHANCE, Game
from counterplay.core.playthrough import Playthrough
from counterplay.players.human import Human
from counterplay.players.player import Forfeit, Player
from counterplay.players.specs import best, player
from counterplay.players.wording import in_words, outcome, rules_of

if TYPE_CHECKING:
    from rich.console import Console

HELP = """\
Type an action listed under "legal", or one of these words:
  undo   take back your last action and what followed
  hint   show what the best player would do
  legal  list all legal actions
  board  show the board again
  rules  show the rules
  quit   leave"""


class Names(NamedTuple):
    """What the user typed, to repeat it verbatim."""

    game: str
    rival: str
    position: str | None = None


class Dialogue:
    """One playthrough between people at this terminal and other players."""

    def __init__(self, p: Playthrough, seats: list[Player], names: Names, console: Console) -> None:
        self.p, self.seats, self.names, self.console = p, seats, names, console
        self.people = [i for i, seat in enumerate(seats) if isinstance(seat, Human)]
        self.shown: str | None = None  # the board that was printed last

    def run(self) -> None:
        """Play until the game is over or the user quits."""
        self.greet()
        try:
            while not self.p.is_over:
                if self.p.to_move == CHANCE:
                    self.roll()
                elif self.p.to_move in self.people:
                    self.turn()
                else:
                    self.reply()
        except EOFError:
            self.part()
        except Forfeit as lost:
            self.board()
            self.say(f"over: {self.p.game.player_name(self.p.to_move)} has lost; {lost}")
        else:
            self.board()
            self.say(outcome(self.p))

    def say(self, text: str, style: str = "") -> None:
        self.console.print(text, style=style)

    def greet(self) -> None:
        name, rival = self.p.game.player_name, self.names.rival
        others = [name(i) for i in range(len(self.seats)) if i not in self.people]
        who = "all players are people"
        if others:
            who = f"you are {name(self.people[0])}, {' and '.join(others)} is {rival}"
        self.say(f"{self.names.game}: {who}. `help` lists what you can type.")
        self.say(f"Another game: `{program()} play othello`; all of them: `{program()} games`.", "dim")

    def part(self) -> None:
        """Print how to continue later, unless that would reveal a secret."""
        if self.p.actions and not self.p.game.has_secrets:
            start = [] if self.names.position is None else ["--position", self.names.position]
            words = ["play", self.names.game, *start, "--moves", " ".join(self.p.moves)]
            self.say(f"To continue: {program()} {shlex.join(words)}", "dim")

    # What the user sees.

    @property
    def viewer(self) -> int | None:
        """The person who looks at the board."""
        if not self.p.game.has_secrets or (self.p.is_over and len(self.people) > 1):
            return None
        return self.p.to_move if self.p.to_move in self.people else self.people[0]

    def board(self) -> None:
        """Print the board, highlighting what has changed since the last one."""
        p, viewer = self.p, self.viewer
        drawn = p.game.board(p.state, viewer)
        if viewer is not None and type(p.game).board is Game.board and p.game.diagram(p.state, viewer) is None:
            drawn += f"\nseen so far: {' '.join(p.moves_seen_by(viewer)) or 'nothing'}"  # the game draws no board
        self.console.print()
        self.console.print(with_changes(drawn, self.shown))
        self.console.print()
        self.shown = drawn

    def can_see(self, ply: int) -> bool:
        """Whether the person can tell the action at `ply` from every other that was legal there."""
        viewer = self.viewer
        if viewer is None:
            return True
        if len(self.people) > 1:
            return False  # each person sees only their own board
        return self.p.can_see(ply, viewer)

    # Whose turn it is.

    def roll(self) -> None:
        """Let chance act, and show what the person may see of it."""
        first = len(self.p)
        self.p.roll()
        name = self.p.game.player_name(CHANCE)
        for ply, text in enumerate(self.p.moves[first:], first):
            if self.can_see(ply):
                self.say(f"{name}: {text}")

    def reply(self) -> None:
        """Let a computer player act."""
        p, mover = self.p, self.p.to_move
        name = p.game.player_name(mover)
        thought = wait_for(lambda: self.seats[mover].choose(p), f"{name} is thinking")
        words, text = in_words(p, thought), p.game.action_text(p.state, thought.action)
        p.play(thought.action)
        if self.can_see(len(p) - 1):
            told = "" if p.game.has_secrets else f"  ({words})"  # its thoughts would reveal its cards
            self.say(f"{name} plays {text}{told}")
        else:
            self.say(f"{name} has moved, unseen")

    def turn(self) -> None:
        """Let a person act; EOFError if they leave."""
        p, position = self.p, len(self.p)
        if len(self.people) > 1 and p.game.has_secrets:
            self.hand_over()
        self.board()
        self.say(f"legal: {summary(p.legal())}", "dim")
        while len(p) == position:
            answer = self.ask(f"{p.game.player_name(p.to_move)}> ").strip()
            try:
                self.obey(answer)
            except CounterplayError as wrong:
                self.say(str(wrong), "red")

    def hand_over(self) -> None:
        """Several people share one screen: hide what the last one saw before the next one looks."""
        if sys.stdin.isatty() and self.console.is_terminal:
            self.console.clear()
            self.ask(f"{self.p.game.player_name(self.p.to_move)}, press Enter when only you are looking: ")

    def obey(self, answer: str) -> None:
        """Carry out a command."""
        p, word = self.p, answer.casefold()
        if not answer:
            return
        if self.is_action(answer):
            p.play(answer)
        elif word == "undo":
            self.undo()
        elif word == "hint":
            self.hint()
        elif word == "legal":
            self.say(summary(p.legal(), limit=len(p.legal())))
        elif word == "board":
            self.board()
        elif word == "rules":
            self.console.print(rules_of(p.game), soft_wrap=False)
        elif word in ("help", "?", "h"):
            self.say(HELP)
        elif word in ("quit", "q", "exit"):
            raise EOFError
        else:
            p.play(answer)

    def is_action(self, answer: str) -> bool:
        """Whether the answer is a legal action: it then counts as one, even if it is also a command."""
        return answer.casefold() in (text.casefold() for text in self.p.legal())

    def undo(self) -> None:
        """Go back to the last position in which a person chose."""
        p = self.p
        for back in range(1, len(p) + 1):
            if p.game.to_move(p.states[-1 - back]) in self.people:
                p.undo(back)
                return
        raise CounterplayError("there is nothing to take back")

    def hint(self) -> None:
        """What the best player would do here."""
        p = self.p
        adviser = player(best(p.game), seed=len(p))
        wait_for(lambda: adviser.prepare(p), "compiling")
        thought = wait_for(lambda: adviser.choose(p), "thinking")
        self.say(f"hint: {p.game.action_text(p.state, thought.action)}  ({in_words(p, thought)})")

    def ask(self, prompt: str) -> str:
        """One line of input. Without a terminal the line is echoed, so that the dialogue reads well."""
        if sys.stdin.isatty():
            if self.console.stderr:  # `input` would write the prompt to stdout
                self.console.print(prompt, end="")
                return input()
            with contextlib.suppress(ImportError):  # not on every system
                import readline  # noqa: F401 (gives `input` editing and history)
            return input(prompt)
        self.console.print(prompt, end="")
        line = sys.stdin.readline()
        if not line:
            self.say("")
            raise EOFError
        self.console.print(line.rstrip("\n"))
        return line
