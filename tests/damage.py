"""Damage to files of runs, for the tests of what is lost and said."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np


def cut(path: Path, size: int = 3000) -> None:
    """Cut a file short."""
    with open(path, "r+b") as file:
        file.truncate(size)


def place(path: Path, name: str, row: int = 0) -> int:
    """Where in a file a row of a data set begins."""
    with h5py.File(path, locking=False) as file:
        data = file[name]
        if data.chunks is None:
            return int(data.id.get_offset()) + row * data.dtype.itemsize * int(np.prod(data.shape[1:]))
        chunk = (row // data.chunks[0] * data.chunks[0], *(0,) * (data.ndim - 1))
        inside = (row - chunk[0]) * data.dtype.itemsize * int(np.prod(data.chunks[1:]))
        return int(data.id.get_chunk_info_by_coord(chunk).byte_offset) + inside


def scramble(path: Path, name: str, row: int = 0, count: int = 8, seed: int = 1) -> None:
    """Put random bytes into a row of a data set, behind its first eight."""
    at = place(path, name, row) + 8
    with open(path, "r+b") as file:
        file.seek(at)
        old = np.frombuffer(file.read(count), np.uint8)
        file.seek(at)
        file.write((old ^ np.random.default_rng(seed).integers(1, 256, count, np.uint8)).tobytes())


def as_format_1(path: Path) -> None:
    """Make a file what the first format was: without checksums of frames and observables, without a manifest."""
    with h5py.File(path, "r+") as file:
        file.attrs["pardem_format"] = 1
        for name in ("pardem/checksums", "manifest", "parameters/pardem/manifest"):
            if name in file:
                del file[name]
        if "pardem" in file and not len(file["pardem"]):
            del file["pardem"]
