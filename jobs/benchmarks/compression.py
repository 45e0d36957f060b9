"""What compression gains on the frames of a result, and how fast it is on one core: the methods of `output.compression` beside others.

    pip install 'pardem[zstd]' blosc2
    python jobs/benchmarks/compression.py RESULT.h5 NAME [--document]

The last frame of each field of the grains is compressed, its bytes shuffled before as HDF5 does it. With --document the rows of that name are put
into the table in docs/file-format.md.
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import blosc2
import h5py
import numpy as np
import zstandard

from pardem.io.state.packing import LEVEL
from pardem.io.state.zlib_calls import compress

PAGE = Path(__file__).resolve().parents[2] / "docs" / "file-format.md"
BEGIN, END = "<!-- compression -->\n", "<!-- end of compression -->"
HEAD = "| frame | method | share of the size | MB/s |\n|---|---|---|---|\n"
LEAST = 0.5  # seconds that each method is timed for


def by_place(rows: np.ndarray) -> bytes:
    """The first bytes of all numbers, then the second ones, and so on."""
    return np.ascontiguousarray(rows.view(np.uint8).reshape(-1, rows.dtype.itemsize).T).tobytes()


def blosc(level: int) -> Callable[[np.ndarray], bytes]:
    """Blosc2 with Zstandard, which shuffles by itself."""

    def call(rows: np.ndarray) -> bytes:
        how = blosc2.CParams(codec=blosc2.Codec.ZSTD, clevel=level, filters=[blosc2.Filter.SHUFFLE], typesize=rows.dtype.itemsize, nthreads=1)
        return bytes(blosc2.compress2(rows, cparams=how))

    return call


METHODS: dict[str, Callable[[np.ndarray], bytes]] = {
    f"gzip by ISA-L, level {LEVEL} (`output.compression`)": lambda rows: bytes(compress(by_place(rows), LEVEL)),
    "gzip by zlib, level 6": lambda rows: zlib.compress(by_place(rows), 6),
    f"Zstandard, level {LEVEL} (`output.compression`)": lambda rows: bytes(zstandard.ZstdCompressor(LEVEL).compress(by_place(rows))),
    "Zstandard, level 9": lambda rows: bytes(zstandard.ZstdCompressor(9).compress(by_place(rows))),
    "Blosc2 with Zstandard, level 1": blosc(1),
    "Blosc2 with Zstandard, level 5": blosc(5),
}


def fields(path: Path) -> list[np.ndarray]:
    """The last frame of each field of the grains."""
    found: list[np.ndarray] = []

    def look(_: str, item: object) -> None:
        if isinstance(item, h5py.Dataset) and item.ndim == 3 and len(item):
            found.append(np.ascontiguousarray(item[-1]))

    with h5py.File(path, "r", locking=False) as file:
        file["particles"].visititems(look)
    return found


def rows_of(path: Path, name: str) -> list[str]:
    """The rows of the table."""
    frame, lines = fields(path), []
    size = sum(field.nbytes for field in frame)
    for method, call in METHODS.items():
        begin, turns, small = time.process_time(), 0, 0
        while time.process_time() - begin < LEAST:
            small, turns = sum(len(call(field)) for field in frame), turns + 1
        speed = turns * size / (time.process_time() - begin)
        lines.append(f"| {name} | {method} | {small / size:.3f} | {speed / 1e6:.0f} |\n")
        print(lines[-1], end="")
    return lines


def main() -> None:
    """Measure, and write the rows if that is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("result", type=Path)
    parser.add_argument("name")
    parser.add_argument("--document", action="store_true")
    arguments = parser.parse_args()
    lines = rows_of(arguments.result, arguments.name)
    if arguments.document:
        before, table = PAGE.read_text().split(BEGIN)
        old, behind = table.split(END)
        kept = [line + "\n" for line in old.splitlines()[2:] if line.split("|")[1].strip() != arguments.name]
        PAGE.write_text(before + BEGIN + HEAD + "".join([*kept, *lines]) + END + behind)


if __name__ == "__main__":
    main()
