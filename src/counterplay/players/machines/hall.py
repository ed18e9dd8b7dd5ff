"""The hall of machines: one table of every famous program rebuilt here, in chronological order.

A machine is a player with everything that belongs to it: its game, its spec, the page that tells its story, and the
command that made its model, if it has one. Its name is a player's name everywhere, and takes that player's options:
`td-gammon:depth=2`.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from counterplay.core.errors import CounterplayError, Unsuitable
from counterplay.core.formats.options import split
from counterplay.core.game import Game
from counterplay.core.registry import load
from counterplay.evaluation.model import model_file
from counterplay.players.delegate import Delegate
from counterplay.players.player import Player


class Machine(NamedTuple):
    """A famous program, rebuilt."""

    name: str
    title: str
    year: int
    game: str
    spec: str  # its player
    idea: str
    training: str = ""  # the command that made its model from scratch
    position: str = ""  # where it makes its first move, if not at the start
    model: str = ""  # a run that must be trained first, since none is shipped
    takes: str = ""  # the time that takes

    @property
    def page(self) -> str:
        """The page with its story."""
        return f"machines/{self.name}.md"


MACHINES: dict[str, Machine] = {
    machine.name: machine
    for machine in (
        Machine("ajedrecista", "El Ajedrecista", 1912, "chess", "ajedrecista",
                "mates with king and rook by six rules, without looking ahead",
                position="4K3/7R/8/8/4k3/8/8/8 w - - 0 1"),
        Machine("nimatron", "Nimatron", 1940, "nim", "greedy",
                "plays Nim perfectly by arithmetic: it leaves heaps whose exclusive or is 0"),
        Machine("turing", "Turing's paper machine", 1948, "chess", "turing",
                "all moves and replies, then captures until the position is dead; worked out by hand"),
        Machine("shannon-a", "Shannon's type A", 1950, "chess", "shannon-a",
                "every variation to the same depth, then an evaluation"),
        Machine("shannon-b", "Shannon's type B", 1950, "chess", "shannon-b",
                "forceful variations further than quiet ones, and an evaluation only where nothing hangs"),
        Machine("samuel", "Samuel's checkers program", 1959, "checkers", "alphabeta:evaluation=checkers",
                "a weighted sum of terms, learned by self-play",
                "counterplay train checkers --preset samuel --time 10m"),
        Machine("neurogammon", "Neurogammon", 1989, "backgammon", "expectiminimax:depth=1,evaluation=neurogammon",
                "a network that learned which plays an expert prefers",
                "counterplay train backgammon --preset neurogammon --set hidden=80 --games 400"),
        Machine("td-gammon", "TD-Gammon", 1992, "backgammon", "expectiminimax:depth=1,evaluation=td-gammon",
                "a network that taught itself by temporal differences",
                "counterplay train backgammon --preset td-gammon --set hidden=80 --games 100000"),
        Machine("chinook", "Chinook", 1994, "checkers", "alphabeta:tables=checkers",
                "endgame tables, and a search that probes them",
                "counterplay tables build checkers --class 3 -o checkers"),
        Machine("deep-blue", "Deep Blue", 1997, "chess",
                "alphabeta:techniques=none,table=64,chip=4,pvs=on,ordering=on,killers=on,history=on,iid=on,aspiration=on,"
                "quiescence=on,exchanges=on,extensions=on,singular=on,circles=on",
                "software that extends what is forced, on top of chips that search the last four plies in full"),
        Machine("logistello", "Logistello", 1997, "othello", "alphabeta:evaluation=othello,cuts=othello",
                "tables of patterns, fitted to positions whose result is known, and Multi-ProbCut",
                "counterplay train othello --method rounds --set labels=othello:score=on --set opening=16 --time 10m"),
        Machine("mogo", "MoGo", 2007, "go:size=9", "mcts:c=0.2,rave=1000",
                "Monte Carlo tree search with RAVE and playouts that know patterns; no network"),
        Machine("darkforest", "Darkforest", 2015, "go:size=9", "mcts:net=go-9,select=shortlist,candidates=8,mix=0",
                "plain UCT and playouts, among the few moves that a network would play",
                "counterplay train go:9 --method alphazero --time 2h --set blocks=4 --set opening=4"),
        Machine("alphago", "AlphaGo", 2016, "go:size=5",
                "mcts:net=alphago,select=puct,values=alphago/value.npz,evaluation=alphago/playouts.npz,rollout=odds,mix=0.5",
                "networks that learned from experts and then from itself, in a search that also plays games to their end",
                "counterplay train go:5 --method alphago --set expert=mcts:c=0.2,rave=1000,simulations=400 --set opening=3 "
                "--set width=16 --games 40000",
                model="alphago", takes="some ten minutes"),
        Machine("deepstack", "DeepStack", 2017, "leduc-poker", "resolve:net=leduc-poker,iterations=250",
                "solves a look-ahead at each decision, for all hands that it could hold; a network values the rest",
                "counterplay train leduc-poker --method values --games 25600 --set batch=512 --set updates=300 "
                "--set size=128 --set asked=0.9 --set rate=0.002 --set last_rate=0.00005"),
        Machine("alphazero", "AlphaZero", 2017, "go:size=9", "mcts:net=go-9",
                "one network for moves and values, trained by self-play alone",
                "counterplay train go:9 --method alphazero --time 2h --set blocks=4 --set opening=4"),
        Machine("alphastar", "AlphaStar and OpenAI Five", 2019, "skirmish", "policy:alphastar",
                "a league of agents in the fog of war, each trained to beat the mixture of all others",
                "counterplay train skirmish --method league --games 400000",
                model="alphastar", takes="some minutes"),
    )
}  # fmt: skip
"""Every machine by its name."""


def expanded(spec: str) -> str:
    """The spec of a machine's player, with the options of `spec` instead of its own; another player's spec unchanged."""
    name, _, text = spec.strip().partition(":")
    if name not in MACHINES or MACHINES[name].spec == name:
        return spec
    inner, _, own = MACHINES[name].spec.partition(":")
    options = {part.partition("=")[0].strip(): part for part in (*split(own), *split(text))}
    return f"{inner}:{','.join(options.values())}" if options else inner


class MachinePlayer(Delegate):
    """A machine: it plays only its own game."""

    def __init__(self, machine: Machine, inner: Player, spec: str) -> None:
        super().__init__(inner)
        self.machine, self.spec = machine, spec

    def require(self, game: Game) -> None:
        require_own(self.machine, game)
        require_trained(self.machine)
        super().require(game)


def require_own(machine: Machine, game: Game) -> None:
    """Refuse games other than the machine's own, and other parameters."""
    name, _, parameters = machine.game.partition(":")
    if game.name != name or (parameters and game != own_game(machine.game)):
        raise Unsuitable(f"{machine.name} plays {machine.game}, not {game.spec}")


def require_trained(machine: Machine) -> None:
    """Refuse a machine whose model nobody has trained yet."""
    if machine.model and model_file(machine.model) is None:
        raise CounterplayError(
            f"{machine.name} has not been trained yet: `{machine.training} -o {machine.model}` does that here, in "
            f"{machine.takes}"
        )


@functools.cache
def own_game(spec: str) -> Game:
    """The game of a machine, created once: it is needed before every move."""
    return load(spec)
