"""Packages that adapters need, imported when first used; if one is missing, the error names the command to install it."""

from __future__ import annotations

import importlib
from typing import Any

from counterplay.core.errors import CounterplayError

PACKAGES = {"pyspiel": "open_spiel"}
"""The names of packages that differ from those of their modules."""


def imported(module: str, purpose: str) -> Any:
    """A module of an optional package."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        package = PACKAGES.get(module, module.partition(".")[0])
        if missing.name is not None and missing.name.partition(".")[0] != module.partition(".")[0]:
            package = f"{package} (which needs {missing.name})"
        raise CounterplayError(
            f"{purpose} needs the package {package}; pip install 'counterplay[adapters]' installs it"
        ) from None
