"""What a regularised contact with a flat wall adds where its force would collapse (``contacts.hardening``)."""

from __future__ import annotations

from ..compiled.fixedpoint import deposit_nearest
from ..compiled.jit import kernel
from ..compiled.vectors import ZERO, ahead, cross, dot_from, scale, square
from ..contacts.accumulate import add as add_force
from ..contacts.accumulate import fault, tally_stress
from ..contacts.dispatch import weighted_to_plane
from ..contacts.hardening import HEAVIER, LIGHTER, in_range, potential
from ..contacts.record import record_hardening
from ..laws.law import secant_stiffness
from ..state.arrays import ERROR_RANGE, ERROR_SOLVER, OBSERVE, RECORDED, STORED
from .meeting import along, react
from .surfaces.registry import facing


@kernel
def harden(m, loop):
    """Add what the hardening of a contact with a plane or disc gives (``contacts.hardening``) to the grain and the wall, and account for its energy.

    Args:
        m: `Meeting`.
        loop: `WallLoop`.

    Returns:
        whether there is such a rule, and the core is as far from the wall as it needs.
    """
    pairs, walls, g, law, settings, control, tally = loop.pairs, loop.walls, loop.g, loop.law, loop.settings, loop.control, loop.tally
    i, k, x = m.i, m.k, m.x
    flat, space = facing(walls, g, i, k)
    if not flat:
        return False
    heavier, h, u, failed = weighted_to_plane(loop.interaction, g, i, space, pairs, m.p, HEAVIER)
    lighter, low, r, status = weighted_to_plane(loop.interaction, g, i, space, pairs, m.p, LIGHTER)
    if failed != 0 or status != 0:
        fault(control, ERROR_SOLVER, g.gid[i], -1 - k)
    radius, inv_energy = g.x[i, 3], 1.0 / settings.energy
    stiffness = secant_stiffness(law, g.material[i], walls.material[k], radius, g.v[i, 3], radius)
    held, c1, c2, c3, apart = potential(m.distance * m.distance, heavier, lighter, radius, stiffness)
    if held == 0.0:
        return apart
    normal, height = space
    # forces along the normal, one at each minimiser
    first, second, third = -2.0 * c1 * dot_from(height, normal, x), -2.0 * c2 * h, -2.0 * c3 * low
    speed1, shift1 = along(loop, i, k, x, normal)
    speed2, shift2 = along(loop, i, k, u, normal)
    speed3, shift3 = along(loop, i, k, r, normal)
    if m.changes:
        change = held - 0.5 * settings.dt * (first * speed1 + second * speed2 + third * speed3)
        deposit_nearest(walls.work, k, (change if m.there else -change) * inv_energy)
    if not m.there:
        return True
    force = scale(first + second + third, normal)
    moment = ahead(ahead(scale(first, x), second, u), third, r)
    couple_ = cross(moment, normal)
    if not in_range(square(force), square(couple_), settings):
        fault(control, ERROR_RANGE, g.gid[i], -1 - k)
        return True
    add_force(g.ft, i, force, couple_, settings)
    react(loop, i, k, ZERO, force, couple_)
    deposit_nearest(walls.work, k, (first * shift1 + second * shift2 + third * shift3) * inv_energy)
    if control[OBSERVE] != 0:
        deposit_nearest(tally, STORED, held * inv_energy)
        tally_stress(tally, moment, normal, inv_energy)
        if control[OBSERVE] == RECORDED:
            record_hardening(pairs.record, m.p, force, couple_)
    return True
