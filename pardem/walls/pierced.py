"""A disc with a round hole: where the vertices of a grain's core meet its surface, and its edges the rims.

The surface is the part of the disc's plane between two circles. A vertex meets the nearest point of it, and the point of the hole's rim opposite to
the nearest one: so a ball that sits in a hole smaller than itself is held from both sides, by a potential that is smooth across the axis. An edge
p(t) meets a rim of radius R in the local minima over t of

    |p|^2 - 2 R r(t) + R^2,    r^2 = b^2 + m^2 (t - t0)^2 the squared distance from the axis,

of which there may be two, on either side of the point t0 nearest to the axis.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel
from ..interactions.features import edge, vertex

NEAR, FAR, INNER, INNER_TOO, OUTER, OUTER_TOO = 0, 1, 2, 3, 4, 5  # part of a contact's sub-key: vertices on the surface, ...
PART = 28  # bits of the number of the vertex or edge below it
UPRIGHT = 1e-16  # squared sine of the angle to the axis below which an edge counts as parallel to it
ROUNDS = 100  # of Newton's method: far more than it takes


@inlined
def _to_circle(x, y, z, nx, ny, nz, size, opposite):
    """Vector from a point to the nearest point of a circle about the origin, or to the one opposite to that; on the axis any does."""
    h = x * nx + y * ny + z * nz
    rx, ry, rz = x - h * nx, y - h * ny, z - h * nz
    r = np.sqrt(rx * rx + ry * ry + rz * rz)
    if r == 0.0:
        rx, ry, rz = (-ny, nx, 0.0) if nx * nx + ny * ny > 0.5 else (0.0, -nz, ny)
        r = np.sqrt(rx * rx + ry * ry + rz * rz)
    s = -size / r if opposite else size / r
    return s * rx - x, s * ry - y, s * rz - z


@inlined
def _to_surface(x, y, z, nx, ny, nz, hole, radius):
    """Vector from a point to the nearest point of the surface."""
    h = x * nx + y * ny + z * nz
    r2 = (x - h * nx) ** 2 + (y - h * ny) ** 2 + (z - h * nz) ** 2
    if hole * hole <= r2 <= radius * radius:
        return -h * nx, -h * ny, -h * nz
    return _to_circle(x, y, z, nx, ny, nz, hole if r2 < hole * hole else radius, False)


@kernel
def _furthest_minimum(a, b2, m2, beta, size):
    """The larger zero s >= 0 of s a + beta - size m2 s / sqrt(b2 + m2 s^2), where it rises; -1: none.

    It is convex, so Newton's method comes down to the zero from above, where size sqrt(m2) bounds the last term.
    """
    s = (size * np.sqrt(m2) - beta) / a
    for _ in range(ROUNDS):
        r = np.sqrt(b2 + m2 * s * s)
        pull = size * m2 / r if r > 0.0 else 0.0
        slope = a - (pull * b2 / (r * r) if r > 0.0 else 0.0)
        if not (s > 0.0 and slope > 0.0):
            return -1.0
        better = s - (a * s + beta - pull * s) / slope
        if not better < s:
            break
        s = better
    return s


@inlined
def _slope(a, b2, m2, beta, size, s):
    """Half the derivative by s of the squared distance from a rim."""
    r = np.sqrt(b2 + m2 * s * s)
    return a * s + beta - (size * m2 * s / r if r > 0.0 else 0.0)


@kernel
def _nearest_to_rim(x, y, z, ux, uy, uz, nx, ny, nz, size, too):
    """Where an edge, middle (x, y, z) and half-vector u, is nearest to a circle about the origin.

    Args:
        too: look for the second of two minima.

    Returns:
        whether there is such a minimum; its t in [-1, 1].
    """
    h, k = x * nx + y * ny + z * nz, ux * nx + uy * ny + uz * nz
    rx, ry, rz = x - h * nx, y - h * ny, z - h * nz
    vx, vy, vz = ux - k * nx, uy - k * ny, uz - k * nz
    a, m2 = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    t0 = -(rx * vx + ry * vy + rz * vz) / m2 if m2 > UPRIGHT * a else 0.0
    m2 = m2 if m2 > UPRIGHT * a else 0.0
    b2 = (rx + t0 * vx) ** 2 + (ry + t0 * vy) ** 2 + (rz + t0 * vz) ** 2
    beta = (x + t0 * ux) * ux + (y + t0 * uy) * uy + (z + t0 * uz) * uz
    single = abs(t0) >= 1.0 or size * m2 <= a * np.sqrt(b2)
    if too and single:
        return False, 0.0
    side = -1.0 if too else 1.0
    if single:
        side = (-1.0 if t0 > 0.0 else 1.0) if abs(t0) >= 1.0 else (-1.0 if beta > 0.0 else 1.0)
    low, high = max(0.0, min(side * (-1.0 - t0), side * (1.0 - t0))), max(side * (-1.0 - t0), side * (1.0 - t0))
    beta *= side
    s = _furthest_minimum(a, b2, m2, beta, size)
    found = s >= 0.0
    if single and not found and low == 0.0:
        s, found = 0.0, True  # beta is zero, or rounds to it
    if found and s > high:
        found, s = _slope(a, b2, m2, beta, size, high) <= 0.0, high
    if found:
        s = max(s, low)
    if low > 0.0 and _slope(a, b2, m2, beta, size, low) >= 0.0:
        # an end may be as good as the minimum behind the rise that begins there
        at_low, at_s = a * low * low + 2.0 * beta * low, a * s * s + 2.0 * beta * s
        at_low -= 2.0 * size * np.sqrt(b2 + m2 * low * low)
        at_s -= 2.0 * size * np.sqrt(b2 + m2 * s * s)
        if not found or at_low <= at_s:
            found, s = True, low
    return found, min(max(t0 + side * s, -1.0), 1.0)


@kernel
def nearest_on_pierced(features, g, i, sub, hx, hy, hz, nx, ny, nz, hole, radius):
    """Where a part of grain ``i`` meets a pierced disc.

    Args:
        sub: vertex or edge of the grain, and what it meets. hx, hy, hz: the grain's centre relative to the disc's (m). n: the disc's normal.
        hole, radius: of the rims (m).

    Returns:
        distance (m), the point on the core relative to the centre, the vector from there to the disc. Where an edge has no such minimum the
        distance is twice the grain's radius.
    """
    part, number = sub >> PART, sub & ((1 << PART) - 1)
    if part < INNER:
        x0, x1, x2 = vertex(g, i, number)
        if part == FAR:
            lx, ly, lz = _to_circle(hx + x0, hy + x1, hz + x2, nx, ny, nz, hole, True)
        else:
            lx, ly, lz = _to_surface(hx + x0, hy + x1, hz + x2, nx, ny, nz, hole, radius)
    else:
        x0, x1, x2, ux, uy, uz = edge(features, g, i, number)
        size = hole if part < OUTER else radius
        found, t = _nearest_to_rim(hx + x0, hy + x1, hz + x2, ux, uy, uz, nx, ny, nz, size, part in (INNER_TOO, OUTER_TOO))
        if not found:
            away = 2.0 * g.x[i, 3]
            return away, x0, x1, x2, away * nx, away * ny, away * nz
        x0, x1, x2 = x0 + t * ux, x1 + t * uy, x2 + t * uz
        lx, ly, lz = _to_circle(hx + x0, hy + x1, hz + x2, nx, ny, nz, size, False)
    return np.sqrt(lx * lx + ly * ly + lz * lz), x0, x1, x2, lx, ly, lz


@inlined
def _note(entries, found, i, k, part, number):
    """Put a candidate into row ``found``, if there is room; the next row."""
    if found < entries.shape[0]:
        entries[found, 0], entries[found, 1], entries[found, 2] = i, k, (part << PART) + number
    return found + 1


@kernel
def list_parts(features, g, i, k, hx, hy, hz, nx, ny, nz, hole, radius, reach, entries, found):
    """Add the parts of grain ``i`` that come within ``reach`` (m) of pierced disc ``k`` to ``entries``; the next row. Other arguments as above."""
    for v in range(max(1, g.vert_start[i + 1] - g.vert_start[i])):
        x, y, z = vertex(g, i, v)
        lx, ly, lz = _to_surface(hx + x, hy + y, hz + z, nx, ny, nz, hole, radius)
        if lx * lx + ly * ly + lz * lz <= reach * reach:
            found = _note(entries, found, i, k, NEAR, v)
        lx, ly, lz = _to_circle(hx + x, hy + y, hz + z, nx, ny, nz, hole, True)
        if lx * lx + ly * ly + lz * lz <= reach * reach:
            found = _note(entries, found, i, k, FAR, v)
    for e in range(features.real[g.species[i]]):
        x, y, z, ux, uy, uz = edge(features, g, i, e)
        far = reach + np.sqrt(ux * ux + uy * uy + uz * uz)
        for part in (INNER, OUTER):
            lx, ly, lz = _to_circle(hx + x, hy + y, hz + z, nx, ny, nz, hole if part == INNER else radius, False)
            if lx * lx + ly * ly + lz * lz <= far * far:
                found = _note(entries, found, i, k, part, e)
                found = _note(entries, found, i, k, part + 1, e)
    return found
