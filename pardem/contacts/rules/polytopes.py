"""Narrow phase for scenes with convex polytopes: closed forms between spheres and segments, solvers otherwise.

A pair that touches starts its solver from the active sets kept with its history; a pair that does not starts cold, unless the direction that
separated it last still does. Whether a pair touches is always decided by a cold solve, or by a warm one that belongs to its history.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import ZERO, add, cross, dot_from, put_columns, row, square, subtract
from ..nearest.minima import WORK_SIZE as MINIMA_SIZE
from ..nearest.minima import nearest_polytopes
from ..nearest.polytope_active import Core, count, slot
from ..nearest.polytope_pair import WORK_SIZE as PAIR_SIZE
from ..nearest.polytope_pair import TwoCores, minimum
from ..nearest.polytope_plane import WORK_SIZE as PLANE_SIZE
from ..nearest.polytope_plane import nearest_plane, regularised_plane
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
        work: (WORK_SIZE,) float64 scratch of the solvers.
    """

    regularised: bool
    eps2: np.ndarray
    kind: np.ndarray
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
def _feature(vert, start, pack):
    """The feature of a core on which its regularised point lies: the vertices of the solver's active set, one for a corner, two for an edge, more for
    a face. A face bears as a whole up to the tilt eps^2 a/D at which the point reaches its rim.

    Args:
        vert: (M, 3) vertices (m).
        start: the core's first row.
        pack: active set (``polytope_active``).

    Returns:
        number of vertices, half their largest distance (m), the vector of that distance (m).
    """
    n = count(pack)
    far, longest = 0.0, ZERO
    for k in range(1, n):
        i = start + slot(pack, k)
        for m in range(k):
            d = subtract(row(vert, i), row(vert, start + slot(pack, m)))
            d2 = square(d)
            if d2 > far:
                far, longest = d2, d
    return n, 0.5 * np.sqrt(far), longest


@inlined
def feature_zone(vert, first, sets, bearing):
    """Half-length of the contact zone of two cores and its rocking axis, from the features that share the contact (``_feature``).

    Face on face: the smaller half-diameter, any axis. Edge on face: the edge. Edge on edge: sqrt(r delta)/sin(angle), at most the shorter. A corner
    touches in a point.

    Args:
        vert: (M, 3) vertices (m).
        first: the first rows of the two cores.
        sets: their active sets (``polytope_active``).
        bearing: ``rule.Bearing``.
    """
    ka, ra, a = _feature(vert, first[0], sets[0])
    kb, rb, b = _feature(vert, first[1], sets[1])
    if ka < 2 or kb < 2:
        return 0.0, ZERO
    lever = min(ra, rb)
    if ka > 2 and kb > 2:
        return lever, ZERO
    if ka == 2 and kb == 2:
        sine2 = square(cross(a, b)) / (16.0 * ra * ra * rb * rb)
        if lever * lever * sine2 > bearing.radius * bearing.overlap:
            lever = np.sqrt(bearing.radius * bearing.overlap / sine2)
    return lever, rocking_axis(bearing.normal, a if ka == 2 else b)


@inlined
def zone(interaction, g, bodies, bearing, pairs, p):
    """Half-length of the contact zone and its rocking axis (see ``dispatch.zone``, ``feature_zone``)."""
    cores = cores_of(g, bodies)
    if cores.na <= 2 and cores.nb <= 2:
        return rod_zone(interaction, g, bodies, bearing, pairs, p)
    return feature_zone(g.vert, (cores.a0, cores.b0), (pairs.warm[p, 0], pairs.warm[p, 1]), bearing)


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
def feature_zone_on_plane(vert, a0, pack, normal):
    """Half-length of the contact zone of a core on a plane (m) and its rocking axis, as in `feature_zone`.

    Args:
        vert: (M, 3) vertices (m).
        a0: row of the core's first vertex.
        pack: its active set.
        normal: unit normal, towards the plane.
    """
    n, lever, e = _feature(vert, a0, pack)
    if n < 2:
        return 0.0, ZERO
    if n > 2:
        return lever, ZERO
    return lever, rocking_axis(normal, e)


@inlined
def zone_on_plane(interaction, g, i, bearing, pairs, p):
    """Half-length of the contact zone on a plane and its rocking axis; the normal points to the plane."""
    if g.vert_start[i + 1] - g.vert_start[i] <= 2:
        return rod_zone_on_plane(interaction, g, i, bearing, pairs, p)
    return feature_zone_on_plane(g.vert, g.vert_start[i], pairs.warm[p, 0], bearing.normal)


def _fits(t: RuleInput) -> bool:
    return bool((t.catalogue.kind[t.grains] > 2).any())


def _build(t: RuleInput) -> Polytopes:
    return Polytopes(t.name == "regularised", t.eps2, t.catalogue.kind, np.zeros(WORK_SIZE))


RULE = Rule(
    interaction=Polytopes, fits=_fits, build=_build, sphere_vertices=True, active_sets=True,
    closest=closest, closest_to_plane=closest_to_plane, zone=zone, zone_on_plane=zone_on_plane,
    weighted=weighted, weighted_to_plane=weighted_to_plane,
)  # fmt: skip
