"""All local minima of the distance of two skeletons by trying every pair of features: slow, plain, and without anything of the narrow phase."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from reference_contact import cross

from pardem.engine import Engine
from pardem.shapes.geometry.triangles import triangulate

Array = NDArray[np.float64]
SHRUNK = 1e-3  # copies of a feature about one of its points: what lies near that point


class Body(NamedTuple):
    """A skeleton in space: vertices, triangles of its faces, edges (a vertex alone twice), whether faces or outline enclose it."""

    vertices: Array
    triangles: NDArray[np.int64]
    edges: NDArray[np.int64]
    solid: bool


def body_of(engine: Engine, grain: int, solid: bool) -> Body:
    """A grain of an engine, by id."""
    g, f = engine.state.grains, engine.scene.interaction.features
    assert g is not None
    i = int(np.flatnonzero(g.gid == grain)[0])
    s = g.species[i]
    vertices = g.vert[g.vert_start[i] : g.vert_start[i + 1], :3] if g.vert_start[i + 1] > g.vert_start[i] else np.zeros((1, 3))
    faces = tuple(tuple(f.loops[a:b].tolist()) for a, b in zip(f.loop_start[:-1], f.loop_start[1:]))[f.face_start[s] : f.face_start[s + 1]]
    return Body(vertices + g.x[i, :3], triangulate(vertices, faces)[0], f.edges[f.edge_start[s] : f.edge_start[s + 1]], solid)


def on_segment(p: Array, a: Array, b: Array) -> Array:
    """The point of a segment that is nearest to p."""
    u = b - a
    length2 = float(u @ u)
    return a + (min(1.0, max(0.0, float((p - a) @ u) / length2)) if length2 else 0.0) * u


def on_triangle(p: Array, a: Array, b: Array, c: Array) -> Array:
    """The point of a triangle that is nearest to p."""
    n = cross(b - a, c - a)
    foot = p - (p - a) @ n / (n @ n) * n
    sides = ((a, b), (b, c), (c, a))
    if all(cross(v - u, foot - u) @ n >= 0.0 for u, v in sides):
        return np.asarray(foot)
    return min((on_segment(p, u, v) for u, v in sides), key=lambda q: float((q - p) @ (q - p)))


def of_segments(a: Array, b: Array, c: Array, d: Array) -> tuple[Array, Array]:
    """Nearest points of the segments ab and cd."""
    found = [(a, on_segment(a, c, d)), (b, on_segment(b, c, d)), (on_segment(c, a, b), c), (on_segment(d, a, b), d)]
    u, v, w = b - a, d - c, c - a
    uu, uv, vv, uw, vw = (float(e @ f) for e, f in ((u, u), (u, v), (v, v), (u, w), (v, w)))
    bottom = uu * vv - uv * uv
    if bottom > 1e-14 * uu * vv:
        s, t = (vv * uw - uv * vw) / bottom, (uv * uw - uu * vw) / bottom
        if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
            found.append((a + s * u, c + t * v))
    return min(found, key=lambda pair: float((pair[0] - pair[1]) @ (pair[0] - pair[1])))


def _nearest_around(body: Body, x: Array, y: Array) -> bool:
    """Whether no point of the body in the neighbourhood of its point x is nearer to y."""
    least = np.linalg.norm(x - y) - 1e-12
    for rows, nearest in ((body.triangles, on_triangle), (body.edges, on_segment)):
        for row in rows:
            corners = body.vertices[row]
            if np.linalg.norm(nearest(x, *corners) - x) < 1e-9:
                q = nearest(y, *(x + SHRUNK * (corners - x)))
                if np.linalg.norm(q - y) < least:
                    return False
    return True


def _inside(body: Body, p: Array) -> bool:
    """Whether a point is enclosed: its winding number, by solid angles of triangles, in the plane by angles of edges."""
    if not body.solid:
        return False
    if len(body.triangles):
        a, b, c = (body.vertices[body.triangles[:, k]] - p for k in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
        dots = [(u * v).sum(axis=1) for u, v in ((a, b), (b, c), (c, a))]
        above = (a * np.cross(b, c)).sum(axis=1)
        return bool(abs(np.arctan2(above, la * lb * lc + dots[0] * lc + dots[1] * la + dots[2] * lb).sum()) > np.pi)
    loop = body.vertices - p
    after = np.roll(loop, -1, axis=0)
    turns = np.arctan2(loop[:, 0] * after[:, 1] - loop[:, 1] * after[:, 0], (loop * after).sum(axis=1))
    return bool(abs(turns.sum()) > np.pi)


def buried(body: Body, x: Array, y: Array, radius: float) -> bool:
    """As ``imaginary``, but not asked of solids."""
    return not body.solid and imaginary(body, x, y, radius)


def imaginary(body: Body, x: Array, y: Array, radius: float) -> bool:
    """Whether the point of the line from x to y at a distance from x is nearer than that to some other point of the body (thesis, equation 2.3)."""
    p = x + radius / np.linalg.norm(y - x) * (y - x)
    nearest = [on_triangle(p, *body.vertices[t]) for t in body.triangles] + [on_segment(p, *body.vertices[e]) for e in body.edges]
    return min(float(np.linalg.norm(q - p)) for q in nearest) < (1.0 - 1e-9) * radius


def local_minima(a: Body, b: Body, reach: float) -> list[tuple[Array, Array]]:
    """The nearest points x of a, y of b of every local minimum below a distance, the line between them outside of both.

    Those of bodies rounded by half the distance: lines leave them where the roundings of x and y end.
    """
    pairs = [(v, on_triangle(v, *b.vertices[t])) for v in a.vertices for t in b.triangles]
    pairs += [(on_triangle(v, *a.vertices[t]), v) for v in b.vertices for t in a.triangles]
    pairs += [of_segments(*a.vertices[e], *b.vertices[k]) for e in a.edges for k in b.edges]
    found: list[tuple[Array, Array]] = []
    for x, y in pairs:
        if np.linalg.norm(x - y) >= reach or any(np.linalg.norm(x - p) + np.linalg.norm(y - q) < 1e-7 for p, q in found):
            continue
        if _inside(a, x + 1e-6 * (y - x)) or _inside(b, y + 1e-6 * (x - y)):
            continue
        if buried(a, x, y, 0.5 * reach) or buried(b, y, x, 0.5 * reach):
            continue
        if _nearest_around(a, x, y) and _nearest_around(b, y, x):
            found.append((x, y))
    return found
