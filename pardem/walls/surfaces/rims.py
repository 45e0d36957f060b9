"""Where the edges of a grain's core meet a circle: the rim of a hole, of a disc or of a cone.

An edge p(t) meets a rim of radius R in the local minima over t of

    |p|^2 - 2 R r(t) + R^2,    r^2 = b^2 + m^2 (t - t0)^2 the squared distance from the axis,

of which there may be two, on either side of the point t0 nearest to the axis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import add, ahead, behind, dot, length, scale, square, subtract
from ...contacts.nearest.features import edge
from .listing import put

PART = 28  # bits of the number of a vertex or edge in the sub-key of a contact; above it the part of the surface that it meets
NUMBER = (1 << PART) - 1  # of the vertex or edge
UPRIGHT = 1e-16  # squared sine of the angle to the axis below which an edge counts as parallel to it
ROUNDS = 100  # of Newton's method: far more than it takes


class Rim(NamedTuple):
    """A circle, as seen from a grain.

    Attributes:
        h: the grain's centre relative to that of the circle (m).
        normal: unit normal of the circle's plane.
        size: its radius (m).
    """

    h: tuple[float, float, float]
    normal: tuple[float, float, float]
    size: float


@inlined
def to_circle(p, normal, size, opposite):
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


@inlined
def nearest_to_rim(middle, half, normal, size, too):
    """Where an edge is nearest to a circle about the origin.

    Args:
        middle: middle of the edge (m).
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


@inlined
def meet_rim(features, g, i, number, rim, too):
    """Where an edge of grain ``i`` meets a rim.

    Args:
        features: `Features`.
        g: `Grains`.
        i: row of the grain.
        number: number of the edge.
        rim: `Rim`.
        too: look for the second of two minima.

    Returns:
        distance (m), the point on the edge relative to the grain's centre (m), the vector from there to the rim (m). Where there is no such minimum
        the distance is twice the grain's radius.
    """
    x, u = edge(features, g, i, number)
    found, t = nearest_to_rim(add(rim.h, x), u, rim.normal, rim.size, too)
    if not found:
        away = 2.0 * g.x[i, 3]
        return away, x, scale(away, rim.normal)
    x = ahead(x, t, u)
    line = to_circle(add(rim.h, x), rim.normal, rim.size, False)
    return length(line), x, line


@inlined
def put_edges(near, entries, found, rim, part):
    """List the edges of a grain that come near a rim, twice each: an edge may have two minima.

    Args:
        near: `listing.GrainNearWall`.
        entries: (capacity, 3) int64 grain, wall and part.
        found: number of entries so far.
        rim: `Rim`.
        part: the first of the two.

    Returns:
        number of entries, which may exceed the capacity: those beyond are not there.
    """
    g, i, features = near.g, near.i, near.walls.features
    for e in range(features.real[g.species[i]]):
        middle, half = edge(features, g, i, e)
        far = near.reach + length(half)
        if square(to_circle(add(rim.h, middle), rim.normal, rim.size, False)) <= far * far:
            found = put(entries, found, near.i, near.k, (part << PART) + e)
            found = put(entries, found, near.i, near.k, ((part + 1) << PART) + e)
    return found
