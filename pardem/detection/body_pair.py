"""Two bodies whose features are compared: how they lie relative to each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import inlined
from ..compiled.quaternions import matrix, orientation, times, transposed
from ..compiled.vectors import square
from ..contacts.nearest.features import vertex
from ..contacts.nearest.polytope_faces import TILT


class BodyPair(NamedTuple):
    """Two bodies whose features are compared.

    Attributes:
        i: row of the first.
        j: row of the second.
        second: number that stands for the second in lists: its row, or that of a wall.
        d: centre of the second minus that of the first (m).
        reach: distance of the cores within which pairs of features are listed (m).
        tilt: sine of the angle up to which features count as parallel; negative: none.
        axes: axes of the second in the frame of the first, by rows.
        way: ``d`` in the frame of the first (m).
    """

    i: int
    j: int
    second: int
    d: tuple[float, float, float]
    reach: float
    tilt: float
    axes: tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]
    way: tuple[float, float, float]


@inlined
def _relate(g, i, j, d):
    """Axes of body ``j`` in the frame of body ``i``, by rows; the vector ``d`` (m) from the first to the second in that frame (m)."""
    a, b = transposed(matrix(orientation(g.q, i))), transposed(matrix(orientation(g.q, j)))
    return (times(b, a[0]), times(b, a[1]), times(b, a[2])), times(a, d)


@inlined
def _arm(g, i):
    """Largest distance of a core vertex from its grain's centre (m)."""
    far = 0.0
    for k in range(max(1, g.vert_start[i + 1] - g.vert_start[i])):
        far = max(far, square(vertex(g, i, k)))
    return np.sqrt(far)


@inlined
def _tilt(g, i, j, reach):
    """Sine of the angle up to which features of two bodies may become parallel before the next search; negative: none.

    Points at the distance R from a centre go by half of what is searched beyond contact, so normals turn by that over 2 R.
    """
    arms = min(_arm(g, i), _arm(g, j))
    return 4.0 * TILT + (reach - g.x[i, 3] - g.x[j, 3]) / arms if arms > 0.0 else -1.0


@inlined
def pair_bodies(g, i, j, second, d, reach, minima):
    """Relate two bodies to each other for a walk over their features.

    Args:
        g: `state.Grains`.
        i: row of the first body.
        j: row of the second.
        second: number that stands for the second in lists.
        d: centre of the second minus that of the first (m).
        reach: distance of the cores within which pairs of features are listed (m).
        minima: see `FeatureTables`.

    Returns:
        The `BodyPair`.
    """
    axes, way = _relate(g, i, j, d)
    return BodyPair(i, j, second, d, reach, _tilt(g, i, j, reach) if minima else 0.0, axes, way)
