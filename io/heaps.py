"""Heaps of HDF5 files, which hold texts of variable length and the sources of virtual data sets: the library reads a broken one for ever."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np

from .layout import LayoutError

LETTERS = b"GCOL"  # a search for zeros, of which files are full, takes several times as long
SIGNATURE = LETTERS + b"\x01\x00\x00\x00"  # and the version
HEADER, OBJECT = 16, 16  # bytes before the objects, and before the contents of one
SMALLEST = 4096  # bytes of a heap
LARGEST_FILE = 1 << 26  # bytes up to which a file is looked through
SEAL = "sources_crc32"
"""Attribute of an index, the CRC-32 of the sources of its virtual data sets: HDF5 decodes them before it looks at its own checksum, and may crash."""


def check_heaps(file: h5py.File, path: Path) -> None:
    """Look at the heaps of a file that may need them: an index, or a file of an earlier pardem.

    Args:
        file: the file, of which nothing but types is read.
        path: its path.

    Raises:
        LayoutError: one of them is broken.
    """
    attributes = file.attrs
    kind = attributes.get_id("pardem_kind").dtype if "pardem_kind" in attributes else None
    needed = "assembled" in attributes or (kind is not None and kind.hasobject)
    if not needed or path.stat().st_size > LARGEST_FILE:
        return
    data = path.read_bytes()
    if not sound_heaps(data) or (SEAL in attributes and attributes[SEAL] != crc32_of_sources(data)):
        raise LayoutError("a heap in it is broken")


def prepare_seal(file: h5py.File) -> None:
    """Make room for the checksum of the sources of virtual data sets in a file that is being written.

    Args:
        file: the file.
    """
    file.attrs[SEAL] = np.uint32(0)


def seal_sources(file: h5py.File, path: Path) -> None:
    """Note the checksum of the sources of virtual data sets in a file.

    Args:
        file: the file, complete but for this, open for writing again since it was closed.
        path: its path.
    """
    if path.stat().st_size <= LARGEST_FILE:
        file.attrs.modify(SEAL, np.uint32(crc32_of_sources(path.read_bytes())))
    else:
        del file.attrs[SEAL]


def sound_heaps(data: bytes) -> bool:
    """Whether the objects of all heaps follow each other up to the end of their heap.

    Args:
        data: of the file.
    """
    return all(_objects(data, begin, end) is not None for begin, end in _heaps(data))


def crc32_of_sources(data: bytes) -> int:
    """CRC-32 of what the heaps hold of virtual data sets, one after the other. It begins with a zero, other than texts, which may be added later.

    Args:
        data: of the file.
    """
    crc = 0
    for heap in _heaps(data):
        for begin, end in _objects(data, *heap) or ():
            if begin < end and data[begin] == 0:
                crc = zlib.crc32(memoryview(data)[begin:end], crc)
    return crc


def _heaps(data: bytes) -> Iterator[tuple[int, int]]:
    """Where heaps begin and end."""
    at = data.find(LETTERS)
    while at >= 0:
        size = int.from_bytes(data[at + 8 : at + 16], "little")
        if data.startswith(SIGNATURE, at) and SMALLEST <= size <= len(data) - at:
            yield at, at + size
        at = data.find(LETTERS, at + 1)


def _objects(data: bytes, begin: int, end: int) -> list[tuple[int, int]] | None:
    """Where the contents of the objects of a heap begin and end; None where they do not follow each other up to its end."""
    place, found = begin + HEADER, list[tuple[int, int]]()
    while place + OBJECT <= end:
        number, length = int.from_bytes(data[place : place + 2], "little"), int.from_bytes(data[place + 8 : place + 16], "little")
        taken = OBJECT + -(-length // 8) * 8 if number else length  # the free rest has number 0, and counts its own header
        if taken < OBJECT or place + taken > end:
            return None
        if number:
            found.append((place + OBJECT, place + OBJECT + length))
        place += taken
    return found
