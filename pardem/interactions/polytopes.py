"""Narrow phase for scenes with convex polytopes: closed forms between spheres and segments, solvers otherwise.

A pair that touches starts its solver from the active sets kept with its history; a pair that does not starts cold, unless the direction that
separated it last still does. Whether a pair touches is always decided by a cold solve, or by a warm one that belongs to its history.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import inlined
from .minima import WORK_SIZE as MINIMA_SIZE
from .minima import nearest_polytopes
from .polytope_active import count, slot
from .polytope_pair import WORK_SIZE as PAIR_SIZE
from .polytope_plane import WORK_SIZE as PLANE_SIZE
from .polytope_plane import nearest_plane, regularised_plane
from .polytope_separation import separation2
from .regularised import regularised_polytopes
from .rods import closest as rod_closest
from .rods import closest_to_plane as rod_closest_to_plane
from .rods import weighted as rod_weighted
from .rods import weighted_to_plane as rod_weighted_to_plane
from .rods import zone as rod_zone
from .rods import zone_on_plane as rod_zone_on_plane

WORK_SIZE = max(MINIMA_SIZE, PAIR_SIZE, PLANE_SIZE)


class Polytopes(NamedTuple):
    """Narrow phase for any convex grains.

    Attributes:
        regularised, eps2, kind: as in ``rods.Rods``.
        work: (WORK_SIZE,) float64 scratch of the solvers.
    """

    regularised: bool
    eps2: np.ndarray
    kind: np.ndarray
    work: np.ndarray


@inlined
def begin(wx, wy, wz, vert, a0, na, b0, nb, pairs, p, touching, reach):
    """How the solver of a pair of cores starts: warm where they touch, cold where the direction that separated them last does so no longer.

    Returns:
        squared distance below which they are not (0: the solver has to say), active sets to start from.
    """
    if touching:
        return 0.0, pairs.warm[p, 0], pairs.warm[p, 1]
    hist = pairs.hist
    f = separation2(wx, wy, wz, vert, a0, na, b0, nb, reach, hist[p, 0], hist[p, 1], hist[p, 2])
    return f, np.int64(0), np.int64(0)


@inlined
def remember(pairs, p, touching, near, start_a, start_b, dx, dy, dz):
    """Keep the active sets of a pair that may touch, the separating direction (dx, dy, dz) of one that does not (m)."""
    if near:
        pairs.warm[p, 0], pairs.warm[p, 1] = start_a, start_b
    elif not touching:
        pairs.hist[p, 0], pairs.hist[p, 1], pairs.hist[p, 2] = dx, dy, dz


@inlined
def closest(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach):
    """Minimiser of the pair's distance function; see ``rods.closest``. The history of a pair that does not touch keeps a separating direction."""
    a0, b0 = g.vert_start[i], g.vert_start[j]
    na, nb = g.vert_start[i + 1] - a0, g.vert_start[j + 1] - b0
    if na <= 2 and nb <= 2:
        return rod_closest(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach)
    apart, start_a, start_b = begin(wx, wy, wz, g.vert, a0, na, b0, nb, pairs, p, touching, reach)
    if apart > 0.0:
        return False, apart, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0
    if interaction.regularised:
        f, x0, x1, x2, y0, y1, y2, start_a, start_b, status = regularised_polytopes(
            wx, wy, wz, g.vert, a0, na, b0, nb, interaction.eps2[g.species[i]], interaction.eps2[g.species[j]], start_a, start_b, interaction.work
        )
    else:
        f, (x0, x1, x2), (y0, y1, y2), (start_a, start_b), status = nearest_polytopes(
            (wx, wy, wz), g.vert, a0, na, b0, nb, (start_a, start_b), interaction.work
        )
    near = f < reach * reach
    remember(pairs, p, touching, near, start_a, start_b, wx + x0 - y0, wy + x1 - y1, wz + x2 - y2)
    return near, f, x0, x1, x2, y0, y1, y2, status


@inlined
def weighted(interaction, g, i, j, wx, wy, wz, pairs, p, factor):
    """Minimum with heavier penalties by a cold solve; see ``rods.weighted``."""
    a0, b0 = g.vert_start[i], g.vert_start[j]
    na, nb = g.vert_start[i + 1] - a0, g.vert_start[j + 1] - b0
    if na <= 2 and nb <= 2:
        return rod_weighted(interaction, g, i, j, wx, wy, wz, pairs, p, factor)
    if not interaction.regularised:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0
    f, x0, x1, x2, y0, y1, y2, _, _, status = regularised_polytopes(
        wx, wy, wz, g.vert, a0, na, b0, nb, factor * interaction.eps2[g.species[i]], factor * interaction.eps2[g.species[j]],
        np.int64(0), np.int64(0), interaction.work,
    )  # fmt: skip
    return f, x0, x1, x2, y0, y1, y2, status


@inlined
def _feature(vert, start, pack):
    """The feature of a core on which its regularised point lies: the vertices of the solver's active set, one for a corner, two for an edge, more for
    a face. A face bears as a whole up to the tilt eps^2 a/D at which the point reaches its rim.

    Args:
        vert, start: vertices (m) and the core's first row. pack: active set (``polytope_active``).

    Returns:
        number of vertices, half their largest distance (m), the vector of that distance (m).
    """
    n = count(pack)
    far, ex, ey, ez = 0.0, 0.0, 0.0, 0.0
    for k in range(1, n):
        i = start + slot(pack, k)
        for m in range(k):
            j = start + slot(pack, m)
            dx, dy, dz = vert[i, 0] - vert[j, 0], vert[i, 1] - vert[j, 1], vert[i, 2] - vert[j, 2]
            d2 = dx * dx + dy * dy + dz * dz
            if d2 > far:
                far, ex, ey, ez = d2, dx, dy, dz
    return n, 0.5 * np.sqrt(far), ex, ey, ez


