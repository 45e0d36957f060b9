"""Exact mass properties of a convex spheropolytope by decomposition (docs/theory/grains.md).

The body is the core, a prism on each face, a wedge of a cylinder on each edge and a sector of a ball at each vertex. Each piece gives its volume and
first and second moments in closed form. They are summed about the centre of mass and in principal axes, so that no moment is a small difference of
large ones: tiny and huge aspect ratios lose no digits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...errors import ShapeError

Faces = tuple[tuple[int, ...], ...]
Moments = tuple[float, np.ndarray, np.ndarray]

KEEP_AXES = 1e-12
"""Correlation below which the given axes count as principal."""


class RoundedSkeleton(NamedTuple):
    """A skeleton and the radius that rounds it.

    Attributes:
        vertices: (nv, 3) vertices (m).
        edges: (ne, 2) vertex numbers.
        faces: loops of vertex numbers, outward if solid.
        radius: sphero-radius (m).
        solid: whether the inside of closed faces belongs to the body.
    """

    vertices: np.ndarray
    edges: np.ndarray
    faces: Faces
    radius: float
    solid: bool


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass properties of a body.

    Attributes:
        volume: volume (m^3); in 2D area (m^2).
        mass: mass (kg).
        centre: (3,) centre of mass, in the given axes (m).
        inertia: (3, 3) inertia tensor about the centre of mass, in the given axes (kg m^2).
        principal_moments: (3,) principal moments of inertia, in the order of the axes (kg m^2).
        principal_axes: (3, 3) principal axes, right-handed, one in each column: ``inertia = axes @ diag(moments) @ axes.T``. If the given axes are
            principal (for a cube any axes are), they are kept; otherwise these are the axes reached from them by a sequence of rotations by at most
            45 degrees.
    """

    volume: float
    mass: float
    centre: np.ndarray
    inertia: np.ndarray
    principal_moments: np.ndarray
    principal_axes: np.ndarray


def exact_mass_properties(vertices: np.ndarray, edges: np.ndarray, faces: Faces, radius: float, density: float) -> MassProperties:
    """Compute the mass properties of the Minkowski sum of a convex core and a ball.

    Args:
        vertices: (nv, 3) core vertices (m).
        edges: (ne, 2) vertex numbers.
        faces: outward loops of vertex numbers; a flat core has one.
        radius: radius of the ball (m).
        density: mass density (kg/m^3).

    Returns:
        The mass properties, exact up to rounding.
    """
    middle = vertices.mean(axis=0)
    core = vertices - middle
    sides = _sides(edges, faces)
    volume, first, _ = _moments(core, sides, radius)
    if not 0.0 < volume < np.inf:
        raise ShapeError(f"The volume of the grain comes out as {volume:g} m^3: lengths are in metres; check them.")
    offset = first / volume
    offset[np.abs(offset) <= 8.0 * np.finfo(float).eps * (np.abs(core).max() + radius)] = 0.0  # symmetric cores: the mean of the vertices
    core = core - offset
    volume, _, second = _moments(core, sides, radius)
    turn = principal_axes(second)
    axes, spreads = turn, second.diagonal()
    if not np.array_equal(turn, np.eye(3)):
        # once more in the new axes: the small moments of a long body are differences of large ones in oblique axes
        _, _, turned = _moments(core @ axes, sides, radius)
        turn = principal_axes(turned)
        axes, spreads = axes @ turn, (turn.T @ turned @ turn).diagonal()
    return MassProperties(
        volume, density * volume, middle + offset, density * _inertia(second), density * _inertia(np.diag(spreads)).diagonal(), axes
    )


def _inertia(second: np.ndarray) -> np.ndarray:
    """Inertia tensor from second moments; the diagonal as sums, without the cancellation of trace minus element."""
    xx, yy, zz = second.diagonal()
    inertia = -second
    inertia[0, 0], inertia[1, 1], inertia[2, 2] = yy + zz, xx + zz, xx + yy
    return inertia


