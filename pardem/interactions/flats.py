"""Parallel features: where they face each other, and the barycentre of what they have in common (the thesis' rule for nearest points).

Edges count as parallel, to each other or to a face, where the sine of their angle is below 1e-7 (relative determinant 1e-14), faces below 3e-7. What
they have in common is what they cover of each other, seen along the face's normal. Faces are plane simple polygons, convex or not; where the common
part falls apart, its pieces count as one.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel
from .features import RIM, edge, largest_axes, loop_of, normal_of
from .polytope_faces import TILT2, clip, plane_axes
from .segments import PARALLEL

WORK_SIZE = 64
LEAST = 1e-9  # share of the smaller feature below which nothing counts as common
_SUBJECT, _WINDOW, _SPARE = 0, 16, 32
TILT2_FACES = 9.0 * TILT2  # of two faces: where two edges of a face at an angle of 40 degrees or more are parallel to another, the face is so too


@inlined
def facing(wx, wy, wz, ux, uy, uz, vx, vy, vz):
    """Whether two segments (``segments.nearest_segments``) are parallel and face each other over a stretch."""
    a = ux * ux + uy * uy + uz * uz
    c = vx * vx + vy * vy + vz * vz
    b = ux * vx + uy * vy + uz * vz
    if a == 0.0 or c == 0.0 or a * c - b * b > PARALLEL * a * c:
        return False
    centre, reach = -(wx * ux + wy * uy + wz * uz) / a, abs(b) / a
    return max(-1.0, centre - reach) + LEAST < min(1.0, centre + reach)


@inlined
def sine2(ux, uy, uz, nx, ny, nz):
    """Squared sine of the angle between a line and a plane, by direction and normal; 1 for a line of no length."""
    below = (ux * ux + uy * uy + uz * uz) * (nx * nx + ny * ny + nz * nz)
    across = ux * nx + uy * ny + uz * nz
    return across * across / below if below > 0.0 else 1.0


@inlined
def sine2_faces(ax, ay, az, bx, by, bz):
    """Squared sine of the angle between two planes, by normals of any length."""
    cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    return (cx * cx + cy * cy + cz * cz) / ((ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz))


@inlined
def _covered(f, g, j, k, p, q, p0, q0, d0, e0, d2, sense):
    """Length and first moment of the part of an edge (p0, q0) + s (d0, e0), 0 <= s <= 1, inside a face, seen on the axes ``p`` and ``q``.

    Args:
        d2: squared length of (d0, e0). sense: positive where the outline runs counter-clockwise.
    """
    first, last = loop_of(f, g, j, k)
    base = g.vert_start[j]
    share, moment = 0.0, 0.0
    a = base + f.loops[last - 1]
    a0, a1 = g.vert[a, p] - p0, g.vert[a, q] - q0
    sa = d0 * a1 - e0 * a0
    for m in range(first, last):
        b = base + f.loops[m]
        b0, b1 = g.vert[b, p] - p0, g.vert[b, q] - q0
        sb = d0 * b1 - e0 * b0
        if (sa > 0.0) != (sb > 0.0):
            r = sa / (sa - sb)
            s = min(1.0, max(0.0, (d0 * (a0 + r * (b0 - a0)) + e0 * (a1 + r * (b1 - a1))) / d2))
            sign = 1.0 if (sb > 0.0) == (sense > 0.0) else -1.0  # the line leaves by a side that runs up, where the outline runs counter-clockwise
            share += sign * s
            moment += 0.5 * sign * s * s
        a0, a1, sa = b0, b1, sb
    return share, moment


@kernel
def edge_on_face(f, g, i, e, j, k, wx, wy, wz):
    """The stretch of edge ``e`` of grain ``i`` that face ``k`` of grain ``j`` covers, if they are parallel.

    The line of the edge enters and leaves the outline where it crosses the sides; the lengths from the edge's start to all crossings, cut to the edge
    and counted with their signs, sum up to the common length, and their squares to its first moment.

    Args:
        f: `Features`. wx, wy, wz: centre of i less that of j (m).

    Returns:
        its share of the edge (0: not parallel, or nothing in common), squared sine of the angle; its middle on the edge and below it on the face,
        each relative to its own centre (m).
    """
    mx, my, mz, ux, uy, uz = edge(f, g, i, e)
    nx, ny, nz, ox, oy, oz = normal_of(f, g, j, k)
    tilt2 = sine2(ux, uy, uz, nx, ny, nz)
    if tilt2 > TILT2:
        return 0.0, tilt2, mx, my, mz, ox, oy, oz
    n2 = nx * nx + ny * ny + nz * nz
    # the edge as seen on the plane, about j's centre
    px, py, pz = wx + mx - ux, wy + my - uy, wz + mz - uz
    p, q = largest_axes(nx, ny, nz)
    h = ((px - ox) * nx + (py - oy) * ny + (pz - oz) * nz) / n2
    t = 2.0 * (ux * nx + uy * ny + uz * nz) / n2
    fx, fy, fz = px - h * nx, py - h * ny, pz - h * nz
    dx, dy, dz = 2.0 * ux - t * nx, 2.0 * uy - t * ny, 2.0 * uz - t * nz
    p0, q0 = (fx if p == 0 else (fy if p == 1 else fz)), (fx if q == 0 else (fy if q == 1 else fz))
    d0, e0 = (dx if p == 0 else (dy if p == 1 else dz)), (dx if q == 0 else (dy if q == 1 else dz))
    sense = nx if p == 1 else (ny if p == 2 else nz)
    # once a little to either side: an edge over a side of the face lies on that, not on the face
    d2 = d0 * d0 + e0 * e0
    shift = RIM * abs(h) * np.sqrt(n2 / d2)
    share, whole, moment = 1.0, 0.0, 0.0
    for _ in range(2):
        whole, moment = _covered(f, g, j, k, p, q, p0 + shift * e0, q0 - shift * d0, d0, e0, d2, sense)
        share = min(share, whole)
        shift = -shift
    if share < LEAST:
        return 0.0, tilt2, mx, my, mz, ox, oy, oz
    s = moment / whole
    x0, x1, x2 = mx + (2.0 * s - 1.0) * ux, my + (2.0 * s - 1.0) * uy, mz + (2.0 * s - 1.0) * uz
    return share, tilt2, x0, x1, x2, fx + s * dx, fy + s * dy, fz + s * dz


@inlined
def _triangle(g, base, loops, first, m, cx, cy, cz, ex, ey, ez, fx, fy, fz, work, place):
    """Write the triangle of a face's corners ``first``, ``m``, ``m + 1`` counter-clockwise, in plane coordinates about -c; twice its area, signed."""
    a, b, c = base + loops[first], base + loops[m], base + loops[m + 1]
    for n in range(3):
        k = a if n == 0 else (b if n == 1 else c)
        x, y, z = g.vert[k, 0] + cx, g.vert[k, 1] + cy, g.vert[k, 2] + cz
        work[place + 2 * n], work[place + 2 * n + 1] = x * ex + y * ey + z * ez, x * fx + y * fy + z * fz
    u0, v0 = work[place], work[place + 1]
    area = (work[place + 2] - u0) * (work[place + 5] - v0) - (work[place + 3] - v0) * (work[place + 4] - u0)
    if area < 0.0:
        u0, v0 = work[place + 2], work[place + 3]
        work[place + 2], work[place + 3] = work[place + 4], work[place + 5]
        work[place + 4], work[place + 5] = u0, v0
    return area


