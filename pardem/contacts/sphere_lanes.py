"""Contacts of spheres WIDTH at a time, from the rows of the grains to those of their forces in registers (``compiled.lanes``).

This is for forces and what contacts lose: without observables, resistance, and of laws that serve several contacts at once. A group of
which one contact is out of range goes through the columns of a batch (``sphere_columns``), and so does everything else.
"""

from __future__ import annotations

from ..compiled.fixedpoint import COLUMNS, limit
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import all_of
from ..compiled.lanes.memory import gather, members, members_at, pick, raise_at, raised_at, scatter, scatter_add, scatter_subtract, transpose
from ..compiled.lanes.types import ROW, WIDTH, rows_of, spread
from ..compiled.vectors import behind, cross, nearest_image, negative, scale, subtract
from ..laws.energy_ledger import losses
from ..laws.history import MEMORY, NORMAL, SPRING
from ..laws.law import touching_overlap
from ..laws.quantities import PairMaterial, Past
from ..laws.slider import spring_and_slider
from .accumulate import faults
from .lane_groups import (
    add_losses_where,
    add_where,
    groups_where_lanes_serve,
    keep_last_step_where,
    keep_own_vectors,
    last_step,
    materials_in,
    own_vectors,
    vectors_at,
    whole_rows,
)
from .pair_loop import velocity_lag
from .sphere_columns import by_columns
from .sphere_encounter import SphereBody, encounter
from .sphere_search import fetch

AHEAD = 2 * WIDTH
"""Contacts between the one that is computed and the one whose numbers are asked for."""

assert (SPRING % ROW, MEMORY, NORMAL % ROW) == (0, SPRING + 3, 0)  # a history is two rows: the spring and the memory; the normal and another number


@inlined
def _past(places, loop):
    """The histories at WIDTH places (a tuple of words), and the fourth number of their second row, which stays."""
    hist, width = loop.pairs.hist, loop.pairs.hist.shape[1]
    sx, sy, sz, memory = transpose(gather(hist, places, width, SPRING))
    nx, ny, nz, rest = transpose(gather(hist, places, width, NORMAL))
    own = own_vectors(places, loop.law, loop.pairs, loop.settings)
    return Past(raised_at(loop.pairs.touch, places), (sx, sy, sz), memory, (nx, ny, nz), own), rest


@inlined
def _meet(i, j, g, settings):
    """How the grains in WIDTH rows ``i`` and those in ``j`` (tuples of words) meet: the vector between their centres, and the ``Encounter``."""
    (xi, ri), (xj, rj) = vectors_at(g.x, i), vectors_at(g.x, j)
    branch = nearest_image(subtract(xj, xi), settings)  # a jump: what is read before it would have to wait in memory
    (vi, mi), (vj, mj) = vectors_at(g.v, i), vectors_at(g.v, j)
    (wi, _), (wj, _) = vectors_at(g.w, i), vectors_at(g.w, j)
    first, second = SphereBody(ri, mi, wi), SphereBody(rj, mj, wj)
    return branch, encounter(branch, subtract(vj, vi), first, second, settings.dt, velocity_lag(settings))


@inlined
def _keep(places, r, rest, normal, loop):
    """Store the histories of WIDTH contacts.

    Args:
        places: places of the contacts (a tuple of words).
        r: ``Response``.
        rest: what stays of the histories.
        normal: normals.
        loop: `PairLoop`.
    """
    pairs, spring, width = loop.pairs, r.spring, loop.pairs.hist.shape[1]
    scatter(pairs.hist, places, width, SPRING, transpose((spring[0], spring[1], spring[2], r.law.memory)))
    scatter(pairs.hist, places, width, NORMAL, transpose((normal[0], normal[1], normal[2], rest)))
    keep_own_vectors(places, r.own, loop.law, pairs, loop.settings)
    raise_at(pairs.touch, places)


@inlined
def _add(i, j, counts, ft):
    """Add the forces of WIDTH contacts to the bodies, and count them; one transposition serves both forces.

    Args:
        i: rows of the first bodies (a tuple of words).
        j: rows of the second bodies (a tuple of words).
        counts: force, torque on the first and on the second body, in counts.
        ft: (N, COLUMNS) int64 sums of the bodies.
    """
    force, on_first, on_second = counts
    nothing, one = spread(0), rows_of(0, 0, 0, 1)
    f = whole_rows(force, nothing)
    scatter_add(ft, i, COLUMNS, 0, (f[0] + one, f[1] + one, f[2] + one, f[3] + one))
    scatter_add(ft, i, COLUMNS, ROW, whole_rows(on_first, nothing))
    scatter_subtract(ft, j, COLUMNS, 0, (f[0] - one, f[1] - one, f[2] - one, f[3] - one))
    scatter_add(ft, j, COLUMNS, ROW, whole_rows(on_second, nothing))


@inlined
def _group(begin, loop):
    """Forces of WIDTH contacts, those from ``begin`` on in ``pairs.near``, whose materials are in the first WIDTH columns of the batch.

    Returns:
        whether all of them are in range; otherwise nothing has been done.
    """
    pairs, g, law, settings = loop.pairs, loop.g, loop.law, loop.settings
    fetch(begin + AHEAD, pairs, g)
    places = members(pairs.near, begin)
    i, j = members_at(pairs.first, places), members_at(pairs.col, places)
    branch, e = _meet(i, j, g, settings)
    past, rest = _past(places, loop)
    numbers, friction = materials_in(pairs.scratch)
    r = spring_and_slider(law, PairMaterial(numbers, friction, e.mass, e.radius), e.geometry, e.motion, past)
    force = behind(r.drag, r.push * e.geometry.slope, e.geometry.normal)
    inv_force, inv_torque = 1.0 / settings.force, 1.0 / settings.torque
    other, size = subtract(e.arm, branch), abs(r.push) * (1.0 + friction)
    faulty = faults(size, e.arm, other, e.depth_left + 0.5 * touching_overlap(law, numbers), limit(settings.wide), inv_force, inv_torque)
    everywhere = e.geometry.overlap > 0.0
    if not all_of((faulty == 0) & everywhere):
        return False
    if settings.budget:
        before = last_step(places, pairs)
        lost_n, lost_t, now = losses(before, past.alive, r, settings.dt)
        add_losses_where(pick(pairs.first, places) < loop.owned, lost_n, lost_t, loop)
        keep_last_step_where(everywhere, places, now, before, pairs)
    _keep(places, r, rest, e.geometry.normal, loop)
    counts = (scale(inv_force, force), scale(inv_torque, cross(e.arm, force)), scale(inv_torque, negative(cross(other, force))))
    if settings.wide:
        add_where(everywhere, i, j, counts, g.ft, True)
    else:
        _add(i, j, counts, g.ft)
    return True


in_lanes = groups_where_lanes_serve(_group, by_columns)
