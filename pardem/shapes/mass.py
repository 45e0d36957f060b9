"""Exact mass properties of a convex spheropolytope by decomposition (docs/theory/grains.md).

The body is the core, a prism on each face, a wedge of a cylinder on each edge and a sector of a ball at each vertex. Each piece gives its volume and
first and second moments in closed form. They are summed about the centre of mass and in principal axes, so that no moment is a small difference of
large ones: tiny and huge aspect ratios lose no digits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import ShapeError

Faces = tuple[tuple[int, ...], ...]
Moments = tuple[float, np.ndarray, np.ndarray]

KEEP_AXES = 1e-12
"""Correlation below which the given axes count as principal."""


@dataclass(frozen=True, eq=False)
class MassProperties:
    """Mass properties of a body.

    Attributes:
        volume: (m^3). mass: (kg).
        centre: (3,) centre of mass, in the axes given (m).
        inertia: (3, 3) about the centre of mass, in the axes given (kg m^2).
        principal_moments: (3,) (kg m^2), in the order of the axes.
        principal_axes: (3, 3) right-handed, one axis a column: ``inertia = axes @ diag(moments) @ axes.T``. The given axes where they are
            principal already (any axes of a cube are); else those that a sequence of rotations by at most 45 degrees reaches from there.
    """

    volume: float
    mass: float
    centre: np.ndarray
    inertia: np.ndarray
    principal_moments: np.ndarray
    principal_axes: np.ndarray


def exact_mass_properties(vertices: np.ndarray, edges: np.ndarray, faces: Faces, radius: float, density: float) -> MassProperties:
    """Mass properties of the Minkowski sum of a convex core and a ball.

    Args:
        vertices: (nv, 3) (m). edges: (ne, 2). faces: outward loops; one for a flat core. radius: of the ball (m). density: (kg/m^3).
    """
    middle = vertices.mean(axis=0)
    core = vertices - middle
    volume, first, _ = _moments(core, edges, faces, radius)
    if not 0.0 < volume < np.inf:
        raise ShapeError(f"The volume of the grain comes out as {volume:g} m^3: lengths are in metres; check them.")
    offset = first / volume
    offset[np.abs(offset) <= 8.0 * np.finfo(float).eps * (np.abs(core).max() + radius)] = 0.0  # symmetric cores: the mean of the vertices
    core = core - offset
    volume, _, second = _moments(core, edges, faces, radius)
    turn = principal_axes(second)
    axes, spreads = turn, second.diagonal()
    if not np.array_equal(turn, np.eye(3)):
        # once more in the new axes: the small moments of a long body are differences of large ones in oblique axes
        _, _, turned = _moments(core @ axes, edges, faces, radius)
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
    """Rotation ((3, 3), columns are axes) that makes second moments diagonal, by cyclic Jacobi rotations; the identity if they are already."""
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


def _moments(vertices: np.ndarray, edges: np.ndarray, faces: Faces, radius: float) -> Moments:
    """Integrals of 1, x and x x^T over the body."""
    sides = (*faces, faces[0][::-1]) if len(faces) == 1 else faces
    normals = [_area_vector(vertices, loop) for loop in sides]
    normals = [n / np.linalg.norm(n) for n in normals]
    pieces = [_core_and_prism(vertices, loop, n, radius, solid=len(faces) > 1) for loop, n in zip(sides, normals)]
    solid_angle, outward = np.full(len(vertices), 4.0 * np.pi if len(edges) == 0 else 2.0 * np.pi), np.zeros_like(vertices)
    for loop in sides:
        for k, v in enumerate(loop):
            a, b = vertices[loop[k - 1]] - vertices[v], vertices[loop[(k + 1) % len(loop)]] - vertices[v]
            solid_angle[v] -= np.arctan2(np.linalg.norm(np.cross(a, b)), np.dot(a, b))
    for a, b, direction, normal, angle in _wedges(vertices, edges, sides, normals):
        pieces.append(_wedge(vertices[a], vertices[b], direction, normal, angle, radius))
        outward[a] -= 0.5 * angle * direction  # integral of the unit vector over the cap (Lambert): half the arcs' angles times their axes
        outward[b] += 0.5 * angle * direction
    pieces.append(_caps(vertices, solid_angle, outward, radius))
    return sum(p[0] for p in pieces), sum((p[1] for p in pieces), np.zeros(3)), sum((p[2] for p in pieces), np.zeros((3, 3)))


def _area_vector(vertices: np.ndarray, loop: tuple[int, ...]) -> np.ndarray:
    p = vertices[list(loop)]
    return 0.5 * np.cross(p[1:-1] - p[0], p[2:] - p[0]).sum(axis=0)


def _core_and_prism(vertices: np.ndarray, loop: tuple[int, ...], normal: np.ndarray, r: float, solid: bool) -> Moments:
    """A face's prism of height r and, for a solid core, its pyramid from the origin; by triangles."""
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    nn = np.outer(normal, normal)
    for k in range(1, len(loop) - 1):
        a, b, c = vertices[loop[0]], vertices[loop[k]], vertices[loop[k + 1]]
        area = 0.5 * np.dot(np.cross(b - a, c - a), normal)
        total = a + b + c
        squares = np.outer(a, a) + np.outer(b, b) + np.outer(c, c) + np.outer(total, total)
        gn = np.outer(total / 3.0, normal)
        volume += area * r
        first += area * (r * total / 3.0 + 0.5 * r * r * normal)
        second += area * (r * squares / 12.0 + 0.5 * r * r * (gn + gn.T) + r**3 / 3.0 * nn)
        if solid:
            tetrahedron = np.dot(a, normal) * area / 3.0
            volume += tetrahedron
            first += tetrahedron * total / 4.0
            second += tetrahedron * squares / 20.0
    return volume, first, second


