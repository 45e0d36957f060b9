"""From arrays to lanes and back. Arrays are contiguous; places in them are counted flat, in numbers.

Rows of four numbers travel as four lanes: the k-th holds the rows of contacts k, k + 4, ... behind each other (of WIDTH = 4 just that of contact k).
``transpose`` makes columns of rows: x, y, z and the fourth number of all contacts; and rows of columns.

Where numba checks indices (``NUMBA_BOUNDSCHECK=1``), so are these places: whatever is read or written, in whichever lane, must lie in the array.
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba.core import cgutils, types
from numba.core.types.containers import UniTuple
from numba.extending import intrinsic

from ..jit import njit  # noqa: F401
from .types import INDEX, ROW, WIDTH, Lanes, kind_of, shuffle

_ALIGNED = 8  # bytes: no more is asked of an array
WORD = ir.IntType(64)
_SHORT = ir.FloatType()


def require_within(context: Any, builder: Any, array: Any, value: Any, places: list[Any], count: int = 1) -> None:
    """Raise an IndexError, where indices are checked, unless ``count`` numbers from each of some places (words) on lie in an array."""
    if not context.enable_boundscheck:
        return
    size = context.make_array(array)(context, builder, value).nitems
    for place in places:
        for k in sorted({0, count - 1}):
            cgutils.do_boundscheck(context, builder, builder.add(place, ir.Constant(WORD, k)), size)


def pointer_at(context: Any, builder: Any, array: Any, value: Any, place: Any, kind: Any) -> Any:
    """Pointer to ``kind``, a vector, at a place (a word) of an array."""
    require_within(context, builder, array, value, [place], kind.count)
    data = context.make_array(array)(context, builder, value).data
    return builder.bitcast(builder.gep(data, [place]), ir.PointerType(kind))


def as_word(context: Any, builder: Any, value: Any, given: Any) -> Any:
    """A place of the type ``given`` as a word."""
    return context.cast(builder, value, given, types.uintp)


def _read(width: int) -> Any:
    def make(typing_context: Any, array: Any, place: Any) -> Any:
        result, short = Lanes(kind_of(array.dtype), width), array.dtype == types.float32
        stored, aligned = (ir.VectorType(_SHORT, width), _ALIGNED // 2) if short else (result.vector(), _ALIGNED)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place_ = as_word(context, builder, args[1], signature.args[1])
            pointer = pointer_at(context, builder, signature.args[0], args[0], place_, stored)
            found = builder.load(pointer, align=aligned, typ=stored)
            return builder.fpext(found, result.vector()) if short else found

        return result(array, place), codegen

    return make


@intrinsic
def load(typing_context: Any, array: Any, place: Any) -> Any:
    """WIDTH neighbours of an array of float64, float32 (which become float64) or int64, from ``place`` on."""
    return _read(WIDTH)(typing_context, array, place)


@intrinsic
def load_row(typing_context: Any, array: Any, place: Any) -> Any:
    """ROW neighbours of such an array."""
    return _read(ROW)(typing_context, array, place)


@intrinsic
def store(typing_context: Any, array: Any, place: Any, value: Any) -> Any:
    """Write lanes, or a number in all of them, to an array from ``place`` on."""
    lanes = value if isinstance(value, Lanes) else Lanes(kind_of(array.dtype))

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place_ = as_word(context, builder, args[1], signature.args[1])
        builder.store(args[2], pointer_at(context, builder, signature.args[0], args[0], place_, lanes.vector()), align=_ALIGNED)
        return context.get_dummy_value()

    return types.void(array, place, lanes), codegen


@intrinsic
def members(typing_context: Any, array: Any, place: Any) -> Any:
    """WIDTH neighbours of an array of indices (not negative), from ``place`` on, as a tuple of words."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        place_ = as_word(context, builder, args[1], signature.args[1])
        require_within(context, builder, signature.args[0], args[0], [place_], WIDTH)
        first = builder.gep(data, [place_])
        found = [builder.zext(builder.load(builder.gep(first, [ir.Constant(WORD, k)])), WORD) for k in range(WIDTH)]
        return context.make_tuple(builder, signature.return_type, found)

    return UniTuple(types.uintp, WIDTH)(array, place), codegen


@intrinsic
def neighbours(typing_context: Any, place: Any) -> Any:
    """``place`` and the next numbers, WIDTH in all, as a tuple of words."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = as_word(context, builder, args[0], signature.args[0])
        found = [builder.add(first, ir.Constant(WORD, k)) for k in range(WIDTH)]
        return context.make_tuple(builder, signature.return_type, found)

    return UniTuple(types.uintp, WIDTH)(place), codegen


@intrinsic
def members_at(typing_context: Any, array: Any, places: Any) -> Any:
    """The members of an array of indices (not negative) at WIDTH places, as a tuple of words."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        places_ = cgutils.unpack_tuple(builder, args[1])
        require_within(context, builder, signature.args[0], args[0], places_)
        found = [builder.zext(builder.load(builder.gep(data, [p])), WORD) for p in places_]
        return context.make_tuple(builder, signature.return_type, found)

    return UniTuple(types.uintp, WIDTH)(array, places), codegen


