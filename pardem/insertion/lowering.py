"""Grains lowered along an axis, as densely and as low as possible: the preparation of chapter 5.1 of Pournin's thesis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..shapes import Catalogue
from .lower_kernels import TOUCHING, lower_in_order, lowest_points
from .placed_grains import PlacedGrains, make_bodies, make_cells
from .random import NOBODY
from .regions import BoxDomain

PASSES = 100
"""More than enough: but for grains that hang over each other, the first pass is the last one in which anything moves."""


class Way(NamedTuple):
    """The direction in which grains go down.

    Attributes:
        axis: 0, 1 or 2.
        sign: 1.0, or -1.0 against the axis.
    """

    axis: int
    sign: float


def lower_grains(
    catalogue: Catalogue, grains: PlacedGrains, floors: np.ndarray, way: Way, *, domain: BoxDomain | None = None, walls: PlacedGrains = NOBODY,
    planar: bool = False,
) -> np.ndarray:  # fmt: skip
    """Lower grains without turning them: in the order of their lowest points, each until it touches something, and again until nothing moves.

    Args:
        catalogue: shape catalogue of the grains.
        grains: grains that do not overlap.
        floors: (n,) coordinate of the floor on which a grain comes to lie if nothing is in its way (m); not-a-number for grains that stay.
        way: downwards; the domain must not be periodic along this axis.
        domain: box with periodic axes, if there is one.
        walls: bodies among the walls.
        planar: whether the simulation is two-dimensional.

    Returns:
        (n, 3) centres of mass (m). Between a grain and what it rests on, a gap of at most 1e-6 of their sphero-radii is left, and no overlap.
    """
    bodies = make_bodies(catalogue, grains, np.empty(0, np.int64), 1.0, domain, walls)
    goes = np.flatnonzero(np.isfinite(floors))
    count = bodies.grains
    if len(goes):
        x, least = bodies.x[:count], np.empty(count)
        cells = make_cells(bodies, x.min(axis=0), x.max(axis=0), count)
        ahead = np.where(np.isfinite(floors), way.sign * floors, 0.0)
        for _ in range(PASSES):
            lowest_points(bodies, way, least)
            order = goes[np.argsort(-least[goes], kind="stable")]
            if lower_in_order(bodies, cells, order, ahead, way, planar) <= 2.0 * TOUCHING:
                break
    return np.asarray(bodies.x[:count])
