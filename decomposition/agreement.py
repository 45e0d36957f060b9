"""What all ranks have to agree on, in one message: sums of whole numbers and largest values together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from mpi4py import MPI

from ..compiled.interrupts import interrupts_held_back

MOST = 8  # values of either kind


def sums_and_maxima(comm: MPI.Comm, counts: Sequence[int], values: Sequence[float]) -> tuple[list[int], list[float]]:
    """Sum whole numbers and find the largest of other values over all ranks. Collective.

    Args:
        comm: communicator.
        counts: at most ``MOST`` whole numbers of this rank.
        values: at most ``MOST`` values of this rank.

    Returns:
        The sums; the largest values, not-a-number if any rank has it. Both are the same on every rank.
    """
    mine = np.zeros(2 * MOST)
    mine.view(np.int64)[: len(counts)] = counts
    mine[MOST : MOST + len(values)] = values
    if comm.size > 1:
        with interrupts_held_back():  # an exception in `_combine` would end the process
            comm.Allreduce(MPI.IN_PLACE, [mine, 1, _record()], _joint())
    return mine.view(np.int64)[: len(counts)].tolist(), mine[MOST : MOST + len(values)].tolist()


def _combine(first: Any, second: Any, datatype: MPI.Datatype) -> None:
    """Add to the second record what the first one holds."""
    a, b = np.frombuffer(first).reshape(-1, 2 * MOST), np.frombuffer(second).reshape(-1, 2 * MOST)
    b[:, MOST:] = np.maximum(a[:, MOST:], b[:, MOST:])
    b.view(np.int64)[:, :MOST] += a.view(np.int64)[:, :MOST]


@cache
def _record() -> MPI.Datatype:
    """Both kinds of values as one element, which no algorithm takes apart."""
    return MPI.DOUBLE.Create_contiguous(2 * MOST).Commit()


@cache
def _joint() -> MPI.Op:
    """``_combine`` as an operation of MPI."""
    return MPI.Op.Create(_combine, commute=True)
