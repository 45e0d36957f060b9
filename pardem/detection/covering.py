"""Covering spheres: balls, fixed to each grain, whose weighted Delaunay triangulation joins all grains that touch (Pournin, thesis, section 3.2).

Two grains that touch have covering balls that meet, and covering balls of different grains are always less than orthogonal, so the triangulation has
an edge between the two (docs/theory/detection.md). The second demand is met for the whole mixture at once: a centre at depth d in its grain has the
margin a = d - xi / 2, xi the maximal overlap, and with

    R^2 = a^2 + a a_min,    a_min the least margin in the mixture,

R_P^2 + R_Q^2 = a_P^2 + a_Q^2 + (a_P + a_Q) a_min <= (a_P + a_Q)^2 = (d_P + d_Q - xi)^2, the thesis' system (3.2). Two grains that come within the
skin s meet, dilated by s / 2, at most (xi + s) / 2 below the dilated surfaces; only this layer needs covering.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..errors import CoveringError
from .patches import layer_patches
from .set_cover import Candidates, few_balls

ROUNDING = 1e-9  # of a radius: added, so that rounding opens no gap
TRIALS = 7  # least margins that are tried
MOST = 500  # spheres of one grain
FINE = 0.6  # size of patches over that of the discs that small spheres cover


@dataclass(frozen=True)
class Kind:
    """Grains of one shape whose size factors lie in a range.

    Attributes:
        name: name for messages.
        vertices: (nv, 3) vertices of the convex core, about any origin (m).
        edges: (ne, 2) vertex numbers.
        faces: loops of vertex numbers.
        radius: sphero-radius (m).
        smallest: smallest size factor.
        largest: largest size factor.
    """

    name: str
    vertices: np.ndarray
    edges: np.ndarray
    faces: tuple[np.ndarray, ...]
    radius: float
    smallest: float = 1.0
    largest: float = 1.0


@dataclass(frozen=True)
class Cover:
    """Covering spheres of one kind at size factor 1.

    Attributes:
        centres: (m, 3) about the kind's origin (m).
        radii: (m,), depths: (m,) of the centres below the grain's surface (m).
    """

    centres: np.ndarray
    radii: np.ndarray
    depths: np.ndarray


def largest_radius(margin: np.ndarray | float, least: float) -> np.ndarray:
    """Radius that a sphere may have: margins a = d - xi / 2, the least of the mixture (m)."""
    return np.sqrt(np.maximum(margin, 0.0) * (np.asarray(margin) + least))


def axis_positions(length: float, outer: float, radius: float) -> np.ndarray:
    """Centres, the fewest there can be, of spheres of one radius along an axis that hold all points within ``outer`` of it.

    Two neighbours at distance e meet in a circle of radius (R^2 - e^2/4)^(1/2), which must not lie inside; the last may stand R - outer before the
    end: ceil((L - 2 (R - outer)) / (2 (R^2 - outer^2)^(1/2))) + 1 of them (thesis, 3.2.1.1).

    Args:
        length: L of the axis (m).
        outer: (m).
        radius: R of the spheres (m).

    Returns:
        (n,) places along the axis from its middle (m), evenly spaced.

    Raises:
        CoveringError: the radius does not exceed ``outer``, but the axis is longer than one sphere allows.
    """
    if length <= 2.0 * (radius - outer):
        return np.zeros(1)
    if radius <= outer:
        raise CoveringError(
            f"spheres of radius {radius:.6g} m along the axis cover nothing {outer:.6g} m from it; make the maximal overlap or the skin smaller"
        )
    reach = math.sqrt(radius**2 - outer**2)
    count = math.ceil((length - 2.0 * (radius - outer)) / (2.0 * reach)) + 1
    # the spacing that leaves the same to spare at the ends and between neighbours
    spacing = min(2.0 * reach, length / (count - 1))
    return np.asarray((np.arange(count) - 0.5 * (count - 1)) * spacing)


def single_sphere(kind: Kind, overlap: float, skin: float = 0.0) -> Cover:
    """One sphere about the middle of a compact grain, in a packing of its like.

    Args:
        kind: the grain.
        overlap: maximal overlap (m).
        skin: extra reach (m).

    Raises:
        CoveringError: the grain is too long, with the largest length that one sphere allows.
    """
    centre = _middle(kind.vertices)
    length = float(np.linalg.norm(kind.vertices - centre, axis=1).max())
    inner = _inner_depth(kind, centre[None])[0]
    margin = kind.radius + inner - 0.5 * overlap / kind.smallest
    least = margin * kind.smallest / kind.largest
    need = kind.radius + length + 0.5 * skin / kind.smallest
    allowed = float(largest_radius(margin, least))
    if need > allowed * (1.0 + ROUNDING):
        # with l the largest distance of a core vertex and c = inner / l: f (r + c l - xi/2) = l + r + s/2
        factor = allowed / margin if margin > 0.0 else 0.0
        bound = (factor * (kind.radius - 0.5 * overlap / kind.smallest) - kind.radius - 0.5 * skin / kind.smallest) / (1.0 - factor * inner / length)
        raise CoveringError(
            f"one covering sphere is too few for '{kind.name}': its core reaches {length / kind.radius:.4g} sphero-radii from the middle, and "
            f"{max(0.0, bound) / kind.radius:.4g} is the most at a maximal overlap of {overlap / kind.radius:.4g} sphero-radii; "
            "make the grain more compact, or cover it by several spheres"
        )
    return Cover(centre[None], np.array([need * (1.0 + ROUNDING)]), np.array([kind.radius + inner]))


def cover_mixture(kinds: list[Kind], overlap: float, skin: float) -> list[Cover]:
    """Covering spheres for every kind of a mixture, as few as a greedy search finds, the same whatever the run.

    Args:
        kinds: all kinds of grains there are.
        overlap: maximal overlap xi of any two (m).
        skin: extra reach s of the detection (m).

    Returns:
        a cover for each kind.

    Raises:
        CoveringError: the overlap or the skin is too large beside the sphero-radii, or a grain needs more than MOST spheres.
    """
    searches = [_Search(kind, overlap, skin) for kind in kinds]
    low = min(k.smallest * k.radius for k in kinds) - 0.5 * overlap
    if low <= 0.0:
        name = min(kinds, key=lambda k: k.smallest * k.radius)
        raise CoveringError(
            f"a maximal overlap of {overlap:.6g} m is too large for '{name.name}' with the sphero-radius {name.smallest * name.radius:.6g} m; "
            "make detection.max_overlap smaller"
        )
    high = min(k.smallest * s.deepest for k, s in zip(kinds, searches)) - 0.5 * overlap
    best: list[Cover] = []
    fewest, failed = math.inf, ""
    for least in np.unique(np.linspace(low, high, TRIALS)):
        found: list[Cover] = []
        total = 0
        for kind, search in zip(kinds, searches):
            cover = search.solve(float(least))
            if cover is None:
                failed = failed or kind.name
            if cover is None or total + len(cover.radii) >= fewest:
                break
            found.append(cover)
            total += len(cover.radii)
        else:
            best, fewest = found, total
    if not best:
        raise CoveringError(
            f"'{failed}' cannot be covered by {MOST} spheres or fewer at a maximal overlap of {overlap:.6g} m and a skin of {skin:.6g} m; "
            "make detection.max_overlap or detection.skin smaller, or use detection.method = 'cells'"
        )
    return best


class _Search:
    """Covers of one kind for any least margin of the mixture."""

    def __init__(self, kind: Kind, overlap: float, skin: float) -> None:
        self.kind = kind
        self.overlap = overlap / kind.smallest  # of the smallest grains at size factor 1: it counts most for them
        self.outer = kind.radius + 0.5 * skin / kind.smallest
        self.points = _candidates(kind)
        self.depth = kind.radius + _inner_depth(kind, self.points)
        self.deepest = float(self.depth.max())
        self._candidates: Candidates | None = None

    def solve(self, least: float) -> Cover | None:
        """The fewest spheres with margins of at least ``least`` (m)."""
        kind = self.kind
        margin = self.depth - 0.5 * self.overlap
        allowed = largest_radius(margin, least / kind.largest)
        allowed[margin * kind.smallest < least * (1.0 - 1e-12)] = 0.0
        reach = np.array([np.linalg.norm(kind.vertices - p, axis=1).max() for p in self.points]) + self.outer
        one = np.nonzero(reach * (1.0 + ROUNDING) <= allowed)[0]
        if len(one):
            k = one[np.argmin(reach[one])]
            return Cover(self.points[k : k + 1], reach[k : k + 1] * (1.0 + ROUNDING), self.depth[k : k + 1])
        if len(kind.vertices) == 2:
            return self._along_axis(least)
        if self._candidates is None:
            # as fine as the discs that spheres on the core's surface cover there
            disc = math.sqrt(max(0.0, float(largest_radius(kind.radius - 0.5 * self.overlap, least / kind.largest)) ** 2 - self.outer**2))
            size = FINE * min(self.outer, disc or self.outer)
            self._candidates = Candidates(self.points, layer_patches(kind.vertices, kind.edges, kind.faces, self.outer * (1.0 + ROUNDING), size))
        found = few_balls(self._candidates, allowed, MOST)
        if found is None:
            return None
        rows, radii = found
        return Cover(self.points[rows], np.minimum(radii * (1.0 + ROUNDING), allowed[rows]), self.depth[rows])

    def _along_axis(self, least: float) -> Cover | None:
        """Evenly spaced spheres on the axis of a rod, their radius as small as their number allows."""
        kind = self.kind
        margin = kind.radius - 0.5 * self.overlap
        radius = float(largest_radius(margin, least / kind.largest))
        a, b = kind.vertices
        length = float(np.linalg.norm(b - a))
        if margin * kind.smallest < least * (1.0 - 1e-12) or radius <= self.outer:
            return None
        count = len(axis_positions(length, self.outer, radius))
        if count > MOST:
            return None
        # the least radius for this number: the spheres at the ends and the circles between neighbours are filled at once
        low, high = self.outer, radius
        for _ in range(60):
            trial = 0.5 * (low + high)
            if trial > self.outer and len(axis_positions(length, self.outer, trial)) <= count:
                high = trial
            else:
                low = trial
        reach = math.sqrt(max(0.0, high**2 - self.outer**2))
        place = (np.arange(count) - 0.5 * (count - 1)) * min(2.0 * reach, length / (count - 1))
        centres = 0.5 * (a + b) + place[:, None] * (b - a) / length
        used = min(radius, high * (1.0 + ROUNDING))
        return Cover(centres, np.full(count, used), np.full(count, kind.radius))


def _middle(vertices: np.ndarray) -> np.ndarray:
    """Centre of the smallest ball around points, by Badoiu and Clarkson's walk from their mean; exact where the mean is that centre."""
    centre = vertices.mean(axis=0)
    reach = np.linalg.norm(vertices - centre, axis=1)
    if np.ptp(reach) <= 1e-12 * reach.max():
        return np.asarray(centre)
    for k in range(1, 2000):
        far = vertices[np.argmax(np.linalg.norm(vertices - centre, axis=1))]
        centre = centre + (far - centre) / (k + 1)
    return np.asarray(centre)


