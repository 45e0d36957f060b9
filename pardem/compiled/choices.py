"""Choices without branches, for text that serves one contact or several at once.

A law or a slider that is written with these instead of ``if``, ``max``, ``min`` and ``np.sqrt`` can be compiled for plain numbers and for vectors of
the processor alike: what is chosen between is computed on both sides.
"""

from __future__ import annotations

import numpy as np

from .jit import inlined


@inlined
def select(condition, yes, no):
    """``yes`` where the condition holds, else ``no``."""
    return yes if condition else no


@inlined
def larger(a, b):
    """The larger of two numbers; ``a`` where one of them is not a number."""
    return b if b > a else a


@inlined
def smaller(a, b):
    """The smaller of two numbers; ``a`` where one of them is not a number."""
    return b if b < a else a


@inlined
def root(value):
    """Square root."""
    return np.sqrt(value)
