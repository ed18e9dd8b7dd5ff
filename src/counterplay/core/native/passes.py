"""Which of Numba's passes ours replace: each only if this release of Numba has the internals that it builds on.

Ours save compile time and reject more code that would go wrong. If an internal has changed, Numba's own pass stays, and
everything compiles to the same answers.
"""

from __future__ import annotations

import importlib
from typing import Any

INFERENCE = (
    "numba.core.typed_passes:NopythonTypeInference",
    "numba.core.typing.context:BaseContext.resolve_function_type",
    "numba.core.typing.context:BaseContext.resolve_setattr",
    "numba.core.types:BaseFunction",
    "numba.core.ir_utils:get_definition",
)
"""What `inference.py` builds on."""
INNER = (
    "numba.core.typed_passes:NativeLowering",
    "numba.core.environment:lookup_environment",
    "numba.core.codegen:RuntimeLinker.PREFIX",
    "numba.core.codegen:JITCPUCodegen._module_pass_manager",
    "numba.core.codegen:JITCPUCodegen.set_env",
    "numba.core.codegen:JITCodeLibrary._optimize_final_module",
    "numba.core.codegen:JITCodeLibrary._finalize_final_module",
    "numba.core.codegen:JITCodeLibrary._finalize_dynamic_globals",
    "numba.core.codegen:JITCodeLibrary._get_module_for_linking",
    "numba.core.codegen:JITCodeLibrary.enable_object_caching",
    "numba._dynfunc:make_function",
)
"""What `inner.py` builds on."""


def present(internal: str) -> bool:
    """Whether this Numba has an internal."""
    module, _, path = internal.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for name in path.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError):
        return False
    return True


def replaced_passes() -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Our passes by the pass that they replace: for kernels that Python enters, and for what only compiled code
    calls."""
    kernel: dict[Any, Any] = {}
    inner: dict[Any, Any] = {}
    if all(map(present, INFERENCE)):
        from numba.core.typed_passes import NopythonTypeInference

        from counterplay.core.native.inference import QuickTypeInference

        kernel[NopythonTypeInference] = inner[NopythonTypeInference] = QuickTypeInference
    if all(map(present, INNER)):
        from numba.core.typed_passes import NativeLowering

        from counterplay.core.native.inner import InnerLowering, KernelLowering

        kernel[NativeLowering], inner[NativeLowering] = KernelLowering, InnerLowering
    return kernel, inner
