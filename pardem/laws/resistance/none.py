"""No resistance to rolling and twisting: kernels leave out everything about it."""

from __future__ import annotations

from typing import NamedTuple

from ...compiled.jit import njit  # noqa: F401  (the layout of this tuple is part of the compiled code: this file belongs to the cache's hash)

SPRINGS = 0


class NoResistance(NamedTuple):
    """A type for kernels that know no resistance.

    Attributes:
        active: False.
    """

    active: bool = False
