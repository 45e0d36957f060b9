"""Arithmetic, comparisons and masks of lanes, registered for Python's own operators; every lane rounds as a single number does."""

from __future__ import annotations

import operator
from typing import Any

import llvmlite.ir as ir
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin

from ..jit import njit  # noqa: F401
from .types import Lanes, constant

_ORDERED, _UNORDERED, _SIGNED = "fcmp_ordered", "fcmp_unordered", "icmp_signed"
# symbol -> kind of operands -> kind of result, method of the builder, its first arguments
_BINARY: dict[Any, Any] = {
    operator.add: {"float64": ("float64", "fadd", ()), "int64": ("int64", "add", ())},
    operator.sub: {"float64": ("float64", "fsub", ()), "int64": ("int64", "sub", ())},
    operator.mul: {"float64": ("float64", "fmul", ()), "int64": ("int64", "mul", ())},
    operator.truediv: {"float64": ("float64", "fdiv", ())},
    operator.and_: {"bool": ("bool", "and_", ()), "int64": ("int64", "and_", ())},
    operator.or_: {"bool": ("bool", "or_", ()), "int64": ("int64", "or_", ())},
    operator.xor: {"int64": ("int64", "xor", ())},
    operator.rshift: {"int64": ("int64", "ashr", ())},
} | {
    symbol: {"float64": ("bool", _UNORDERED if text == "!=" else _ORDERED, (text,)), "int64": ("bool", _SIGNED, (text,))}
    for symbol, text in ((operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">="), (operator.eq, "=="), (operator.ne, "!="))
}
_IN_PLACE = {
    operator.iadd: operator.add, operator.isub: operator.sub, operator.imul: operator.mul, operator.itruediv: operator.truediv,
    operator.iand: operator.and_, operator.ior: operator.or_,
}  # fmt: skip


def common(args: Any) -> Lanes | None:
    """The lanes that all of some types can become: those among them, where the others are single numbers that fit; else None."""
    lanes = [a for a in args if isinstance(a, Lanes)]
    if not lanes or any(a != lanes[0] for a in lanes):
        return None
    fits = {"float64": (types.Float, types.Integer), "int64": (types.Integer,), "bool": (types.Boolean,)}[lanes[0].kind]
    return lanes[0] if all(isinstance(a, (Lanes, *fits)) for a in args) else None


def _register(symbol: Any, table: dict[str, tuple[str, str, tuple[str, ...]]]) -> None:
    class BinaryTemplate(AbstractTemplate):
        """Types of an operator of two operands of which one at least is lanes."""

        def generic(self, args: Any, kws: Any) -> Any:
            """Return numba's signature, or None where the operator is not defined."""
            operand = common(args) if len(args) == 2 else None
            if operand is None or operand.kind not in table:
                return None
            return signature(Lanes(table[operand.kind][0], operand.width), operand, operand)

    infer_global(symbol)(BinaryTemplate)

    @lower_builtin(symbol, Lanes, Lanes)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        _, method, first = table[sig.args[0].kind]
        return getattr(builder, method)(*first, *args)


for _symbol, _table in _BINARY.items():
    _register(_symbol, _table)
for _symbol, _operation in _IN_PLACE.items():
    _register(_symbol, _BINARY[_operation])


def unary(builder: Any, name: str, value: Any) -> Any:
    """What an LLVM function of one float64 gives for a number or a vector."""
    kind = value.type
    suffix = f"v{kind.count}f64" if isinstance(kind, ir.VectorType) else "f64"
    return builder.call(cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind]), f"llvm.{name}.{suffix}"), [value])


def _register_unary(symbol: Any, kinds: tuple[str, ...], make: Any) -> None:
    class UnaryTemplate(AbstractTemplate):
        """Types of an operator of lanes."""

        def generic(self, args: Any, kws: Any) -> Any:
            """Return numba's signature, or None where the operator is not defined."""
            fits = len(args) == 1 and isinstance(args[0], Lanes) and args[0].kind in kinds
            return signature(args[0], args[0]) if fits else None

    infer_global(symbol)(UnaryTemplate)

    @lower_builtin(symbol, Lanes)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return make(builder, sig.args[0], args[0])


_register_unary(operator.neg, ("float64", "int64"), lambda builder, t, v: builder.fneg(v) if t.kind == "float64" else builder.neg(v))
_register_unary(operator.not_, ("bool",), lambda builder, t, v: builder.xor(v, constant("bool", [1] * t.width)))
_register_unary(operator.invert, ("bool",), lambda builder, t, v: builder.xor(v, constant("bool", [1] * t.width)))
_register_unary(abs, ("float64",), lambda builder, t, v: unary(builder, "fabs", v))


def as_bits(builder: Any, mask: Any) -> Any:
    """A mask as an integer with as many bits."""
    return builder.bitcast(mask, ir.IntType(mask.type.count))


@intrinsic
def any_of(typing_context: Any, mask: Any) -> Any:
    """Whether a condition holds in any lane; of a single truth value the value itself."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if not isinstance(mask, Lanes):
            return args[0]
        bits = as_bits(builder, args[0])
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(mask), codegen


@intrinsic
def all_of(typing_context: Any, mask: Any) -> Any:
    """Whether a condition holds in all lanes; of a single truth value the value itself."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if not isinstance(mask, Lanes):
            return args[0]
        bits = as_bits(builder, args[0])
        return builder.icmp_unsigned("==", bits, ir.Constant(bits.type, -1))

    return types.boolean(mask), codegen


@intrinsic
def seldom(typing_context: Any, mask: Any) -> Any:
    """Whether what a condition seldom asks for is needed: in lanes if it holds in any of them; of a single truth value always.

    So several contacts in lanes pass over it by a jump, and a loop over single ones stays without jumps, as vectors of the processor want it.
    """

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if not isinstance(mask, Lanes):
            return ir.Constant(ir.IntType(1), 1)
        bits = as_bits(builder, args[0])
        return builder.icmp_unsigned("!=", bits, ir.Constant(bits.type, 0))

    return types.boolean(mask), codegen


@intrinsic
def most_of(typing_context: Any, value: Any) -> Any:
    """The largest of lanes of int64; of a single number the number itself."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = args[0].type
        if not isinstance(kind, ir.VectorType):
            return args[0]
        name = f"llvm.vector.reduce.smax.v{kind.count}i64"
        return builder.call(cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind.element, [kind]), name), [args[0]])

    return (types.int64 if isinstance(value, Lanes) else value)(value), codegen
