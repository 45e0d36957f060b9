"""Choices without branches, for text that serves one contact or several at once.

A law or a slider that is written with these instead of ``if``, ``max``, ``min`` and ``np.sqrt`` can be compiled for plain numbers and for ``lanes``
alike: what is chosen between is computed on both sides. Called from Python they work on numbers.
"""

from __future__ import annotations

from typing import Any

import llvmlite.ir as ir
import numpy as np
from numba.core import cgutils, types
from numba.core.types.misc import unliteral
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin

from .jit import inlined
from .lanes.arithmetic import common, unary
from .lanes.types import Lanes, kind_of


def select(condition, yes, no):
    """``yes`` where the condition holds, else ``no``."""
    return yes if condition else no


def larger(a, b):
    """The larger of two numbers; ``a`` where one of them is not a number."""
    return b if b > a else a


def smaller(a, b):
    """The smaller of two numbers; ``a`` where one of them is not a number."""
    return b if b < a else a


def root(value):
    """Square root."""
    return np.sqrt(value)


@inlined
def inverse_root(value):
    """One over the square root, by a division that does not wait for the root."""
    return root(value) * (1.0 / value)


@infer_global(select)
class _Select(AbstractTemplate):
    """Types of ``select``."""

    def generic(self, args: Any, kws: Any) -> Any:
        """Return numba's signature: that of lanes where the condition or a value is one, else of numbers of a common type."""
        condition, yes, no = (unliteral(a) for a in args)
        if isinstance(condition, Lanes) or isinstance(yes, Lanes) or isinstance(no, Lanes):
            if not (isinstance(yes, Lanes) or isinstance(no, Lanes)):
                yes = Lanes("float64" if isinstance(no, types.Float) else kind_of(yes), condition.width)
            result = common((yes, no))
        else:
            result, condition = self.context.unify_types(yes, no), types.boolean
        return None if result is None else signature(result, condition, result, result)


@lower_builtin(select, types.Any, types.Any, types.Any)
def _lower_select(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.select(*args)


class _OfTwo(AbstractTemplate):
    """Types of a function of two numbers or lanes."""

    def generic(self, args: Any, kws: Any) -> Any:
        """Return numba's signature: that of lanes where an argument is one, else of numbers of a common type."""
        a, b = (unliteral(t) for t in args)
        result = common((a, b)) if isinstance(a, Lanes) or isinstance(b, Lanes) else self.context.unify_types(a, b)
        return None if result is None else signature(result, result, result)


def _register_of_two(function: Any, sign: str) -> None:
    infer_global(function)(type("OfTwo", (_OfTwo,), {}))

    @lower_builtin(function, types.Any, types.Any)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        a, b = args
        kind = a.type.element if isinstance(a.type, ir.VectorType) else a.type
        compare = builder.icmp_signed if isinstance(kind, ir.IntType) else builder.fcmp_ordered
        return builder.select(compare(sign, b, a), b, a)


_register_of_two(larger, ">")
_register_of_two(smaller, "<")


@infer_global(root)
class _Root(AbstractTemplate):
    """Types of ``root``."""

    def generic(self, args: Any, kws: Any) -> Any:
        """Return numba's signature: the root has the type of the number or lanes."""
        result = args[0] if isinstance(args[0], Lanes) else types.float64
        return signature(result, result)


@lower_builtin(root, types.Any)
def _lower_root(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return unary(builder, "sqrt", args[0])


@intrinsic
def hardly_ever(typing_context: Any, condition: Any) -> Any:
    """The truth value itself; what hangs on it is laid out as if it seldom held, so that the way past it keeps its registers."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        bit = ir.IntType(1)
        expect = cgutils.get_or_insert_function(builder.module, ir.FunctionType(bit, [bit, bit]), "llvm.expect.i1")
        return builder.call(expect, [args[0], ir.Constant(bit, 0)])

    return types.boolean(types.boolean), codegen
