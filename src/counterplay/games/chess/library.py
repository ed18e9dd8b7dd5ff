"""python-chess (Fiekas), for the files of the chess world; imported on use."""

from __future__ import annotations

import importlib
from typing import Any

from counterplay.core.errors import CounterplayError


def library(part: str = "") -> Any:
    """The package `chess`, or one of its modules."""
    try:
        return importlib.import_module(f"chess.{part}" if part else "chess")
    except ImportError:
        raise CounterplayError("this needs python-chess: pip install 'counterplay[chess]'") from None
