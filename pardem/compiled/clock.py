"""A clock that compiled code can read: the processor's cycle counter. Clocks only report; nothing in a trajectory depends on them."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from .jit import njit  # noqa: F401

# Slots of the ticks array
CONTACTS, HALO, INTEGRATION, WALLS, TOTAL = 0, 1, 2, 3, 4
TICKS = 5


@intrinsic
def cycles(typing_context: Any) -> Any:
    """Cycle counter of this core (int64)."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        import llvmlite.ir as ir

        function = builder.module.declare_intrinsic("llvm.readcyclecounter", fnty=ir.FunctionType(ir.IntType(64), []))
        return builder.call(function, [])

    return types.int64(), codegen
