"""Places in arrays, one for each lane: tuples of words (unsigned), from arrays of indices, from lanes, and from each other."""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba.core import cgutils, types
from numba.core.types.containers import UniTuple
from numba.extending import intrinsic

from ..jit import njit  # noqa: F401
from .memory import WORD, as_word, require_within
from .types import INDEX, WIDTH


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
