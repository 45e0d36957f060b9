"""The arch over an outlet: the lowest chain of grains from wall to wall.

The rule: grains are nodes, pairs that push each other are edges, and the two walls beside the outlet are two more nodes. The height of a chain is
that of its highest centre. Of all chains of grains from one wall to the other, above the outlet, those of the least height are taken, and of these
the one that is shortest from centre to centre.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, dijkstra


class Ends(NamedTuple):
    """Grains that touch the two walls beside an outlet.

    Attributes:
        left: numbers of those that touch one of them.
        right: numbers of those that touch the other.
    """

    left: np.ndarray
    right: np.ndarray


def lowest_arch(pairs: np.ndarray, lengths: np.ndarray, heights: np.ndarray, ends: Ends, outlet: float = -np.inf) -> np.ndarray:
    """Find the lowest chain of grains from wall to wall.

    Args:
        pairs: (m, 2) numbers of grains that push each other, each pair once.
        lengths: (m,) distances of their centres (m).
        heights: (n,) of the centres of all grains (m).
        ends: grains at the walls, which push them.
        outlet: height below which grains have left (m).

    Returns:
        Numbers of the grains, from the left wall to the right one; none where there is no chain.
    """
    above = heights >= outlet
    levels = np.unique(heights[above])
    if not len(levels) or not _joined(pairs, above, ends):
        return np.empty(0, np.int64)
    low, high = -1, len(levels) - 1  # up to ``low`` there is no chain, up to ``high`` there is one
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _joined(pairs, above & (heights <= levels[middle]), ends) else (middle, high)
    return _shortest(pairs, lengths, above & (heights <= levels[high]), ends)


def _joined(pairs: np.ndarray, there: np.ndarray, ends: Ends) -> bool:
    """Whether some grains join the two walls."""
    kept, n = pairs[there[pairs].all(axis=1)], len(there)
    _, part = connected_components(coo_array((np.ones(len(kept)), (kept[:, 0], kept[:, 1])), shape=(n, n)), directed=False)
    left, right = (grains[there[grains]] for grains in ends)
    return bool(np.isin(part[left], part[right]).any())


def _shortest(pairs: np.ndarray, lengths: np.ndarray, there: np.ndarray, ends: Ends) -> np.ndarray:
    """The shortest chain of some grains that join the walls."""
    n, rows = len(there), there[pairs].all(axis=1)
    left, right = (np.unique(grains[there[grains]]) for grains in ends)
    # an edge from or to a wall has a length of its own, the same for all, since an edge of length zero is none
    reach = float(lengths[rows].mean()) if rows.any() else 1.0
    first = np.concatenate([pairs[rows, 0], left, right])
    second = np.concatenate([pairs[rows, 1], np.full(len(left), n), np.full(len(right), n + 1)])
    weight = np.concatenate([lengths[rows], np.full(len(left) + len(right), reach)])
    graph = coo_array((weight, (first, second)), shape=(n + 2, n + 2)).tocsr()
    _, before = dijkstra(graph, directed=False, indices=n, return_predecessors=True)
    chain, node = [], int(before[n + 1])
    while node != n:
        chain.append(node)
        node = int(before[node])
    return np.array(chain[::-1], np.int64)
