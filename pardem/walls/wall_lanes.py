"""Contacts with walls WIDTH at a time in registers, of surfaces that serve several grains at once (``compiled.lanes``)."""

from __future__ import annotations

import numpy as np

from ..compiled.choices import hardly_ever
from ..compiled.fixedpoint import LIMB, deposit_nearest
from ..compiled.jit import inlined, kernel
from ..compiled.lanes.arithmetic import all_of, any_of
from ..compiled.lanes.flags import first_lanes, raised_at
from ..compiled.lanes.memory import load_row, store
from ..compiled.lanes.places import all_alike, members, members_at
from ..compiled.lanes.rows import scatter_add, sum_of_rows, transpose
from ..compiled.lanes.types import ROW, WIDTH, lane, spread
from ..compiled.vectors import ZERO, add, ahead, choose, cross, dot, length, magnitudes, negative, scale, subtract
from ..contacts.dispatch import joins_on_plane
from ..contacts.hardening import collapsed
from ..contacts.lane_forces import Encounter, account, act, keep_where, remembered
from ..contacts.lane_groups import add_to_where, groups_where_lanes_serve, limbs_of, vectors_at
from ..contacts.nearest.features import kind_of, with_face
from ..contacts.observing import Seen, observe_where
from ..contacts.pair_loop import velocity_lag
from ..laws.quantities import Geometry, Motion, Zone
from ..state.arrays import OBSERVE, WALL_CONTACTS
from .contacts import one_by_one
from .meeting import Before, GrainMotion, Meeting, WallMotion, motion_in_the_middle, passes_through, seen_from
from .motion.driven import turns
from .motion.rows import CENTRE, MOTION
from .surfaces.meeting_lanes import Candidates, columns_at
from .surfaces.place import NORMAL, POSE, SHAPE, THERE
from .surfaces.registry import FACES, IN_LANES_BELOW, LINE, SIDES, THIN, meet_in_lanes

REACTION = 12  # limbs of the reaction of a wall
MOST = 2.0 ** (51 + LIMB)  # counts that ``limbs_of`` takes apart


@kernel
def note_lines(walls):
    """Note which walls are met by several grains together: those that are there, by the code of their surface; and which of them turn. No one waits.

    Args:
        walls: `Walls`.
    """
    for k in range(walls.kind.shape[0]):
        walls.line[k] = LINE[walls.kind[k]] if walls.there[k] == THERE else -1
        walls.turning[k] = turns(walls.motion, k)
    walls.waiting[:] = 0


@inlined
def line_of(p, loop):
    """Which candidates a candidate is treated together with: those of the same number; -1: none, it is treated alone.

    Args:
        p: the candidate.
        loop: `WallLoop`.
    """
    pairs, walls = loop.pairs, loop.walls
    k = pairs.col[p]
    if not joins_on_plane(loop.interaction, loop.g, pairs.first[p], pairs.touch[p] != 0) and SIDES[walls.kind[k]] > 0:
        return np.int8(-1)
    if walls.body[k] != 0 and with_face(kind_of(pairs.sub[p])):
        return np.int8(FACES)
    return walls.line[k] if pairs.sub[p] < IN_LANES_BELOW[walls.kind[k]] else np.int8(-1)


@inlined
def _motions(k, walls):
    """The ``meeting.WallMotion`` of WIDTH walls (a tuple of words)."""
    pose, turning, nothing = walls.pose, raised_at(walls.turning, k), spread(0.0)
    rest = (nothing, nothing, nothing)
    spin, turn, centre = rest, rest, rest
    if any_of(turning):
        spin, turn = columns_at(pose, k, POSE, 12), columns_at(pose, k, POSE, 15)
        centre = columns_at(walls.motion, k, MOTION, CENTRE)
    return WallMotion(columns_at(pose, k, POSE, 3), columns_at(pose, k, POSE, 6), turning, spin, turn, centre)


@inlined
def _react(mask, k, force, torque, loop):
    """Add the reactions to what the walls bear; see ``meeting.react``.

    Args:
        mask: which of the contacts there are.
        k: the walls (a tuple of words).
        force: on the grains, in counts.
        torque: about the walls' points, in counts.
        loop: `WallLoop`.
    """
    f, t = choose(mask, negative(force), ZERO), choose(mask, negative(torque), ZERO)
    (a, a_up), (b, b_up), (c, c_up) = limbs_of(f[0]), limbs_of(f[1]), limbs_of(f[2])
    (d, d_up), (e, e_up), (h, h_up) = limbs_of(t[0]), limbs_of(t[1]), limbs_of(t[2])
    reaction, wall = loop.walls.reaction, loop.walls.reaction[k[0]]
    first, second, third = transpose((a, a_up, b, b_up)), transpose((c, c_up, d, d_up)), transpose((e, e_up, h, h_up))
    if all_alike(k):
        store(wall, 0, load_row(wall, 0) + sum_of_rows(first))
        store(wall, ROW, load_row(wall, ROW) + sum_of_rows(second))
        store(wall, 2 * ROW, load_row(wall, 2 * ROW) + sum_of_rows(third))
    else:
        scatter_add(reaction, k, REACTION, 0, first)
        scatter_add(reaction, k, REACTION, ROW, second)
        scatter_add(reaction, k, REACTION, 2 * ROW, third)


