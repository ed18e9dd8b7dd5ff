"""Functions that only compiled code calls: rules, helpers, kernels inside kernels.

Numba prepares each function to be called from Python: it optimises everything that the function reaches, and emits
machine code and a wrapper. A function that is only called by others needs none of this, as it is optimised and emitted
again as part of its caller. So here it stays as lowered until a kernel that Python enters links everything in and
compiles it once. Without this a chess search takes twice as long to compile.

If two functions call each other, Numba leaves a slot for an address that is known only in this process. A kernel
contains both, and the slot is filled with the function itself, so such kernels can be kept on disk as well.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import llvmlite.binding as llvm
from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary, RuntimeLinker
from numba.core.compiler_machinery import register_pass
from numba.core.environment import lookup_environment
from numba.core.typed_passes import NativeLowering

from counterplay.core.language.marks import marks_of

PLACE = RuntimeLinker.PREFIX
FLAGS = re.compile(r"B\d+v\d+B(\d+)")
"""The part of a name in machine code that holds a function's number, then the length of its compiler flags, which
follow."""
_functions: dict[str, tuple[str, InnerLibrary]] = {}
"""Each inner function's name in machine code and its library, by that name without flags."""


def without_flags(name: str) -> str:
    """A name in machine code without the flags: a function that another one calls back to is named with the other's."""
    found = FLAGS.search(name)
    return name if found is None else name[: found.start(1)] + name[found.end() + int(found[1]) :]


class AbreastCodegen:
    """Numba's code generator, with LLVM's pass that packs similar operations into one vector."""

    def __init__(self, codegen: Any) -> None:
        self.codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self.codegen, name)

    def _module_pass_manager(self, **options: Any) -> Any:
        return self.codegen._module_pass_manager(**{"slp_vectorize": True} | options)


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of an inner function and of everything that it calls, as lowered; already optimised if it is marked
    `abreast`."""

    abreast = False
    _codegen: Any

    def _optimize_final_module(self) -> None:
        if self.abreast:
            codegen, self._codegen = self._codegen, AbreastCodegen(self._codegen)
            try:
                super()._optimize_final_module()
            finally:
                self._codegen = codegen

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel that Python enters, with everything that it reaches."""

    def _optimize_final_module(self) -> None:
        while places := self._open_places():
            for name in places:
                self._fill(name)
        super()._optimize_final_module()

    def _open_places(self) -> list[str]:
        """The functions whose addresses are still missing."""
        found = (each for each in self._final_module.global_variables if each.name.startswith(PLACE))
        return [each.name[len(PLACE) :] for each in found if each.is_declaration]

    def _fill(self, name: str) -> None:
        """Fill in a missing address of a function, and the function itself if it is not here. The address comes first:
        LLVM links in no function that nothing here mentions."""
        module, (real, library) = self._final_module, _functions[without_flags(name)]
        module.link_in(
            llvm.parse_assembly(f'declare void @"{real}"()\n@"{PLACE}{name}" = linkonce_odr constant ptr @"{real}"\n')
        )
        if module.get_function(real).is_declaration:
            module.link_in(library._get_module_for_linking(), preserve=True)


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):  # type: ignore[misc]
    """Numba's last pass for a kernel that Python enters."""

    _name = "counterplay_kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        changed = bool(super().run_pass(state))
        for each in state.library._final_module.global_variables:  # what `print` and `raise` inside it need
            environment = lookup_environment(each.name) if each.name.startswith("_ZN08NumbaEnv") else None
            if environment is not None:
                state.library.codegen.set_env(each.name, environment)
        return changed


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):  # type: ignore[misc]
    """Numba's last pass for an inner function: it stops at the lowered code."""

    _name = "counterplay_inner_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        library.abreast = "abreast" in marks_of(inspect.unwrap(state.func_id.func))
        state.flags.no_compile = state.flags.no_cpython_wrapper = state.flags.no_cfunc_wrapper = True
        super().run_pass(state)
        lowered = state["cr"]
        # Callers find the function by an object that stands for its machine code; nobody will call that.
        name = lowered.fndesc.qualname.split(".")[-1]
        stand_in = _dynfunc.make_function(lowered.fndesc.lookup_module(), name, name, 0, lowered.env, (library,))
        state.targetctx.insert_user_function(stand_in, lowered.fndesc, [library])
        state.reload_init.extend(getattr(library, "_reload_init", ()))  # from Numba 0.63 on
        state["cr"] = lowered._replace(cfunc=stand_in)
        name = lowered.fndesc.mangled_name
        _functions[without_flags(name)] = name, library
        return True
