"""Migration: every grain goes to the rank that owns its place, and the history of its contacts goes with it, whatever the partition is."""

from __future__ import annotations

import numpy as np

from ..state.population import ContactTable, Population
from .exchange import exchanges
from .partition import Partition


def migrate(partition: Partition, grains: Population, contacts: ContactTable) -> tuple[Population, ContactTable]:
    """Send every grain to the rank that owns its place, with the history of its contacts. Collective.

    A contact travels with either of its bodies; the ranks that already know it hold the same bits.

    Args:
        partition: partition of the domain.
        grains: grains of this rank.
        contacts: that this rank knows.

    Returns:
        the grains that this rank owns now; the contacts that it knows, some of them twice.
    """
    comm = partition.comm
    if comm.size == 1:
        return grains, contacts
    target = partition.owner(grains.x)
    leaving = target != comm.rank
    rows, ranks = _contacts_to_send(grains.gid[leaving], target[leaving], contacts.key)
    to_owners, with_bodies = exchanges(comm, target[leaving], ranks)
    arrived = grains.received(to_owners(grains.take(leaving).records()))
    more = contacts.received(with_bodies(contacts.take(rows).records()))
    if not leaving.any() and not arrived.count:
        return grains, contacts
    return Population.joined([grains.take(~leaving), arrived]), ContactTable.joined([contacts, more])


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
