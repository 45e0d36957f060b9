"""A disc with a round hole: where the vertices of a grain's core meet its surface, and its edges the rims.

The surface is the part of the disc's plane between two circles. A vertex meets the nearest point of it, and the point of the hole's rim opposite to
the nearest one: so a ball that sits in a hole smaller than itself is held from both sides, by a potential that is smooth across the axis. An edge
p(t) meets a rim of radius R in the local minima over t of

    |p|^2 - 2 R r(t) + R^2,    r^2 = b^2 + m^2 (t - t0)^2 the squared distance from the axis,

of which there may be two, on either side of the point t0 nearest to the axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined, kernel
from ...compiled.vectors import add, ahead, behind, dot, length, scale, square, subtract
from ...contacts.nearest.features import edge, vertex

NEAR, FAR, INNER, INNER_TOO, OUTER, OUTER_TOO = 0, 1, 2, 3, 4, 5  # part of a contact's sub-key: vertices on the surface, ...
PART = 28  # bits of the number of the vertex or edge below it
UPRIGHT = 1e-16  # squared sine of the angle to the axis below which an edge counts as parallel to it
ROUNDS = 100  # of Newton's method: far more than it takes


class PiercedDisc(NamedTuple):
    """A disc with a round hole about the origin.

    Attributes:
        normal: unit normal.
        hole: radius of the inner rim (m).
        radius: radius of the outer rim (m).
    """

    normal: tuple[float, float, float]
    hole: float
    radius: float


@inlined
def _to_circle(p, normal, size, opposite):
    """Vector from a point to the nearest point of a circle about the origin, or to the one opposite to that; on the axis any does.

    Args:
        p: the point (m).
        normal: unit normal of the circle's plane.
        size: its radius (m).
        opposite: whether the opposite point is wanted.
    """
    r = behind(p, dot(p, normal), normal)
    far = length(r)
    if far == 0.0:
        upright = normal[0] * normal[0] + normal[1] * normal[1] > 0.5
        r = (-normal[1], normal[0], 0.0) if upright else (0.0, -normal[2], normal[1])
        far = length(r)
    return subtract(scale(-size / far if opposite else size / far, r), p)


@inlined
def _to_surface(p, disc):
    """Vector from a point to the nearest point of the surface of a `PiercedDisc` (m)."""
    h = dot(p, disc.normal)
    r2 = square(behind(p, h, disc.normal))
    if disc.hole * disc.hole <= r2 <= disc.radius * disc.radius:
        return scale(-h, disc.normal)
    return _to_circle(p, disc.normal, disc.hole if r2 < disc.hole * disc.hole else disc.radius, False)


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
def _nearest_to_rim(middle, half, normal, size, too):
    """Where an edge is nearest to a circle about the origin.

    Args:
        middle: of the edge (m).
        half: half the vector along it (m).
        normal: unit normal of the circle's plane.
        size: its radius (m).
        too: look for the second of two minima.

    Returns:
        whether there is such a minimum; its t in [-1, 1].
    """
    r = behind(middle, dot(middle, normal), normal)
    v = behind(half, dot(half, normal), normal)
    a, m2 = square(half), square(v)
    t0 = -dot(r, v) / m2 if m2 > UPRIGHT * a else 0.0
    m2 = m2 if m2 > UPRIGHT * a else 0.0
    b2 = square(ahead(r, t0, v))
    beta = dot(ahead(middle, t0, half), half)
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
def nearest_on_pierced(features, g, i, sub, h, disc):
    """Where a part of grain ``i`` meets a pierced disc.

    Args:
        features: `Features`.
        g: `Grains`.
        i: row of the grain.
        sub: vertex or edge of the grain, and what it meets.
        h: the grain's centre relative to the disc's (m).
        disc: `PiercedDisc`.

    Returns:
        distance (m), the point on the core relative to the centre (m), the vector from there to the disc (m). Where an edge has no such minimum the
        distance is twice the grain's radius.
    """
    part, number = sub >> PART, sub & ((1 << PART) - 1)
    if part < INNER:
        x = vertex(g, i, number)
        line = _to_circle(add(h, x), disc.normal, disc.hole, True) if part == FAR else _to_surface(add(h, x), disc)
    else:
        x, u = edge(features, g, i, number)
        size = disc.hole if part < OUTER else disc.radius
        found, t = _nearest_to_rim(add(h, x), u, disc.normal, size, part in (INNER_TOO, OUTER_TOO))
        if not found:
            away = 2.0 * g.x[i, 3]
            return away, x, scale(away, disc.normal)
        x = ahead(x, t, u)
        line = _to_circle(add(h, x), disc.normal, size, False)
    return length(line), x, line


@inlined
def _note(entries, found, i, k, part, number):
    """Put a candidate into row ``found``, if there is room; the next row."""
    if found < entries.shape[0]:
        entries[found, 0], entries[found, 1], entries[found, 2] = i, k, (part << PART) + number
    return found + 1


@kernel
def list_parts(walls, g, i, k, h, reach, entries, found):
    """Add the parts of grain ``i`` that come near a pierced disc to the candidates.

    Args:
        walls: `Walls`.
        g: `Grains`.
        i: row of the grain.
        k: the disc's wall.
        h: the grain's centre relative to the disc's (m).
        reach: between the core and the disc (m).
        entries: (capacity, 3) int64 grain, wall and part.
        found: number of entries so far.

    Returns:
        number of entries, which may exceed the capacity: those beyond are not there.
    """
    features, shape, pose = walls.features, walls.shape[k], walls.pose[k]
    disc = PiercedDisc((pose[9], pose[10], pose[11]), shape[7], shape[6])
    for v in range(max(1, g.vert_start[i + 1] - g.vert_start[i])):
        p = add(h, vertex(g, i, v))
        if square(_to_surface(p, disc)) <= reach * reach:
            found = _note(entries, found, i, k, NEAR, v)
        if square(_to_circle(p, disc.normal, disc.hole, True)) <= reach * reach:
            found = _note(entries, found, i, k, FAR, v)
    for e in range(features.real[g.species[i]]):
        middle, half = edge(features, g, i, e)
        p, far = add(h, middle), reach + length(half)
        for part in (INNER, OUTER):
            if square(_to_circle(p, disc.normal, disc.hole if part == INNER else disc.radius, False)) <= far * far:
                found = _note(entries, found, i, k, part, e)
                found = _note(entries, found, i, k, part + 1, e)
    return found
