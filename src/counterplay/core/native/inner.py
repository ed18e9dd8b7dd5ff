"""Functions that only compiled code calls: rules, helpers, kernels inside of kernels.

Numba makes each function ready to be called from Python: it optimises all that the function reaches, writes machine code
and a wrapper. A function that only another one calls needs none of this, as it is taken over, optimised and written
again as a part of its caller. So here it stays as it was lowered until a kernel that Python enters takes everything in
and compiles it once. Without this a search of chess takes twice as long to compile.
"""

from __future__ import annotations

from typing import Any

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of an inner function and of all that it calls, as it was lowered."""

    def _optimize_final_module(self) -> None:
        if self._must_be_real():
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if self._must_be_real():
            super()._finalize_final_module()
        else:
            self._finalize_dynamic_globals()
            self._finalized = True

    def _must_be_real(self) -> bool:
        """Whether two functions call each other here: that works by their addresses."""
        return any(each.name.startswith(RuntimeLinker.PREFIX) for each in self._final_module.global_variables)


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):  # type: ignore[misc]
    """Numba's last pass, which stops at the lowered code."""

    _name = "counterplay_inner_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = True
        super().run_pass(state)
        lowered = state["cr"]
        # Callers find the function by an object that stands for its machine code; nobody will call that.
        name = lowered.fndesc.qualname.split(".")[-1]
        stand_in = _dynfunc.make_function(lowered.fndesc.lookup_module(), name, name, 0, lowered.env, (library,))
        state.targetctx.insert_user_function(stand_in, lowered.fndesc, [library])
        state.reload_init.extend(library._reload_init)
        state["cr"] = lowered._replace(cfunc=stand_in)
        return True