@inlined
def _work(mask, k, work, walls):
    """Add to the work of the walls.

    Args:
        mask: which of the contacts there are.
        k: the walls (a tuple of words).
        work: of the walls on the grains, in quanta.
        walls: `Walls`.
    """
    if any_of(mask & (work != 0.0)):
        for n in range(WIDTH):
            if lane(mask, n):
                deposit_nearest(walls.work, k[n], lane(work, n))


@inlined
def _group(begin, count, loop):
    """Forces of WIDTH candidates of one line, those from ``begin`` on in ``pairs.near``, whose materials are in the first WIDTH columns of the batch.

    Args:
        begin: place of the first of them.
        count: how many they are; the last of them fills up the group.
        loop: `WallLoop`.

    Returns:
        whether that could be done; otherwise nothing has been done.
    """
    pairs, walls, g, settings, counts = loop.pairs, loop.walls, loop.g, loop.settings, first_lanes(count)
    places = members(pairs.near, begin)
    i, k = members_at(pairs.first, places), members_at(pairs.col, places)
    (x, radius), point = vectors_at(g.x, i), columns_at(walls.shape, k, SHAPE, 0)
    h = subtract(subtract(x, point), columns_at(walls.pose, k, POSE, 0))
    one = Candidates(places, i, k, radius, h, columns_at(walls.pose, k, POSE, NORMAL))
    solved, distance, u, link, lever, axis, effective = meet_in_lanes(walls.line[k[0]], loop, one)
    touching, size, near = raised_at(pairs.touch, places), length(link), distance < radius
    hard = (near | touching) & collapsed(distance, distance * distance - size * size, radius)
    if not (solved and all_of((distance > 0.0) & (size > 0.0) & ~hard)):
        return False
    if not any_of(near | touching):
        return True
    m = Meeting(places, i, k, True, touching, False, distance, u, scale(1.0 / size, link), size / distance)
    overlap = radius - distance
    out = radius - 0.5 * overlap
    arm = ahead(u, out, m.normal)
    (v, mass), (w, _) = vectors_at(g.v, i), vectors_at(g.w, i)
    grain, wall = GrainMotion(x, v, w), _motions(k, walls)
    seen, shift, spin = seen_from(grain, wall, arm, 0.0)
    if THIN[walls.kind[k[0]]] and any_of(near & passes_through(size, m.normal, seen, settings.dt)):
        return False
    before = remembered(places, touching, loop)
    past = Before(before.past.normal, before.arm, before.lever)
    middle, velocity, lever_middle = motion_in_the_middle(m, (grain, wall), (arm, out), lever, seen, past, loop)
    turn = 0.5 * settings.dt * dot(ahead(spin, 2.0, wall.spin), middle)
    geometry = Geometry(overlap, m.normal, middle, m.slope)
    inertia = mass * (radius * radius)
    a = act(Encounter(
        geometry, Motion(velocity, turn, settings.dt, velocity_lag(settings)), Zone(lever, lever_middle, axis),
        negative(spin), mass, effective, arm, arm, spread(np.inf), inertia,
    ), places, before, loop)  # fmt: skip
    inv_force, inv_torque = 1.0 / settings.force, 1.0 / settings.torque
    about = scale(inv_torque, add(cross(subtract(add(x, arm), point), a.force), a.moment))
    largest, work = magnitudes(about), (dot(a.force, shift) + dot(a.moment, wall.turn)) * (1.0 / settings.energy)
    fits = (largest[0] < MOST) & (largest[1] < MOST) & (largest[2] < MOST)
    if not all_of(~near | (a.in_range & fits)):
        return False
    if hardly_ever(loop.control[OBSERVE] != 0):
        observe_where(near & counts, begin, WALL_CONTACTS, geometry, a.response, Seen(arm, arm, a.force, a.moment, a.resistance), loop)
    if settings.budget:
        account(near, places, counts, before, a, (seen, negative(spin)), loop)
    keep_where(near, places, a, (m.normal, arm, lever), touching, loop)
    force = scale(inv_force, a.force)
    acting = near & counts
    add_to_where(acting, i, force, scale(inv_torque, add(cross(arm, a.force), a.moment)), g.ft, settings.wide)
    _react(acting, k, force, about, loop)
    _work(acting, k, work, walls)
    return True


@inlined
def _materials(p, loop):
    """Rows of the materials of a grain and a wall."""
    return loop.g.material[loop.pairs.first[p]], loop.walls.material[loop.pairs.col[p]]


in_lanes = groups_where_lanes_serve(_group, one_by_one, _materials, some=True)
