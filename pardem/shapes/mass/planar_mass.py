"""Exact mass properties in the plane: the area within a radius of a core, by integrals over the arcs and lines that bound it.

The bound is made of the edges moved outwards by the radius and of arcs about the vertices. What lies inside the body is cut off: at reflex vertices
(the overlap of two rectangles in the decomposition of papers 000 and 002), and wherever parts of the body that are far apart along the outline
merge, so that the result is exact for any radius and any outline (docs/theory/grains.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...errors import ShapeError
from .polytope_mass import MassProperties

TOUCH = 1e-12
"""Depth, relative to the radius, below which parts of the body count as touching rather than merged: the area in question is of that order."""
OPEN = 1e-9
"""Gap of the bound, relative to its length, above which its pieces do not fit together."""

Moments = tuple[float, np.ndarray, np.ndarray]
Interval = tuple[float, float]


def planar_mass_properties(vertices: np.ndarray, closed: bool, radius: float, density: float, single: bool = False) -> MassProperties:
    """Compute the mass properties of a spheropolygon, a rounded polyline or a clump of disks.

    Args:
        vertices: (n, 3) vertices with z = 0, in order (m); an outline is counter-clockwise.
        closed: whether the vertices form an outline, whose inside belongs to the body.
        radius: radius of the disk (m).
        density: mass per area (kg/m^2).
        single: whether the vertices are unconnected, as in a clump.

    Returns:
        The area as ``volume`` (m^2), and in ``inertia`` the second moments of area in the plane and their sum about z. All ``principal_moments`` are
        that about z and the principal axes are the given ones, since motion in the plane involves no other.

    Raises:
        ShapeError: lengths are out of the range of numbers, or the outline of the body is too intricate to follow.
    """
    middle = vertices.mean(axis=0)[:2]
    core = vertices[:, :2] - middle
    pieces = Bound(core, closed, radius, single)
    area, first, _ = pieces.moments(core)
    if not 0.0 < area < np.inf:
        raise ShapeError(f"The area of the grain comes out as {area:g} m^2: lengths are in metres; check them.")
    offset = first / area
    offset[np.abs(offset) <= 8.0 * np.finfo(float).eps * (np.abs(core).max() + radius)] = 0.0  # symmetric cores: the mean of the vertices
    area, _, second = pieces.moments(core - offset)
    inertia = np.zeros((3, 3))
    (xx, xy), (_, yy) = second
    inertia[:2, :2] = [[yy, -xy], [-xy, xx]]
    inertia[2, 2] = xx + yy
    turning = density * float(xx + yy)
    return MassProperties(area, density * area, np.array([*(middle + offset), 0.0]), density * inertia, np.full(3, turning), np.eye(3))


class _Edges(NamedTuple):
    """Edges of an outline.

    Attributes:
        start: (n, 2) first ends (m).
        along: (n, 2) unit vectors towards the second ends.
        length: (n,) lengths (m).
    """

    start: np.ndarray
    along: np.ndarray
    length: np.ndarray

    def of(self, rows: np.ndarray) -> _Edges:
        """Some of them."""
        return _Edges(self.start[rows], self.along[rows], self.length[rows])


class Bound:
    """The line segments and arcs that bound a planar body.

    Args:
        core: (n, 2) vertices (m).
        closed: whether the vertices form an outline.
        radius: radius of the disk (m).
        single: whether the vertices are unconnected.

    Attributes:
        lines: one tuple for each part of a displaced edge: vertex, direction (2,), outward normal (2,), and the distances from the vertex at which
            the part begins and ends (m).
        arcs: one tuple for each arc, counter-clockwise: vertex, first angle (rad), angle covered (rad).
    """

    def __init__(self, core: np.ndarray, closed: bool, radius: float, single: bool = False) -> None:
        self.radius = radius
        self.lines: list[tuple[int, np.ndarray, np.ndarray, float, float]] = []
        self.arcs: list[tuple[int, float, float]] = []
        if single or len(core) == 1:
            self._circles(core)
        else:
            self._outline(core, closed)
        gap = sum(((high - low) * n for _, _, n, low, high in self.lines), np.zeros(2)) + radius * sum(
            (_mean_direction(*arc[1:]) for arc in self.arcs), np.zeros(2)
        )
        perimeter = sum(line[4] - line[3] for line in self.lines) + radius * sum(arc[2] for arc in self.arcs)
        if not np.hypot(*gap) <= OPEN * perimeter:
            raise ShapeError("The outline of the rounded grain cannot be followed: parts of it nearly touch; change the radius by a millionth.")

    def _circles(self, core: np.ndarray) -> None:
        """Circles about all vertices, without what lies inside the others."""
        for k, centre in enumerate(core):
            rest = np.delete(core, k, axis=0)
            rest = rest[np.hypot(*(rest - centre).T) < 2.0 * self.radius]
            inside = _arc_inside(centre, _Edges(rest, np.tile([1.0, 0.0], (len(rest), 1)), np.zeros(len(rest))), self.radius, 0.0, 2.0 * np.pi)
            self.arcs += [(k, low, high - low) for low, high in _without(0.0, 2.0 * np.pi, inside)]

    def _outline(self, core: np.ndarray, closed: bool) -> None:
        n, radius = len(core), self.radius
        # a polyline is walked there and back
        walk = list(range(n)) if closed else [*range(n), *range(n - 2, 0, -1)]
        start, end = core[walk], core[np.roll(walk, -1)]
        length = np.hypot(*(end - start).T)
        along = (end - start) / length[:, None]
        sides, normal = _Edges(start, along, length), np.column_stack([along[:, 1], -along[:, 0]])
        edges = [tuple(sorted((walk[k], walk[(k + 1) % len(walk)]))) for k in range(len(walk))]
        ends = {edge: k for k, edge in enumerate(edges)}
        others = {edge: np.array([k for other, k in ends.items() if other != edge], dtype=int) for edge in ends}
        m = len(walk)
        turn = [_turn(along[k - 1], along[k], edges[k - 1] == edges[k]) for k in range(m)]
        for k in range(m):
            before, after = turn[k], turn[(k + 1) % m]
            low, high, skipped = 0.0, float(length[k]), set()
            for angle, neighbour, ahead in ((before, (k - 1) % m, False), (after, (k + 1) % m, True)):
                cut = radius * np.tan(-0.5 * angle) if angle < 0.0 else 0.0
                # beyond the neighbour's length its end decides, as that of any other edge
                if angle >= 0.0 or cut <= length[neighbour]:
                    skipped.add(edges[neighbour])
                    low, high = (low, high - cut) if ahead else (low + cut, high)
            if low < high:
                rest = np.array([j for j in others[edges[k]] if edges[j] not in skipped], dtype=int)
                inside = _line_inside(start[k] + radius * normal[k], along[k], sides.of(rest), radius, low, high)
                self.lines += [(walk[k], along[k], normal[k], *part) for part in _without(low, high, inside)]
            if before > 0.0:
                rest = np.array([j for j in ends.values() if walk[k] not in edges[j]], dtype=int)
                first = float(np.arctan2(normal[k - 1, 1], normal[k - 1, 0]))
                inside = _arc_inside(start[k], sides.of(rest), radius, first, before)
                self.arcs += [(walk[k], first + low, high - low) for low, high in _without(0.0, before, inside)]

    def moments(self, core: np.ndarray) -> Moments:
        """Integrate 1, x and x x^T over the body.

        By the divergence theorem the integral of a homogeneous f of degree k is that of f x.n over the boundary, divided by k + 2.

        Args:
            core: (n, 2) positions of the vertices (m).

        Returns:
            The three integrals.
        """
        area, first, second, r = 0.0, np.zeros(2), np.zeros((2, 2)), self.radius
        for k, along, normal, low, high in self.lines:
            length, height = high - low, core[k] @ normal + r
            centre = core[k] + r * normal + 0.5 * (low + high) * along
            area += 0.5 * height * length
            first += height * length / 3.0 * centre
            second += 0.25 * height * length * (np.outer(centre, centre) + length**2 / 12.0 * np.outer(along, along))
        for k, start, angle in self.arcs:
            v = core[k]
            u, square, cube = _arc_integrals(start, angle, v)
            reach = v @ u + r * angle  # integral of x.n over the angle
            vs = np.outer(v, square @ v)
            vu = np.outer(v, u)
            area += 0.5 * r * reach
            first += r / 3.0 * (v * reach + r * (square @ v + r * u))
            second += 0.25 * r * (np.outer(v, v) * reach + r * (vs + vs.T + r * (vu + vu.T + cube + r * square)))
        return float(area), first, second


def _turn(before: np.ndarray, after: np.ndarray, back: bool) -> float:
    """Angle from one direction to the next, in (-pi, pi]; pi where the walk turns back."""
    return np.pi if back else float(np.arctan2(before[0] * after[1] - before[1] * after[0], before @ after))


def _mean_direction(start: float, angle: float) -> np.ndarray:
    """Integral of the unit vector over an arc."""
    middle = start + 0.5 * angle
    size = 0.0 if angle == 2.0 * np.pi else 2.0 * np.sin(0.5 * angle)
    return size * np.array([np.cos(middle), np.sin(middle)])


def _arc_integrals(start: float, angle: float, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Integrals of u, u u^T and u u^T (u.v) over an arc of unit vectors u."""
    middle = start + 0.5 * angle
    m = np.array([np.cos(middle), np.sin(middle)])
    k = np.array([-m[1], m[0]])
    whole = angle == 2.0 * np.pi
    half, sine = (0.0, 0.0) if whole else (float(np.sin(0.5 * angle)), float(np.sin(angle)))
    # angle - sin(angle) by its series where the difference would lose digits
    lack = angle - sine if angle > 1e-2 else angle**3 / 6.0 * (1.0 - angle**2 / 20.0 * (1.0 - angle**2 / 42.0))
    mm, kk, mk = np.outer(m, m), np.outer(k, k), np.outer(m, k)
    square = 0.5 * ((angle + sine) * mm + lack * kk)
    cube = (v @ m) * ((2.0 * half - 2.0 / 3.0 * half**3) * mm + 2.0 / 3.0 * half**3 * kk) + (v @ k) * 2.0 / 3.0 * half**3 * (mk + mk.T)
    return 2.0 * half * m, square, cube


