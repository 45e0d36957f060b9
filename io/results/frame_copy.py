"""Copying the frames of segments into a result, each rank its block of ids, with a look at their checksums."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

import h5py
import numpy as np
from mpi4py import MPI

from pardem.errors import FileError

from ..reading import FRAMES
from ..state.agreement import agree, reason
from ..state.checksum import joined, part
from ..state.manifest import Loss
from ..state.rowfile import RowFile
from ..state.rows import block_starts
from ..state.seals import CLOCK, DAMAGE, TABLE, crc32_of_clock
from .series import Piece, Series, missing


class _Block(NamedTuple):
    """The ids that a rank copies.

    Attributes:
        start: the first one.
        stop: one past the last.
        most: largest number of ids of any rank.
        grains: number of grains.
    """

    start: int
    stop: int
    most: int
    grains: int


def copy_frames(file: RowFile, series: Series, count: int) -> list[Loss]:
    """Copy the frames of all segments, each rank its block of ids, one frame at a time, and compare them with their checksums. Collective.

    Args:
        file: result, whose data sets are there.
        series: of the run.
        count: number of grains.

    Returns:
        The frames that are not what was written. If there are any they are taken out of the series, and the file has to be made anew.
    """
    comm, damaged, fields = file.comm, list[Loss](), series.fields
    starts = block_starts(count, comm.size)
    block = _Block(int(starts[comm.rank]), int(starts[comm.rank + 1]), int(np.diff(starts).max()), count)
    first = 0
    for piece in series.pieces:
        length = len(piece.rows)
        with _Source(comm, piece, fields, block) as source:
            _copy_piece(file, source, first, damaged)
        first += length
    return damaged


def _copy_piece(file: RowFile, source: _Source, first: int, damaged: list[Loss]) -> None:
    """Copy the frames of a segment as long as none is damaged; take those that are out of it. Collective.

    Args:
        file: result.
        source: the segment.
        first: number of its first frame in the result.
        damaged: what is lost so far; lengthened.
    """
    piece, block, comm = source.piece, source.block, file.comm
    mine = slice(0, 1 if comm.rank == 0 else 0)
    whole = np.ones(len(piece.rows), dtype=bool)
    for k, (row, step, time) in enumerate(zip(piece.rows, piece.steps, piece.times, strict=True)):
        values, sums, problem = source.read(k, int(row))
        if problem:
            whole[k] = False
            damaged.append(Loss(piece.path.name, f"is damaged: {problem}", 1, (int(step), int(step))))
        if damaged:
            continue
        for name, rows in values.items():
            file.write(f"{FRAMES}/{name}/value", rows, block.start, frame=first + k, most=block.most)
        table = np.array([[crc32_of_clock(step, time), *sums]], dtype=np.uint32)
        file.write(TABLE, table[mine], first + k, most=1)
    piece.keep(whole)


class _Source:
    """A segment that all ranks read, each its block of ids. Every method is collective."""

    def __init__(self, comm: MPI.Comm, piece: Piece, fields: Mapping[str, tuple[int, np.dtype]], block: _Block) -> None:
        self.comm, self.piece, self.fields, self.block = comm, piece, fields, block
        self.file: h5py.File | None = None

    def __enter__(self) -> _Source:
        with suppress(OSError):  # it could be opened a moment ago; each of its frames will be said to be damaged
            self.file = h5py.File(self.piece.path, "r", locking=False)
        return self

    def __exit__(self, *_: object) -> None:
        if self.file is not None:
            self.file.close()

    def read(self, k: int, row: int) -> tuple[dict[str, np.ndarray], list[int], str]:
        """Frame ``k`` of those that count, in a row of the segment.

        Returns:
            name -> (stop - start, w) values as the result holds them; CRC-32 of each; what is wrong, or "".
        """
        values, block = dict[str, np.ndarray](), self.block
        raw, new = list[int](), list[int]()
        message = None if self.file is not None else "it cannot be opened"
        for name, (width, kind) in self.fields.items():
            values[name] = np.full((block.stop - block.start, width), missing(kind), kind)
            there = values[name]
            try:
                if name in self.piece.fields and self.file is not None:
                    there = self.file[f"{FRAMES}/{name}/value"][row, block.start : block.stop]
                    values[name][:] = there
            except DAMAGE as error:
                message = message or f"{name} cannot be read ({reason(error)})"
            behind = block.grains - block.stop
            raw.append(part(there, behind * width * there.itemsize))
            new.append(raw[-1] if there.dtype == kind else part(values[name], behind * width * kind.itemsize))
        sums = joined(self.comm, raw + new)
        try:
            agree(self.comm, message)
        except FileError as error:
            return values, [], str(error)
        found = dict(zip(self.fields, sums, strict=False))
        wrong = [name for name, expected in self.piece.sums.items() if name != CLOCK and found[name] != int(expected[k])]
        return values, sums[len(raw) :], f"the checksum of {', '.join(wrong)} is wrong" if wrong else ""