def principal_axes(second: np.ndarray) -> np.ndarray:
    """Diagonalise second moments by cyclic Jacobi rotations.

    Args:
        second: (3, 3) second moments.

    Returns:
        (3, 3) rotation whose columns are the axes; the identity if the moments are diagonal already.
    """
    a, axes = second.copy(), np.eye(3)

    def correlation(i: int, j: int) -> float:
        return abs(a[i, j]) / np.sqrt(a[i, i] * a[j, j])

    pairs = ((0, 1), (0, 2), (1, 2))
    if max(correlation(i, j) for i, j in pairs) <= KEEP_AXES:
        return axes
    for _ in range(30):
        if max(correlation(i, j) for i, j in pairs) <= 1e-16:
            break
        for i, j in pairs:
            if a[i, j] == 0.0:
                continue
            ratio = (a[j, j] - a[i, i]) / (2.0 * a[i, j])
            t = (1.0 if ratio >= 0.0 else -1.0) / (abs(ratio) + np.sqrt(1.0 + ratio * ratio))
            c = 1.0 / np.sqrt(1.0 + t * t)
            turn = np.eye(3)
            turn[i, i] = turn[j, j] = c
            turn[i, j], turn[j, i] = t * c, -t * c
            a, axes = turn.T @ a @ turn, axes @ turn
            a[i, j] = a[j, i] = 0.0
    return axes


class _Sides(NamedTuple):
    """What bounds a core; a flat one has two sides.

    Attributes:
        triangles: (nt, 3) fans of the sides' loops.
        first: (ns,) first triangle of each side.
        side: (nt,) of each triangle.
        corners: (nc, 3) a vertex of a side, the one before it, the one after.
        edges: (ne, 2).
        wings: (ne, 2) sides to the left and to the right of an edge; none where there are no sides.
        solid: whether the sides enclose a volume.
    """

    triangles: np.ndarray
    first: np.ndarray
    side: np.ndarray
    corners: np.ndarray
    edges: np.ndarray
    wings: np.ndarray
    solid: bool


def _sides(edges: np.ndarray, faces: Faces) -> _Sides:
    loops = (*faces, faces[0][::-1]) if len(faces) == 1 else faces
    triangles = [(loop[0], loop[k], loop[k + 1]) for loop in loops for k in range(1, len(loop) - 1)]
    count = np.array([len(loop) - 2 for loop in loops], dtype=np.int64)
    corners = [(loop[k], loop[k - 1], loop[(k + 1) % len(loop)]) for loop in loops for k in range(len(loop))]
    side_of = {(loop[k - 1], loop[k]): f for f, loop in enumerate(loops) for k in range(len(loop))}
    wings = [(side_of[a, b], side_of[b, a]) for a, b in edges.tolist()] if loops else []
    rows = [np.array(table, dtype=np.int64).reshape(-1, width) for table, width in ((triangles, 3), (corners, 3), (wings, 2))]
    return _Sides(rows[0], np.cumsum(count) - count, np.repeat(np.arange(len(loops)), count), rows[1], edges, rows[2], len(faces) > 1)


def _moments(vertices: np.ndarray, sides: _Sides, radius: float) -> Moments:
    """Integrals of 1, x and x x^T over the body."""
    pieces, normals = [], np.zeros((0, 3))
    if len(sides.triangles):
        a, b, c = (vertices[sides.triangles[:, k]] for k in range(3))
        areas = 0.5 * np.cross(b - a, c - a)
        normals = _unit(np.add.reduceat(areas, sides.first))
        pieces.append(_core_and_prisms(a, b, c, areas, normals[sides.side], radius, sides.solid))
    solid_angle, outward = np.full(len(vertices), 4.0 * np.pi if len(sides.edges) == 0 else 2.0 * np.pi), np.zeros_like(vertices)
    at, before, after = (vertices[sides.corners[:, k]] for k in range(3))
    p, q = before - at, after - at
    np.subtract.at(solid_angle, sides.corners[:, 0], np.arctan2(_size(np.cross(p, q))[:, 0], _dot(p, q)[:, 0]))
    if len(sides.edges):
        direction, normal, angle = _wedges(vertices, sides, normals)
        pieces.append(_sectors(vertices[sides.edges[:, 0]], vertices[sides.edges[:, 1]], direction, normal, angle, radius))
        # integral of the unit vector over the cap (Lambert): half the arcs' angles times their axes
        np.subtract.at(outward, sides.edges[:, 0], 0.5 * angle * direction)
        np.add.at(outward, sides.edges[:, 1], 0.5 * angle * direction)
    pieces.append(_caps(vertices, solid_angle, outward, radius))
    return sum(p[0] for p in pieces), sum((p[1] for p in pieces), np.zeros(3)), sum((p[2] for p in pieces), np.zeros((3, 3)))


