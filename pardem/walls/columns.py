"""Contacts with walls as columns of a batch (``contacts.batch``): filled, evaluated, applied to the grains and to the walls."""

from __future__ import annotations

import numpy as np

from ..compiled.fixedpoint import deposit_nearest
from ..compiled.jit import inlined
from ..compiled.vectors import ZERO, ahead, columns, dot, negative, put_columns
from ..contacts.batch import (
    ARM,
    AXIS,
    BRANCH,
    DEPTH_LEFT,
    FORCE,
    LEVER,
    LEVER_MIDDLE,
    MASS,
    MIDDLES,
    MOMENT,
    NORMALS,
    OVERLAP,
    RADIUS,
    SHIFT,
    SLOPE,
    SPIN,
    TURN,
    VELOCITY,
    fill_pair,
    fill_past,
    keep_own,
    put_vector,
    vector,
)
from ..contacts.batch_forces import couples, forces, quantise
from ..contacts.batch_results import apply_to_grain
from ..contacts.dispatch import has_couples, keeps_arms, zone_on_plane
from ..contacts.pair_loop import velocity_lag
from ..contacts.resistance import check_torques, fill_resistance, keep_resistance, resist
from ..contacts.rules.rule import Bearing
from ..laws.history import NORMAL, WITH_ARM
from ..laws.resistance.resistance_model import resists
from .meeting import Before, motion_in_the_middle, motions_of, react
from .motion.driven import turns
from .surfaces.bodies import effective_radius
from .surfaces.registry import SIDES


@inlined
def _zone(m, overlap, loop):
    """Half-length of the contact zone (m) and its rocking axis."""
    walls, law, g, normal = loop.walls, loop.law, loop.g, m.normal
    a, b = g.material[m.i], walls.material[m.k]
    if law.torsion[a, b] + law.rocking[a, b] != 0.0 and SIDES[walls.kind[m.k]] > 0:
        return zone_on_plane(loop.interaction, g, m.i, Bearing(normal, g.x[m.i, 3], overlap), loop.pairs, m.p)
    return 0.0, ZERO


@inlined
def _before(p, loop):
    """How the grain and the wall of a candidate met in the step before: ``Before``."""
    hist, arm, lever = loop.pairs.hist, ZERO, 0.0
    if keeps_arms(loop.interaction):
        arm, lever = columns(hist, p, hist.shape[1] - WITH_ARM), hist[p, hist.shape[1] - 1]
    return Before(columns(hist, p, NORMAL), arm, lever)


@inlined
def fill(c, m, arm, overlap, out, now, loop):
    """Put a contact into column ``c`` of the batch.

    Args:
        c: the column.
        m: `Meeting`.
        arm: vector from the grain's centre to the contact point (m).
        overlap: (m).
        out: how far the contact point lies from the core (m).
        now: motion at the end of the step, as ``relative_motion`` gives it.
        loop: `WallLoop`.
    """
    pairs, walls, g, settings = loop.pairs, loop.walls, loop.g, loop.settings
    p, i, k, normal, hist, s = m.p, m.i, m.k, m.normal, pairs.hist, pairs.scratch
    seen, shift, spin = now
    lever, axis = _zone(m, overlap, loop)
    middle, velocity, lever_middle = motion_in_the_middle(m, motions_of(walls, g, i, k), (arm, out), lever, seen, _before(p, loop), loop)
    if keeps_arms(loop.interaction):
        put_columns(hist, p, hist.shape[1] - WITH_ARM, arm)
        hist[p, hist.shape[1] - 1] = lever
    put_vector(s, BRANCH, c, arm)
    put_vector(s, ARM, c, arm)
    put_vector(s, NORMALS, c, normal)
    put_vector(s, MIDDLES, c, middle)
    put_vector(s, VELOCITY, c, velocity)
    put_vector(s, SPIN, c, negative(spin))
    put_vector(s, AXIS, c, axis)
    put_vector(s, SHIFT, c, shift)
    s[OVERLAP + c], s[SLOPE + c], s[DEPTH_LEFT + c] = overlap, m.slope, np.inf
    s[TURN + c] = 0.5 * settings.dt * dot(ahead(spin, 2.0, columns(walls.pose, k, 12)), middle)
    s[MASS + c], s[RADIUS + c] = g.v[i, 3], effective_radius(walls, g, i, k)
    s[LEVER + c], s[LEVER_MIDDLE + c] = lever, lever_middle
    fill_past(c, pairs.touch[p], p, loop.law, pairs, settings)
    a, b, inertia = np.uintp(g.material[i]), np.uintp(walls.material[k]), g.v[i, 3] * (g.x[i, 3] * g.x[i, 3])
    fill_pair(c, a, b, loop.law, s, pairs.counts)
    fill_resistance(settings.resistance, c, p, (a, b), inertia, loop)
    pairs.near[c], pairs.near_row[c] = p, i


@inlined
def evaluate(count, loop):
    """Forces of the first columns of a batch, added to the grains, the walls and the sums of energy.

    Args:
        count: number of columns that are filled.
        loop: `WallLoop`.
    """
    pairs, walls, settings = loop.pairs, loop.walls, loop.settings
    s, with_couples = pairs.scratch, has_couples(loop.interaction) and keeps_arms(loop.interaction)
    forces(count, loop.law, settings.dt, velocity_lag(settings), s)
    if with_couples:
        couples(settings.dt, s)
    resistance, with_moments = settings.resistance, with_couples or resists(settings.resistance)
    resist(resistance, count, loop.law, with_couples, settings.dt, s)
    quantise(with_moments, settings, s, pairs.counts)
    check_torques(resistance, settings, s, pairs.counts)
    for n in range(count):
        c, p, i = np.uintp(n), np.uintp(pairs.near[n]), pairs.near_row[n]
        k = pairs.col[p]
        keep_own(c, p, loop.law, pairs, settings)
        if apply_to_grain(c, i, k, p, with_couples, loop):
            force, moment = vector(s, FORCE, c), vector(s, MOMENT, c) if with_moments else ZERO
            react(loop, i, k, vector(s, ARM, c), force, moment)
            work = dot(force, vector(s, SHIFT, c))
            if with_moments and turns(walls.motion, k):
                work += dot(moment, columns(walls.pose, k, 15))
            deposit_nearest(walls.work, k, work / settings.energy)
        keep_resistance(resistance, c, p, True, loop)
