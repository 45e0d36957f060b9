"""Compiling what only several ranks need, on one of them or ahead of them, so that they find it in the cache."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from .boxes import Images, rows_in_reach
from .nested_slabs import enter_parts
from .quantiles import quantiles


def rehearse() -> None:
    """Compile the kernels with which cuts are placed and ghosts are chosen, or load them."""
    x, group, box = np.zeros((2, 4)), np.zeros(2, np.int64), np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    quantiles(MPI.COMM_SELF, np.arange(2.0), group, np.ones(2, np.int64), 1, np.arange(1, 2), 2)
    enter_parts(x, 0, np.zeros((1, 1)), group)
    rows_in_reach(x, np.ones((2, 3)), box, Images(np.ones(1, np.int64), box[None].copy()))
