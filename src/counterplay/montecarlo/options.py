"""The options of a Monte Carlo search, checked and turned into the numbers that kernels read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from counterplay.core.errors import CounterplayError
from counterplay.core.game import INFINITY

Selection = Literal["uct", "even", "puct", "gumbel", "shortlist"]
Asking = Literal["puct", "gumbel", "shortlist"]
Rollout = Literal["own", "uniform", "eps", "odds"]
Decisive = Literal["off", "tree", "all"]
SELECTIONS: tuple[Selection, ...] = ("uct", "even", "puct", "gumbel", "shortlist")
ROLLOUTS: tuple[Rollout, ...] = ("own", "uniform", "eps", "odds")
DECISIVES: tuple[Decisive, ...] = ("off", "tree", "all")
UCT, EVEN, PUCT, GUMBEL, SHORTLIST = range(5)
OWN, UNIFORM, GREEDY, BY_ODDS = range(4)
NOWHERE, IN_TREE, EVERYWHERE = range(3)


@dataclass(frozen=True)
class SimulationOptions:
    """The options with their defaults."""

    select: Selection = "uct"
    """How a simulation descends the tree: uct; even, each action equally often; puct or gumbel, by the priors of a
    policy that is asked at each leaf (`counterplay.montecarlo.policy_search`); shortlist, by uct among the actions
    whose prior is above 0 (Darkforest: Tian & Zhu 2016)."""
    c: float = 0.7
    """How much to explore; values are scaled to -1 to 1."""
    fpu: float = INFINITY
    """First-play urgency (Gelly & Wang 2006): how much better than the position an untried action counts; infinity
    tries each action once first."""
    solver: bool = True
    """Back up what is proven (MCTS-Solver: Winands, Bjoernsson & Saito 2008)."""
    decisive: Decisive = "off"
    """Decisive and anti-decisive moves (Teytaud & Teytaud 2010): look for the end of the game after each new action of
    the tree, so that an immediate win is seen, and prevented; or in playouts as well (all)."""
    rollout: Rollout = "own"
    """The playout policy: the game's own, if it has one; uniform; the evaluation, except for random moves now and then
    (eps); or each action in proportion to the odds that the evaluation gives the mover after it, which for weights
    fitted by logistic regression is a linear softmax (AlphaGo's rollout policy: Silver et al. 2016)."""
    epsilon: float = 0.1
    """The probability of such a random move."""
    mix: float = 0.0
    """The weight of the evaluation in a leaf's value: 0, only the playout; 1, no playout (AlphaGo's lambda: Silver et
    al. 2016)."""
    length: int = 1000
    """Plies after which a playout is cut off and evaluated."""
    expand: int = 1
    """Visits after which a leaf gets children."""
    rave: float = 0.0
    """The weight in visits of the all-moves-as-first averages (RAVE: Gelly & Silver 2007); 0: not used."""
    grave: int = 0
    """Take these averages from the nearest position above with this many visits (GRAVE: Cazenave 2015)."""
    bias: float = 0.0
    """Weight of an action's evaluation, fading with its visits (progressive bias: Chaslot et al. 2008)."""
    implicit: float = 0.0
    """Weight of the evaluation, backed up by minimax alongside the averages (Lanctot et al. 2014)."""
    widen: int = 64
    """If chance has more events than this, only about the square root of the visits get a node in the tree (progressive
    widening: Couetoux et al. 2011)."""

    def __post_init__(self) -> None:
        if self.select not in SELECTIONS:
            raise CounterplayError(f"select={self.select!r} must be uct, even, puct, gumbel or shortlist")
        if self.rollout not in ROLLOUTS:
            raise CounterplayError(f"rollout={self.rollout!r} must be own, uniform, eps or odds")
        if self.decisive not in DECISIVES:
            raise CounterplayError(f"decisive={self.decisive!r} must be off, tree or all")
        for name, least, most in (
            ("c", 0, 1e6),
            ("fpu", -INFINITY, INFINITY),
            ("epsilon", 0, 1),
            ("mix", 0, 1),
            ("length", 0, 1 << 20),
            ("expand", 0, 1 << 40),
            ("rave", 0, 1e9),
            ("grave", 0, 1 << 40),
            ("bias", 0, 1e6),
            ("implicit", 0, 1),
            ("widen", 1, 1 << 20),
        ):
            value = getattr(self, name)
            if not least <= value <= most:
                raise CounterplayError(f"{name}={value:g} must be from {least:g} to {most:g}")

    @property
    def estimates(self) -> bool:
        """Whether each child is evaluated when it is made."""
        return self.bias > 0 or self.implicit > 0

    @property
    def asks(self) -> bool:
        """Whether a policy is asked at each leaf."""
        return self.select in ("puct", "gumbel", "shortlist")
