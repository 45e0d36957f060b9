"""What is measured of plane hoppers: who has left, when the last one did, whether that was a jam, and what holds it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

import pardem

PAUSE = 2.0  # s without a grain that leaves, at the end of the run, that count as a jam
FEW = 0.05  # share of the grains that may stay behind in a flow


def left(result: pardem.Result) -> int:
    """Number of grains that have left by the end (1)."""
    return int(_left(result)[1][-1])


def last(result: pardem.Result) -> float:
    """Time at which the last of them left, since the outlet opened (s)."""
    times, count = _left(result)
    return float(times[int(np.argmax(count == count[-1]))])


def jammed(result: pardem.Result) -> int:
    """Whether grains stay behind, none of which has left for some time (0 or 1)."""
    times, count = _left(result)
    return int(count[-1] < (1.0 - FEW) * result.grains and times[-1] - last(result) >= PAUSE)


def arch(result: pardem.Result) -> float:
    """Number of grains in the shortest chain of touching ones between the two slopes, in the last frames; not a number where there is none (1)."""
    begin = int(np.searchsorted(result.times, result.times[-1] - PAUSE - 1e-9))
    chains = [_chain(result[k].contacts, result.grains) for k in range(begin, len(result))]
    return float(np.nanmin(chains)) if np.isfinite(chains).any() else float("nan")


def _chain(contacts: Any, n: int) -> float:
    """Number of grains of the shortest chain in a frame; not a number where there is none."""
    left_side, right_side = (contacts.first[contacts.walls == side] for side in ("left", "right"))
    between = ~contacts.with_wall
    # two more nodes are the slopes; a step from a slope to a grain, and from grain to grain, has the length 1
    first = np.concatenate([contacts.first[between], left_side, right_side])
    second = np.concatenate([contacts.second[between], np.full(len(left_side), n), np.full(len(right_side), n + 1)])
    graph = coo_array((np.ones(len(first)), (first, second)), shape=(n + 2, n + 2)).tocsr()
    graph.data[:] = 1.0  # several contacts of one pair have been added up
    steps = float(dijkstra(graph, directed=False, indices=n)[n + 1])
    return steps - 1.0 if np.isfinite(steps) else float("nan")


def speed_at_opening(result: pardem.Result) -> float:
    """Root mean square of the velocities when the outlet opens (m/s)."""
    frame = result[int(np.searchsorted(result.times, _opening(result) - 1e-9))]
    return float(np.sqrt((frame.velocity**2).sum(axis=1).mean()))


def _opening(result: pardem.Result) -> float:
    """Time at which the outlet opens (s)."""
    return float(result.case.stage[0].time)


def _left(result: pardem.Result) -> tuple[np.ndarray, np.ndarray]:
    """Times since the outlet opened (s), and numbers of grains below it."""
    begin = int(np.searchsorted(result.times, _opening(result) - 1e-9))
    count = [int(np.count_nonzero(result[k].position[:, 1] < 0.0)) for k in range(begin, len(result))]
    return result.times[begin:] - _opening(result), np.array(count)
