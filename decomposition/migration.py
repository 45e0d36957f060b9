"""Migration: every grain goes to the rank that owns its place, and the history of its contacts goes with it, whatever the partition is."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from ..state.population import ContactTable, Population
from .exchange import RowExchange
from .partition import Partition


def migrate(partition: Partition, grains: Population, contacts: ContactTable) -> tuple[Population, ContactTable]:
    """Send every grain to the rank that owns its place, with the history of its contacts. Collective.

    A contact travels with either of its bodies; the ranks that already know it hold the same bits.

    Args:
        partition: of the domain.
        grains: of this rank.
        contacts: that this rank knows.

    Returns:
        the grains that this rank owns now; the contacts that it knows, some of them twice.
    """
    comm = partition.comm
    if comm.size == 1:
        return grains, contacts
    target = partition.owner(grains.x)
    leaving = target != comm.rank
    if not comm.allreduce(bool(leaving.any()), MPI.LOR):
        return grains, contacts
    arrived = grains.received(RowExchange(comm, target)(grains.records()))
    rows, ranks = _contacts_to_send(grains.gid[leaving], target[leaving], contacts.key)
    more = contacts.received(RowExchange(comm, ranks)(contacts.take(rows).records()))
    return arrived, ContactTable.joined([contacts, more])


def _contacts_to_send(gid: np.ndarray, target: np.ndarray, key: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the contacts of grains that leave, and the rank each goes to (a row may go to two).

    Args:
        gid: (n,) int64 ids of the grains that leave.
        target: (n,) int64 rank to which each goes.
        key: (m, 3) int64 keys of the contacts.
    """
    order = np.argsort(gid)
    gid, target = gid[order], target[order]
    rows, ranks = [], []
    for column in (0, 1):
        ids = key[:, column]
        at = np.searchsorted(gid, ids)
        inside = at < len(gid)
        hit = np.zeros(len(ids), bool)
        hit[inside] = gid[at[inside]] == ids[inside]
        rows.append(np.flatnonzero(hit))
        ranks.append(target[at[hit]])
    return np.concatenate(rows), np.concatenate(ranks).astype(np.int64)
