"""Where a grain meets a wall: distance, nearest points, effective radius."""

from __future__ import annotations

import numpy as np

from .._jit import inlined
from ..interactions.dispatch import closest_to_plane, stands_out, vertices_met
from ..interactions.features import vertex
from .bodies import nearest_on_body, row_of
from .kinds import BODY, CYLINDER, DISC, PIERCED
from .pierced import PiercedDisc, nearest_on_pierced


@inlined
def from_wall(walls, g, i, k):
    """Centre of grain ``i`` relative to the point of wall ``k`` (m), the wall's normal or axis, and the centre's height along it (m)."""
    shape, pose = walls.shape[k], walls.pose[k]
    hx = g.x[i, 0] - shape[0] - pose[0]
    hy = g.x[i, 1] - shape[1] - pose[1]
    hz = g.x[i, 2] - shape[2] - pose[2]
    nx, ny, nz = pose[9], pose[10], pose[11]
    return hx, hy, hz, nx, ny, nz, hx * nx + hy * ny + hz * nz


@inlined
def _rim(g, i, first, last, radius, hx, hy, hz, nx, ny, nz):
    """Nearest core vertex to a disc's rim and its nearest point there, for a grain that reaches past the disc.

    Args:
        first, last: the vertices to look at.
        hx, hy, hz: the grain's centre relative to the disc's (m). nx, ny, nz: the disc's normal.

    Returns:
        the vertex relative to the centre, the vector from it to the nearest point of the disc.
    """
    best, bx, by, bz, lx, ly, lz = np.inf, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(first, last):
        ux, uy, uz = vertex(g, i, k)
        px, py, pz = hx + ux, hy + uy, hz + uz
        h = px * nx + py * ny + pz * nz
        rx, ry, rz = px - h * nx, py - h * ny, pz - h * nz
        r = np.sqrt(rx * rx + ry * ry + rz * rz)
        s = 1.0 if r <= radius else radius / r
        cx, cy, cz = s * rx - px, s * ry - py, s * rz - pz
        d2 = cx * cx + cy * cy + cz * cz
        if d2 < best:
            best, bx, by, bz, lx, ly, lz = d2, ux, uy, uz, cx, cy, cz
    return bx, by, bz, lx, ly, lz


@inlined
def wall_geometry(walls, g, interaction, i, k, pairs, p, touching, period):
    """Where grain ``i`` meets wall ``k``.

    Returns:
        (regularised) distance (m), point on the core relative to the centre, vector from it to the wall's surface point, status.
    """
    if walls.kind[k] == BODY:
        gap, (x0, x1, x2), (lx, ly, lz), round_off = nearest_on_body(walls, g, i, k, pairs.sub[p], period)
        s = 1.0 - round_off / gap if gap > 0.0 else 0.0
        return gap - round_off, x0, x1, x2, s * lx, s * ly, s * lz, 0
    shape = walls.shape[k]
    hx, hy, hz, nx, ny, nz, height = from_wall(walls, g, i, k)
    if walls.kind[k] == PIERCED:
        disc = PiercedDisc((nx, ny, nz), shape[7], shape[6])
        d, (x0, x1, x2), (lx, ly, lz) = nearest_on_pierced(walls.features, g, i, pairs.sub[p], (hx, hy, hz), disc)
        return d, x0, x1, x2, lx, ly, lz, 0
    if walls.kind[k] == CYLINDER:
        ux, uy, uz = vertex(g, i, pairs.sub[p])
        px, py, pz = hx + ux, hy + uy, hz + uz
        along = px * nx + py * ny + pz * nz
        rx, ry, rz = px - along * nx, py - along * ny, pz - along * nz
        r = np.sqrt(rx * rx + ry * ry + rz * rz)
        gap = shape[6] - r
        s = gap / r if r > 0.0 else 0.0
        return gap, ux, uy, uz, s * rx, s * ry, s * rz, 0
    if walls.kind[k] == DISC and height < 0.0:
        nx, ny, nz, height = -nx, -ny, -nz, -height
    f, h, x0, x1, x2, status = closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching)
    if walls.kind[k] == DISC:
        px, py, pz = hx + x0 - h * nx, hy + x1 - h * ny, hz + x2 - h * nz
        if px * px + py * py + pz * pz > shape[6] * shape[6]:
            first, last = vertices_met(interaction, g, i, pairs.sub[p])
            x0, x1, x2, lx, ly, lz = _rim(g, i, first, last, shape[6], hx, hy, hz, nx, ny, nz)
            d = np.sqrt(lx * lx + ly * ly + lz * lz)
        else:
            d, lx, ly, lz = np.sqrt(f) if h > 0.0 else h, -h * nx, -h * ny, -h * nz
        if d > 0.0 and not stands_out(interaction, g, i, pairs.sub[p], lx, ly, lz):
            d = 2.0 * g.x[i, 3]
        return d, x0, x1, x2, lx, ly, lz, status
    return np.sqrt(f) if h > 0.0 else h, x0, x1, x2, -h * nx, -h * ny, -h * nz, status


@inlined
def effective_radius(walls, g, i, k):
    """Effective radius (m) of grain ``i`` and wall ``k``."""
    r = g.x[i, 3]
    return r * g.x[row_of(walls, g, k), 3] / (r + g.x[row_of(walls, g, k), 3]) if walls.kind[k] == BODY else r
