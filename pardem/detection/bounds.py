"""Oriented extents of grains: how far each reaches along the axes, and whether two can touch before the next rebuild."""

from __future__ import annotations

import numpy as np

from .._jit import inlined, njit
from ..interactions.segments import nearest_segments


@njit
def oriented_extents(first, last, g, extent, radius):
    """Half-extents along x, y, z ((N, 3), m) and bounding radii ((N,), m) of grains ``first`` to ``last``, sphero-radius included."""
    for i in range(first, last):
        r = g.x[i, 3]
        ex, ey, ez, b2 = 0.0, 0.0, 0.0, 0.0
        for k in range(g.vert_start[i], g.vert_start[i + 1]):
            x, y, z = g.vert[k, 0], g.vert[k, 1], g.vert[k, 2]
            ex, ey, ez = max(ex, abs(x)), max(ey, abs(y)), max(ez, abs(z))
            b2 = max(b2, x * x + y * y + z * z)
        extent[i, 0], extent[i, 1], extent[i, 2] = ex + r, ey + r, ez + r
        radius[i] = np.sqrt(b2) + r


@inlined
def nearest_image(d, period):
    """Difference of two wrapped coordinates in the nearest image; ``period`` 0: none."""
    if d > 0.5 * period:
        return d - period if period > 0.0 else d
    if d < -0.5 * period:
        return d + period if period > 0.0 else d
    return d


@inlined
def add_pair(pairs, found, g, i, j):
    """Note a pair in row ``found`` of ``pairs`` ((capacity, 2) int32), lower global id first, if there is room.

    Returns:
        the next row.
    """
    if found < pairs.shape[0]:
        if g.gid[i] < g.gid[j]:
            pairs[found, 0], pairs[found, 1] = i, j
        else:
            pairs[found, 0], pairs[found, 1] = j, i
    return found + 1


@inlined
def axis_separates(vert, a0, a1, b0, b1, dx, dy, dz, nx, ny, nz, reach):
    """Whether the projections of two cores on a direction (any length) are further apart than ``reach``.

    Args:
        vert: (M, 3) vertices relative to their grains' centres (m); a: rows a0 to a1, b: rows b0 to b1; no rows: the centre.
        dx, dy, dz: centre of the second grain less that of the first (m).
    """
    size = np.sqrt(nx * nx + ny * ny + nz * nz)
    if size == 0.0:
        return False
    top, bottom = -np.inf, np.inf
    for k in range(a0, a1):
        top = max(top, vert[k, 0] * nx + vert[k, 1] * ny + vert[k, 2] * nz)
    if top == -np.inf:
        top = 0.0
    for k in range(b0, b1):
        bottom = min(bottom, vert[k, 0] * nx + vert[k, 1] * ny + vert[k, 2] * nz)
    if bottom == np.inf:
        bottom = 0.0
    return bottom + dx * nx + dy * ny + dz * nz - top > reach * size


@inlined
def may_touch(g, i, j, dx, dy, dz, reach):
    """Whether two grains may come within ``reach`` (sum of radii plus skin, m); exact for spheres and rods, conservative for polytopes.

    Args:
        dx, dy, dz: centre of j less that of i, nearest image (m).
    """
    ni = g.vert_start[i + 1] - g.vert_start[i]
    nj = g.vert_start[j + 1] - g.vert_start[j]
    if ni == 0 and nj == 0:
        return dx * dx + dy * dy + dz * dz <= reach * reach
    if ni <= 2 and nj <= 2:
        ux = uy = uz = vx = vy = vz = 0.0
        if ni == 2:
            k = g.vert_start[i] + 1
            ux, uy, uz = g.vert[k, 0], g.vert[k, 1], g.vert[k, 2]
        if nj == 2:
            k = g.vert_start[j] + 1
            vx, vy, vz = g.vert[k, 0], g.vert[k, 1], g.vert[k, 2]
        s, t = nearest_segments(-dx, -dy, -dz, ux, uy, uz, vx, vy, vz)
        lx, ly, lz = dx + t * vx - s * ux, dy + t * vy - s * uy, dz + t * vz - s * uz
        return lx * lx + ly * ly + lz * lz <= reach * reach
    a0, b0 = g.vert_start[i], g.vert_start[j]
    return not axis_separates(g.vert, a0, a0 + ni, b0, b0 + nj, dx, dy, dz, dx, dy, dz, reach)
