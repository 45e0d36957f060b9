"""Narrow phase for scenes whose cores are points and segments only: closed forms, no solver, no warm start."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import inlined
from .segments import nearest_segments, regularised_segments


class Rods(NamedTuple):
    """Narrow phase for spheres and spherocylinders.

    Attributes:
        regularised: which rule: the regularised minimum or the nearest points.
        eps2: (ns,) squared regularisation of each species.
        kind: (ns,) int32 number of core vertices.
    """

    regularised: bool
    eps2: np.ndarray
    kind: np.ndarray


@inlined
def axis(interaction, g, i):
    """Half-axis vector of grain ``i`` (m); zero for a sphere."""
    if interaction.kind[g.species[i]] == 1:
        return 0.0, 0.0, 0.0
    k = np.uintp(g.vert_start[i] + 1)
    return g.vert[k, 0], g.vert[k, 1], g.vert[k, 2]


@inlined
def _distance2(wx, wy, wz, ux, uy, uz, vx, vy, vz, s, t, ea, eb):
    """Squared regularised distance (m^2) of the points X = s u and Y = t v, and these points."""
    x0, x1, x2 = s * ux, s * uy, s * uz
    y0, y1, y2 = t * vx, t * vy, t * vz
    dx, dy, dz = wx + x0 - y0, wy + x1 - y1, wz + x2 - y2
    f = dx * dx + dy * dy + dz * dz
    f += ea * (x0 * x0 + x1 * x1 + x2 * x2) + eb * (y0 * y0 + y1 * y1 + y2 * y2)
    return f, x0, x1, x2, y0, y1, y2


@inlined
def closest(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach):
    """Minimiser of the pair's distance function.

    Args:
        wx, wy, wz: centre of i less that of j (nearest image). pairs, p: the list and the candidate.

    Returns:
        whether it can touch at all, squared (regularised) distance, the points relative to their own centres, status.
    """
    ux, uy, uz = axis(interaction, g, i)
    vx, vy, vz = axis(interaction, g, j)
    ea, eb = 0.0, 0.0
    if interaction.regularised:
        ea, eb = interaction.eps2[g.species[i]], interaction.eps2[g.species[j]]
        s, t = regularised_segments(wx, wy, wz, ux, uy, uz, vx, vy, vz, ea, eb)
    else:
        s, t = nearest_segments(wx, wy, wz, ux, uy, uz, vx, vy, vz)
    f, x0, x1, x2, y0, y1, y2 = _distance2(wx, wy, wz, ux, uy, uz, vx, vy, vz, s, t, ea, eb)
    return f < reach * reach, f, x0, x1, x2, y0, y1, y2, 0


@inlined
def weighted(interaction, g, i, j, wx, wy, wz, pairs, p, factor):
    """Minimum of a pair's regularised distance function with the penalties of both bodies times ``factor``, whatever its history.

    Returns:
        squared distance (0 where the rule has no penalties), the points relative to their own centres, status.
    """
    if not interaction.regularised:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0
    ux, uy, uz = axis(interaction, g, i)
    vx, vy, vz = axis(interaction, g, j)
    ea, eb = factor * interaction.eps2[g.species[i]], factor * interaction.eps2[g.species[j]]
    s, t = regularised_segments(wx, wy, wz, ux, uy, uz, vx, vy, vz, ea, eb)
    f, x0, x1, x2, y0, y1, y2 = _distance2(wx, wy, wz, ux, uy, uz, vx, vy, vz, s, t, ea, eb)
    return f, x0, x1, x2, y0, y1, y2, 0


@inlined
def zone(interaction, g, i, j, nx, ny, nz, r_eff, delta, pairs, p):
    """Half-length of the contact zone of two grains (m) and the axis it can rock about.

    Two segments at an angle theta touch along about sqrt(r delta)/sin(theta), at most along the shorter one; spheres in a point (no couples).

    Returns:
        lever (m), unit axis (or zeros).
    """
    ux, uy, uz = axis(interaction, g, i)
    vx, vy, vz = axis(interaction, g, j)
    a2 = ux * ux + uy * uy + uz * uz
    b2 = vx * vx + vy * vy + vz * vz
    if a2 == 0.0 or b2 == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    cx, cy, cz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    sine2 = (cx * cx + cy * cy + cz * cz) / (a2 * b2)
    lever2 = min(a2, b2)
    if lever2 * sine2 > r_eff * delta:
        lever2 = r_eff * delta / sine2
    ex, ey, ez = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux
    e2 = ex * ex + ey * ey + ez * ez
    if e2 > 0.0:
        e2 = 1.0 / np.sqrt(e2)
    return np.sqrt(lever2), ex * e2, ey * e2, ez * e2


@inlined
def _on_plane(slope, u2, e2, height):
    """Where along a half-axis u the regularised distance to a plane is least, from -1 to 1; ``slope``: n.u (m), ``u2``: |u|^2, ``e2``: eps^2."""
    bottom = slope * slope + e2 * u2
    return min(1.0, max(-1.0, -height * slope / bottom)) if bottom > 0.0 else 0.0


@inlined
def weighted_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, factor):
    """Minimum of the regularised distance function to a plane with penalties times ``factor``; see ``closest_to_plane``, ``weighted``.

    Returns:
        squared distance (0 where the rule has no penalties), height of the point (m), the point relative to the centre, status.
    """
    if not interaction.regularised:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0
    ux, uy, uz = axis(interaction, g, i)
    slope = nx * ux + ny * uy + nz * uz
    u2 = ux * ux + uy * uy + uz * uz
    e2 = factor * interaction.eps2[g.species[i]]
    t = _on_plane(slope, u2, e2, height)
    h = height + t * slope
    return h * h + e2 * t * t * u2, h, t * ux, t * uy, t * uz, 0


@inlined
def closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching):
    """Minimiser of the distance of grain ``i`` to a plane at ``height`` below its centre along the unit normal (m).

    Returns:
        squared (regularised) distance, signed height of the point above the plane, the point relative to the centre, status.
    """
    ux, uy, uz = axis(interaction, g, i)
    slope = nx * ux + ny * uy + nz * uz
    u2 = ux * ux + uy * uy + uz * uz
    t = 0.0
    if interaction.regularised:
        e2 = interaction.eps2[g.species[i]]
        t = _on_plane(slope, u2, e2, height)
    else:
        e2 = 0.0
        if abs(slope) > 1e-14 * np.sqrt(u2):
            t = -1.0 if slope > 0.0 else 1.0
    h = height + t * slope
    return h * h + e2 * t * t * u2, h, t * ux, t * uy, t * uz, 0


@inlined
def zone_on_plane(interaction, g, i, nx, ny, nz, delta, pairs, p):
    """Half-length of the contact zone of a grain on a plane (m) and its rocking axis.

    A segment whose regularised point lies between its ends bears as a whole; one tilted further, by theta, lies on delta/sin(theta) of its length.
    """
    ux, uy, uz = axis(interaction, g, i)
    u2 = ux * ux + uy * uy + uz * uz
    if u2 == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    length = np.sqrt(u2)
    rise = abs(nx * ux + ny * uy + nz * uz)
    lever = length
    if (g.x[i, 3] - delta) * rise > rise * rise + interaction.eps2[g.species[i]] * u2 and rise > delta:
        lever = delta * length / rise
    ex, ey, ez = ny * uz - nz * uy, nz * ux - nx * uz, nx * uy - ny * ux
    e2 = ex * ex + ey * ey + ez * ez
    if e2 > 0.0:
        e2 = 1.0 / np.sqrt(e2)
    return lever, ex * e2, ey * e2, ez * e2
