"""Exact conversions between float64 and whole numbers, for single numbers and lanes alike, by arithmetic that every processor has in vectors.

Processors before AVX-512 convert float64 to int64 one number at a time only. Below 2^51 a sum with 1.5 2^52 has the whole number in its last bits.
With AVX-512 lanes are converted by the instructions for it, which round in the same way: the bits are the same.
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from ..jit import njit  # noqa: F401
from .arithmetic import unary
from .types import KINDS, ROW, WIDTH, Lanes, constant

_SHIFT, _SHIFT_BITS = 1.5 * 2.0**52, 0x4338000000000000


def _like(given: Any, kind: str) -> Any:
    """The type of lanes as many as those given, or of a number."""
    return Lanes(kind, given.width) if isinstance(given, Lanes) else getattr(types, kind)


def _fill(given: Any, kind: str, value: Any) -> Any:
    return constant(kind, [value] * given.width) if isinstance(given, Lanes) else ir.Constant(KINDS[kind], value)


def _machine(given: Any, kind: str) -> Any:
    return ir.VectorType(KINDS[kind], given.width) if isinstance(given, Lanes) else KINDS[kind]


def _converted(given: Any) -> bool:
    """Whether there are instructions that convert so many numbers at once."""
    return isinstance(given, Lanes) and WIDTH > ROW


def _last_bits(builder: Any, given: Any, value: Any) -> Any:
    shifted = builder.bitcast(builder.fadd(value, _fill(given, "float64", _SHIFT)), _machine(given, "int64"))
    return builder.sub(shifted, _fill(given, "int64", _SHIFT_BITS))


@intrinsic
def whole(typing_context: Any, value: Any) -> Any:
    """The nearest whole numbers (int64; halves to even, as ``np.rint``) of float64 that are at most 2^51 in size."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not _converted(value):
            return _last_bits(builder, value, args[0])
        kind, given = _machine(value, "int64"), _machine(value, "float64")
        name = f"llvm.lrint.v{value.width}i64.v{value.width}f64"
        return builder.call(cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [given]), name), [args[0]])

    return _like(value, "int64")(value), codegen


@intrinsic
def rounded(typing_context: Any, value: Any) -> Any:
    """The nearest whole numbers as float64: ``np.rint``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return unary(builder, "rint", args[0])

    return value(value), codegen


@intrinsic
def truncated(typing_context: Any, value: Any) -> Any:
    """The whole numbers next towards zero as float64: ``np.trunc``."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return unary(builder, "trunc", args[0])

    return value(value), codegen


@intrinsic
def number(typing_context: Any, value: Any) -> Any:
    """The float64 nearest to whole numbers (int64) of any size, as ``float``.

    The lower 32 bits become those of a number from 2^52 on, the upper ones those of one from 2^84 on: both exact, and their sum rounds once.
    """

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not isinstance(value, Lanes):
            return context.cast(builder, args[0], signature.args[0], types.float64)
        if _converted(value):
            return builder.sitofp(args[0], _machine(value, "float64"))
        low = builder.or_(builder.and_(args[0], _fill(value, "int64", 0xFFFFFFFF)), _fill(value, "int64", 0x4330000000000000))
        high = builder.xor(builder.lshr(args[0], _fill(value, "int64", 32)), _fill(value, "int64", 0x4530000080000000))
        kind = _machine(value, "float64")
        upper = builder.fsub(builder.bitcast(high, kind), _fill(value, "float64", 2.0**84 + 2.0**63 + 2.0**52))
        return builder.fadd(upper, builder.bitcast(low, kind))

    return _like(value, "float64")(value), codegen
