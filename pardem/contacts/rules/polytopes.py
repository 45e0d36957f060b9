"""Narrow phase for scenes with convex polytopes: closed forms between spheres and segments, solvers otherwise.

A pair that touches starts its solver from the active sets kept with its history; a pair that does not starts cold, unless the direction that
separated it last still does. Whether a pair touches is always decided by a cold solve, or by a warm one that belongs to its history.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.choices import root, select, smaller
from ...compiled.jit import inlined, kernel
from ...compiled.lanes.arithmetic import all_of, any_of
from ...compiled.lanes.memory import column_at, members_at, pick, put_column
from ...compiled.lanes.types import WIDTH, lane, spread, with_lane, zero_of
from ...compiled.vectors import ZERO, add, choose, cross, dot_from, negative, put_columns, row, square, subtract
from ..nearest.features import bodies_of
from ..nearest.minima import WORK_SIZE as MINIMA_SIZE
from ..nearest.minima import nearest_polytopes
from ..nearest.polytope_active import Core, count, slot, vertex
from ..nearest.polytope_pair import WORK_SIZE as PAIR_SIZE
from ..nearest.polytope_pair import TwoCores, core_a, core_b, minimum, minimum_where_it_was
from ..nearest.polytope_plane import WORK_SIZE as PLANE_SIZE
from ..nearest.polytope_plane import nearest_plane, plane_minimum_where_it_was, regularised_plane
from ..nearest.polytope_separation import separation2
from ..nearest.regularised import regularised_polytopes
from .rods import Nearest, rocking_axis
from .rods import closest as rod_closest
from .rods import closest_to_plane as rod_closest_to_plane
from .rods import weighted as rod_weighted
from .rods import weighted_to_plane as rod_weighted_to_plane
from .rods import zone as rod_zone
from .rods import zone_on_plane as rod_zone_on_plane
from .rule import Rule, RuleInput

WORK_SIZE = max(MINIMA_SIZE, PAIR_SIZE, PLANE_SIZE)


class Polytopes(NamedTuple):
    """Narrow phase for any convex grains.

    Attributes:
        regularised: which rule: the regularised minimum or the nearest points.
        eps2: (ns,) squared regularisation of each species (1).
        kind: (ns,) int32 number of core vertices of each species.
        alike: whether all species have as many vertices, and the same regularisation.
        work: (WORK_SIZE,) float64 scratch of the solvers.
    """

    regularised: bool
    eps2: np.ndarray
    kind: np.ndarray
    alike: bool
    work: np.ndarray


@inlined
def begin(w, cores, pairs, p, touching, reach):
    """How the solver of a pair of cores starts: warm where they touch, cold where the direction that separated them last does so no longer.

    Args:
        w: centre of the first less that of the second (m).
        cores: ``polytope_pair.TwoCores``.
        pairs: `Contacts`.
        p: the candidate.
        touching: whether it was in touch in the step before.
        reach: distance at which the bodies touch (m).

    Returns:
        squared distance below which they are not (0: the solver has to say), the two active sets to start from.
    """
    if touching:
        return 0.0, (pairs.warm[p, 0], pairs.warm[p, 1])
    return separation2(w, cores, reach, row(pairs.hist, p)), (np.int64(0), np.int64(0))


@inlined
def remember(pairs, p, touching, near, sets, direction):
    """Store the active sets of a pair that may touch, or the separating direction of one that does not.

    Args:
        pairs: `Contacts`, the list of candidates.
        p: the candidate.
        touching: whether it was in touch in the step before.
        near: whether it may touch now.
        sets: the two active sets.
        direction: between the nearest points (m).
    """
    if near:
        pairs.warm[p, 0], pairs.warm[p, 1] = sets
    elif not touching:
        put_columns(pairs.hist, p, 0, direction)


@inlined
def _core_of(g, i):
    """The ``polytope_active.Core`` of grain ``i``."""
    return Core(g.vert, g.vert_start[i], g.vert_start[i + 1] - g.vert_start[i])


@inlined
def cores_of(g, bodies):
    """The vertices of two bodies, a ``polytope_pair.TwoCores``.

    Args:
        g: `Grains`.
        bodies: the two ``features.Bodies``.
    """
    a, b = _core_of(g, bodies.i), _core_of(g, bodies.j)
    return TwoCores(g.vert, a.first, a.count, b.first, b.count)


@inlined
def penalties(interaction, g, bodies):
    """Squared regularisation of two bodies (1).

    Args:
        interaction: the narrow phase.
        g: `Grains`.
        bodies: the two ``features.Bodies``.
    """
    return interaction.eps2[g.species[bodies.i]], interaction.eps2[g.species[bodies.j]]


@inlined
def heavier(eps2, factor):
    """The penalties of two bodies times a factor.

    Args:
        eps2: squared regularisation of each (1).
        factor: the factor.
    """
    return factor * eps2[0], factor * eps2[1]


@inlined
def closest(interaction, g, bodies, pairs, p, touching, reach):
    """Minimiser of the pair's distance function; see ``dispatch.closest``. The history of a pair that does not touch keeps a separating direction."""
    w, cores = bodies.w, cores_of(g, bodies)
    if cores.na <= 2 and cores.nb <= 2:
        return rod_closest(interaction, g, bodies, pairs, p, touching, reach)
    apart, start = begin(w, cores, pairs, p, touching, reach)
    if apart > 0.0:
        return Nearest(False, apart, ZERO, ZERO, 0)
    if interaction.regularised:  # not by ``regularised_polytopes``: a call takes a tenth of the time of a contact
        (f, x, y, sets), status = minimum(w, cores, penalties(interaction, g, bodies), start, interaction.work)
    else:
        f, x, y, sets, status = nearest_polytopes(w, cores, start, interaction.work)
    near = f < reach * reach
    remember(pairs, p, touching, near, sets, subtract(add(w, x), y))
    return Nearest(near, f, x, y, status)


