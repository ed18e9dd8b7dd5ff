"""The `Game` class: what an author writes to describe a game, and what every algorithm reads.

Six methods make a game, named as in the textbook (Russell & Norvig): `initial`, `to_move`, `actions`,
`result`, `is_terminal`, `utility`. Everything else has a default, and a game adds only what it needs: each aspect (chance,
secrets, deals, identity, evaluation, solving, learning, notation, picture) is a small class in its own file in `aspects/`.

An action is an int. A state is an immutable value: a NamedTuple declared by `@state`, which compiles, or any Python
object, which the same source searches uncompiled. `Game` holds no position: `Playthrough` does.
"""

from __future__ import annotations

import inspect
import sys
from types import FunctionType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from counterplay.core.aspects.chance import CHANCE as CHANCE
from counterplay.core.aspects.chance import Chance
from counterplay.core.aspects.deals import Deals
from counterplay.core.aspects.evaluation import Evaluation
from counterplay.core.aspects.identity import Identity
from counterplay.core.aspects.learning import Learning
from counterplay.core.aspects.notation import Notation
from counterplay.core.aspects.picture import Picture
from counterplay.core.aspects.secrets import Secrets
from counterplay.core.aspects.solving import INFINITY as INFINITY
from counterplay.core.aspects.solving import Solving
from counterplay.core.errors import BrokenGame, CounterplayError
from counterplay.core.language.actions import Actions
from counterplay.core.types import State

if TYPE_CHECKING:
    from counterplay.core.fingerprint import Frozen
    from counterplay.core.playthrough import Playthrough


class Traits(NamedTuple):
    """What kind of game it is: algorithms read this and refuse games that they do not suit."""

    players: int
    chance: bool
    """Whether dice or deals take part."""
    hidden: bool
    """Whether some player does not see everything."""
    zero_sum: bool
    """Whether the players' payoffs add up to 0."""
    utility_bounds: tuple[float, float]
    """The lowest and the highest payoff of a player."""


class Game(Chance, Secrets, Deals, Identity, Evaluation, Solving, Learning, Notation, Picture):
    """The rules of a game. Subclass it and write the six methods; see docs/add-a-game.md."""

    # What the game is; a parameter may set these in __init__.
    players: int = 2
    zero_sum: bool = True
    utility_bounds: tuple[float, float] = (-1.0, 1.0)
    compiled: bool = True
    """False keeps the game in plain Python, for rules that Numba cannot compile."""

    runtime_parameters: ClassVar[tuple[str, ...]] = ()
    """Numeric attributes that compiled code reads at run time: games that differ only in these share it. All others become
    constants of the code."""

    name: ClassVar[str] = ""
    """The name in the registry; a user's own game has none."""

    # The game itself.

    def initial(self) -> State:
        """The state in which a playthrough starts."""
        raise NotImplementedError

    def to_move(self, s: State) -> int:
        """The player who acts in `s`: 0, 1, ..., or CHANCE."""
        raise NotImplementedError

    def actions(self, s: State, out: Actions) -> None:
        """Append every legal action of the player to move in `s`."""
        raise NotImplementedError

    def result(self, s: State, action: int) -> State:
        """The state after `action` (or, if chance moves, after the event) in `s`."""
        raise NotImplementedError

    def is_terminal(self, s: State) -> bool:
        """Whether the game is over in `s`."""
        raise NotImplementedError

    def utility(self, s: State, player: int) -> float:
        """What `player` gets in the terminal state `s`."""
        raise NotImplementedError

    # Play.

    def start(self, moves: str = "", *, position: str | None = None, seed: int = 0) -> Playthrough:
        """A new playthrough, from the start or from a position, with `moves` played."""
        from counterplay.core.playthrough import Playthrough

        return Playthrough(self, moves, position=position, seed=seed)

    # What the game is.

    @property
    def traits(self) -> Traits:
        """What kind of game it is."""
        return Traits(self.players, self.has_chance, self.has_secrets, self.zero_sum, self.utility_bounds)

    @property
    def compiles(self) -> bool:
        """Whether kernels over this game are compiled: its states are `@state` values and nothing forbids it."""
        from counterplay.core.fingerprint import jit_enabled

        return self.frozen.compiles and jit_enabled()

    # Identity of the game itself.

    _parameters: dict[str, Any]
    _frozen: Frozen | None = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        game = super().__new__(cls)
        try:
            bound = inspect.signature(cls.__init__).bind(game, *args, **kwargs)
        except TypeError as wrong:
            raise CounterplayError(f"{cls.__name__}: {wrong}") from None
        bound.apply_defaults()
        game.__dict__["_parameters"] = {
            k: v for k, v in list(bound.arguments.items())[1:] if k not in ("args", "kwargs")
        }
        return game

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters with which the game was created."""
        return dict(self._parameters)

    @property
    def spec(self) -> str:
        """The game as text for the command line, such as `hex:size=5`."""
        changed = [f"{k}={v}" for k, v in self._parameters.items() if v != self._defaults().get(k)]
        return self._spec_name() + (":" + ",".join(changed) if changed else "")

    @classmethod
    def _spec_name(cls) -> str:
        return vars(cls).get("name") or cls.__name__

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        return {p.name: p.default for p in inspect.signature(cls.__init__).parameters.values()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._parameters.items())})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._parameters == other._parameters

    def __hash__(self) -> int:
        return hash((type(self), repr(self._parameters)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (type(self), self._parameters)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, value in vars(cls).items():
            if name in METHODS and not callable(value) and not hasattr(value, "__get__"):
                raise BrokenGame(_hides(f"{cls.__name__}.{name}", name))
            if name in SETTINGS and isinstance(value, FunctionType):
                raise BrokenGame(
                    f"`{cls.__name__}.{name}` is a method, but `{name}` is a setting of every Game, by default "
                    f"{getattr(Game, name)!r}; give it a value, or rename the method"
                )

    def __setattr__(self, name: str, value: Any) -> None:
        if name in RESERVED and not callable(value):
            line = sys._getframe(1)
            raise BrokenGame(f"{line.f_code.co_filename}:{line.f_lineno}: {_hides(f'self.{name}', name)}")
        if self._frozen is not None:
            raise AttributeError(
                f"{self!r} is in use, so its {name} is fixed: what changes in play belongs in the state"
            )
        super().__setattr__(name, value)

    @property
    def frozen(self) -> Frozen:
        """Parameters, tables and fingerprint, fixed at first use."""
        if self._frozen is None:
            from counterplay.core.fingerprint import freeze

            self.__dict__.setdefault("_frozen", freeze(self))  # two threads may get here at once
        assert self._frozen is not None
        return self._frozen


_MEMBERS = {name: value for cls in reversed(Game.__mro__[:-1]) for name, value in vars(cls).items() if name[0] != "_"}
METHODS = frozenset(name for name, value in _MEMBERS.items() if callable(value))
"""What a class may override but not replace with a number."""
SETTINGS = frozenset(name for name, value in _MEMBERS.items() if not callable(value) and not hasattr(value, "__get__"))
"""What a class sets to a value."""
RESERVED = METHODS | {name for name, value in _MEMBERS.items() if isinstance(value, property)} | {"name", "version"}
"""Names that no attribute of a game may have."""


def _hides(shown: str, name: str) -> str:
    kind = "the method" if name in METHODS else "the name"
    return f"`{shown}` hides {kind} `{name}` that every Game has; rename it, for example to `the_{name}`"


def _remake(cls: type[Game], given: dict[str, Any]) -> Game:
    return cls(**given)
