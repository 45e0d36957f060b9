"""Contacts of scenes made of spheres only: the general rule with everything that a point core makes zero left out.

Some rows at a time: which candidates touch; then those in batches (see ``batch``), whose geometry too is computed for many contacts at once.
"""

from __future__ import annotations

import numpy as np

from ..compiled import vectors
from ..compiled.choices import root, smaller
from ..compiled.jit import inlined, kernel
from ..compiled.prefetch import prefetch
from ..compiled.vectors import add, ahead, behind, cross, dot, nearest_image, scale, square, subtract
from ..laws.books import end_contact
from ..laws.resistance.memory import torque_lost_at_end
from ..laws.resistance.model import resists
from . import batch
from .accumulate import tally_losses
from .batch import (
    ARM,
    BATCH,
    BRANCH,
    MASS,
    MIDDLES,
    NORMALS,
    OVERLAP,
    RADIUS,
    ROOM,
    SLOPE,
    TURN,
    VELOCITY,
    book,
    fill_pair,
    fill_past,
    keep_own,
    put_vector,
    vector,
)
from .resistance import check_torques, fill_resistance, keep_resistance, prepare_spheres, resist

# where the narrow phase keeps radii, masses and spins of the two bodies until the geometry is known: columns that only other narrow phases use,
# or that are written later
RADII, MASSES, SPIN_I, SPIN_J = batch.SPIN, batch.LEVER, batch.AXIS, batch.MOMENT


@kernel
def _touching(first, last, pairs, g, settings):
    """Write the candidates that touch, or did in the step before, to ``pairs.near`` with their first bodies in ``pairs.near_row``.

    Returns:
        how many; the row to go on with, before ``last`` where the room did not suffice.
    """
    row, ptr, col, touch, near, near_row = pairs.row, pairs.ptr, pairs.col, pairs.touch, pairs.near, pairs.near_row
    x = g.x
    found = np.uintp(0)
    for r in range(first, last):
        if np.int64(found) + ptr[r + 1] - ptr[r] >= near.shape[0]:
            return np.int64(found), r
        i = np.uintp(row[r])
        first_place, ri = vectors.row(x, i), x[i, 3]
        for q in range(ptr[r], ptr[r + 1]):
            p = np.uintp(q)  # unsigned indices spare the check for negative ones
            j = np.uintp(col[p])
            d = nearest_image(subtract(vectors.row(x, j), first_place), settings)
            reach = ri + x[j, 3]
            near[found] = p
            near_row[found] = i
            found += np.uintp((square(d) < reach * reach) | (touch[p] != 0))
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
    x, v, w, s = g.x, g.v, g.w, pairs.scratch
    put_vector(s, BRANCH, k, nearest_image(subtract(vectors.row(x, j), vectors.row(x, i)), settings))
    s[RADII + k], s[RADII + BATCH + k] = x[i, 3], x[j, 3]
    s[MASSES + k], s[MASSES + BATCH + k] = v[i, 3], v[j, 3]
    put_vector(s, VELOCITY, k, subtract(vectors.row(v, j), vectors.row(v, i)))
    put_vector(s, SPIN_I, k, vectors.row(w, i))
    put_vector(s, SPIN_J, k, vectors.row(w, j))
    fill_past(k, p, law, pairs, settings)
    fill_pair(k, g.material[i], g.material[j], law, s, pairs.counts)
    fill_resistance(settings.resistance, k, p, g.material[i], g.material[j], 0.0, pairs, settings)


