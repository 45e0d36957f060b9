"""Contacts of spheres through the columns of a batch (see ``batch``): with everything that a contact may be asked for beside its force."""

from __future__ import annotations

import numpy as np

from ..compiled import vectors
from ..compiled.jit import inlined, kernel
from ..compiled.lanes.types import WIDTH
from ..compiled.vectors import nearest_image, scale, subtract
from ..laws.resistance.resistance_model import resists
from . import batch
from .batch import (
    ARM,
    BATCH,
    BRANCH,
    DEPTH_LEFT,
    DRAG,
    MASS,
    MIDDLES,
    NORMALS,
    OVERLAP,
    RADIUS,
    SLOPE,
    TURN,
    VELOCITY,
    fill_pair,
    fill_past,
    keep_own,
    put_vector,
    vector,
)
from .batch_forces import forces, quantising
from .batch_results import apply_to_pair
from .pair_loop import velocity_lag
from .resistance import check_torques, fill_resistance, keep_resistance, prepare_spheres, resist
from .sphere_encounter import SphereBody, encounter, torques
from .sphere_search import fetch, part

# where the narrow phase keeps radii, masses and spins of the two bodies until the geometry is known: columns that only other narrow phases use,
# or that are written later
RADII, MASSES, SPIN_I, SPIN_J = batch.SPIN, batch.LEVER, batch.AXIS, batch.MOMENT
REACH, DISTANCE = batch.SHIFT, batch.SHIFT + BATCH  # of the contact point and of the second centre from the first one


@inlined
def _gather(k, i, j, p, loop):
    """Put the bodies and the history of a contact into column ``k``."""
    pairs, g, law, settings = loop.pairs, loop.g, loop.law, loop.settings
    x, v, w, s = g.x, g.v, g.w, pairs.scratch
    put_vector(s, BRANCH, k, nearest_image(subtract(vectors.row(x, j), vectors.row(x, i)), settings))
    s[RADII + k], s[RADII + BATCH + k] = x[i, 3], x[j, 3]
    s[MASSES + k], s[MASSES + BATCH + k] = v[i, 3], v[j, 3]
    put_vector(s, VELOCITY, k, subtract(vectors.row(v, j), vectors.row(v, i)))
    put_vector(s, SPIN_I, k, vectors.row(w, i))
    put_vector(s, SPIN_J, k, vectors.row(w, j))
    row = np.uintp(pairs.rows.at[p])
    fill_past(k, pairs.touch[p], row, law, pairs, settings)
    fill_pair(k, g.material[i], g.material[j], law, s, pairs.counts)
    fill_resistance(settings.resistance, k, row, (g.material[i], g.material[j]), 0.0, loop)


@kernel
def _geometry(dt, lag, s):
    """How the bodies in each column meet; see ``sphere_encounter.encounter``."""
    for n in range(BATCH):
        k = np.uintp(n)
        first = SphereBody(s[RADII + k], s[MASSES + k], vector(s, SPIN_I, k))
        second = SphereBody(s[RADII + BATCH + k], s[MASSES + BATCH + k], vector(s, SPIN_J, k))
        e = encounter(vector(s, BRANCH, k), vector(s, VELOCITY, k), first, second, dt, lag)
        put_vector(s, VELOCITY, k, e.motion.velocity)
        put_vector(s, MIDDLES, k, e.geometry.middle)
        s[TURN + k] = e.motion.turn
        s[MASS + k], s[RADIUS + k] = e.mass, e.radius
        put_vector(s, NORMALS, k, e.geometry.normal)
        put_vector(s, ARM, k, scale(e.reach, e.geometry.normal))
        s[REACH + k], s[DISTANCE + k] = e.reach, e.distance
        s[OVERLAP + k], s[SLOPE + k] = e.geometry.overlap, e.geometry.slope
        s[DEPTH_LEFT + k] = e.depth_left


@inlined
def _torques(k, s):
    """See ``batch_forces.torques_of_forces``."""
    return torques(s[REACH + k], s[DISTANCE + k], vector(s, NORMALS, k), vector(s, DRAG, k))


_quantise = quantising(_torques)


@kernel
def by_columns(first, last, loop):
    """Forces of the contacts in some places of ``pairs.near``, added to the bodies.

    Args:
        first: the first place.
        last: the place after the last.
        loop: `PairLoop`.
    """
    pairs, settings, law, owned = loop.pairs, loop.settings, loop.law, loop.owned
    col, near, s, counts = pairs.col, pairs.near, pairs.scratch, pairs.counts
    dt, lag = settings.dt, velocity_lag(settings)
    for begin in range(first, last, BATCH):
        count = min(BATCH, last - begin)
        for n in range(begin + BATCH, begin + 2 * BATCH, WIDTH):
            fetch(n, pairs, loop.g)
        for n in range(count):
            p = np.uintp(near[begin + n])
            _gather(np.uintp(n), np.uintp(pairs.first[p]), np.uintp(col[p]), p, loop)
        _geometry(dt, lag, s)
        forces(count, law, dt, lag, s)
        prepare_spheres(settings.resistance, (RADII, MASSES, SPIN_I, SPIN_J), s)
        resist(settings.resistance, count, law, False, dt, s)
        _quantise(resists(settings.resistance), settings, s, counts)
        check_torques(settings.resistance, settings, s, counts)
        for n in range(count):
            k, p = np.uintp(n), np.uintp(near[begin + n])
            i, j = np.uintp(pairs.first[p]), np.uintp(col[p])
            if s[OVERLAP + k] > 0.0:
                row = np.uintp(pairs.rows.at[p])
                keep_own(k, row, law, pairs, settings)
                apply_to_pair(k, i, j, p, row, False, loop)
                keep_resistance(settings.resistance, k, row, i < owned, loop)
            else:
                part(i, j, p, loop)
