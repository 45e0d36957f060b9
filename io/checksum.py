"""Checksums of data sets that ranks write in parts: the CRC-32 of all bytes, from those of the parts."""

from __future__ import annotations

import zlib

import numpy as np
from mpi4py import MPI

_POLYNOMIAL = 0xEDB88320  # of zlib's CRC-32; bit 31 is the coefficient of x^0


def crc32_of_rows(comm: MPI.Comm, rows: np.ndarray) -> int:
    """``zlib.crc32`` of the bytes of a data set of which each rank holds some rows, in the order of the ranks. Collective; alike on all ranks."""
    rows = np.ascontiguousarray(rows)
    parts = comm.allgather((zlib.crc32(rows.reshape(-1).view(np.uint8).data), rows.nbytes))
    total = 0
    for crc, length in parts:
        total = combine(total, crc, length)
    return total


def combine(first: int, second: int, length: int) -> int:
    """The CRC-32 of two pieces of data one behind the other.

    A checksum is a polynomial over GF(2) modulo P; data of n bytes that follow multiply it by x^(8 n).

    Args:
        first: CRC-32 of the first piece.
        second: CRC-32 of the second piece.
        length: bytes of the second piece.
    """
    power, square, exponent = 1 << 31, 1 << 30, 8 * length
    while exponent:
        if exponent & 1:
            power = _product(power, square)
        square = _product(square, square)
        exponent >>= 1
    return _product(power, first) ^ second


def _product(a: int, b: int) -> int:
    """A times b modulo P."""
    product = 0
    for bit in range(31, -1, -1):
        if a >> bit & 1:
            product ^= b
        b = b >> 1 ^ (_POLYNOMIAL if b & 1 else 0)
    return product