def _wedges(vertices: np.ndarray, edges: np.ndarray, sides: Faces, normals: list[np.ndarray]) -> list[tuple[int, int, np.ndarray, np.ndarray, float]]:
    """Edges as (first vertex, second vertex, direction, normal where the wedge begins, angle about the direction)."""
    if not sides:  # a segment: a whole turn
        return [(a, b, d, _perpendicular(d), 2.0 * np.pi) for a, b in edges.tolist() for d in [_unit(vertices[b] - vertices[a])]]
    face_of = {(loop[k], loop[(k + 1) % len(loop)]): f for f, loop in enumerate(sides) for k in range(len(loop))}
    found = []
    for a, b in edges.tolist():
        direction = _unit(vertices[b] - vertices[a])
        n, m = normals[face_of[a, b]], normals[face_of[b, a]]
        angle = np.pi if len(sides) == 2 else np.arctan2(np.dot(np.cross(n, m), direction), np.dot(n, m))
        found.append((a, b, direction, n, angle))
    return found


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def _perpendicular(direction: np.ndarray) -> np.ndarray:
    axis = np.zeros(3)
    axis[np.argmin(np.abs(direction))] = 1.0
    return _unit(np.cross(direction, axis))


def _wedge(p: np.ndarray, q: np.ndarray, direction: np.ndarray, normal: np.ndarray, angle: float, r: float) -> Moments:
    """Sector of a disk of radius r swept along an edge."""
    length, middle = float(np.linalg.norm(q - p)), 0.5 * (p + q)
    whole = angle == 2.0 * np.pi
    half_sine = 0.0 if whole else np.sin(0.5 * angle)
    sine = 0.0 if whole else np.sin(angle)
    # angle - sin(angle) by its series where the difference would lose digits
    lack = angle - sine if angle > 1e-2 else angle**3 / 6.0 * (1.0 - angle**2 / 20.0 * (1.0 - angle**2 / 42.0))
    across = np.cross(direction, normal)
    bisector = np.cos(0.5 * angle) * normal + np.sin(0.5 * angle) * across
    other = np.cross(direction, bisector)
    area = 0.5 * angle * r * r
    first = 2.0 / 3.0 * r**3 * half_sine * bisector
    second = r**4 / 8.0 * ((angle + sine) * np.outer(bisector, bisector) + lack * np.outer(other, other))
    mf = np.outer(middle, first)
    line = np.outer(middle, middle) + length**2 / 12.0 * np.outer(direction, direction)
    return area * length, length * (area * middle + first), length * (area * line + mf + mf.T + second)


def _caps(vertices: np.ndarray, solid_angle: np.ndarray, outward: np.ndarray, r: float) -> Moments:
    """Sectors of a ball at the vertices; their second moments about the vertices add up to those of a whole ball."""
    weight = r**3 / 3.0 * solid_angle
    cross = r**4 / 4.0 * (vertices.T @ outward)
    second = (vertices * weight[:, None]).T @ vertices + cross + cross.T + 4.0 * np.pi / 15.0 * r**5 * np.eye(3)
    return 4.0 * np.pi / 3.0 * r**3, weight @ vertices + r**4 / 4.0 * outward.sum(axis=0), second
