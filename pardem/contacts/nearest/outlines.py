"""Faces of grains as outlines: any simple plane polygon, convex or not, with its normal, the points over it and the nearest of its points."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from ...compiled.choices import larger, select, smaller
from ...compiled.jit import INLINED, inlined, kernel
from ...compiled.lanes.arithmetic import all_of, most_of
from ...compiled.lanes.memory import gather, pick, transpose, words
from ...compiled.lanes.types import Lanes, zero_of
from ...compiled.vectors import add, ahead, behind, choose, cross, dot, magnitudes, row, square, subtract

RIM = 1e-8
"""Tangent of the angle at a point over a face between the face's normal and its rim below which the point counts as over the rim: far above rounding,
and below the angle (``polytope_faces.TILT``) up to which features count as parallel."""


class Outline(NamedTuple):
    """One face of a grain in its present orientation, or one of each of several grains in ``lanes``.

    Attributes:
        vert: (M, 3) float64 world vertices of all grains, relative to their centres (m).
        base: row of the grain's first vertex.
        loops: int32 vertex numbers of all faces, within their species.
        first: place of the face's first corner in ``loops``.
        last: the place after its last corner.
    """

    vert: Any
    base: Any
    loops: Any
    first: Any
    last: Any


def corner(face, m):
    """Corner of a face relative to the grain's centre (m). In lanes, a face that has fewer corners gives its last one again.

    Args:
        face: `Outline`.
        m: place of the corner in ``loops``.
    """


@overload(corner, jit_options=INLINED, strict=False)
def _corner(face: Any, m: Any) -> Any:
    if isinstance(face.types[1], Lanes):
        return _corners.py_func
    return lambda face, m: row(face.vert, face.base + face.loops[m])


@inlined
def _corners(face, m):
    number = pick(face.loops, words(smaller(m, face.last - 1)))
    x, y, z, _ = transpose(gather(face.vert, words(face.base + number), 3, 0))
    return x, y, z


@inlined
def _corner_count(face):
    """Number of corners of a face; in lanes of that which has most."""
    return most_of(face.last - face.first)


@kernel
def area_vector(face):
    """Twice the area of a face, any simple plane polygon, times its unit normal (m^2).

    Args:
        face: `Outline`.
    """
    origin = corner(face, face.first)
    a = subtract(corner(face, face.first + 1), origin)
    n = zero_of(a[0]), zero_of(a[1]), zero_of(a[2])
    for k in range(2, _corner_count(face)):
        b = subtract(corner(face, face.first + k), origin)
        n = add(n, cross(a, b))
        a = b
    return n


@inlined
def largest_axes(n):
    """The two coordinate axes along which a face is seen largest, in the order that keeps its sense of rotation where the third component is
    positive.

    Args:
        n: normal of the face, of any length > 0.
    """
    if abs(n[0]) >= abs(n[1]) and abs(n[0]) >= abs(n[2]):
        return 1, 2
    if abs(n[1]) >= abs(n[2]):
        return 2, 0
    return 0, 1


@inlined
def _seen_along(normal, q):
    """A point's coordinates along the ``largest_axes`` of a normal."""
    size = magnitudes(normal)
    first = (size[0] >= size[1]) & (size[0] >= size[2])
    second = (size[1] >= size[0]) & (size[1] >= size[2])
    return select(first, q[1], select(second, q[2], q[0])), select(first, q[2], select(second, q[0], q[1]))


@kernel
def within_outline(face, normal, q):
    """Whether a point of a face's plane lies inside the face: crossings of a ray, seen along an axis.

    Args:
        face: `Outline`.
        normal: its ``area_vector`` (m^2).
        q: the point, relative to the grain's centre (m).
    """
    q0, q1 = _seen_along(normal, q)
    a0, a1 = _seen_along(normal, corner(face, face.last - 1))
    inside = q0 != q0
    for k in range(_corner_count(face)):
        b0, b1 = _seen_along(normal, corner(face, face.first + k))
        below, rising = (q0 - a0) * (b1 - a1) < (q1 - a1) * (b0 - a0), b1 > a1
        crossed = ((a1 > q1) & (not b1 > q1) | (not a1 > q1) & (b1 > q1)) & (below & rising | (not below) & (not rising))
        inside = inside & (not crossed) | (not inside) & crossed
        a0, a1 = b0, b1
    return inside


@kernel
def over_face(face, p):
    """Whether the foot of the point p on a face's plane lies inside the face, farther from its sides than RIM of its height.

    Args:
        face: `Outline`.
        p: the point, relative to the grain's centre (m).
    """
    normal = area_vector(face)
    height = dot(subtract(p, corner(face, face.first)), normal) / square(normal)
    foot = behind(p, height, normal)
    if not within_outline(face, normal, foot):
        return False
    least = RIM * RIM * height * height * square(normal)
    a = corner(face, face.last - 1)
    for m in range(face.first, face.last):
        b = corner(face, m)
        side, d = subtract(b, a), subtract(foot, a)
        s = min(1.0, max(0.0, dot(d, side) / square(side)))
        if square(behind(d, s, side)) <= least:
            return False
        a = b
    return True


@kernel
def nearest_on_face(face, p, reach2):
    """Nearest point of a face to the point p, both relative to the grain's centre (m); the face is any simple plane polygon.

    One text for a face and for several in ``lanes``.

    Args:
        face: `Outline`.
        p: the point (m).
        reach2: squared distance (m^2) beyond which any point of the plane will do.
    """
    normal = area_vector(face)
    rise = dot(subtract(p, corner(face, face.first)), normal)
    height = rise / square(normal)
    foot = behind(p, height, normal)
    over = rise * height > reach2
    if all_of(over):
        return foot
    over = over | within_outline(face, normal, foot)
    if all_of(over):
        return foot
    a = corner(face, face.last - 1)
    nearest, best = a, zero_of(rise) + np.inf
    for k in range(_corner_count(face)):
        b = corner(face, face.first + k)
        side = subtract(b, a)
        s = smaller(1.0, larger(0.0, dot(subtract(p, a), side) / square(side)))
        e = ahead(a, s, side)
        d2 = square(subtract(e, p))
        nearer = (d2 < best) & (face.first + k < face.last)
        best, nearest = select(nearer, d2, best), choose(nearer, e, nearest)
        a = b
    return choose(over, foot, nearest)
