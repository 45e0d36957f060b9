"""Where a grain meets a wall: distance, nearest points, effective radius."""

from __future__ import annotations

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import ZERO, add, behind, columns, dot, length, negative, row, scale, square, subtract
from ...contacts.dispatch import closest_to_plane, stands_out, vertices_met
from ...contacts.nearest.features import vertex
from .bodies import nearest_on_body, row_of
from .kinds import BODY, CYLINDER, DISC, PIERCED
from .pierced import PiercedDisc, nearest_on_pierced


@inlined
def from_wall(walls, g, i, k):
    """Centre of grain ``i`` relative to the point of wall ``k`` (m), the wall's normal or axis, and the centre's height along it (m)."""
    h = subtract(subtract(row(g.x, i), row(walls.shape, k)), row(walls.pose, k))
    normal = columns(walls.pose, k, 9)
    return h, normal, dot(h, normal)


@inlined
def _rim(g, i, vertices, radius, h, normal):
    """Nearest core vertex to a disc's rim and its nearest point there, for a grain that reaches past the disc.

    Args:
        g: `Grains`.
        i: row of the grain.
        vertices: the first vertex to look at, and the one after the last.
        radius: of the disc (m).
        h: the grain's centre relative to the disc's (m).
        normal: the disc's.

    Returns:
        the vertex relative to the centre (m), the vector from it to the nearest point of the disc (m).
    """
    best, x, line = np.inf, ZERO, ZERO
    for k in range(vertices[0], vertices[1]):
        u = vertex(g, i, k)
        p = add(h, u)
        flat = behind(p, dot(p, normal), normal)
        r = length(flat)
        s = 1.0 if r <= radius else radius / r
        c = subtract(scale(s, flat), p)
        d2 = square(c)
        if d2 < best:
            best, x, line = d2, u, c
    return x, line


@inlined
def _in_cylinder(x, h, axis, radius):
    """Gap of a vertex x, relative to a grain at h, to a cylinder about an axis (m), and the vector from it to the surface (m)."""
    p = add(h, x)
    across = behind(p, dot(p, axis), axis)
    r = length(across)
    gap = radius - r
    return gap, scale(gap / r if r > 0.0 else 0.0, across)


@inlined
def wall_geometry(walls, g, interaction, i, k, pairs, p, touching, period):
    """Where grain ``i`` meets wall ``k``.

    Args:
        walls: `Walls`.
        g: `Grains`.
        interaction: the narrow phase.
        i: row of the grain.
        k: the wall.
        pairs: `Contacts` with walls.
        p: the candidate.
        touching: whether it was in touch in the step before.
        period: (3,) of the domain (m), 0: open.

    Returns:
        (regularised) distance (m), point on the core relative to the centre (m), vector from it to the wall's surface point (m), status.
    """
    sub = pairs.sub[p]
    if walls.kind[k] == BODY:
        gap, x, line, round_off = nearest_on_body(walls, g, i, k, sub, period)
        return gap - round_off, x, scale(1.0 - round_off / gap if gap > 0.0 else 0.0, line), 0
    shape = walls.shape[k]
    h, normal, height = from_wall(walls, g, i, k)
    if walls.kind[k] == PIERCED:
        d, x, line = nearest_on_pierced(walls.features, g, i, sub, h, PiercedDisc(normal, shape[7], shape[6]))
        return d, x, line, 0
    if walls.kind[k] == CYLINDER:
        x = vertex(g, i, sub)
        d, line = _in_cylinder(x, h, normal, shape[6])
        return d, x, line, 0
    if walls.kind[k] == DISC and height < 0.0:
        normal, height = negative(normal), -height
    f, above, x, status = closest_to_plane(interaction, g, i, normal, height, pairs, p, touching)
    d, line = np.sqrt(f) if above > 0.0 else above, scale(-above, normal)
    if walls.kind[k] == DISC:
        if square(behind(add(h, x), above, normal)) > shape[6] * shape[6]:
            x, line = _rim(g, i, vertices_met(interaction, g, i, sub), shape[6], h, normal)
            d = length(line)
        if d > 0.0 and not stands_out(interaction, g, i, sub, line):
            d = 2.0 * g.x[i, 3]
    return d, x, line, status


@inlined
def effective_radius(walls, g, i, k):
    """Effective radius (m) of grain ``i`` and wall ``k``."""
    r = g.x[i, 3]
    return r * g.x[row_of(walls, g, k), 3] / (r + g.x[row_of(walls, g, k), 3]) if walls.kind[k] == BODY else r
