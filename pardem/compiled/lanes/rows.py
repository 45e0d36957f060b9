"""Rows of four numbers, which travel as four lanes, and their columns.

The k-th lane holds the rows of contacts k, k + 4, ... behind each other (of WIDTH = 4 just that of contact k). ``transpose`` makes columns of rows:
x, y, z and the fourth number of all contacts; and rows of columns.
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba.core import cgutils, types
from numba.core.types.containers import UniTuple
from numba.extending import intrinsic

from ..jit import njit  # noqa: F401
from .memory import ALIGNED, as_word, pointer_at, require_within
from .types import INDEX, ROW, WIDTH, Lanes, kind_of, shuffle


def _starts(context: Any, builder: Any, given: Any, rows: Any, stride: Any, column: Any) -> list[Any]:
    """The places of a column in some rows of an array with ``stride`` columns."""
    stride_, column_ = as_word(context, builder, stride, given[0]), as_word(context, builder, column, given[1])
    return [builder.add(builder.mul(r, stride_), column_) for r in cgutils.unpack_tuple(builder, rows)]


@intrinsic
def gather(typing_context: Any, array: Any, rows: Any, stride: Any, column: Any) -> Any:
    """Four neighbours, from ``column`` on, of WIDTH rows (a tuple of words) of an array with ``stride`` columns: rows in four lanes."""
    result = Lanes(kind_of(array.dtype))
    part = ir.VectorType(result.vector().element, ROW)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        starts = _starts(context, builder, signature.args[2:], args[1], args[2], args[3])
        read = [builder.load(pointer_at(context, builder, signature.args[0], args[0], p, part), align=ALIGNED, typ=part) for p in starts]
        if WIDTH > ROW:
            read = [shuffle(builder, read[k], read[k + ROW], list(range(2 * ROW))) for k in range(ROW)]
        return context.make_tuple(builder, signature.return_type, read)

    return UniTuple(result, ROW)(array, rows, stride, column), codegen


def _parts(builder: Any, lanes: Any) -> list[Any]:
    """The rows that lie in four lanes, in the order of the contacts."""
    if WIDTH == ROW:
        return list(lanes)
    return [shuffle(builder, v, v, list(range(h, h + ROW))) for h in range(0, WIDTH, ROW) for v in lanes]


@intrinsic
def column_at(typing_context: Any, array: Any, rows: Any, stride: Any, column: Any) -> Any:
    """The numbers of a column in WIDTH rows (a tuple of words) of an array with ``stride`` columns, in lanes."""
    result = Lanes(kind_of(array.dtype))

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        value = ir.Constant(result.vector(), ir.Undefined)
        starts = _starts(context, builder, signature.args[2:], args[1], args[2], args[3])
        require_within(context, builder, signature.args[0], args[0], starts)
        for k, p in enumerate(starts):
            value = builder.insert_element(value, builder.load(builder.gep(data, [p])), ir.Constant(INDEX, k))
        return value

    return result(array, rows, stride, column), codegen


@intrinsic
def put_column(typing_context: Any, array: Any, rows: Any, stride: Any, column: Any, value: Any) -> Any:
    """Write lanes to where ``column_at`` reads them."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        starts = _starts(context, builder, signature.args[2:], args[1], args[2], args[3])
        require_within(context, builder, signature.args[0], args[0], starts)
        for k, p in enumerate(starts):
            builder.store(builder.extract_element(args[4], ir.Constant(INDEX, k)), builder.gep(data, [p]))
        return context.get_dummy_value()

    return types.void(array, rows, stride, column, value), codegen


