"""The `Game` class: what a person writes to describe a game, and what every algorithm reads.

Six methods make a game, named as in the textbook (Russell & Norvig): `initial`, `to_move`, `actions`,
`result`, `is_terminal`, `utility`. Everything else below has a default, and a game adds only what it has.

An action is an int. A state is an immutable value: a NamedTuple declared by `@state`, which compiles, or any
Python object, which is searched by the same source uncompiled. `Game` holds no position: `Playthrough` does.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from counterplay.core.actions import Actions
from counterplay.core.errors import BrokenGame, CounterplayError, InvalidAction, Unsuitable
from counterplay.core.rng import Rng
from counterplay.core.state import Numbers, is_state, state_key
from counterplay.core.wide import u64

if TYPE_CHECKING:
    from pathlib import Path

    from counterplay.core.features import Features
    from counterplay.core.fingerprint import Frozen
    from counterplay.core.playthrough import Playthrough
    from counterplay.core.svg import Box

CHANCE = -1
"""The player who rolls the dice and deals the cards."""

INFINITY = float("inf")

MOST_PLAIN_STATES = 1 << 20
"""About so many states of plain Python a game remembers, to know them again."""


class Traits(NamedTuple):
    """What kind of game it is: algorithms read this and refuse what does not suit them."""

    players: int
    chance: bool
    """Dice or deals decide something."""
    hidden: bool
    """A player does not see everything."""
    zero_sum: bool
    """What the players get adds up to 0."""
    utility_bounds: tuple[float, float]
    """The least and the most that a player can get."""


class Game:
    """The rules of a game. Subclass it and write the six methods; see docs/add-a-game.md."""

    # What the game is; a parameter may set these in __init__.
    players: int = 2
    zero_sum: bool = True
    utility_bounds: tuple[float, float] = (-1.0, 1.0)
    evaluation_bounds: tuple[float, float] = (-1.0, 1.0)
    impartial: bool = False
    """Both players have the same actions and who cannot move loses: Sprague-Grundy theory applies."""
    compiled: bool = True
    """False keeps the game in plain Python, for rules that Numba cannot compile."""

    # Repetition: how a position that comes again ends or forbids.
    repetition: str = "none"
    """"draw" or "loss" (of the player who repeats) ends the playthrough, "illegal" forbids the action."""
    occurrences: int = 2
    """Which occurrence of a position counts as the repetition (3 for threefold)."""

    # What the game offers to search and learning.
    symmetries: int = 1
    """How many symmetric forms a state has, itself included."""
    foresight: int = 0
    """Where so many plies remain or more, a solver orders actions by a short look ahead with `evaluate`; 0: nowhere."""
    swing: float = 0.0
    """What a quiet action changes of an estimate, at most, as a rule; 0: a tenth of the range of estimates."""
    sketch_error: float = 0.0
    """How far `evaluate` may be from `sketch`."""
    plane_shape: tuple[int, ...] = ()
    """Shape of the planes that a network sees (planes, rows, columns); empty: none."""
    policy_size: int = 0
    """How many places a network's policy has, each for an action (`policy_index`); 0: the game has no policy."""
    outcomes: tuple[float, ...] = ()
    """What a player can get at the end, in rising order, where that is a short list; empty: its bounds."""
    feature_names: tuple[str, ...] = ()
    """The features of a state, by name; `features` writes them."""
    patterns: tuple[tuple[int, ...], ...] = ()
    """Groups of cells that are judged together; `stones` tells whose they are. Symmetric groups come by themselves."""
    stages: int = 1
    """Into how many stages the game falls, each with weights of its own; `stage` tells which."""

    version: ClassVar[int] = 1
    """Of what features, planes, patterns and stages mean: raise it when that changes, and models that know them as they
    were are refused."""

    expert: ClassVar[str] = ""
    """The player that plays it best, where that is another than the strongest that suits any game of its kind."""

    name: ClassVar[str] = ""
    """The name in the registry; a user's own game has none."""

    # The game itself.

    def initial(self) -> Any:
        """The state in which a playthrough starts."""
        raise NotImplementedError

    def to_move(self, s: Any) -> int:
        """The player who acts in `s`: 0, 1, ..., or CHANCE."""
        raise NotImplementedError

    def actions(self, s: Any, out: Actions) -> None:
        """Append every legal action of the player to move in `s`."""
        raise NotImplementedError

    def result(self, s: Any, action: int) -> Any:
        """The state after `action` (or, where chance moves, after the event) in `s`."""
        raise NotImplementedError

    def is_terminal(self, s: Any) -> bool:
        """Whether the game is over in `s`."""
        raise NotImplementedError

    def utility(self, s: Any, player: int) -> float:
        """What `player` gets in the terminal state `s`."""
        raise NotImplementedError

    # Dice and deals.

    def chance(self, s: Any, out: Actions) -> None:
        """Append every event that may happen in `s`, where `to_move(s) == CHANCE`."""

    def probability(self, s: Any, event: int) -> float:
        """The probability of `event` in `s`."""
        return 0.0

    # Secrets.

    def information(self, s: Any, player: int) -> Any:
        """What `player` knows in `s`: an int or a NamedTuple of ints, equal exactly where the player cannot
        tell two states apart."""
        return 0

    def resample(self, s: Any, player: int, rng: Rng) -> Any:
        """A random state that `player` holds possible in `s`."""
        return s

    def essence(self, s: Any) -> Any:
        """`s` without what is only remembered, or counts towards a draw: a state from which the game goes on in the same
        way. Beliefs are sets of these."""
        return s

    def bucket(self, s: Any, player: int) -> Any:
        """What `player` makes of his information, where he does not care to tell all of it apart: as `information`, and
        equal where that is. An abstraction of the game has this in its place."""
        return self.information(s, player)

    # Identity.

    def key(self, s: Any) -> int:
        """64 bits that name the state for a transposition table: equal for equal states. Where a state is a Python
        object of any kind, its hash and equality decide."""
        if self.has_plain_states:
            return self._plain_key(s)
        return state_key(s)

    def repetition_key(self, s: Any) -> int:
        """64 bits that decide whether a position comes again."""
        return self.key(s)

    def lookback(self, s: Any) -> int:
        """How many earlier positions of the path can equal `s` (0 right after a move that cannot be undone)."""
        return 1 << 30

    def earliest(self, s: Any, first: int) -> int:
        """How many plies it takes at least to a position that equals `s` from one whose repetition key is `first`, as a
        signed word: what came earlier on a path that began there need not be compared."""
        return 0

    def symmetric(self, s: Any, k: int) -> Any:
        """The k-th symmetric form of `s`; the 0-th is `s` itself."""
        return s

    def symmetric_action(self, action: int, k: int) -> int:
        """The action of the k-th symmetric form that corresponds to `action`."""
        return action

    # Judgement.

    def evaluate(self, s: Any, player: int) -> float:
        """An estimate, without search, of what `player` will get from `s`. Where a game does not write this, it is the
        middle of `utility_bounds`, and 0 where what the players get adds up to 0."""
        if self.zero_sum and self.players > 1:
            return 0.0
        return (self.utility_bounds[0] + self.utility_bounds[1]) / 2

    def structure(self, s: Any) -> tuple[int, int]:
        """Two words about a part of `s` that changes seldom (the pawns of chess) and takes long to judge: a search keeps
        them by `structure_key` and hands them to `evaluate_with`."""
        return 0, 0

    def structure_key(self, s: Any) -> int:
        """64 bits that name what `structure` looks at."""
        return 0

    def evaluate_with(self, s: Any, player: int, structure: tuple[int, int]) -> float:
        """`evaluate(s, player)` by one who knows `structure(s)`."""
        return self.evaluate(s, player)

    def sketch(self, s: Any, player: int) -> float:
        """A quick estimate: `evaluate` is hardly ever further from it than `sketch_error`."""
        return 0.0

    def ordering(self, s: Any, action: int) -> int:
        """A hint in which order to try actions: the higher the earlier."""
        return 0

    def is_noisy(self, s: Any, action: int) -> bool:
        """Whether `action` changes the evaluation so much that quiescence search follows it."""
        return False

    def noisy_actions(self, s: Any, out: Actions) -> None:
        """Append the noisy actions of `s`, where listing them is quicker than listing all; others among them do no harm."""
        self.actions(s, out)

    def is_losing(self, s: Any, action: int) -> bool:
        """Whether a noisy action loses more than it gains, as far as a look at its place alone tells: search tries it late,
        and beyond the horizon not at all."""
        return False

    def is_tense(self, s: Any) -> bool:
        """Whether `s` cannot be judged as it stands (a king in check, a capture that must be made): there, search takes no
        short cuts and quiescence follows every action."""
        return False

    def threatens(self, s: Any, action: int) -> bool:
        """Whether what follows `action` is tense: written by a game that knows without following it."""
        return self.is_tense(self.result(s, action))

    def is_forcing(self, s: Any, action: int, after: Any) -> bool:
        """Whether `action`, which leads to `after`, leaves the opponent so little choice that search looks further."""
        return False

    def allows_null(self, s: Any) -> bool:
        """Whether passing in `s` is a safe test of its strength (no zugzwang in sight)."""
        return False

    def null(self, s: Any) -> Any:
        """The state after the player to move in `s` has passed, where `allows_null(s)`."""
        return s

    # What helps to solve it exactly.

    def candidates(self, s: Any, out: Actions) -> tuple[float, int, float, int]:
        """Append the actions worth solving in `s`, where the game is not over: at least one that is best. Returns
        (worst, soon, best, late): the side to move gets no less than `worst` after `soon` plies and no more than `best`
        after `late` plies. (Where those are the same, no action need be appended.)"""
        self.actions(s, out)
        return -INFINITY, 1, INFINITY, 1

    def solving_order(self, s: Any, action: int) -> int:
        """As `ordering`, for a solver, whose search is so long that a costly hint pays."""
        return self.ordering(s, action)

    def remaining(self, s: Any) -> int:
        """About how many plies may still follow `s`: a solver spends its effort by it."""
        return 1 << 30

    def assured(self, s: Any, player: int) -> float:
        """What `player` is sure to get from `s` on, whoever is to move, whatever came before and whatever the other side
        does, unless he himself took an action that `squanders` it; of two players."""
        return -INFINITY

    def squanders(self, s: Any, action: int) -> bool:
        """Whether `action` may give up what the side to move is `assured` of."""
        return False

    def mark(self, s: Any) -> u64:
        """64 bits of which some are set, the same ones in positions that repeat one another: the stones of a small board,
        for example. A solver asks by them which positions a line of play may come through."""
        return u64(1) << int(self.repetition_key(s) & 63)

    def parts(self, s: Any) -> int:
        """Into how many independent games an impartial game falls in `s`, in each of which one may move instead."""
        return 1

    def part(self, s: Any, k: int) -> Any:
        """The k-th of these games alone: a state with one part."""
        return s

    def sample(self, s: Any, rng: Rng) -> int:
        """One action for a playout. Where a game does not write this, playouts draw evenly from `actions`."""
        return 0

    def planes(self, s: Any, out: Any) -> None:
        """Write what the side to move sees into `out`, zeros of shape `plane_shape`."""

    def policy_index(self, s: Any, action: int) -> int:
        """The place of `action` in a network's policy, below `policy_size`. Where planes are turned to the side to move,
        its actions are turned with them; actions that share a place share what the network thinks of them."""
        return action

    # What a learned evaluation sees; docs/learning/evaluation.md.

    def viewer(self, s: Any) -> int:
        """In whose view `features`, `stones` and `planes` show `s`: the side to move; where chance moves, who acts next. A
        game in which that depends on the event writes this."""
        mover = self.to_move(s)
        if self.has_chance and self.players > 1:
            events: Any = [u64(0)]  # compiled, it takes every type of event
            while mover == CHANCE and not self.is_terminal(s):
                events.clear()
                self.chance(s, events)
                if len(events) == 0:
                    break
                before = s
                for event in events:
                    s = self.result(before, int(event))
                    if not self.is_terminal(s):
                        break
                mover = self.to_move(s)
        return max(mover, 0)

    def features(self, s: Any, out: Features) -> None:
        """Write the features of `s` that are not 0: `note(out, feature, value)`, numbered as `feature_names` has them."""

    def stage(self, s: Any) -> int:
        """The stage of the game in `s`, from 0."""
        return 0

    def stones(self, s: Any) -> tuple[u64, u64]:
        """Which cells of a board of at most 64 are mine, and which are the other side's, for `patterns`."""
        return u64(0), u64(0)

    def symmetric_cell(self, cell: int, k: int) -> int:
        """Where a cell lies in the k-th symmetric form."""
        return self.symmetric_action(cell, k)

    # Notation and picture (plain Python, never compiled).

    def action_text(self, s: Any, action: int) -> str:
        """How players write `action` in `s`; chance events, too."""
        return str(action)

    def protocol_text(self, s: Any, action: int) -> str:
        """How engines write `action` in protocols such as UCI, where that differs from what people write; `parse_action`
        reads it, too."""
        return self.action_text(s, action)

    @property
    def protocol_settings(self) -> dict[str, str]:
        """What engines must be told to play this game, by the names of their options."""
        return {}

    def parse_action(self, s: Any, text: str) -> int:
        """The legal action that `text` means in `s`."""
        wanted = text.strip().casefold()
        from counterplay.core.rules import legal

        options = {self.action_text(s, action): action for action in legal(self, s)}
        for written, action in options.items():
            if written.casefold() == wanted:
                return action
        raise InvalidAction(f"no action {text.strip()!r} here; legal: {summary(options)}")

    def split_moves(self, text: str) -> list[str]:
        """The actions of a line of them, such as `--moves` has: words, unless the players write actions of several."""
        return text.split()

    def position_text(self, s: Any) -> str:
        """A line that describes `s` completely; `parse_position` reads it."""
        return repr(s)

    def parse_position(self, text: str) -> Any:
        """The state that a line from `position_text` (or a person) describes. A `@state`, or a state of plain numbers,
        texts, tuples, lists, sets and dicts, is read as `repr` writes it."""
        from counterplay.core.literals import read_state

        return read_state(text, self.initial(), self.spec)

    def board(self, s: Any, viewer: int | None = None) -> str:
        """A picture of `s` for the terminal, as `viewer` may see it (None sees all)."""
        return self.position_text(s)

    def svg(self, s: Any, viewer: int | None = None) -> str:
        """A picture of `s` as SVG, as `viewer` may see it (None sees all)."""
        from counterplay.core.svg import text_card

        return text_card(self.board(s, viewer))

    def spots(self, s: Any, action: int) -> tuple[Box, ...]:
        """Where on the picture one clicks, one box after the other, to choose `action`: a square; or where a piece comes
        from and where it goes. None: the action is picked from a list."""
        return ()

    record_suffix: ClassVar[str] = ""
    """How files with records of this game end, such as "sgf" or "pgn"; empty: it has no format of its own."""

    def playthrough_text(
        self, p: Playthrough, names: Sequence[str], returns: Sequence[float], tags: Mapping[str, str]
    ) -> str:
        """A playthrough as a record in the game's own format, where it has one: `names` are the players', by seat,
        `returns` what each got, by the rules or because somebody forfeited; `tags` are named as in PGN (Event, Date,
        Round, Termination), the date written 2026-11-16."""
        raise CounterplayError(f"{self.spec} has no format of its own for records")

    def read_playthroughs(self, file: Path) -> Iterator[tuple[Playthrough, tuple[float, ...] | None]]:
        """The playthroughs of a file in the game's own format, as far as they are recorded, each with what the players got;
        None where that is not said."""
        raise CounterplayError(f"{self.spec} has no format of its own for records")

    def player_name(self, player: int) -> str:
        """What people call `player`."""
        return "chance" if player == CHANCE else f"player {player + 1}"

    # Play.

    def start(self, moves: str = "", *, position: str | None = None, seed: int = 0) -> Playthrough:
        """A new playthrough, from the start or from a position, with `moves` played."""
        from counterplay.core.playthrough import Playthrough

        return Playthrough(self, moves, position=position, seed=seed)

    # What the game is.

    @property
    def has_chance(self) -> bool:
        """Whether dice or deals take part."""
        return type(self).chance is not Game.chance

    @property
    def has_secrets(self) -> bool:
        """Whether some player does not see everything."""
        return type(self).information is not Game.information

    @property
    def has_buckets(self) -> bool:
        """Whether the game has an abstraction."""
        return type(self).bucket is not Game.bucket

    @property
    def has_sample(self) -> bool:
        """Whether the game has a playout policy of its own."""
        return type(self).sample is not Game.sample

    @property
    def has_ordering(self) -> bool:
        """Whether the game hints in which order to try actions."""
        return type(self).ordering is not Game.ordering

    @property
    def has_noise(self) -> bool:
        """Whether the game tells noisy actions from quiet ones."""
        return type(self).is_noisy is not Game.is_noisy

    @property
    def has_null(self) -> bool:
        """Whether passing may serve as a test of strength."""
        return type(self).allows_null is not Game.allows_null

    @property
    def has_forcing(self) -> bool:
        """Whether the game tells actions that leave the opponent little choice."""
        return type(self).is_forcing is not Game.is_forcing

    @property
    def has_structure(self) -> bool:
        """Whether a part of the estimate changes seldom."""
        return self._is_part_of_evaluate("structure")

    @property
    def has_sketch(self) -> bool:
        """Whether the game has a quick estimate beside the careful one."""
        return self._is_part_of_evaluate("sketch")

    def _is_part_of_evaluate(self, name: str) -> bool:
        """Whether the game writes `name` for the `evaluate` in use: a subclass that writes another one has lost it."""
        owners = [next(i for i, cls in enumerate(type(self).__mro__) if n in vars(cls)) for n in (name, "evaluate")]
        return owners[0] <= owners[1] and getattr(type(self), name) is not getattr(Game, name)

    @property
    def has_exchanges(self) -> bool:
        """Whether the game tells which noisy actions lose."""
        return type(self).is_losing is not Game.is_losing

    @property
    def has_tension(self) -> bool:
        """Whether the game tells positions that cannot be judged as they stand."""
        return type(self).is_tense is not Game.is_tense

    @property
    def has_evaluation(self) -> bool:
        """Whether the game judges positions without search."""
        return type(self).evaluate is not Game.evaluate

    @property
    def has_plain_states(self) -> bool:
        """Whether its states are Python objects of any kind, not `@state` values."""
        return not is_state(self.frozen.state_class)

    @property
    def has_repetition(self) -> bool:
        """Whether a position that comes again ends the game or is forbidden."""
        return self.repetition != "none"

    @property
    def forbids_repetition(self) -> bool:
        """Whether an action that repeats a position is illegal."""
        return self.repetition == "illegal"

    @property
    def traits(self) -> Traits:
        """What kind of game it is."""
        return Traits(self.players, self.has_chance, self.has_secrets, self.zero_sum, self.utility_bounds)

    @property
    def compiles(self) -> bool:
        """Whether kernels over this game are compiled: its states are `@state` values and nothing forbids it."""
        return self.frozen.compiles

    # States of plain Python.

    _numbers: Numbers | None = None

    @property
    def has_equality(self) -> bool:
        """Whether plain states can be compared: two that are equal, such as two initial ones, have the same hash."""
        one, other = self.initial(), self.initial()
        plain: Any = object.__eq__
        try:
            return type(one).__eq__ is not plain and bool(one == other) and hash(one) == hash(other)
        except Exception:  # __eq__ and __hash__ are a user's code
            return False

    def _plain_key(self, s: Any) -> u64:
        if self._numbers is None:
            if not self.has_equality:
                raise Unsuitable(
                    f"states of {self.spec} cannot be told apart: a {type(s).__name__} has no hash and equality of its "
                    "own; make states of tuples, or write `key`"
                )
            # A repetition rule must know a position again however long ago it was met.
            self.__dict__.setdefault("_numbers", Numbers(INFINITY if self.has_repetition else MOST_PLAIN_STATES))
        assert self._numbers is not None
        try:
            return self._numbers.key(s)
        except TypeError:
            raise BrokenGame(
                f"a state of {self.spec} has no hash: {shorten(repr(s))}; make states of tuples, or write `key`"
            ) from None

    # Identity of the game itself.

    _given: dict[str, Any]
    _frozen: Frozen | None = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        game = super().__new__(cls)
        try:
            bound = inspect.signature(cls.__init__).bind(game, *args, **kwargs)
        except TypeError as wrong:
            raise CounterplayError(f"{cls.__name__}: {wrong}") from None
        bound.apply_defaults()
        game.__dict__["_given"] = {k: v for k, v in list(bound.arguments.items())[1:] if k not in ("args", "kwargs")}
        return game

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that the game was made with."""
        return dict(self._given)

    @property
    def spec(self) -> str:
        """The game as one writes it on the command line, such as `hex:size=5`."""
        changed = [f"{k}={v}" for k, v in self._given.items() if v != self._defaults().get(k)]
        return self._spec_name() + (":" + ",".join(changed) if changed else "")

    @classmethod
    def _spec_name(cls) -> str:
        return vars(cls).get("name") or cls.__name__

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        return {p.name: p.default for p in inspect.signature(cls.__init__).parameters.values()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._given.items())})"

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._given == other._given

    def __hash__(self) -> int:
        return hash((type(self), repr(self._given)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (type(self), self._given)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._frozen is not None:
            raise AttributeError(f"{self!r} is in use, and its {name} is fixed: make another game instead")
        super().__setattr__(name, value)

    @property
    def frozen(self) -> Frozen:
        """Parameters, tables and fingerprint, fixed at first use."""
        if self._frozen is None:
            from counterplay.core.fingerprint import freeze

            self.__dict__.setdefault("_frozen", freeze(self))  # two threads may come at once
        assert self._frozen is not None
        return self._frozen


def _remake(cls: type[Game], given: dict[str, Any]) -> Game:
    return cls(**given)


def shorten(text: str, limit: int = 60) -> str:
    """A text for a message: its beginning where it is long."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def summary(options: Any, limit: int = 20) -> str:
    """Some options in a sentence: all of them where they are few."""
    shown = [str(option) for option in options]
    if not shown:
        return "none"
    between = ", " if any(" " in option for option in shown) else " "
    return between.join(shown[:limit]) + (f" ... ({len(shown)} in all)" if len(shown) > limit else "")