def _core_and_prisms(a: np.ndarray, b: np.ndarray, c: np.ndarray, areas: np.ndarray, normal: np.ndarray, r: float, solid: bool) -> Moments:
    """The prisms of height r on triangles (a, b, c) of faces and, for a solid core, their pyramids from the origin."""
    area, total = _dot(areas, normal), a + b + c
    squares = (_outer(a, a) + _outer(b, b) + _outer(c, c) + _outer(total, total)) * area[:, :, None]
    gn = _outer(total / 3.0, normal)
    volume = area * r
    first = area * (r * total / 3.0 + 0.5 * r * r * normal)
    second = r * squares / 12.0 + area[:, :, None] * (0.5 * r * r * (gn + gn.transpose(0, 2, 1)) + r**3 / 3.0 * _outer(normal, normal))
    if solid:
        height = _dot(a, normal) / 3.0
        volume = volume + height * area
        first += height * area * total / 4.0
        second += height[:, :, None] * squares / 20.0
    return float(volume.sum()), first.sum(axis=0), second.sum(axis=0)


def _wedges(vertices: np.ndarray, sides: _Sides, normals: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each edge: direction, normal where the wedge begins ((ne, 3) each), angle about the direction (ne, 1)."""
    direction = _unit(vertices[sides.edges[:, 1]] - vertices[sides.edges[:, 0]])
    if not len(sides.wings):  # a segment: a whole turn
        return direction, np.array([_perpendicular(d) for d in direction]), np.full((len(direction), 1), 2.0 * np.pi)
    n, m = normals[sides.wings[:, 0]], normals[sides.wings[:, 1]]
    if not sides.solid:
        return direction, n, np.full((len(direction), 1), np.pi)
    return direction, n, np.arctan2(_dot(np.cross(n, m), direction), _dot(n, m))


def _sectors(p: np.ndarray, q: np.ndarray, direction: np.ndarray, normal: np.ndarray, angle: np.ndarray, r: float) -> Moments:
    """Sectors of a disk of radius r swept along edges from p to q."""
    length, middle = _size(q - p), 0.5 * (p + q)
    whole = angle == 2.0 * np.pi
    half_sine, sine = np.where(whole, 0.0, np.sin(0.5 * angle)), np.where(whole, 0.0, np.sin(angle))
    # angle - sin(angle) by its series where the difference would lose digits
    lack = np.where(angle > 1e-2, angle - sine, angle**3 / 6.0 * (1.0 - angle**2 / 20.0 * (1.0 - angle**2 / 42.0)))
    bisector = np.cos(0.5 * angle) * normal + np.sin(0.5 * angle) * np.cross(direction, normal)
    other = np.cross(direction, bisector)
    area = 0.5 * angle * r * r
    first = 2.0 / 3.0 * r**3 * half_sine * bisector
    second = r**4 / 8.0 * ((angle + sine)[:, :, None] * _outer(bisector, bisector) + lack[:, :, None] * _outer(other, other))
    mf = _outer(middle, first)
    line = _outer(middle, middle) + (length**2 / 12.0)[:, :, None] * _outer(direction, direction)
    second = length[:, :, None] * (area[:, :, None] * line + mf + mf.transpose(0, 2, 1) + second)
    return float((area * length).sum()), (length * (area * middle + first)).sum(axis=0), second.sum(axis=0)


def _size(vectors: np.ndarray) -> np.ndarray:
    return np.sqrt(_dot(vectors, vectors))


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Products of rows, (n, 1)."""
    return np.asarray((a * b).sum(axis=1, keepdims=True))


def _outer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Tensor products of rows, (n, 3, 3)."""
    return a[:, :, None] * b[:, None, :]


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / _size(vectors)


def _perpendicular(direction: np.ndarray) -> np.ndarray:
    axis = np.zeros(3)
    axis[np.argmin(np.abs(direction))] = 1.0
    across = np.cross(direction, axis)
    return np.asarray(across / np.linalg.norm(across))


def _caps(vertices: np.ndarray, solid_angle: np.ndarray, outward: np.ndarray, r: float) -> Moments:
    """Sectors of a ball at the vertices; their second moments about the vertices add up to those of a whole ball."""
    weight = r**3 / 3.0 * solid_angle
    cross = r**4 / 4.0 * (vertices.T @ outward)
    second = (vertices * weight[:, None]).T @ vertices + cross + cross.T + 4.0 * np.pi / 15.0 * r**5 * np.eye(3)
    return 4.0 * np.pi / 3.0 * r**3, weight @ vertices + r**4 / 4.0 * outward.sum(axis=0), second
