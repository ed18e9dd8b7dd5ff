"""The address by which compiled code reaches one of our objects: a game, a workspace, an action stack, a random stream."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils


def address_of(c: Any, obj: Any, *owners: str) -> Any:
    """The address in `obj.address`, or in `obj.layout.address` if `layout` is an owner. An int in place of the object is
    the address itself: looking up attributes takes longer than a short kernel."""
    pyapi, builder = c.pyapi, c.builder
    found = cgutils.alloca_once(builder, ir.IntType(8).as_pointer())
    is_address = builder.icmp_unsigned("==", pyapi.get_type(obj), pyapi.get_c_object("PyLong_Type"))
    with builder.if_else(is_address) as (then, otherwise):
        with then:
            builder.store(pyapi.long_as_voidptr(obj), found)
        with otherwise:
            passed = [obj]
            for name in (*owners, "address"):
                passed.append(pyapi.object_getattr_string(passed[-1], name))
            builder.store(pyapi.long_as_voidptr(passed[-1]), found)
            for each in passed[1:]:
                pyapi.decref(each)
    return builder.load(found)
