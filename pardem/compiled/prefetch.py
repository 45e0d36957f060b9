"""Asking for memory before it is needed: a hint to the processor, without effect on any result."""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from .jit import njit  # noqa: F401


def _ask(builder: Any, address: Any) -> None:
    """Ask for the cache line at an address, to be read and written."""
    pointer = builder.inttoptr(address, ir.PointerType(ir.IntType(8)))
    integer = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, integer, integer, integer])
    function = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], fnty=kind)
    builder.call(function, [pointer, integer(1), integer(2), integer(1)])


def _ask_for_rows(context: Any, builder: Any, signature: Any, args: Any, offset: Any) -> Any:
    """Ask for what lies ``offset`` bytes behind the beginning of rows."""
    made = context.make_array(signature.args[0])(context, builder, args[0])
    stride = builder.extract_value(made.strides, 0)
    start = builder.add(builder.ptrtoint(made.data, stride.type), offset)
    several = isinstance(signature.args[1], types.BaseTuple)
    numbers = cgutils.unpack_tuple(builder, args[1]) if several else [context.cast(builder, args[1], signature.args[1], types.intp)]
    for number in numbers:
        _ask(builder, builder.add(start, builder.mul(number, stride)))
    return context.get_dummy_value()


@intrinsic
def prefetch(typing_context: Any, array: Any, row: Any) -> Any:
    """Bring the first cache line of ``array[row]``, or of several rows (a tuple of words), nearer, to be read and written."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _ask_for_rows(context, builder, signature, args, context.get_constant(types.intp, 0))

    return types.void(array, row), codegen


@intrinsic
def prefetch_column(typing_context: Any, array: Any, row: Any, column: Any) -> Any:
    """The same of the cache line that holds a column of them."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = context.get_constant(types.intp, array.dtype.bitwidth // 8)
        offset = builder.mul(context.cast(builder, args[2], signature.args[2], types.intp), size)
        return _ask_for_rows(context, builder, signature, args, offset)

    return types.void(array, row, column), codegen
