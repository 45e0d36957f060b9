"""Checksums of data sets that ranks write in parts: the CRC-32 of all bytes, from those of the parts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from mpi4py import MPI

from .zlib_calls import crc32

_POLYNOMIAL = 0xEDB88320  # of zlib's CRC-32; bit 31 is the coefficient of x^0


def part(rows: np.ndarray, behind: int) -> int:
    """Compute the contribution of some rows to the checksum of a data set.

    Args:
        rows: the rows.
        behind: number of bytes of the data set that follow them.

    Returns:
        The contribution.
    """
    return shifted(crc32(_bytes(rows)), behind)


def _bytes(rows: np.ndarray) -> memoryview:
    return np.ascontiguousarray(rows).reshape(-1).view(np.uint8).data


def width_of(rows: np.ndarray) -> int:
    """Return the number of bytes of a row.

    Args:
        rows: (n, ...) rows.

    Returns:
        The number of bytes.
    """
    return rows.dtype.itemsize * math.prod(rows.shape[1:])


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


def _power(length: int) -> int:
    """x^(8 length) modulo P: a product of one factor for each byte of the length that is not zero."""
    power, byte = 1 << 31, 0
    while length:
        if digit := length & 255:
            power = _product(power, _powers(byte)[digit])
        length >>= 8
        byte += 1
    return power


@cache
def _powers(byte: int) -> list[int]:
    """x^(8 d 256^byte) modulo P for all values d of a byte of a length."""
    base = 1 << 23 if byte == 0 else _product(_powers(byte - 1)[255], _powers(byte - 1)[1])
    powers = [1 << 31]
    for _ in range(255):
        powers.append(_product(powers[-1], base))
    return powers


def _product(a: int, b: int) -> int:
    """A times b modulo P."""
    product = 0
    for bit in range(31, -1, -1):
        if a >> bit & 1:
            product ^= b
        b = b >> 1 ^ (_POLYNOMIAL if b & 1 else 0)
    return product
