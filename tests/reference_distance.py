"""References for the narrow phase that share nothing with it: a proof of optimality, scipy's SLSQP, bodies to try.

The squared (regularised) distance f is convex in (X, Y), so for any points of the cores

    f(X, Y) - min f <= gap = grad_X f . X - min_k grad_X f . a_k + (the same for Y),

which proves a solution without another solver; ``slsqp_distance`` is one all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize, nnls
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]

CUBE = 0.4 * np.array([[i, j, k] for i in (-1.0, 1.0) for j in (-1.0, 1.0) for k in (-1.0, 1.0)])
TETRAHEDRON = 0.42 * np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
OCTAHEDRON = 0.6 * np.vstack([np.eye(3), -np.eye(3)])
PRISM = np.array([[0.5 * np.cos(t), 0.5 * np.sin(t), z] for z in (-0.3, 0.3) for t in 2 * np.pi * np.arange(6) / 6])
TRIANGLE = np.array([[0.5, 0.0, 0.0], [-0.25, 0.4, 0.0], [-0.25, -0.4, 0.0]])
ROD = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]])
POINT = np.zeros((1, 3))
BODIES = [CUBE, TETRAHEDRON, OCTAHEDRON, PRISM, TRIANGLE, ROD, POINT]


class Pair(NamedTuple):
    """Two cores: W, difference of centres; a, b: vertices relative to their own centres."""

    w: Array
    a: Array
    b: Array

    @property
    def size2(self) -> float:
        """Sum of the squared lengths that enter."""
        return float(self.w @ self.w + (self.a**2).sum(1).max() + (self.b**2).sum(1).max()) or 1.0

    def scaled(self, s: float) -> Pair:
        return Pair(s * self.w, s * self.a, s * self.b)

    def exchanged(self) -> Pair:
        return Pair(-self.w, self.b, self.a)


ARRANGEMENTS = ("random", "lattice", "parallel", "shared face", "overlapping", "needle", "plate", "unequal")


def make_pair(arrangement: str, seed: int) -> Pair:
    """A random pair in one of ``ARRANGEMENTS``; the same for the same seed."""
    rng = np.random.default_rng(seed)
    a, b = (BODIES[k] for k in rng.integers(len(BODIES), size=2))
    ra, rb = Rotation.random(2, random_state=rng).as_matrix()
    w = rng.normal(size=3)
    w *= rng.uniform(0.8, 2.0) / np.linalg.norm(w)
    if arrangement == "lattice":  # no rotation, shifts by half sides
        return Pair(0.4 * np.round(2.5 * w * rng.choice([0.5, 1.0, 2.0])), a, b)
    if arrangement == "parallel":  # to rounding, or nearly
        tilt = Rotation.from_rotvec(rng.choice([0.0, 1e-14, 1e-9, 1e-7, 1e-5]) * rng.normal(size=3)).as_matrix()
        return Pair(ra @ (0.4 * np.round(2.5 * w)) if rng.random() < 0.5 else w, a @ ra.T, b @ (tilt @ ra).T)
    if arrangement == "shared face":  # equal bodies, face to face, slid along it and held a little apart
        shift = np.array([*rng.choice([0.0, 0.2, 0.4, 0.8], 2), 0.8 + rng.choice([1e-9, 0.05, 0.2])])
        return Pair(ra @ shift, CUBE @ ra.T, CUBE @ ra.T)
    if arrangement == "overlapping":
        return Pair(rng.uniform(0.0, 0.3) * w, a @ ra.T, b @ rb.T)
    if arrangement == "needle":
        stretch = np.array([1e-5, 1e-5 * rng.uniform(0.1, 1.0), 1.0])
        return Pair(w, (a * stretch) @ ra.T, b @ rb.T)
    if arrangement == "plate":
        return Pair(w, (a * np.array([1.0, 1.0, 1e-6])) @ ra.T, (b * np.array([30.0, 1.0, 1e-6])) @ rb.T)
    if arrangement == "unequal":
        return Pair(w, a @ ra.T, 10.0 ** rng.uniform(-6.0, 3.0) * b @ rb.T)
    return Pair(w, a @ ra.T, b @ rb.T)


def value(pair: Pair, x: Array, y: Array, ea: float, eb: float) -> float:
    """The value f at given points, in extended precision."""
    w, x, y = (np.asarray(v, np.longdouble) for v in (pair.w, x, y))
    r = w + x - y
    return float(r @ r + ea * (x @ x) + eb * (y @ y))


def optimality_gap(pair: Pair, x: Array, y: Array, ea: float, eb: float) -> float:
    """Bound on f(x, y) - min f, in extended precision."""
    w, a, b, x, y = (np.asarray(v, np.longdouble) for v in (pair.w, pair.a, pair.b, x, y))
    r = w + x - y
    gx, gy = 2 * (r + ea * x), 2 * (eb * y - r)
    return float(gx @ x - (a @ gx).min() + gy @ y - (b @ gy).min())


def outside(core: Array, x: Array) -> float:
    """How far a point is from the hull of ``core`` (least squares over weights), relative to the size of the core."""
    size = float(np.abs(core).max()) or 1.0
    return nnls(np.vstack([core.T / size, np.ones(len(core))]), np.append(x / size, 1.0))[1]


def slsqp_distance(pair: Pair, ea: float, eb: float) -> float:
    """Minimum of f over barycentric weights by sequential quadratic programming; about 1e-7."""
    size = np.sqrt(pair.size2)
    a, b, w = pair.a / size, pair.b / size, pair.w / size
    na, nb = len(a), len(b)

    def f(weights: Array) -> tuple[float, Array]:
        x, y = weights[:na] @ a, weights[na:] @ b
        r = w + x - y
        return r @ r + ea * x @ x + eb * y @ y, 2 * np.concatenate([a @ (r + ea * x), b @ (eb * y - r)])

    sums = np.repeat(np.eye(2), [na, nb], axis=1)
    constraint = {"type": "eq", "fun": lambda weights: sums @ weights - 1.0, "jac": lambda _: sums}
    start = np.concatenate([np.full(na, 1.0 / na), np.full(nb, 1.0 / nb)])
    found = minimize(
        f, start, jac=True, method="SLSQP", bounds=[(0.0, 1.0)] * (na + nb), constraints=constraint, options={"ftol": 1e-14, "maxiter": 500}
    )
    return float(size**2 * found.fun)


def derivative(move: Callable[[float], float]) -> float | None:
    """Derivative at 0 by central differences of fourth order, to about 1e-8.

    None across a jump of the second derivative (a vertex joins the active set), which shows in differences over h, 2 h and 3 h that do not agree.
    """
    for h in (1e-6, 1e-7):
        slopes = [(move(k * h) - move(-k * h)) / (2 * k * h) for k in (1, 2, 3)]
        if max(slopes) - min(slopes) < 5e-9:
            return (4 * slopes[0] - slopes[1]) / 3
    return None


def shared_centroid(first: Array, second: Array) -> Array | None:
    """Centroid of the intersection of two convex polygons in the plane (n, 2), by half-planes and Qhull; None where it has no area."""
    planes = np.vstack([ConvexHull(first).equations, ConvexHull(second).equations])
    grid = np.linspace(0.0, 1.0, 41)
    low, high = np.maximum(first.min(0), second.min(0)), np.minimum(first.max(0), second.max(0))
    inner = low + (high - low) * np.stack(np.meshgrid(grid, grid), -1).reshape(-1, 2)
    depth = -(inner @ planes[:, :2].T + planes[:, 2]).max(1)
    try:
        points = HalfspaceIntersection(planes, inner[depth.argmax()]).intersections
    except QhullError:
        return None
    points = points[ConvexHull(points).vertices]
    x, y = (points - points[0]).T
    cross = x * np.roll(y, -1) - y * np.roll(x, -1)
    return points[0] + np.array([((x + np.roll(x, -1)) * cross).sum(), ((y + np.roll(y, -1)) * cross).sum()]) / (3.0 * cross.sum())


def dot(p: Array, q: Array) -> Array:
    """Products of vectors row by row."""
    return np.asarray((p * q).sum(axis=-1))


def segments(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Distances of segments ab and cd, rows of vectors: the interior solution where there is one, and each end against the other segment."""

    def foot(p: Array, q: Array, r: Array) -> Array:
        along = r - q
        square = dot(along, along)
        t = np.clip(dot(p - q, along) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
        return np.asarray(np.linalg.norm(p - q - t[..., None] * along, axis=-1))

    best = np.minimum.reduce([foot(a, c, d), foot(b, c, d), foot(c, a, b), foot(d, a, b)])
    u, v = b - a, d - c
    n = np.cross(u, v)
    square = dot(n, n)
    crossed = square > 1e-12 * dot(u, u) * dot(v, v)
    square = np.where(crossed, square, 1.0)
    s, t = dot(np.cross(c - a, v), n) / square, dot(np.cross(c - a, u), n) / square
    crossed &= (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    return np.where(crossed, np.minimum(best, np.abs(dot(c - a, n)) / np.sqrt(square)), best)
