"""Where the contacts of each block of ids begin in a state, so that a rank finds those of its grains without searching all of them."""

from __future__ import annotations

from typing import NamedTuple

import h5py
import numpy as np
from mpi4py import MPI

MOST = 1024  # blocks: attributes of HDF5 are small
AT_ONCE = 1 << 16  # rows that are read in one piece rather than searched


class ContactBlocks(NamedTuple):
    """Where contacts begin.

    Attributes:
        size: number of ids of a block.
        first: (blocks + 1,) int64 row of the first contact whose lower id is in a block or behind it.
    """

    size: int
    first: np.ndarray


def ids_of_blocks(count: int) -> tuple[int, np.ndarray]:
    """Divide ids into blocks.

    Args:
        count: number of grains.

    Returns:
        Number of ids of a block, and (blocks,) int64 the first id of each.
    """
    size = 1
    while size * MOST < count:
        size *= 2
    return size, np.arange(0, count, size, dtype=np.int64)


def contact_blocks(comm: MPI.Comm, size: int, first: np.ndarray, total: int) -> ContactBlocks:
    """Join what the ranks know of where the contacts of each block begin, which does not depend on the ranks. Collective.

    Args:
        comm: communicator.
        size: number of ids of a block.
        first: (blocks,) int64 row of the first contact of each block on the rank that holds its ids, 0 on the others.
        total: number of contacts.

    Returns:
        The blocks.
    """
    every = np.append(first, total)
    comm.Allreduce(MPI.IN_PLACE, every[:-1], MPI.SUM)
    return ContactBlocks(size, every)


def put_blocks(group: h5py.Group, blocks: ContactBlocks) -> None:
    """Write where contacts begin.

    Args:
        group: group of the contacts.
        blocks: the blocks.
    """
    group.attrs["block_size"], group.attrs["block_first"] = blocks.size, blocks.first


def get_blocks(group: h5py.Group, grains: int) -> ContactBlocks:
    """Read where contacts begin.

    Args:
        group: group of the contacts.
        grains: number of grains.

    Returns:
        The blocks; a single one with all contacts where the file names none, as earlier versions wrote it.
    """
    rows = len(group["lower"])
    if "block_first" in group.attrs:
        found = ContactBlocks(int(group.attrs["block_size"]), np.asarray(group.attrs["block_first"], dtype=np.int64))
        fits = found.size > 0 and grains > 0 and len(found.first) == -(-grains // found.size) + 1
        if fits and found.first[0] == 0 and found.first[-1] == rows and (np.diff(found.first) >= 0).all():
            return found
    return ContactBlocks(max(1, grains), np.array([0, rows]))


def first_contact(lower: h5py.Dataset, blocks: ContactBlocks, gid: int) -> int:
    """Find the first contact whose lower id is not below an id, and read few of them for it.

    Args:
        lower: lower ids of all contacts, in ascending order.
        blocks: where those of the blocks begin.
        gid: the id.

    Returns:
        Its row; the number of contacts if there is none.
    """
    block = min(gid // blocks.size, len(blocks.first) - 2)
    low, high = (int(row) for row in blocks.first[block : block + 2])
    while high - low > AT_ONCE:
        middle = (low + high) // 2
        if lower[middle] < gid:
            low = middle + 1
        else:
            high = middle
    return low + int(np.searchsorted(lower[low:high], gid))
