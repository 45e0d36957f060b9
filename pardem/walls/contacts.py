"""Contacts of grains with walls. Flat surfaces give one contact a grain by the narrow phase's own rule, concave ones one per core vertex; under
``superposition`` all of them do. Bodies give one per pair of features. Where a grain meets a wall is its surface's to say (``surfaces``).
"""

from __future__ import annotations

import numpy as np

from ..compiled.fixedpoint import deposit_nearest
from ..compiled.jit import inlined, kernel
from ..compiled.vectors import ahead, dot, length, negative, scale
from ..contacts.accumulate import fault, tally_losses
from ..contacts.batch import BATCH
from ..contacts.dispatch import passes_history_on
from ..contacts.hardening import collapsed
from ..contacts.inheritance import LEAVING, LIVING
from ..contacts.pairs import APART, LEAVES, TOUCHES
from ..laws.energy_ledger import end_contact, held_energy
from ..laws.history import MEMORY
from ..laws.law import coefficients
from ..laws.quantities import PairMaterial
from ..laws.resistance.resistance_memory import torque_lost_at_end
from ..laws.resistance.resistance_model import resists
from ..state.arrays import ERROR_OVERLAP, ERROR_SOLVER
from .columns import evaluate, fill
from .free_paths import note_path, out_of_touch
from .handover import pass_history_on
from .meeting import Meeting, passes_through, relative_motion
from .surfaces.bodies import effective_radius
from .surfaces.place import ABSENT, APPEARING, Candidate
from .surfaces.registry import THIN, meet
from .wall_hardening import harden


@inlined
def has_no_wall(p, i, k, loop):
    """Whether the wall of a candidate is not there, and there is no contact that ends by it.

    Args:
        p: the candidate.
        i: row of the grain.
        k: the wall.
        loop: `WallLoop`.
    """
    if loop.walls.there[k] != ABSENT or loop.pairs.touch[p] != 0:
        return False
    note_path(p, i, k, 0.0, loop)
    return True


@inlined
def _change(m, overlap, rate, loop):
    """Add to the work of a wall what its contact holds: a wall that vanishes takes it along, one that appears puts it in.

    Args:
        m: `Meeting`.
        overlap: (m).
        rate: d(overlap)/dt (m/s).
        loop: `WallLoop`.
    """
    pairs, walls, g, law, settings, i, k = loop.pairs, loop.walls, loop.g, loop.law, loop.settings, m.i, m.k
    a, b = g.material[i], walls.material[k]
    material = PairMaterial(coefficients(law, a, b), law.friction[a, b], g.v[i, 3], effective_radius(walls, g, i, k))
    memory = pairs.hist[m.p, MEMORY] if m.touching else 0.0
    held = held_energy(law, material, overlap, rate, memory, settings.dt)
    deposit_nearest(walls.work, k, (held if m.there else -held) / settings.energy)


@inlined
def _contact(c, p, i, k, first_sweep, loop):
    """One candidate: its end, or into column ``c`` if it touches.

    Args:
        c: the column.
        p: the candidate.
        i: row of the grain.
        k: the wall.
        first_sweep: whether the living contacts are looked at, where histories go over to other features.
        loop: `WallLoop`.

    Returns:
        APART, LEAVES (in a way that another may inherit) or TOUCHES.
    """
    pairs, walls, g, settings, control = loop.pairs, loop.walls, loop.g, loop.settings, loop.control
    touching, there = pairs.touch[p] != 0, walls.there[k] != ABSENT
    if has_no_wall(p, i, k, loop):
        return APART
    if not touching and out_of_touch(p, i, k, loop):
        return APART
    ri = g.x[i, 3]
    d, x, link, status = meet(walls.kind[k], loop, Candidate(p, i, k, touching))
    if status != 0:
        fault(control, ERROR_SOLVER, g.gid[i], -1 - k)
    note_path(p, i, k, d, loop)
    if d >= ri and not touching:
        return APART
    size = length(link)
    if not d > 0.0 or size == 0.0:
        fault(control, ERROR_OVERLAP, g.gid[i], -1 - k)
        return APART
    if passes_history_on(loop.interaction) and first_sweep and there and d >= ri and size < ri:
        pairs.touch[p] = LEAVING
        return LEAVES
    normal, overlap = scale(1.0 / size, link), ri - d
    out = ri - 0.5 * overlap
    arm = ahead(x, out, normal)
    changes = settings.budget and (not there or (walls.there[k] == APPEARING and not touching))
    m = Meeting(p, i, k, there, touching, changes, d, x, normal, size / d)
    if collapsed(d, d * d - size * size, ri) and not harden(m, loop) and there:
        fault(control, ERROR_OVERLAP, g.gid[i], -1 - k)
    now = relative_motion(walls, g, i, k, arm, 0.0)
    if changes:
        _change(m, overlap, -m.slope * dot(normal, now[0]), loop)
    if d < ri and there:
        if THIN[walls.kind[k]] and passes_through(size, normal, now[0], settings.dt):
            fault(control, ERROR_OVERLAP, g.gid[i], -1 - k)
        fill(c, m, arm, overlap, out, now, loop)
        return TOUCHES
    pairs.touch[p] = 0
    if settings.budget:
        lost_n, lost_t = end_contact(now[0], pairs.hist, p, settings.dt, not settings.midstep)
        if resists(settings.resistance):
            lost_t += torque_lost_at_end(settings.resistance, negative(now[2]), pairs.hist, p, settings)
        tally_losses(loop.tally, lost_n, lost_t, 1.0 / settings.energy)
    return APART


@kernel
def by_rows(loop):
    """Forces between grains and walls where histories go over to other features: the candidates of a grain together, the living ones first.

    Args:
        loop: `surfaces.place.WallLoop`.
    """
    pairs, interaction = loop.pairs, loop.interaction
    rows, ptr, col, touch = pairs.row, pairs.ptr, pairs.col, pairs.touch
    filled = np.uintp(0)
    for r in range(rows.shape[0]):
        i, leaving = rows[r], False
        for sweep in range(2):
            if sweep == 1 and leaving:
                pass_history_on(interaction, ptr[r], ptr[r + 1], i, loop)
            for p in range(ptr[r], ptr[r + 1]):
                outcome = APART
                if (touch[p] == LIVING) == (sweep == 0):
                    outcome = _contact(filled, p, i, col[p], sweep == 0, loop)
                leaving |= outcome == LEAVES
                filled += np.uintp(outcome == TOUCHES)
                if filled == BATCH:
                    evaluate(BATCH, loop)
                    filled = np.uintp(0)
    if filled > 0:
        evaluate(np.int64(filled), loop)


@kernel
def one_by_one(first, last, loop):
    """Forces between grains and walls of the candidates in some places of ``pairs.near``, behind the first BATCH, which are work space here.

    Args:
        first: the first place.
        last: the place after the last.
        loop: `surfaces.place.WallLoop`.
    """
    pairs, filled = loop.pairs, np.uintp(0)
    for n in range(first, last):
        p = pairs.near[n]
        filled += np.uintp(_contact(filled, p, pairs.first[p], pairs.col[p], True, loop) == TOUCHES)
        if filled == BATCH:
            evaluate(BATCH, loop)
            filled = np.uintp(0)
    if filled > 0:
        evaluate(np.int64(filled), loop)
