"""Copying the frames of segments into a result, each rank its block of ids, with a look at their checksums."""

from __future__ import annotations

from contextlib import suppress

import h5py
import numpy as np
from mpi4py import MPI

from pardem.errors import FileError

from ..state.agreement import agree, reason
from ..state.checksum import joined, part
from ..state.manifest import Loss
from .series import Piece, Series, missing
from ..reading import FRAMES
from ..state.rowfile import RowFile
from ..state.rows import block_starts
from ..state.seals import CLOCK, DAMAGE, TABLE, crc32_of_clock


def copy_frames(file: RowFile, series: Series, count: int) -> list[Loss]:
    """Copy the frames of all segments, each rank its block of ids, one frame at a time, and compare them with their checksums.

    Returns:
        The frames that are not what was written. If there are any they are taken out of the series, and the file has to be made anew.
    """
    comm, damaged = file.comm, list[Loss]()
    starts = block_starts(count, comm.size)
    start, stop = int(starts[comm.rank]), int(starts[comm.rank + 1])
    most = int(np.diff(starts).max())
    mine = slice(0, 1 if comm.rank == 0 else 0)
    t = 0
    for piece in series.pieces:
        whole = np.ones(len(piece.rows), dtype=bool)
        with _Source(comm, piece, series, start, stop, count) as source:
            for k, (row, step, time) in enumerate(zip(piece.rows, piece.steps, piece.times, strict=True)):
                values, sums, problem = source.read(k, int(row))
                if problem:
                    whole[k] = False
                    damaged.append(Loss(piece.path.name, f"is damaged: {problem}", 1, (int(step), int(step))))
                elif not damaged:
                    for name, rows in values.items():
                        file.write(f"{FRAMES}/{name}/value", rows, start, frame=t, most=most)
                    table = np.array([[crc32_of_clock(step, time), *sums]], dtype=np.uint32)
                    file.write(TABLE, table[mine], t, most=1)
                t += 1
        piece.keep(whole)
    return damaged


class _Source:
    """A segment that all ranks read, each its block of ids. Every method is collective."""

    def __init__(self, comm: MPI.Comm, piece: Piece, series: Series, start: int, stop: int, count: int) -> None:
        self.comm, self.piece, self.fields, self.start, self.stop, self.count = comm, piece, series.fields, start, stop, count
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
        values: dict[str, np.ndarray] = {}
        raw, new = list[int](), list[int]()
        message = None if self.file is not None else "it cannot be opened"
        for name, (width, kind) in self.fields.items():
            values[name] = np.full((self.stop - self.start, width), missing(kind), kind)
            there = values[name]
            try:
                if name in self.piece.fields and self.file is not None:
                    there = self.file[f"{FRAMES}/{name}/value"][row, self.start : self.stop]
                    values[name][:] = there
            except DAMAGE as error:
                message = message or f"{name} cannot be read ({reason(error)})"
            behind = self.count - self.stop
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