@intrinsic
def moved_by(typing_context: Any, places: Any, by: Any) -> Any:
    """WIDTH places (a tuple of words) further on, by as many words or by one number."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if isinstance(signature.args[1], UniTuple):
            ways = cgutils.unpack_tuple(builder, args[1])
        else:
            ways = [as_word(context, builder, args[1], signature.args[1])] * WIDTH
        found = [builder.add(p, way) for p, way in zip(cgutils.unpack_tuple(builder, args[0]), ways, strict=True)]
        return context.make_tuple(builder, signature.return_type, found)

    return UniTuple(types.uintp, WIDTH)(places, by), codegen


@intrinsic
def all_alike(typing_context: Any, places: Any) -> Any:
    """Whether WIDTH places (a tuple of words) are the same."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        first, *others = cgutils.unpack_tuple(builder, args[0])
        differing = ir.Constant(WORD, 0)
        for other in others:
            differing = builder.or_(differing, builder.xor(first, other))
        return builder.icmp_unsigned("==", differing, ir.Constant(WORD, 0))

    return types.boolean(places), codegen


@intrinsic
def lower_places(typing_context: Any, places: Any, bounds: Any) -> Any:
    """Of two places in each lane (tuples of words) the lower one."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pairs = zip(*(cgutils.unpack_tuple(builder, a) for a in args), strict=True)
        found = [builder.select(builder.icmp_unsigned("<", a, b), a, b) for a, b in pairs]
        return context.make_tuple(builder, signature.return_type, found)

    return UniTuple(types.uintp, WIDTH)(places, bounds), codegen


@intrinsic
def either_place(typing_context: Any, mask: Any, places: Any, others: Any) -> Any:
    """Places (tuples of words): those of ``places`` where ``mask`` holds, those of ``others`` elsewhere."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pairs = zip(cgutils.unpack_tuple(builder, args[1]), cgutils.unpack_tuple(builder, args[2]), strict=True)
        found = [builder.select(builder.extract_element(args[0], ir.Constant(INDEX, k)), a, b) for k, (a, b) in enumerate(pairs)]
        return context.make_tuple(builder, signature.return_type, found)

    return UniTuple(types.uintp, WIDTH)(mask, places, others), codegen


@intrinsic
def words(typing_context: Any, value: Any) -> Any:
    """Lanes of int64 (not negative) as a tuple of words."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = [builder.extract_element(args[0], ir.Constant(INDEX, k)) for k in range(WIDTH)]
        return context.make_tuple(builder, signature.return_type, found)

    return UniTuple(types.uintp, WIDTH)(value), codegen


@intrinsic
def pick(typing_context: Any, array: Any, places: Any) -> Any:
    """The members of an array of float64, float32, or integers, at WIDTH places (a tuple of words), in lanes."""
    result, short = Lanes(kind_of(array.dtype)), array.dtype == types.float32
    element = result.vector().element

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        value = ir.Constant(result.vector(), ir.Undefined)
        places_ = cgutils.unpack_tuple(builder, args[1])
        require_within(context, builder, signature.args[0], args[0], places_)
        for k, p in enumerate(places_):
            number = builder.load(builder.gep(data, [p]))
            if result.kind == "int64":
                number = builder.sext(number, element)
            elif short:
                number = builder.fpext(number, element)
            value = builder.insert_element(value, number, ir.Constant(INDEX, k))
        return value

    return result(array, places), codegen


@intrinsic
def put(typing_context: Any, array: Any, places: Any, value: Any) -> Any:
    """Write lanes to the members of an array of their kind, or those of float64 to one of float32, at WIDTH places (a tuple of words)."""
    short = array.dtype == types.float32

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        stored = builder.fptrunc(args[2], ir.VectorType(_SHORT, WIDTH)) if short else args[2]
        places_ = cgutils.unpack_tuple(builder, args[1])
        require_within(context, builder, signature.args[0], args[0], places_)
        for k, p in enumerate(places_):
            builder.store(builder.extract_element(stored, ir.Constant(INDEX, k)), builder.gep(data, [p]))
        return context.get_dummy_value()

    return types.void(array, places, value), codegen


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
        read = [builder.load(pointer_at(context, builder, signature.args[0], args[0], p, part), align=_ALIGNED, typ=part) for p in starts]
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
                    value = getattr(builder, change)(builder.load(pointer, align=_ALIGNED, typ=value.type), value)
                builder.store(value, pointer, align=_ALIGNED)
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
                value = getattr(builder, change)(builder.load(pointer, align=_ALIGNED, typ=value.type), value)
                builder.store(value, pointer, align=_ALIGNED)
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