@kernel
def _geometry(dt, lag, s):
    """The contact lies on the radical plane, arm_i = (d^2 + R_i^2 - R_j^2) / (2 d) along the normal from i to j.

    Velocities are taken where they belong, ``lag`` (s) before: there the centres were lag v less apart. With D_m = D - lag v the arms are parts of
    D_m, share_i = (1 + (R_i^2 - R_j^2)/D_m^2)/2 and the rest, and 1/D_m follows from 1/D by its series in e = D_m^2/D^2 - 1, to third order in the
    step.
    """
    for n in range(BATCH):
        k = np.uintp(n)
        branch, velocity = vector(s, BRANCH, k), vector(s, VELOCITY, k)
        ri, rj, mi, mj = s[RADII + k], s[RADII + BATCH + k], s[MASSES + k], s[MASSES + BATCH + k]
        reach, mass = ri + rj, mi + mj
        d2 = square(branch)
        d = root(d2)
        inv = 1.0 / d
        inv2 = inv * inv
        before = behind(branch, lag, velocity)
        e = square(before) * inv2 - 1.0
        inv_before = inv * (1.0 - e * (0.5 - 0.375 * e))
        difference = (ri - rj) * reach
        share_i = 0.5 + 0.5 * difference * (inv_before * inv_before)
        spin_i, spin_j = vector(s, SPIN_I, k), vector(s, SPIN_J, k)
        # velocity of j's material point less that of i's: v_j - arm_j w_j x n - v_i - arm_i w_i x n
        put_vector(s, VELOCITY, k, subtract(velocity, cross(ahead(scale(share_i, spin_i), 1.0 - share_i, spin_j), before)))
        middle, normal = scale(inv_before, before), scale(inv, branch)
        put_vector(s, MIDDLES, k, middle)
        s[TURN + k] = 0.5 * dt * dot(add(spin_i, spin_j), middle)
        per = 1.0 / (reach * mass)
        s[MASS + k], s[RADIUS + k] = mi * mj * (reach * per), ri * rj * (mass * per)
        put_vector(s, NORMALS, k, normal)
        put_vector(s, ARM, k, scale(0.5 * (d + difference * inv), normal))
        s[OVERLAP + k], s[SLOPE + k] = reach - d, 1.0
        s[ROOM + k] = smaller(ri, rj) - (reach - d)


@inlined
def _part(i, j, p, owned, pairs, g, settings, tally):
    """End contact ``p`` of the bodies ``i`` and ``j``, which have parted."""
    pairs.touch[p] = 0
    if settings.budget and i < owned:
        velocity = subtract(vectors.row(g.v, j), vectors.row(g.v, i))
        lost_n, lost_t = end_contact(velocity, pairs.hist, p, settings.dt, not settings.midstep)
        if resists(settings.resistance):
            spin = subtract(vectors.row(g.w, j), vectors.row(g.w, i))
            lost_t += torque_lost_at_end(settings.resistance, spin, pairs.hist, p, settings)
        tally_losses(tally, lost_n, lost_t, 1.0 / settings.energy)


@kernel
def sphere_contacts(first, last, owned, pairs, g, law, settings, control, tally):
    """Forces of the candidate pairs in rows ``first`` to ``last``; each pair has its lower global id first."""
    col, touch, near, near_row, s, counts = pairs.col, pairs.touch, pairs.near, pairs.near_row, pairs.scratch, pairs.counts
    dt = settings.dt
    lag = 0.5 * dt if settings.midstep else 0.0
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
            prepare_spheres(settings.resistance, (RADII, MASSES, SPIN_I, SPIN_J), s)
            resist(settings.resistance, law, False, dt, s)
            batch.quantise(resists(settings.resistance), settings, s, counts)
            check_torques(settings.resistance, settings, s, counts)
            for n in range(count):
                k = np.uintp(n)
                p, i = np.uintp(near[begin + n]), np.uintp(near_row[begin + n])
                j = np.uintp(col[p])
                if s[OVERLAP + k] > 0.0:
                    keep_own(k, p, law, pairs, settings)
                    book(k, i, j, p, owned, False, pairs, g, settings, control, tally)
                    keep_resistance(settings.resistance, k, p, i < owned, pairs, settings, control, tally)
                elif touch[p] != 0:
                    _part(i, j, p, owned, pairs, g, settings, tally)