@inlined
def weighted(interaction, g, bodies, pairs, p, factor):
    """Minimum with heavier penalties by a cold solve; see ``dispatch.weighted``."""
    cores = cores_of(g, bodies)
    if cores.na <= 2 and cores.nb <= 2:
        return rod_weighted(interaction, g, bodies, pairs, p, factor)
    if not interaction.regularised:
        return 0.0, ZERO, ZERO, 0
    eps2, cold = heavier(penalties(interaction, g, bodies), factor), (np.int64(0), np.int64(0))
    f, x, y, _, status = regularised_polytopes(bodies.w, cores, eps2, cold, interaction.work)
    return f, x, y, status


@inlined
def _longer(far, longest, k, m, counts):
    """The longer of a difference of two vertices and the longest so far, with its square; ``counts``: whether the difference does."""
    d = subtract(k, m)
    d2 = square(d)
    more = counts & (d2 > far)
    return select(more, d2, far), choose(more, d, longest)


@inlined
def _feature(core, pack):
    """The feature of a core on which its regularised point lies: the vertices of the solver's active set, one for a corner, two for an edge, more for
    a face. A face bears as a whole up to the tilt eps^2 a/D at which the point reaches its rim.

    Args:
        core: ``polytope_active.Core``.
        pack: active set (``polytope_active``).

    Returns:
        number of vertices, half their largest distance (m), the vector of that distance (m).
    """
    n, a = count(pack), vertex(core, slot(pack, 0))
    none = zero_of(a[0])
    far, longest = none, (none, none, none)
    if any_of(n > 1):
        b = vertex(core, slot(pack, 1))
        far, longest = _longer(far, longest, b, a, n > 1)
        if any_of(n > 2):
            c = vertex(core, slot(pack, 2))
            far, longest = _longer(far, longest, c, a, n > 2)
            far, longest = _longer(far, longest, c, b, n > 2)
            if any_of(n > 3):
                d = vertex(core, slot(pack, 3))
                far, longest = _longer(far, longest, d, a, n > 3)
                far, longest = _longer(far, longest, d, b, n > 3)
                far, longest = _longer(far, longest, d, c, n > 3)
    return n, 0.5 * root(far), longest


@inlined
def feature_zone(cores, sets, bearing):
    """Half-length of the contact zone of two cores and its rocking axis, from the features that share the contact (``_feature``).

    Face on face: the smaller half-diameter, any axis. Edge on face: the edge. Edge on edge: sqrt(r delta)/sin(angle), at most the shorter. A corner
    touches in a point. One text for a pair and for several in lanes.

    Args:
        cores: ``polytope_pair.TwoCores``.
        sets: their active sets (``polytope_active``).
        bearing: ``rule.Bearing``.
    """
    ka, ra, a = _feature(core_a(cores), sets[0])
    kb, rb, b = _feature(core_b(cores), sets[1])
    edge_a, edge_b = ka == 2, kb == 2
    lever = smaller(ra, rb)
    if any_of(edge_a & edge_b):
        sine2 = square(cross(a, b)) / (16.0 * ra * ra * rb * rb)
        limit = bearing.radius * bearing.overlap
        lever = select(edge_a & edge_b & (lever * lever * sine2 > limit), root(limit / sine2), lever)
    extended = (ka > 1) & (kb > 1)
    axis = rocking_axis(bearing.normal, choose(edge_a, a, b))
    return select(extended, lever, 0.0), choose(extended & (edge_a | edge_b), axis, ZERO)


