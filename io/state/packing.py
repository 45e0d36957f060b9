"""Compressed frames: each rank that holds rows compresses them, chunk by chunk, and rank 0 writes the chunks as they are.

Several ranks cannot write to a compressed data set independently of each other, since HDF5 gives a chunk its place only when its size is known.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .zlib_calls import compress

UNIT = 1 << 15  # rows of a chunk; holders have whole chunks
LEVEL = 1  # of gzip: higher ones gain a percent at most on floating-point numbers


def unit_of(compressed: bool) -> int:
    """Return the number of rows that a rank must hold together.

    Args:
        compressed: whether frames are compressed.

    Returns:
        The number.
    """
    return UNIT if compressed else 1


def packed(count: int, width: int) -> dict[str, Any]:
    """Options of h5py for a data set of frames that is compressed.

    Args:
        count: number of grains.
        width: numbers per grain.

    Returns:
        The options.
    """
    return {"chunks": (1, max(1, min(count, UNIT)), width), "compression": "gzip", "compression_opts": LEVEL, "shuffle": True, "fill_time": "never"}


def chunks_of(rows: np.ndarray, count: int) -> list[bytes]:
    """Compress rows as HDF5's filters `shuffle` and `gzip` do it, so that any reader of HDF5 reads them.

    Args:
        rows: (k, w) rows of one field in a frame, from the beginning of a chunk on.
        count: number of grains.

    Returns:
        The chunks; rows that the last one lacks are zero.
    """
    size, chunks = packed(count, rows.shape[1])["chunks"][1], []
    for first in range(0, len(rows), size):
        piece = np.zeros((size, rows.shape[1]), rows.dtype)
        piece[: len(rows) - first] = rows[first : first + size]
        by_place = piece.view(np.uint8).reshape(-1, rows.dtype.itemsize).T  # the first bytes of all numbers, then the second ones, ...
        chunks.append(compress(np.ascontiguousarray(by_place), LEVEL))
    return chunks
