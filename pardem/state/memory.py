"""Arrays that begin where a line of the processor's cache does: rows of 32 or 64 bytes then lie within one line each."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import DTypeLike

LINE = 64
"""Bytes of a line."""


def zeros_in_lines(shape: tuple[int, ...], kind: DTypeLike) -> np.ndarray:
    """Make an array of zeros.

    Args:
        shape: shape of the array.
        kind: type of its numbers.

    Returns:
        The array.
    """
    size = math.prod(shape) * np.dtype(kind).itemsize
    memory = np.zeros(size + LINE, np.uint8)  # whose pages are taken when they are first written
    first = -memory.ctypes.data % LINE
    return memory[first : first + size].view(kind).reshape(shape)
