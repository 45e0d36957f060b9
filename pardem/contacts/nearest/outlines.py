"""Faces of grains as outlines: any simple plane polygon, convex or not, with its normal, the points over it and the nearest of its points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined, kernel
from ...compiled.vectors import ZERO, add, ahead, behind, component, cross, dot, row, square, subtract

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


@inlined
def corner(face, m):
    """Corner of a face relative to the grain's centre (m).

    Args:
        face: `Outline`.
        m: place of the corner in ``loops``.
    """
    return row(face.vert, face.base + face.loops[m])


@kernel
def area_vector(face):
    """Twice the area of a face, any simple plane polygon, times its unit normal (m^2).

    Args:
        face: `Outline`.
    """
    origin = corner(face, face.first)
    n = ZERO
    a = subtract(corner(face, face.first + 1), origin)
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


@kernel
def within_outline(face, normal, q):
    """Whether a point of a face's plane lies inside the face: crossings of a ray, seen along an axis.

    Args:
        face: `Outline`.
        normal: its ``area_vector`` (m^2).
        q: the point, relative to the grain's centre (m).
    """
    u, v = largest_axes(normal)
    vert, loops = face.vert, face.loops
    q0, q1 = component(q, u), component(q, v)
    inside = False
    a = face.base + loops[face.last - 1]
    a0, a1 = vert[a, u], vert[a, v]
    for m in range(face.first, face.last):
        b = face.base + loops[m]
        b0, b1 = vert[b, u], vert[b, v]
        if (a1 > q1) != (b1 > q1) and ((q0 - a0) * (b1 - a1) < (q1 - a1) * (b0 - a0)) == (b1 > a1):
            inside = not inside
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

    Args:
        face: `Outline`.
        p: the point (m).
        reach2: squared distance (m^2) beyond which any point of the plane will do.
    """
    normal = area_vector(face)
    rise = dot(subtract(p, corner(face, face.first)), normal)
    height = rise / square(normal)
    foot = behind(p, height, normal)
    if rise * height > reach2 or within_outline(face, normal, foot):
        return foot
    best, nearest = np.inf, ZERO
    a = corner(face, face.last - 1)
    for m in range(face.first, face.last):
        b = corner(face, m)
        side = subtract(b, a)
        s = min(1.0, max(0.0, dot(subtract(p, a), side) / square(side)))
        e = ahead(a, s, side)
        d2 = square(subtract(e, p))
        if d2 < best:
            best, nearest = d2, e
        a = b
    return nearest