@inlined
def zone(interaction, g, bodies, bearing, pairs, p):
    """Half-length of the contact zone and its rocking axis (see ``dispatch.zone``, ``feature_zone``)."""
    cores = cores_of(g, bodies)
    if cores.na <= 2 and cores.nb <= 2:
        return rod_zone(interaction, g, bodies, bearing, pairs, p)
    return feature_zone(cores, (pairs.warm[p, 0], pairs.warm[p, 1]), bearing)


@inlined
def serves_lanes(interaction):
    """Whether the solver's first round may serve several pairs; see ``dispatch.serves_lanes``."""
    return interaction.regularised


@inlined
def line(interaction, g, pairs, p):
    """Pairs for the solver are treated together; see ``dispatch.line``."""
    i, j = np.uintp(pairs.first[p]), np.uintp(pairs.col[p])
    return 1 if (interaction.kind[g.species[i]] > 2) | (interaction.kind[g.species[j]] > 2) else 0


@kernel
def _search(interaction, g, i, j, w, warm):
    """The minimum for a pair by the whole search, from the active sets of the step before: the ``Minimum`` and the solver's status."""
    bodies = bodies_of(i, j, w)
    return minimum(w, cores_of(g, bodies), penalties(interaction, g, bodies), warm, interaction.work)


@inlined
def _species_in_lanes(interaction, g, rows):
    """Number of vertices of the grains in WIDTH rows, and their penalties."""
    if interaction.alike:
        return spread(np.int64(interaction.kind[0])), spread(interaction.eps2[0])
    species = members_at(g.species, rows)
    return pick(interaction.kind, species), pick(interaction.eps2, species)


@inlined
def _cores_in_lanes(interaction, g, i, j):
    """The vertices of WIDTH pairs, a ``polytope_pair.TwoCores``, and their penalties."""
    (na, ea), (nb, eb) = _species_in_lanes(interaction, g, i), _species_in_lanes(interaction, g, j)
    return TwoCores(g.vert, pick(g.vert_start, i), na, pick(g.vert_start, j), nb), (ea, eb)


@inlined
def closest_in_lanes(interaction, g, pairs, places, i, j, d):
    """Minimisers of the distance functions of WIDTH pairs that touch; see ``dispatch.closest_in_lanes``.

    Most of them lie on the features of the step before. The others are sought one by one.
    """
    w = negative(d)
    cores, eps2 = _cores_in_lanes(interaction, g, i, j)
    best, ended = minimum_where_it_was(w, cores, eps2, (column_at(pairs.warm, places, 2, 0), column_at(pairs.warm, places, 2, 1)))
    f, x, y, sets = best
    solved, others = True, not all_of(ended)
    if others:
        for k in range(WIDTH):
            if not lane(ended, k):
                p, w_k = places[k], (lane(w[0], k), lane(w[1], k), lane(w[2], k))
                m, status = _search(interaction, g, i[k], j[k], w_k, (pairs.warm[p, 0], pairs.warm[p, 1]))
                solved = solved and status == 0
                f = with_lane(f, k, m.f)
                x = with_lane(x[0], k, m.x[0]), with_lane(x[1], k, m.x[1]), with_lane(x[2], k, m.x[2])
                y = with_lane(y[0], k, m.y[0]), with_lane(y[1], k, m.y[1]), with_lane(y[2], k, m.y[2])
                sets = with_lane(sets[0], k, m.sets[0]), with_lane(sets[1], k, m.sets[1])
    return solved, f, x, y, (cores, sets, others)


@inlined
def zone_in_lanes(interaction, shape, bearing):
    """Zones of WIDTH contacts; see ``dispatch.zone_in_lanes``."""
    return feature_zone(shape[0], shape[1], bearing)


@inlined
def keep_in_lanes(interaction, shape, places, near, pairs):
    """Store the active sets of those of WIDTH pairs that touch, where they have changed; see ``dispatch.keep_in_lanes``."""
    _, sets, others = shape
    warm = pairs.warm
    if others:
        put_column(warm, places, 2, 0, select(near, sets[0], column_at(warm, places, 2, 0)))
        put_column(warm, places, 2, 1, select(near, sets[1], column_at(warm, places, 2, 1)))


