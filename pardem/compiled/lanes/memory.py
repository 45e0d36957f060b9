"""From arrays to lanes and back. Arrays are contiguous; places in them are counted flat, in numbers.

Where numba checks indices (``NUMBA_BOUNDSCHECK=1``), so are these places: whatever is read or written, in whichever lane, must lie in the array.
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ..jit import njit  # noqa: F401
from .types import INDEX, ROW, WIDTH, Lanes, kind_of

ALIGNED = 8  # bytes: no more is asked of an array
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
        stored, aligned = (ir.VectorType(_SHORT, width), ALIGNED // 2) if short else (result.vector(), ALIGNED)

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
        builder.store(args[2], pointer_at(context, builder, signature.args[0], args[0], place_, lanes.vector()), align=ALIGNED)
        return context.get_dummy_value()

    return types.void(array, place, lanes), codegen


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
