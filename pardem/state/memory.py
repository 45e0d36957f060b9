"""Arrays that begin where a line of the processor's cache does: rows of 32 or 64 bytes then lie within one line each."""

from __future__ import annotations

import ctypes
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
    kind = np.dtype(kind)
    memory = np.zeros(math.prod(shape) * kind.itemsize + LINE, np.uint8)  # whose pages are taken when they are first written
    first = -ctypes.addressof(ctypes.c_char.from_buffer(memory.data)) % LINE  # a third of the time of memory.ctypes.data
    return np.ndarray(shape, kind, memory, first)


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of malloc.h
_LARGE, _SPARE = 1 << 22, 1 << 26  # bytes


def free_large_arrays_at_once() -> None:
    """Let the memory of an array of more than 4 MB go back to the system when it is freed.

    By itself the C library raises this size to 32 MB, and rebuilds of a million grains, whose arrays are just below it, leave more and more holes.
    Other C libraries than GNU's are left as they are.
    """
    setting = getattr(ctypes.CDLL(None), "mallopt", None)
    if setting is not None:
        setting(_MMAP_THRESHOLD, _LARGE)
        setting(_TRIM_THRESHOLD, _SPARE)
