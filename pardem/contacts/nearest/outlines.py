"""Faces of grains as outlines: any simple plane polygon, convex or not, with its normal, the points over it and the nearest of its points."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from ...compiled.choices import larger, select, smaller
from ...compiled.jit import INLINED, inlined
from ...compiled.lanes.arithmetic import all_of
from ...compiled.lanes.memory import load
from ...compiled.lanes.types import WIDTH, zero_of
from ...compiled.vectors import add, ahead, behind, choose, cross, dot, magnitudes, row, square, subtract

RIM = 1e-8
"""Tangent of the angle at a point over a face between the face's normal and its rim below which the point counts as over the rim: far above rounding,
and below the angle (``polytope_faces.TILT``) up to which features count as parallel."""


class Outline(NamedTuple):
    """One face of a grain in its present orientation.

    Attributes:
        vert: (M, 3) float64 world vertices of all grains, relative to their centres (m).
        base: row of the grain's first vertex.
        loops: int32 vertex numbers of all faces, within their species.
        first: place of the face's first corner in ``loops``.
        last: the place after its last corner.
    """

    vert: np.ndarray
    base: int
    loops: np.ndarray
    first: int
    last: int


class OutlineLanes(NamedTuple):
    """Faces of WIDTH grains in ``lanes``. One that has fewer corners than others has its last one several times.

    Attributes:
        corners: work space: the corners one after the other, three columns of WIDTH numbers each (m).
        count: numbers of their corners, int64 lanes.
        first: 0.
        last: the largest of these numbers.
    """

    corners: np.ndarray
    count: Any
    first: int
    last: int


def corner(face, m):
    """Corner of a face relative to the grain's centre (m).

    Args:
        face: `Outline`, or `OutlineLanes`.
        m: place of the corner, from ``first`` on.
    """


def has_corner(face, m):
    """Whether a face has a corner at a place, or else its last one again.

    Args:
        face: `Outline`, or `OutlineLanes`.
        m: the place.
    """


@overload(corner, jit_options=INLINED, strict=False)
def _corner(face: Any, m: Any) -> Any:
    if face.instance_class is OutlineLanes:
        return _corners.py_func
    return lambda face, m: row(face.vert, face.base + face.loops[m])


@overload(has_corner, jit_options=INLINED, strict=False)
def _has_corner(face: Any, m: Any) -> Any:
    if face.instance_class is OutlineLanes:
        return lambda face, m: m < face.count
    return lambda face, m: True


@inlined
def _corners(face, m):
    place = 3 * WIDTH * m
    return load(face.corners, place), load(face.corners, place + WIDTH), load(face.corners, place + 2 * WIDTH)


@inlined
def area_vector(face):
    """Twice the area of a face, any simple plane polygon, times its unit normal (m^2).

    Args:
        face: `Outline`.
    """
    origin = corner(face, face.first)
    a = subtract(corner(face, face.first + 1), origin)
    n = zero_of(a[0]), zero_of(a[1]), zero_of(a[2])
    for m in range(face.first + 2, face.last):
        b = subtract(corner(face, m), origin)
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


@inlined
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
    for m in range(face.first, face.last):
        b0, b1 = _seen_along(normal, corner(face, m))
        below, rising = (q0 - a0) * (b1 - a1) < (q1 - a1) * (b0 - a0), b1 > a1
        crossed = ((a1 > q1) & (not b1 > q1) | (not a1 > q1) & (b1 > q1)) & (below & rising | (not below) & (not rising))
        inside = inside & (not crossed) | (not inside) & crossed
        a0, a1 = b0, b1
    return inside


@inlined
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


@inlined
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
    for m in range(face.first, face.last):
        b = corner(face, m)
        side = subtract(b, a)
        s = smaller(1.0, larger(0.0, dot(subtract(p, a), side) / square(side)))
        e = ahead(a, s, side)
        d2 = square(subtract(e, p))
        nearer = (d2 < best) & has_corner(face, m)
        best, nearest = select(nearer, d2, best), choose(nearer, e, nearest)
        a = b
    return choose(over, foot, nearest)