@inlined
def closest_to_plane(interaction, g, i, space, pairs, p, touching):
    """Minimiser of the distance of a grain to a plane; see ``dispatch.closest_to_plane``."""
    core = _core_of(g, i)
    if core.count <= 2:
        return rod_closest_to_plane(interaction, g, i, space, pairs, p, touching)
    warm = pairs.warm
    if interaction.regularised:
        start = warm[p, 0] if touching else np.int64(0)
        f, x, start, status = regularised_plane(space, core, interaction.eps2[g.species[i]], start, interaction.work)
        warm[p, 0] = start
    else:
        f, x, status = nearest_plane(space, core, interaction.work)
    return f, dot_from(space.height, space.normal, x), x, status


@inlined
def weighted_to_plane(interaction, g, i, space, pairs, p, factor):
    """Minimum with heavier penalties by a cold solve; see ``dispatch.weighted_to_plane``."""
    core = _core_of(g, i)
    if core.count <= 2:
        return rod_weighted_to_plane(interaction, g, i, space, pairs, p, factor)
    if not interaction.regularised:
        return 0.0, 0.0, ZERO, 0
    e2 = factor * interaction.eps2[g.species[i]]
    f, x, _, status = regularised_plane(space, core, e2, np.int64(0), interaction.work)
    return f, dot_from(space.height, space.normal, x), x, status


@inlined
def feature_zone_on_plane(core, pack, normal):
    """Half-length of the contact zone of a core on a plane (m) and its rocking axis, as in `feature_zone`; for one, or for several in lanes.

    Args:
        core: ``polytope_active.Core``.
        pack: its active set.
        normal: unit normal, towards the plane.
    """
    n, lever, e = _feature(core, pack)
    return select(n > 1, lever, 0.0), choose(n == 2, rocking_axis(normal, e), ZERO)


@inlined
def zone_on_plane(interaction, g, i, bearing, pairs, p):
    """Half-length of the contact zone on a plane and its rocking axis; the normal points to the plane."""
    core = _core_of(g, i)
    if core.count <= 2:
        return rod_zone_on_plane(interaction, g, i, bearing, pairs, p)
    return feature_zone_on_plane(core, pairs.warm[p, 0], bearing.normal)


@inlined
def joins_on_plane(interaction, g, i, touching):
    """Grains for the solver that touch do; see ``dispatch.joins_on_plane``."""
    return interaction.regularised & touching & (interaction.kind[g.species[i]] > 2)


@inlined
def closest_to_plane_in_lanes(interaction, g, pairs, places, i, space):
    """Minimisers of the distances of WIDTH grains that touch planes, if all lie on the features of the step before.

    See ``dispatch.closest_to_plane_in_lanes``.
    """
    n, eps2 = _species_in_lanes(interaction, g, i)
    core, pack = Core(g.vert, pick(g.vert_start, i), n), column_at(pairs.warm, places, 2, 0)
    f, height, x, ended = plane_minimum_where_it_was(space, core, eps2, pack)
    return all_of(ended), f, height, x, (core, pack)


@inlined
def zone_on_plane_in_lanes(interaction, shape, bearing):
    """Zones of WIDTH contacts with planes; see ``dispatch.zone_on_plane_in_lanes``."""
    return feature_zone_on_plane(shape[0], shape[1], bearing.normal)


def _fits(t: RuleInput) -> bool:
    return bool((t.catalogue.kind[t.grains] > 2).any())


def _build(t: RuleInput) -> Polytopes:
    alike = bool((t.eps2 == t.eps2[0]).all() and (t.catalogue.kind == t.catalogue.kind[0]).all())
    return Polytopes(t.name == "regularised", t.eps2, t.catalogue.kind, alike, np.zeros(WORK_SIZE))


RULE = Rule(
    interaction=Polytopes, fits=_fits, build=_build, sphere_vertices=True, active_sets=True,
    closest=closest, closest_to_plane=closest_to_plane, zone=zone, zone_on_plane=zone_on_plane,
    weighted=weighted, weighted_to_plane=weighted_to_plane,
    serves_lanes=serves_lanes, line=line, closest_in_lanes=closest_in_lanes, zone_in_lanes=zone_in_lanes, keep_in_lanes=keep_in_lanes,
    joins_on_plane=joins_on_plane, closest_to_plane_in_lanes=closest_to_plane_in_lanes, zone_on_plane_in_lanes=zone_on_plane_in_lanes,
)  # fmt: skip
