"""Numba settings in one place: import ``njit`` from here, before anything else of numba.

Compiled functions are kept on disk (``cache.py``). No ``fastmath``: physics kernels must give the same bits everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("NUMBA_DISABLE_INTEL_SVML", "1")  # its vector transcendentals differ in bits from the scalar ones

from .cache import KernelCache
from .nested import Compiler, Kernel


def njit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """``numba.njit`` with the cache on and IEEE arithmetic; accepts the same options."""
    options = {"nopython": True, "error_model": "numpy", "boundscheck": None, "forceinline": False, **options}
    cache = options.pop("cache", True)

    def compiled(function: Callable[..., Any]) -> Any:
        made = Kernel(function, locals={}, targetoptions=dict(options), pipeline_class=Compiler)
        if cache:
            made.keep_in(KernelCache(function))
        return made

    return compiled if function is None else compiled(function)


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """``njit`` for what runs inside a step: no allocation, and so no counting of references to the arrays that are passed down.

    It is compiled once and called; numba would otherwise merge whatever an ``inlined`` function calls into it as well. A call that passes bundles of
    arrays takes about a microsecond: call such a kernel once a step, or for hundreds of contacts, or where it is seldom needed.
    """
    options.setdefault("_nrt", False)
    return njit(function, **options)


def inlined(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A ``kernel`` that the compiler must merge into its callers: bundles of arrays are passed by value, which costs more than a contact."""
    options.setdefault("forceinline", True)
    return kernel(function, **options)


def spliced(function: Callable[..., Any]) -> Any:
    """``njit`` for a part of one long function: merged into it before anything is compiled, so that what it calls is not compiled once more."""
    return njit(function, inline="always")


INLINED = {"_nrt": False, "error_model": "numpy", "forceinline": True, "pipeline_class": Compiler}  # the same as ``jit_options`` of an overload