def _inner_depth(kind: Kind, points: np.ndarray) -> np.ndarray:
    """Depth of points of the core below the core's surface, (n,) m: 0 for cores that are flat."""
    if len(kind.faces) < 2:
        return np.zeros(len(points))
    depth = np.full(len(points), np.inf)
    middle = kind.vertices.mean(axis=0)
    for loop in kind.faces:
        p = kind.vertices[loop]
        normal = np.cross(p[1:-1] - p[0], p[2:] - p[0]).sum(axis=0)
        normal /= np.linalg.norm(normal)
        normal *= np.sign((p[0] - middle) @ normal)
        depth = np.minimum(depth, (kind.vertices @ normal).max() - points @ normal)
    return np.maximum(depth, 0.0)


SHELLS = (0.5, 0.7, 0.85, 1.0)  # of the core about its middle: where centres may be
ALONG = 8  # candidates along the longest extent


def _candidates(kind: Kind) -> np.ndarray:
    """Places for centres inside the core: its surface and smaller copies of it about its middle, (n, 3)."""
    v = kind.vertices
    middle = _middle(v) if len(v) <= 2 else v.mean(axis=0)
    size = float(np.ptp(v, axis=0).max()) / ALONG
    surface = [v]
    for a, b in kind.edges:
        n = max(1, math.ceil(float(np.linalg.norm(v[b] - v[a])) / size)) if a != b else 1
        surface.append(v[a] + (v[b] - v[a]) * (np.arange(1, n) / n)[:, None])
    for loop in kind.faces:
        p = v[loop]
        centre = p.mean(axis=0)
        rim = np.concatenate([_between(p[k - 1], p[k], size) for k in range(len(p))])
        rings = max(1, math.ceil(0.5 * float(np.linalg.norm(p - centre, axis=1).max()) / size))
        surface.append(np.concatenate([centre[None], *(centre + (rim - centre) * (k / rings) for k in range(1, rings))]))
    every = np.concatenate(surface)
    every = np.concatenate([[middle], *(middle + s * (every - middle) for s in SHELLS), _middle(v)[None]])
    return np.asarray(np.unique(np.round(every / size, 9), axis=0) * size) if size > 0.0 else every[:1]


def _between(a: np.ndarray, b: np.ndarray, size: float) -> np.ndarray:
    """Points from a (included) to b at most ``size`` apart."""
    n = max(1, math.ceil(float(np.linalg.norm(b - a)) / size))
    return np.asarray(a + (b - a) * (np.arange(n) / n)[:, None])
