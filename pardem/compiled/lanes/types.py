"""The type of several numbers in one vector, how many they are, and how a single number becomes one."""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
from numba.core import types
from numba.core.extending import lower_cast
from numba.core.types.misc import unliteral
from numba.extending import intrinsic, models, register_model

from ..jit import njit  # noqa: F401
from .width import width

KINDS = {"float64": ir.DoubleType(), "int64": ir.IntType(64), "bool": ir.IntType(1)}
INDEX = ir.IntType(32)
ROW = 4  # numbers in a row of the arrays of the state
WIDTH = width()


class Lanes(types.Type):
    """Several numbers of one kind.

    Args:
        kind: ``float64``, ``int64`` or ``bool``.
        width: how many.
    """

    def __init__(self, kind: str, width: int = WIDTH) -> None:
        self.kind, self.width = kind, width
        super().__init__(name=f"Lanes({kind} x {width})")

    def vector(self) -> Any:
        """The vector type of LLVM."""
        return ir.VectorType(KINDS[self.kind], self.width)


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Lanes) -> None:
        super().__init__(dmm, fe_type, fe_type.vector())


def kind_of(scalar: types.Type) -> str:
    """The kind of lanes that a single number becomes."""
    if isinstance(scalar, types.Boolean):
        return "bool"
    return "float64" if isinstance(scalar, types.Float) else "int64"


def constant(kind: str, values: list[Any]) -> Any:
    """A constant vector of LLVM."""
    return ir.Constant(ir.VectorType(KINDS[kind], len(values)), [ir.Constant(KINDS[kind], v) for v in values])


def shuffle(builder: Any, a: Any, b: Any, order: list[int]) -> Any:
    """The vector of the members ``order`` of two vectors, those of ``b`` counted after those of ``a``."""
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(INDEX, len(order)), [ir.Constant(INDEX, k) for k in order]))


def broadcast(builder: Any, value: Any, width: int) -> Any:
    """A vector with ``value`` in all lanes."""
    nothing = ir.Constant(ir.VectorType(value.type, width), ir.Undefined)
    return shuffle(builder, builder.insert_element(nothing, value, ir.Constant(INDEX, 0)), nothing, [0] * width)


@lower_cast(types.Number, Lanes)
@lower_cast(types.Boolean, Lanes)
def _broadcast_number(context: Any, builder: Any, given: Any, wanted: Lanes, value: Any) -> Any:
    scalar = {"float64": types.float64, "int64": types.int64, "bool": types.boolean}[wanted.kind]
    return broadcast(builder, context.cast(builder, value, given, scalar), wanted.width)


@intrinsic
def spread(typing_context: Any, value: Any) -> Any:
    """A number in all lanes."""
    result = Lanes(kind_of(value))

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.cast(builder, args[0], signature.args[0], result)

    return result(unliteral(value)), codegen


@intrinsic
def zero_of(typing_context: Any, value: Any) -> Any:
    """Zero, or false, of the kind of a number or of lanes."""
    kind = unliteral(value)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant_null(kind) if not isinstance(kind, Lanes) else ir.Constant(kind.vector(), None)

    return kind(value), codegen


def _of_four(width: int) -> Any:
    def make(typing_context: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        scalar = types.float64 if any(isinstance(t, types.Float) for t in (a, b, c, d)) else types.int64
        result = Lanes(kind_of(scalar), width)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = ir.Constant(result.vector(), ir.Undefined)
            for k in range(width):
                value = builder.insert_element(value, args[k % ROW], ir.Constant(INDEX, k))
            return value

        return result(scalar, scalar, scalar, scalar), codegen

    return make


@intrinsic
def row_of(typing_context: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """A row of four numbers: lanes of width ROW."""
    return _of_four(ROW)(typing_context, a, b, c, d)


@intrinsic
def rows_of(typing_context: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """The same row again and again, in all lanes (see ``memory.gather``)."""
    return _of_four(WIDTH)(typing_context, a, b, c, d)


@intrinsic
def lane(typing_context: Any, value: Any, k: Any) -> Any:
    """One of the lanes; of a single number the number itself."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not isinstance(value, Lanes):
            return args[0]
        return builder.extract_element(args[0], context.cast(builder, args[1], signature.args[1], types.int32))

    scalar = getattr(types, value.kind if value.kind != "bool" else "boolean") if isinstance(value, Lanes) else value
    return scalar(value, k), codegen


@intrinsic
def with_lane(typing_context: Any, value: Any, k: Any, number: Any) -> Any:
    """The lanes with one of them replaced by a number of their kind."""
    scalar = getattr(types, value.kind if value.kind != "bool" else "boolean")

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.insert_element(args[0], args[2], context.cast(builder, args[1], signature.args[1], types.int32))

    return value(value, k, scalar), codegen
