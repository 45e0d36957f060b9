"""Contacts of scenes made of spheres only: the general rule with everything that a point core makes zero left out.

Some rows at a time: which candidates touch; then those in batches (see ``batch``), whose geometry too is computed for many contacts at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._jit import inlined, kernel
from ..laws.friction import end_contact
from ..prefetch import prefetch
from ..state import OBSERVE
from . import batch
from .accumulate import tally_losses
from .batch import ALIVE, BATCH, DELTA, DX, DY, DZ, IX, IY, IZ, MEFF, MX, MY, MZ, NX, NY, NZ, REFF, ROOM, SLOPE, TURN, VX, VY, VZ, H, book, fill_pair

# where the narrow phase keeps radii, masses and spins of the two bodies until the geometry is known: columns that only other narrow phases use,
# or that are written later
RI, RJ, MI, MJ = batch.WX, batch.WY, batch.WZ, batch.LEVER
WXI, WYI, WZI, WXJ, WYJ, WZJ = batch.EX, batch.EY, batch.EZ, batch.CX, batch.CY, batch.CZ


class Spheres(NamedTuple):
    """Narrow phase for spheres only; the same fields as ``rods.Rods``, whose plane rules it shares."""

    regularised: bool
    eps2: np.ndarray
    kind: np.ndarray


@inlined
def _nearest(d, period, half, periodic):
    """Difference of two wrapped coordinates in the nearest image."""
    if periodic:
        return d - period if d > half else (d + period if d < -half else d)
    return d


@kernel
def _touching(first, last, pairs, g, settings):
    """Write the candidates that touch, or did in the step before, to ``pairs.near`` with their first bodies in ``pairs.near_row``.

    Returns:
        how many; the row to go on with, before ``last`` where the room did not suffice.
    """
    row, ptr, col, touch, near, near_row = pairs.row, pairs.ptr, pairs.col, pairs.touch, pairs.near, pairs.near_row
    x = g.x
    px, py, pz = settings.period
    hx, hy, hz = settings.half
    periodic = settings.periodic
    found = np.uintp(0)
    for r in range(first, last):
        if np.int64(found) + ptr[r + 1] - ptr[r] >= near.shape[0]:
            return np.int64(found), r
        i = np.uintp(row[r])
        xi, yi, zi, ri = x[i, 0], x[i, 1], x[i, 2], x[i, 3]
        for q in range(ptr[r], ptr[r + 1]):
            p = np.uintp(q)  # unsigned indices spare the check for negative ones
            j = np.uintp(col[p])
            dx = _nearest(x[j, 0] - xi, px, hx, periodic)
            dy = _nearest(x[j, 1] - yi, py, hy, periodic)
            dz = _nearest(x[j, 2] - zi, pz, hz, periodic)
            reach = ri + x[j, 3]
            near[found] = p
            near_row[found] = i
            found += np.uintp((dx * dx + dy * dy + dz * dz < reach * reach) | (touch[p] != 0))
    return np.int64(found), last


@kernel
def _fetch(found, pairs, g):
    """Ask for what the contacts in ``pairs.near`` need: large beds do not fit into the caches."""
    for n in range(found):
        p = pairs.near[n]
        j = pairs.col[p]
        prefetch(pairs.hist, p)
        prefetch(g.v, j)
        prefetch(g.w, j)
        prefetch(g.ft, j)


@inlined
def _gather(k, i, j, p, pairs, g, law, settings):
    """Put the bodies and the history of a contact into column ``k``."""
    x, v, w, hist, s = g.x, g.v, g.w, pairs.hist, pairs.scratch
    px, py, pz = settings.period
    hx, hy, hz = settings.half
    s[DX + k] = _nearest(x[j, 0] - x[i, 0], px, hx, settings.periodic)
    s[DY + k] = _nearest(x[j, 1] - x[i, 1], py, hy, settings.periodic)
    s[DZ + k] = _nearest(x[j, 2] - x[i, 2], pz, hz, settings.periodic)
    s[RI + k], s[RJ + k] = x[i, 3], x[j, 3]
    s[MI + k], s[MJ + k] = v[i, 3], v[j, 3]
    s[VX + k], s[VY + k], s[VZ + k] = v[j, 0] - v[i, 0], v[j, 1] - v[i, 1], v[j, 2] - v[i, 2]
    s[WXI + k], s[WYI + k], s[WZI + k] = w[i, 0], w[i, 1], w[i, 2]
    s[WXJ + k], s[WYJ + k], s[WZJ + k] = w[j, 0], w[j, 1], w[j, 2]
    s[ALIVE + k] = pairs.touch[p]
    for c in range(7):
        s[H + np.uintp(c * BATCH) + k] = hist[p, c]
    fill_pair(k, g.material[i], g.material[j], law, s, pairs.counts)


@kernel
def _geometry(dt, lag, s):
    """The contact lies on the radical plane, arm_i = (d^2 + R_i^2 - R_j^2) / (2 d) along the normal from i to j.

    Velocities are taken where they belong, ``lag`` (s) before: there the centres were v lag less apart.
    """
    for n in range(BATCH):
        k = np.uintp(n)
        dx, dy, dz, ri, rj = s[DX + k], s[DY + k], s[DZ + k], s[RI + k], s[RJ + k]
        reach = ri + rj
        d = np.sqrt(dx * dx + dy * dy + dz * dz)
        inv = 1.0 / d
        nx, ny, nz = dx * inv, dy * inv, dz * inv
        arm_i = 0.5 * (d + (ri - rj) * reach * inv)
        vx, vy, vz = s[VX + k], s[VY + k], s[VZ + k]
        mx, my, mz = dx - lag * vx, dy - lag * vy, dz - lag * vz
        dm = np.sqrt(mx * mx + my * my + mz * mz)
        inv_m = 1.0 / dm
        mx, my, mz = mx * inv_m, my * inv_m, mz * inv_m
        arm_m = 0.5 * (dm + (ri - rj) * reach * inv_m)
        arm_j = dm - arm_m
        wxi, wyi, wzi, wxj, wyj, wzj = s[WXI + k], s[WYI + k], s[WZI + k], s[WXJ + k], s[WYJ + k], s[WZJ + k]
        # velocity of j's material point less that of i's: v_j - arm_j w_j x n - v_i - arm_i w_i x n
        cx, cy, cz = arm_m * wxi + arm_j * wxj, arm_m * wyi + arm_j * wyj, arm_m * wzi + arm_j * wzj
        s[VX + k] = vx - (cy * mz - cz * my)
        s[VY + k] = vy - (cz * mx - cx * mz)
        s[VZ + k] = vz - (cx * my - cy * mx)
        s[MX + k], s[MY + k], s[MZ + k] = mx, my, mz
        s[TURN + k] = 0.5 * dt * ((wxi + wxj) * mx + (wyi + wyj) * my + (wzi + wzj) * mz)
        mi, mj = s[MI + k], s[MJ + k]
        s[MEFF + k], s[REFF + k] = mi * mj / (mi + mj), ri * rj / reach
        s[NX + k], s[NY + k], s[NZ + k] = nx, ny, nz
        s[IX + k], s[IY + k], s[IZ + k] = arm_i * nx, arm_i * ny, arm_i * nz
        s[DELTA + k], s[SLOPE + k] = reach - d, 1.0
        s[ROOM + k] = min(ri, rj) - (reach - d)


@kernel
def sphere_contacts(first, last, owned, pairs, g, law, settings, control, tally):
    """Forces of the candidate pairs in rows ``first`` to ``last``; each pair has its lower global id first."""
    col, touch, near, near_row, s, counts = pairs.col, pairs.touch, pairs.near, pairs.near_row, pairs.scratch, pairs.counts
    v = g.v
    dt, inv_energy = settings.dt, 1.0 / settings.energy
    lag = 0.0 if settings.gear else 0.5 * dt
    observe = control[OBSERVE] != 0
    while first < last:
        found, first = _touching(first, last, pairs, g, settings)
        _fetch(found, pairs, g)
        for begin in range(0, found, BATCH):
            count = min(BATCH, found - begin)
            for n in range(count):
                p = np.uintp(near[begin + n])
                _gather(np.uintp(n), np.uintp(near_row[begin + n]), np.uintp(col[p]), p, pairs, g, law, settings)
            _geometry(dt, lag, s)
            batch.forces(law, dt, lag, s)
            batch.quantise(False, settings, s, counts)
            for n in range(count):
                k = np.uintp(n)
                p, i = np.uintp(near[begin + n]), np.uintp(near_row[begin + n])
                j = np.uintp(col[p])
                if s[DELTA + k] > 0.0:
                    book(k, i, j, p, owned, False, pairs, g, settings, observe, control, tally)
                    continue
                if touch[p] == 0:
                    continue
                touch[p] = 0
                if settings.budget and i < owned:
                    vx, vy, vz = v[j, 0] - v[i, 0], v[j, 1] - v[i, 1], v[j, 2] - v[i, 2]
                    lost_n, lost_t = end_contact(vx, vy, vz, pairs.hist, p, dt, settings.gear)
                    tally_losses(tally, lost_n, lost_t, inv_energy)
