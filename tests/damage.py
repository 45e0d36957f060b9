"""Damage to files of runs, for the tests of what is lost and said."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from pardem.io.heaps import SEAL

FRAMES = "segment-000000-frames.h5"
VELOCITY = "particles/grains/velocity/value"


def remove(path: Path) -> None:
    """Delete a file."""
    path.unlink()


def rewrite(path: Path) -> None:
    """Another file of the same size under the name of a part."""
    with h5py.File(path, "r+") as file:
        data = file["pardem/checksums/frames"] if "pardem/checksums/frames" in file else file["pardem/checksums/observables"]
        at = data.id.get_chunk_info(0).byte_offset if data.chunks else data.id.get_offset()
    content = bytearray(path.read_bytes())
    content[at + 21] ^= 1
    path.write_bytes(content)


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
    """Make a file what the first format was: without checksums of frames and observables, without a manifest and contacts."""
    with h5py.File(path, "r+") as file:
        file.attrs["pardem_format"] = 1
        for name in ("pardem/checksums", "manifest", "parameters/pardem/manifest", "contacts"):
            if name in file:
                del file[name]
        if "pardem" in file and not len(file["pardem"]):
            del file["pardem"]
        file.attrs.pop(SEAL, None)


def anywhere(path: Path, random: np.random.Generator) -> None:
    """Random bytes, or zeros, anywhere in a file: a few, or a stretch."""
    content = bytearray(path.read_bytes())
    kind, at = random.integers(3), int(random.integers(len(content)))
    if kind == 0:
        for spot in random.integers(len(content), size=random.integers(1, 9)):
            content[spot] = random.integers(256)
    else:
        end = min(len(content), at + int(random.integers(1, 600 if kind == 1 else 4096)))
        content[at:end] = random.integers(0, 256, end - at, np.uint8).tobytes() if kind == 1 else bytes(end - at)
    path.write_bytes(content)
