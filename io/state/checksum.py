"""Checksums of data sets that ranks write in parts: the CRC-32 of all bytes, from those of the parts."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from mpi4py import MPI

_POLYNOMIAL = 0xEDB88320  # of zlib's CRC-32; bit 31 is the coefficient of x^0


def crc32_of_rows(comm: MPI.Comm, rows: np.ndarray) -> int:
    """Compute ``zlib.crc32`` of the bytes of a data set whose rows are distributed over the ranks, in the order of the ranks. Collective.

    Args:
        comm: communicator.
        rows: rows of this rank.

    Returns:
        The CRC-32, the same on all ranks.
    """
    sizes = np.empty(comm.size, dtype=np.int64)
    comm.Allgather(np.array([rows.nbytes]), sizes)
    return joined(comm, [part(rows, int(sizes[comm.rank + 1 :].sum()))])[0]


def part(rows: np.ndarray, behind: int) -> int:
    """Compute the contribution of some rows to the checksum of a data set.

    Args:
        rows: the rows.
        behind: number of bytes of the data set that follow them.

    Returns:
        The contribution.
    """
    return shifted(zlib.crc32(np.ascontiguousarray(rows).reshape(-1).view(np.uint8).data), behind)


def joined(comm: MPI.Comm, parts: Sequence[int]) -> list[int]:
    """Join the contributions of all ranks to the CRC-32 of several data sets. Collective.

    A checksum is linear over GF(2) in those of its pieces, so one exclusive-or over the ranks joins them, whatever their number.

    Args:
        comm: communicator.
        parts: contributions of this rank, one for each data set.

    Returns:
        The CRC-32 of each data set, the same on all ranks.
    """
    sums = np.array(parts, dtype=np.uint32)
    comm.Allreduce(MPI.IN_PLACE, sums, MPI.BXOR)
    return [int(s) for s in sums]


def shifted(crc: int, behind: int) -> int:
    """Compute the contribution of data with a known CRC-32 to the checksum of a whole.

    A checksum is a polynomial over GF(2) modulo P; data of n bytes that follow multiply it by x^(8 n).

    Args:
        crc: CRC-32 of the data.
        behind: number of bytes of the whole that follow the data.

    Returns:
        The contribution.
    """
    return _product(_power(behind), crc) if crc else 0


@lru_cache(maxsize=256)
def _power(length: int) -> int:
    """x^(8 length) modulo P."""
    power, square, exponent = 1 << 31, 1 << 30, 8 * length
    while exponent:
        if exponent & 1:
            power = _product(power, square)
        square = _product(square, square)
        exponent >>= 1
    return power


def _product(a: int, b: int) -> int:
    """A times b modulo P."""
    product = 0
    for bit in range(31, -1, -1):
        if a >> bit & 1:
            product ^= b
        b = b >> 1 ^ (_POLYNOMIAL if b & 1 else 0)
    return product
