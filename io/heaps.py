"""Heaps of HDF5 files, which hold texts of variable length and the sources of virtual data sets: the library reads a broken one for ever."""

from __future__ import annotations

from pathlib import Path

import h5py

from .layout import LayoutError

LETTERS = b"GCOL"  # a search for zeros, of which files are full, takes several times as long
SIGNATURE = LETTERS + b"\x01\x00\x00\x00"  # and the version
HEADER, OBJECT = 16, 16  # bytes before the objects, and before the contents of one
SMALLEST = 4096  # bytes of a heap
LARGEST_FILE = 1 << 26  # bytes up to which a file is looked through


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
    if needed and path.stat().st_size <= LARGEST_FILE and not sound_heaps(path.read_bytes()):
        raise LayoutError("a heap in it is broken")


def sound_heaps(data: bytes) -> bool:
    """Whether the objects of all heaps follow each other up to the end of their heap.

    Args:
        data: of the file.
    """
    at = data.find(LETTERS)
    while at >= 0:
        size = int.from_bytes(data[at + 8 : at + 16], "little")
        if data.startswith(SIGNATURE, at) and SMALLEST <= size <= len(data) - at and not _sound(data, at, at + size):
            return False
        at = data.find(LETTERS, at + 1)
    return True


def _sound(data: bytes, begin: int, end: int) -> bool:
    place = begin + HEADER
    while place + OBJECT <= end:
        number, length = int.from_bytes(data[place : place + 2], "little"), int.from_bytes(data[place + 8 : place + 16], "little")
        taken = OBJECT + -(-length // 8) * 8 if number else length  # the free rest has number 0, and counts its own header
        if taken < OBJECT or place + taken > end:
            return False
        place += taken
    return True
