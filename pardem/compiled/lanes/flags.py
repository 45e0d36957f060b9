"""Flags in lanes: which of WIDTH bytes are raised, and places that are written behind each other for those lanes that hold."""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ..jit import njit  # noqa: F401
from .arithmetic import as_bits
from .memory import WORD, as_word, pointer_at, require_within
from .types import INDEX, ROW, WIDTH, Lanes, broadcast

_BYTE = ir.IntType(8)


def _raised(builder: Any, bytes_: Any) -> Any:
    return builder.icmp_unsigned("!=", bytes_, ir.Constant(bytes_.type, [ir.Constant(_BYTE, 0)] * WIDTH))


@intrinsic
def raised(typing_context: Any, flags: Any, place: Any) -> Any:
    """Which of WIDTH neighbouring bytes are not zero."""
    kind = ir.VectorType(_BYTE, WIDTH)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place_ = as_word(context, builder, args[1], signature.args[1])
        return _raised(builder, builder.load(pointer_at(context, builder, signature.args[0], args[0], place_, kind), align=1, typ=kind))

    return Lanes("bool")(flags, place), codegen


@intrinsic
def raised_at(typing_context: Any, flags: Any, places: Any) -> Any:
    """Which of the bytes at WIDTH places (a tuple of words) are not zero."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        value = ir.Constant(ir.VectorType(_BYTE, WIDTH), ir.Undefined)
        places_ = cgutils.unpack_tuple(builder, args[1])
        require_within(context, builder, signature.args[0], args[0], places_)
        for k, p in enumerate(places_):
            value = builder.insert_element(value, builder.load(builder.gep(data, [p])), ir.Constant(INDEX, k))
        return _raised(builder, value)

    return Lanes("bool")(flags, places), codegen


@intrinsic
def flag_at(typing_context: Any, flags: Any, places: Any, mask: Any) -> Any:
    """Set the bytes at WIDTH places (a tuple of words) to one where ``mask`` holds, to zero elsewhere."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        bytes_ = builder.zext(args[2], ir.VectorType(_BYTE, WIDTH))
        places_ = cgutils.unpack_tuple(builder, args[1])
        require_within(context, builder, signature.args[0], args[0], places_)
        for k, p in enumerate(places_):
            builder.store(builder.extract_element(bytes_, ir.Constant(INDEX, k)), builder.gep(data, [p]))
        return context.get_dummy_value()

    return types.void(flags, places, mask), codegen


@intrinsic
def first_lanes(typing_context: Any, count: Any) -> Any:
    """The first ``count`` lanes hold."""
    result = Lanes("bool")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        numbers = ir.Constant(ir.VectorType(WORD, WIDTH), [ir.Constant(WORD, k) for k in range(WIDTH)])
        return builder.icmp_unsigned("<", numbers, broadcast(builder, as_word(context, builder, args[0], signature.args[0]), WIDTH))

    return result(count), codegen


def _chosen(builder: Any) -> Any:
    """Table of which of four lanes each of the sixteen masks chooses: first those, then whatever."""
    row = ir.VectorType(INDEX, ROW)
    orders = [([k for k in range(ROW) if mask >> k & 1] + [0] * ROW)[:ROW] for mask in range(1 << ROW)]
    kind = ir.ArrayType(row, len(orders))
    table = cgutils.add_global_variable(builder.module, kind, builder.module.get_unique_name("chosen_lanes"))
    table.linkage, table.global_constant, table.align = "internal", True, 16
    table.initializer = ir.Constant(kind, [ir.Constant(row, [ir.Constant(INDEX, k) for k in order]) for order in orders])
    return table


def _looked_up(builder: Any, mask: Any, first: Any, at: Any, begin: Any) -> Any:
    """Write the chosen ones of WIDTH numbers from ``first`` on behind each other, by a table of shuffles; how many they are."""
    row = ir.VectorType(INDEX, ROW)
    table, bits, place = _chosen(builder), builder.zext(as_bits(builder, mask), WORD), begin
    count = cgutils.get_or_insert_function(builder.module, ir.FunctionType(WORD, [WORD]), "llvm.ctpop.i64")
    for h in range(0, WIDTH, ROW):
        some = builder.and_(builder.lshr(bits, ir.Constant(WORD, h)), ir.Constant(WORD, (1 << ROW) - 1))
        picked = builder.load(builder.gep(table, [ir.Constant(WORD, 0), some]), align=16, typ=row)
        written = builder.add(picked, broadcast(builder, builder.add(first, ir.Constant(INDEX, h)), ROW))
        builder.store(written, at(place, row), align=4)
        place = builder.add(place, builder.call(count, [some]))
    return builder.sub(place, begin)


def _compressed(builder: Any, mask: Any, first: Any, at: Any, begin: Any) -> Any:
    """The same where the processor has an instruction for it; behind the chosen ones numbers of their own lanes are written, never garbage."""
    kind = ir.VectorType(INDEX, WIDTH)
    numbers = builder.add(broadcast(builder, first, WIDTH), ir.Constant(kind, [ir.Constant(INDEX, k) for k in range(WIDTH)]))
    compress = ir.FunctionType(kind, [kind, mask.type, kind])
    compress = cgutils.get_or_insert_function(builder.module, compress, f"llvm.experimental.vector.compress.v{WIDTH}i32")
    builder.store(builder.call(compress, [numbers, mask, numbers]), at(begin, kind), align=4)
    bits = as_bits(builder, mask)
    count = cgutils.get_or_insert_function(builder.module, ir.FunctionType(bits.type, [bits.type]), f"llvm.ctpop.i{WIDTH}")
    return builder.zext(builder.call(count, [bits]), WORD)


@intrinsic
def append(typing_context: Any, numbers: Any, found: Any, base: Any, mask: Any) -> Any:
    """Write ``base + k`` for each lane k in which ``mask`` holds to ``numbers`` (int32), from place ``found`` on, without a branch.

    WIDTH places are written, whatever the number: those behind the chosen ones hold others of the numbers from ``base`` on.

    Returns:
        how many lanes that are (word).
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        begin = as_word(context, builder, args[1], signature.args[1])
        first = context.cast(builder, args[2], signature.args[2], types.int32)
        fill = _compressed if WIDTH > ROW else _looked_up
        return fill(builder, args[3], first, lambda place, kind: pointer_at(context, builder, signature.args[0], args[0], place, kind), begin)

    return types.uintp(numbers, found, base, mask), codegen
