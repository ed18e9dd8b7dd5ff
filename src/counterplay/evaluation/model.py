"""Models: weights, and what they are weights of. A file is a NumPy archive that states its game and is refused for another.

kind      encoding       arrays
linear    encoding.py's  weights [stages, inputs]
network   encoding.py's  first [stages, inputs, hidden], perhaps deep [stages, deeper, hidden + 1],
                         second [stages, outcomes, (deeper or hidden) + 1]
nnue      sparse         first, second, bias, scale: integers (accumulator.py)
residual  planes         a convolutional network with a policy (residual.py)
values    ranges         counterfactual values of all hands (equilibrium/value_network.py)
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.archive import read_archive, write_archive
from counterplay.core.game import Game

FORMAT = "counterplay model 1"
SHIPPED = Path(__file__).parents[1] / "models"
"""Where the models are shipped with the package."""
RUNS = "COUNTERPLAY_RUNS"
"""The environment variable that names another folder for runs."""
OF_A_RUN = "model.npz"
KINDS, LINKS = ("linear", "network", "nnue", "residual", "values"), ("identity", "logistic", "added")
LARGE = 1_000_000


@dataclass(frozen=True)
class Model:
    """Weights and what they are weights of."""

    game: str
    """The game's spec: its name and parameters."""
    kind: str
    encoding: str
    arrays: dict[str, np.ndarray]
    link: str = "identity"
    """How a weighted sum becomes a value: `identity`, within the bounds of utility; `logistic`, between them; `added`, to
    the game's own evaluation (nnue)."""
    about: dict[str, Any] = field(default_factory=dict)
    """How it was made and how strong it is: plain JSON."""
    version: int = 1
    """The version of the game whose features, planes or patterns it knows."""

    @classmethod
    def of(
        cls,
        game: Game,
        kind: str,
        encoding: str,
        arrays: dict[str, np.ndarray],
        link: str = "identity",
        about: Mapping[str, Any] | None = None,
    ) -> Model:
        """A model for the current version of `game`."""
        return cls(game.spec, kind, encoding, arrays, link, dict(about or {}), game.version)

    def save(self, file: Path) -> None:
        """Write the model atomically. Large tables keep three significant digits, which is their full precision."""
        head = {
            "format": FORMAT,
            "game": self.game,
            "version": self.version,
            "kind": self.kind,
            "encoding": self.encoding,
            "link": self.link,
            "about": self.about,
        }
        small = {
            k: v.astype(np.float16) if v.size > LARGE and v.dtype.kind == "f" else v for k, v in self.arrays.items()
        }
        write_archive(file, head, small)


def read_model(file: Path) -> Model:
    """The model in a file."""
    if not file.is_file():
        raise CounterplayError(f"no file {str(file)!r}")
    found = read_archive(file, FORMAT)
    if found is None:
        raise CounterplayError(
            f"{str(file)!r} is not a model, or is damaged: `counterplay fit` and `counterplay train` write models"
        )
    head, arrays = found
    version = head.get("version", 1)
    words = [head.get(name) for name in ("game", "kind", "encoding", "link")]
    whole = (np.int16, np.int32) if head.get("kind") == "nnue" else ()
    numbers = all(part.ndim and part.dtype in (np.float16, np.float32, np.float64, *whole) for part in arrays.values())
    known = all(isinstance(word, str) for word in words) and head["kind"] in KINDS and head["link"] in LINKS
    known = known and (head["link"] != "added" or head["kind"] == "nnue")
    if not known or not numbers or type(version) is not int:
        raise CounterplayError(f"{str(file)!r} is damaged: its parts are inconsistent")
    about = head.get("about")
    return Model(
        head["game"],
        head["kind"],
        head["encoding"],
        {name: part.astype(np.float32) if part.dtype.kind == "f" else part for name, part in arrays.items()},
        head["link"],
        about if isinstance(about, dict) else {},
        version,
    )


def shipped() -> list[str]:
    """The names of the models shipped with the package."""
    return sorted(file.stem for file in SHIPPED.glob("*.npz"))


def runs_folder() -> Path:
    """The folder of runs, and of your own models with a name."""
    chosen = os.environ.get(RUNS)
    if chosen:
        return Path(chosen)
    root = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return root / "counterplay" / "runs"


def named() -> dict[str, Path]:
    """The models with a name: the files and runs in the runs folder, and those shipped with the package."""
    folder = runs_folder()
    found = {file.stem: file for file in folder.glob("*.npz")} | {
        file.parent.name: file for file in folder.glob(f"*/{OF_A_RUN}")
    }
    return found | {name: SHIPPED / f"{name}.npz" for name in shipped()}


def model_file(text: str) -> Path | None:
    """The file of the model that `text` names, if there is one: a file, a run or, failing both, a name."""
    file = Path(text).expanduser()
    file = file / OF_A_RUN if (file / OF_A_RUN).is_file() else file
    return file if file.is_file() else named().get(text)


def find_model(text: str, game: Game) -> Model:
    """The model that `text` names, which must be for `game`: a file, a run or, failing both, a shipped
    model of that name."""
    file = model_file(text)
    if file is None:
        raise CounterplayError(
            f"no model {text!r}: neither a file nor a name; shipped models are {', '.join(shipped())}"
        )
    model = read_model(file)
    if model.game != game.spec:
        raise CounterplayError(f"{text!r} is a model for {model.game}, not for {game.spec}")
    if model.version != game.version:
        raise CounterplayError(
            f"{text!r} is a model for version {model.version} of {game.spec}, and this is version {game.version}"
        )
    return model


def require_shapes(model: Model, shapes: Mapping[str, tuple[int, ...]], game: Game) -> None:
    """Refuse arrays of the wrong shape: the game's features changed, or the file was edited."""
    for name, shape in shapes.items():
        part = model.arrays.get(name)
        if part is None or part.shape != shape:
            there = "is missing" if part is None else f"is {by(part.shape)}"
            raise CounterplayError(
                f"the model does not fit {game.spec} as it is now: its {name} should be {by(shape)}, and {there}"
            )
        if not np.isfinite(part).all():
            raise CounterplayError(f"the model is damaged: its {name} has entries that are not numbers")


def by(shape: tuple[int, ...]) -> str:
    """A shape as text."""
    return " x ".join(map(str, shape))
