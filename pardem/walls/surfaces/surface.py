"""What a surface of a wall is to the rest of pardem: some compiled functions for contacts and lists, some of numpy for reports.

The compiled ones are called through ``registry``, whose switches choose by the code of the surface, its place in ``registry.SURFACES``. Sizes of a
surface stand in the columns of ``Walls.shape`` from ``place.SIZES`` on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Compiled = Callable[..., Any]
ANY = 1 << 62
"""A number above all sub-keys."""


class Surface(NamedTuple):
    """A surface that grains may touch.

    Attributes:
        name: for readers.
        meet: compiled, ``meet(loop, one)`` with a `place.WallLoop` and a `place.Candidate`: (regularised) distance (m), the point of the core
            relative to the grain's centre (m), the vector from it to the surface (m), status of the solver.
        out_of_reach: compiled, ``out_of_reach(walls, k, x, reach)``: whether a ball with radius ``reach`` (m) about a point ``x`` relative to the
            wall's point (m) stays clear of wall ``k``.
        list_near: compiled, ``list_near(near, entries, found)`` with a `listing.GrainNearWall`: writes the candidates of a grain with a wall that
            it may reach, and returns the number of entries.
        swept: numpy, distance (m) of the furthest point of the surface from an axis of rotation, 0 where turning leaves it as it is:
            ``swept(shape, axis, centre)`` with a row of ``Walls.shape``, a unit vector and a point (m).
        distance: numpy, distance (m) of points from it: ``distance(height, radial, sizes)`` with their heights along its normal or axis and their
            distances from that line, (n,) m each, and the sizes of the surface.
        mirrored: numpy, images of points behind it: ``mirrored(height, radial, sizes)``: which points have one (bool), and by how much each moves
            along the normal or axis (m) and, in units of its distance from that line, away from it, or None.
        faces: number of flat sides, 1 or 2, which can carry a bed of grains, and where they meet it by the rule for planes; 0: it is not flat.
        has_hole: whether it is flat, and met part by part all the same.
        thin: whether there are contacts on both of its sides, so that no distance tells whether a core has gone through.
        endless: whether it is flat without a rim, so that the distance of a grain changes by no more than its points move.
        meet_in_lanes: compiled, ``meet_in_lanes(loop, one)`` with a `place.WallLoop` and `meeting_lanes.Candidates`: the `meeting_lanes.Met` of
            several grains at once; None: they are met one by one.
        in_lanes_below: sub-key of a candidate from which on it is met alone all the same, such as that of an edge on a rim.
        turns_about: the only line that an axis of rotation may be parallel to, where the surface is endless; empty: any axis will do.
    """

    name: str
    meet: Compiled
    out_of_reach: Compiled
    list_near: Compiled
    swept: Callable[[np.ndarray, np.ndarray, np.ndarray], float]
    distance: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    mirrored: Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]] | None = None
    faces: int = 0
    has_hole: bool = False
    thin: bool = False
    endless: bool = False
    meet_in_lanes: Compiled | None = None
    in_lanes_below: int = ANY
    turns_about: str = ""


ALONG = 1.0 - 1e-9
"""Cosine of an angle above which directions count as the same."""

PARALLEL = 1e-9
"""Sine of an angle, or a distance over a radius, below which directions and axes count as the same."""


def off_axis(points: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Distances of points from a line through the origin, (m,).

    Args:
        points: (m, 3) the points.
        axis: unit vector along the line.
    """
    across = points - (points @ axis)[:, None] * axis
    return np.asarray(np.sqrt((across**2).sum(axis=1)))