@inlined
def _rocking_axis(nx, ny, nz, ex, ey, ez):
    """Unit axis in the tangent plane about which an edge along e rocks (zero if there is none)."""
    x, y, z = ny * ez - nz * ey, nz * ex - nx * ez, nx * ey - ny * ex
    size = np.sqrt(x * x + y * y + z * z)
    inv = 1.0 / size if size > 0.0 else 0.0
    return x * inv, y * inv, z * inv


@inlined
def feature_zone(vert, a0, pack_a, b0, pack_b, nx, ny, nz, r_eff, delta):
    """Half-length of the contact zone of two cores and its rocking axis (see ``rods.zone``), from the features that share the contact (``_feature``).

    Face on face: the smaller half-diameter, any axis. Edge on face: the edge. Edge on edge: sqrt(r delta)/sin(angle), at most the shorter. A corner
    touches in a point.

    Args:
        vert, a0, b0: vertices (m), the cores' first rows. pack_a, pack_b: active sets (``polytope_active``).
        nx, ny, nz: normal. r_eff: effective radius (m). delta: overlap (m).
    """
    ka, ra, ax, ay, az = _feature(vert, a0, pack_a)
    kb, rb, bx, by, bz = _feature(vert, b0, pack_b)
    if ka < 2 or kb < 2:
        return 0.0, 0.0, 0.0, 0.0
    lever = min(ra, rb)
    if ka > 2 and kb > 2:
        return lever, 0.0, 0.0, 0.0
    if ka == 2 and kb == 2:
        cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
        sine2 = (cx * cx + cy * cy + cz * cz) / (16.0 * ra * ra * rb * rb)
        if lever * lever * sine2 > r_eff * delta:
            lever = np.sqrt(r_eff * delta / sine2)
    ex, ey, ez = _rocking_axis(nx, ny, nz, ax, ay, az) if ka == 2 else _rocking_axis(nx, ny, nz, bx, by, bz)
    return lever, ex, ey, ez


@inlined
def zone(interaction, g, i, j, nx, ny, nz, r_eff, delta, pairs, p):
    """Half-length of the contact zone and its rocking axis (see ``rods.zone``, ``feature_zone``)."""
    if g.vert_start[i + 1] - g.vert_start[i] <= 2 and g.vert_start[j + 1] - g.vert_start[j] <= 2:
        return rod_zone(interaction, g, i, j, nx, ny, nz, r_eff, delta, pairs, p)
    return feature_zone(g.vert, g.vert_start[i], pairs.warm[p, 0], g.vert_start[j], pairs.warm[p, 1], nx, ny, nz, r_eff, delta)


@inlined
def closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching):
    """Minimiser of the distance of a grain to a plane; see ``rods.closest_to_plane``."""
    a0 = g.vert_start[i]
    na = g.vert_start[i + 1] - a0
    if na <= 2:
        return rod_closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching)
    warm = pairs.warm
    if interaction.regularised:
        start = warm[p, 0] if touching else np.int64(0)
        f, x0, x1, x2, start, status = regularised_plane(nx, ny, nz, height, g.vert, a0, na, interaction.eps2[g.species[i]], start, interaction.work)
        warm[p, 0] = start
    else:
        f, x0, x1, x2, status = nearest_plane(nx, ny, nz, height, g.vert, a0, na, interaction.work)
    return f, height + nx * x0 + ny * x1 + nz * x2, x0, x1, x2, status


@inlined
def weighted_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, factor):
    """Minimum with heavier penalties by a cold solve; see ``rods.weighted_to_plane``."""
    a0 = g.vert_start[i]
    na = g.vert_start[i + 1] - a0
    if na <= 2:
        return rod_weighted_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, factor)
    if not interaction.regularised:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0
    e2 = factor * interaction.eps2[g.species[i]]
    f, x0, x1, x2, _, status = regularised_plane(nx, ny, nz, height, g.vert, a0, na, e2, np.int64(0), interaction.work)
    return f, height + nx * x0 + ny * x1 + nz * x2, x0, x1, x2, status


@inlined
def feature_zone_on_plane(vert, a0, pack, nx, ny, nz):
    """Half-length of the contact zone of a core on a plane and its rocking axis; n points to the plane, the rest as in ``feature_zone``."""
    n, lever, ex, ey, ez = _feature(vert, a0, pack)
    if n < 2:
        return 0.0, 0.0, 0.0, 0.0
    if n > 2:
        return lever, 0.0, 0.0, 0.0
    ex, ey, ez = _rocking_axis(nx, ny, nz, ex, ey, ez)
    return lever, ex, ey, ez


@inlined
def zone_on_plane(interaction, g, i, nx, ny, nz, delta, pairs, p):
    """Half-length of the contact zone on a plane and its rocking axis; n points to the plane."""
    if g.vert_start[i + 1] - g.vert_start[i] <= 2:
        return rod_zone_on_plane(interaction, g, i, nx, ny, nz, delta, pairs, p)
    return feature_zone_on_plane(g.vert, g.vert_start[i], pairs.warm[p, 0], nx, ny, nz)
