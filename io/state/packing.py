"""Compressed frames: each rank that holds rows compresses them, chunk by chunk, and rank 0 writes the chunks as they are.

Several ranks cannot write to a compressed data set independently of each other, since HDF5 gives a chunk its place only when its size is known.
"""

from __future__ import annotations

from typing import Any

import h5py
import numpy as np

from pardem.errors import FileError

from .zlib_calls import compress

UNIT = 1 << 15  # rows of a chunk; holders have whole chunks
LEVEL = 1  # of both methods: higher ones gain a percent at most on floating-point numbers
ZSTD = 32015  # number under which HDF5 knows the filter
NEEDED = "frames compressed by Zstandard need the packages hdf5plugin and zstandard: pip install 'pardem[zstd]'"


def require(method: str) -> None:
    """Make sure that frames can be compressed by a method, and read again.

    Args:
        method: `output.compression`.

    Raises:
        FileError: a package is missing.
    """
    if method == "zstd":
        try:
            import hdf5plugin  # noqa: F401  (it tells HDF5 of the filter)
            import zstandard  # noqa: F401
        except ImportError:
            raise FileError(f'output.compression = "zstd": {NEEDED}, or choose "gzip"') from None


def make_readable(file: h5py.File, name: str) -> None:
    """Tell HDF5 of the filter that a data set needs.

    Args:
        file: a file.
        name: of a data set of frames; it may be missing, or virtual, and then the data sets that it shows are looked at by HDF5 itself.

    Raises:
        FileError: it needs a package that is missing.
    """
    data = file.get(name)
    if not isinstance(data, h5py.Dataset):
        return
    filters = data.id.get_create_plist()
    needed = data.is_virtual or ZSTD in {filters.get_filter(k)[0] for k in range(filters.get_nfilters())}
    if needed and not h5py.h5z.filter_avail(ZSTD):
        try:
            import hdf5plugin  # noqa: F401
        except ImportError:
            if not data.is_virtual:
                raise FileError(f"{file.filename}: {NEEDED}") from None


def unit_of(method: str) -> int:
    """Return the number of rows that a rank must hold together.

    Args:
        method: how frames are compressed, or none.

    Returns:
        The number.
    """
    return 1 if method == "none" else UNIT


def packed(count: int, width: int, method: str) -> dict[str, Any]:
    """Options of h5py for a data set of frames that is compressed.

    Args:
        count: number of grains.
        width: numbers per grain.
        method: gzip or zstd.

    Returns:
        The options.
    """
    require(method)  # HDF5 makes no data set for a filter that it does not know
    how = {"compression": ZSTD, "compression_opts": (LEVEL,)} if method == "zstd" else {"compression": "gzip", "compression_opts": LEVEL}
    return {"chunks": (1, max(1, min(count, UNIT)), width), **how, "shuffle": True, "fill_time": "never"}


def chunks_of(rows: np.ndarray, count: int, method: str) -> list[bytes]:
    """Compress rows as HDF5's filter `shuffle` and that of the method do it, so that any reader of HDF5 that has them reads the rows.

    Args:
        rows: (k, w) rows of one field in a frame, from the beginning of a chunk on.
        count: number of grains.
        method: gzip or zstd.

    Returns:
        The chunks; rows that the last one lacks are zero.
    """
    size, chunks = packed(count, rows.shape[1], method)["chunks"][1], []
    for first in range(0, len(rows), size):
        piece = np.zeros((size, rows.shape[1]), rows.dtype)
        piece[: len(rows) - first] = rows[first : first + size]
        by_place = piece.view(np.uint8).reshape(-1, rows.dtype.itemsize).T  # the first bytes of all numbers, then the second ones, ...
        chunks.append(_compressed(np.ascontiguousarray(by_place), method))
    return chunks


def _compressed(data: np.ndarray, method: str) -> bytes:
    if method == "zstd":
        import zstandard

        return bytes(zstandard.ZstdCompressor(LEVEL).compress(data.data))
    return bytes(compress(data, LEVEL))