def _without(low: float, high: float, inside: Iterator[Interval]) -> list[Interval]:
    """What is left of an interval without some others."""
    left = []
    for a, b in sorted(inside):
        if a > low:
            left.append((low, min(a, high)))
        low = max(low, b)
        if low >= high:
            return left
    return [*left, (low, high)]


def _distance(x: np.ndarray, start: np.ndarray, along: np.ndarray, length: float) -> float:
    t = min(max(float((x - start) @ along), 0.0), float(length))
    return float(np.hypot(*(x - start - t * along)))


def _line_inside(p: np.ndarray, e: np.ndarray, edges: _Edges, r: float, low: float, high: float) -> Iterator[Interval]:
    """Stretches of the line p + s e, low < s < high, that are within r of edges (each is one stretch, for what is within r of an edge is convex)."""
    start, along, length = edges
    if not len(start):
        return
    bounds = []
    for end in (start, start + along * length[:, None]):
        centre, across = (end - p) @ e, (end[:, 0] - p[0]) * e[1] - (end[:, 1] - p[1]) * e[0]
        half = np.sqrt(np.maximum(r * r - across * across, 0.0))
        bounds.append((np.where(half > 0.0, centre - half, np.inf), np.where(half > 0.0, centre + half, -np.inf)))
    # the strip beside the edge: 0 < (p + s e - start).along < length and |(p + s e - start) x along| < r
    d = p - start
    strip_low, strip_high = np.full(len(start), -np.inf), np.full(len(start), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for value, slope, least, most in (
            ((d * along).sum(axis=1), along @ e, np.zeros(len(start)), length),
            (d[:, 0] * along[:, 1] - d[:, 1] * along[:, 0], e[0] * along[:, 1] - e[1] * along[:, 0], np.full(len(start), -r), np.full(len(start), r)),
        ):
            one, other = (least - value) / slope, (most - value) / slope
            level = slope == 0.0
            out = level & ~((value > least) & (value < most))
            strip_low = np.maximum(strip_low, np.where(out, np.inf, np.where(level, -np.inf, np.minimum(one, other))))
            strip_high = np.minimum(strip_high, np.where(out, -np.inf, np.where(level, np.inf, np.maximum(one, other))))
    filled = strip_low < strip_high
    bounds.append((np.where(filled, strip_low, np.inf), np.where(filled, strip_high, -np.inf)))
    first, last = np.maximum(np.min([b[0] for b in bounds], axis=0), low), np.minimum(np.max([b[1] for b in bounds], axis=0), high)
    for k in np.flatnonzero(first < last):
        if _distance(p + 0.5 * (first[k] + last[k]) * e, start[k], along[k], length[k]) < r * (1.0 - TOUCH):
            yield float(first[k]), float(last[k])


def _arc_inside(v: np.ndarray, edges: _Edges, r: float, first: float, angle: float) -> Iterator[Interval]:
    """Stretches of an arc about v, as angles from its beginning, that are within r of edges that do not end at v; one for each edge."""
    start, along, length = edges
    feet = ((v - start) * along).sum(axis=1)
    to_edge = start + np.clip(feet, 0.0, length)[:, None] * along - v
    for j in np.flatnonzero(np.hypot(*to_edge.T) < 2.0 * r):
        a, e, l, foot, nearest = start[j], along[j], float(length[j]), float(feet[j]), to_edge[j]
        middle = float(np.arctan2(nearest[1], nearest[0]))
        found = []
        for end in (a - v, a + l * e - v):
            size = float(np.hypot(*end))
            if size < 2.0 * r:
                reach = float(np.arccos(0.5 * size / r))
                found += [_angle_from(middle, end) - reach, _angle_from(middle, end) + reach]
        across = abs(float(nearest @ np.array([-e[1], e[0]])))
        for side in (-1.0, 1.0):  # where the circle crosses the line at r from the edge, on this side of it
            half = float(np.sqrt(max(r * r - (across - r) ** 2, 0.0)))
            if 0.0 <= foot + side * half <= l:
                towards = np.array([-e[1], e[0]]) * np.copysign(1.0, nearest @ np.array([-e[1], e[0]]))
                found.append(_angle_from(middle, (across - r) * towards + side * half * e))
        low, high = min(found, default=0.0), max(found, default=0.0)
        for turn in (-2.0 * np.pi, 0.0, 2.0 * np.pi, 4.0 * np.pi):
            p, q = max(middle + low - first + turn, 0.0), min(middle + high - first + turn, angle)
            if p < q:
                x = first + 0.5 * (p + q)
                if _distance(v + r * np.array([np.cos(x), np.sin(x)]), a, e, l) < r * (1.0 - TOUCH):
                    yield p, q


def _angle_from(middle: float, vector: np.ndarray) -> float:
    """Angle of a vector from a direction, in (-pi, pi]."""
    c, s = np.cos(middle), np.sin(middle)
    return float(np.arctan2(c * vector[1] - s * vector[0], c * vector[0] + s * vector[1]))