def _write(change: str | None) -> Any:
    def make(typing_context: Any, array: Any, rows: Any, stride: Any, column: Any, values: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            starts = _starts(context, builder, signature.args[2:], args[1], args[2], args[3])
            for p, value in zip(starts, _parts(builder, cgutils.unpack_tuple(builder, args[4])), strict=True):
                pointer = pointer_at(context, builder, signature.args[0], args[0], p, value.type)
                if change:
                    value = getattr(builder, change)(builder.load(pointer, align=ALIGNED, typ=value.type), value)
                builder.store(value, pointer, align=ALIGNED)
            return context.get_dummy_value()

        return types.void(array, rows, stride, column, values), codegen

    return make


@intrinsic
def scatter(typing_context: Any, array: Any, rows: Any, stride: Any, column: Any, values: Any) -> Any:
    """Write rows in four lanes to where ``gather`` reads them."""
    return _write(None)(typing_context, array, rows, stride, column, values)


@intrinsic
def scatter_add(typing_context: Any, array: Any, rows: Any, stride: Any, column: Any, values: Any) -> Any:
    """Add rows of int64 in four lanes to those of an array, one after the other: a row may come several times."""
    return _write("add")(typing_context, array, rows, stride, column, values)


def _change_rows(change: str) -> Any:
    def make(typing_context: Any, array: Any, rows: Any, stride: Any, first: Any, second: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            halves = [_parts(builder, cgutils.unpack_tuple(builder, lanes)) for lanes in args[3:]]
            stride_ = as_word(context, builder, args[2], signature.args[2])
            for row, a, b in zip(cgutils.unpack_tuple(builder, args[1]), *halves, strict=True):
                value, place = shuffle(builder, a, b, list(range(2 * ROW))), builder.mul(row, stride_)
                pointer = pointer_at(context, builder, signature.args[0], args[0], place, value.type)
                value = getattr(builder, change)(builder.load(pointer, align=ALIGNED, typ=value.type), value)
                builder.store(value, pointer, align=ALIGNED)
            return context.get_dummy_value()

        return types.void(array, rows, stride, first, second), codegen

    return make


@intrinsic
def add_rows(typing_context: Any, array: Any, rows: Any, stride: Any, first: Any, second: Any) -> Any:
    """Add to the first eight of ``stride`` int64 in WIDTH rows (a tuple of words), one after the other: rows in four lanes for either half."""
    return _change_rows("add")(typing_context, array, rows, stride, first, second)


@intrinsic
def subtract_rows(typing_context: Any, array: Any, rows: Any, stride: Any, first: Any, second: Any) -> Any:
    """Subtract from such rows."""
    return _change_rows("sub")(typing_context, array, rows, stride, first, second)


def _blocks(order: list[int]) -> list[int]:
    """The order of a shuffle of two vectors of four, done in each block of four of longer ones."""
    return [k % ROW + h + (WIDTH if k >= ROW else 0) for h in range(0, WIDTH, ROW) for k in order]


@intrinsic
def transpose(typing_context: Any, values: Any) -> Any:
    """Four columns of rows in four lanes, and the rows of four columns: the same eight shuffles."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b, c, d = cgutils.unpack_tuple(builder, args[0])
        even, odd, left, right = _blocks([0, 4, 2, 6]), _blocks([1, 5, 3, 7]), _blocks([0, 1, 4, 5]), _blocks([2, 3, 6, 7])
        p, q, r, s = shuffle(builder, a, b, even), shuffle(builder, a, b, odd), shuffle(builder, c, d, even), shuffle(builder, c, d, odd)
        made = [shuffle(builder, p, r, left), shuffle(builder, q, s, left), shuffle(builder, p, r, right), shuffle(builder, q, s, right)]
        return context.make_tuple(builder, signature.return_type, made)

    return values(values), codegen


@intrinsic
def sum_of_rows(typing_context: Any, values: Any) -> Any:
    """The sum of WIDTH rows of int64 in four lanes, as a row."""
    result = Lanes("int64", ROW)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b, c, d = cgutils.unpack_tuple(builder, args[0])
        rows = _parts(builder, [builder.add(builder.add(a, b), builder.add(c, d))])
        return rows[0] if len(rows) == 1 else builder.add(*rows)

    return result(values), codegen