@kernel
def face_on_face(f, g, i, k, j, l, wx, wy, wz, work):
    """What face ``k`` of grain ``i`` and face ``l`` of grain ``j`` have in common, if they are parallel.

    Each is the signed sum of the triangles of one of its corners with its sides; triangles are cut by each other (``polytope_faces.clip``).

    Args:
        f: `Features`. wx, wy, wz: centre of i less that of j (m). work: (>= WORK_SIZE,) float64 scratch.

    Returns:
        its share of the smaller face (0: not parallel, or nothing in common), squared sine of the angle; its centroid on the first face and below it
        on the second, each relative to its own centre (m).
    """
    ax, ay, az, px, py, pz = normal_of(f, g, i, k)
    nx, ny, nz, ox, oy, oz = normal_of(f, g, j, l)
    tilt2 = sine2_faces(ax, ay, az, nx, ny, nz)
    if tilt2 > TILT2_FACES:
        return 0.0, tilt2, px, py, pz, ox, oy, oz
    ex, ey, ez, fx, fy, fz = plane_axes(nx, ny, nz)
    # plane coordinates about the first corner of j's face
    cx, cy, cz = wx - ox, wy - oy, wz - oz
    first, last = loop_of(f, g, i, k)
    other, end = loop_of(f, g, j, l)
    area, mu, mv = 0.0, 0.0, 0.0
    for m in range(first + 1, last - 1):
        for n in range(other + 1, end - 1):
            sign = _triangle(g, g.vert_start[i], f.loops, first, m, cx, cy, cz, ex, ey, ez, fx, fy, fz, work, _SUBJECT)
            sign *= _triangle(g, g.vert_start[j], f.loops, other, n, -ox, -oy, -oz, ex, ey, ez, fx, fy, fz, work, _WINDOW)
            if sign == 0.0:
                continue
            place, left = clip(work, _SUBJECT, 3, _WINDOW, 3, _SPARE)
            u0, v0 = work[place], work[place + 1]
            for c in range(1, left - 1):
                bu, bv = work[place + 2 * c] - u0, work[place + 2 * c + 1] - v0
                du, dv = work[place + 2 * c + 2] - u0, work[place + 2 * c + 3] - v0
                part = (bu * dv - bv * du) if sign > 0.0 else (bv * du - bu * dv)
                area += part
                mu += part * (u0 + (bu + du) / 3.0)
                mv += part * (v0 + (bv + dv) / 3.0)
    # normals of opposite sense count their outlines with opposite signs
    if ax * nx + ay * ny + az * nz < 0.0:
        area, mu, mv = -area, -mu, -mv
    smaller = np.sqrt(min(ax * ax + ay * ay + az * az, nx * nx + ny * ny + nz * nz))
    if area < LEAST * smaller:
        return 0.0, tilt2, px, py, pz, ox, oy, oz
    u, v = mu / area, mv / area
    y0, y1, y2 = ox + u * ex + v * fx, oy + u * ey + v * fy, oz + u * ez + v * fz
    # along j's normal to i's face
    rise = ((wx + px - y0) * ax + (wy + py - y1) * ay + (wz + pz - y2) * az) / (nx * ax + ny * ay + nz * az)
    return area / smaller, tilt2, y0 + rise * nx - wx, y1 + rise * ny - wy, y2 + rise * nz - wz, y0, y1, y2
