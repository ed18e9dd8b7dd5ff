"""The random stream compiled: a pointer to the word that Rng holds; its methods are those of core/language/rng.py."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from llvmlite import ir
from numba.core.extending import NativeValue, models, register_model, typeof_impl, unbox
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AttributeTemplate, bound_function, infer_getattr, signature

from counterplay.core.language.rng import STEP, Rng
from counterplay.core.native.address import address_of
from counterplay.core.native.methods import ObjectType
from counterplay.core.native.wide import U64

WORD = ir.IntType(64)


class RngType(ObjectType):
    """The Numba type of a random stream."""

    def __init__(self) -> None:
        super().__init__(name="Rng")

    def method(self, name: str) -> FunctionType | None:
        return vars(Rng).get(name) if name in ("bits", "below", "uniform") else None


@register_model(RngType)
class _RngModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, fe_type: RngType) -> None:
        super().__init__(manager, fe_type, WORD.as_pointer())


@typeof_impl.register(Rng)
def _typeof(value: Rng, c: Any) -> RngType:
    return RngType()


@unbox(RngType)
def _unbox(ty: RngType, obj: Any, c: Any) -> Any:
    return NativeValue(c.builder.bitcast(address_of(c, obj), WORD.as_pointer()))


@infer_getattr
class _Advance(AttributeTemplate):  # type: ignore[misc]
    key = RngType

    @bound_function("rng.advance")
    def resolve_advance(self, ty: Any, args: Any, kws: Any) -> Any:
        return signature(U64)


@lower_builtin("rng.advance", RngType)
def _advance(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    word = builder.add(builder.load(args[0]), ir.Constant(WORD, int(STEP)))
    builder.store(word, args[0])
    return word
