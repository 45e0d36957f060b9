"""Narrow phase for scenes with convex polytopes: closed forms between spheres and segments, solvers otherwise.

A pair that touches starts its solver from the active sets kept with its history; a pair that does not starts cold, unless the direction that
separated it last still does. Whether a pair touches is always decided by a cold solve, or by a warm one that belongs to its history.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import ZERO, add, dot_from, subtract
from ..nearest.minima import WORK_SIZE as MINIMA_SIZE
from ..nearest.minima import nearest_polytopes
from ..nearest.polytope_pair import WORK_SIZE as PAIR_SIZE
from ..nearest.polytope_pair import minimum
from ..nearest.polytope_plane import WORK_SIZE as PLANE_SIZE
from ..nearest.polytope_plane import nearest_plane, regularised_plane
from ..nearest.regularised import regularised_polytopes
from .polytope_cores import begin, core_of, cores_of, heavier, penalties, remember
from .polytope_lanes import (
    closest_in_lanes,
    closest_to_plane_in_lanes,
    joins_on_plane,
    keep_in_lanes,
    line,
    serves_lanes,
    zone_in_lanes,
    zone_on_plane_in_lanes,
)
from .polytope_zones import feature_zone, feature_zone_on_plane
from .rods import Nearest
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
def zone(interaction, g, bodies, bearing, pairs, p):
    """Half-length of the contact zone and its rocking axis (see ``dispatch.zone``, ``feature_zone``)."""
    cores = cores_of(g, bodies)
    if cores.na <= 2 and cores.nb <= 2:
        return rod_zone(interaction, g, bodies, bearing, pairs, p)
    return feature_zone(cores, (pairs.warm[p, 0], pairs.warm[p, 1]), bearing)


@inlined
def closest_to_plane(interaction, g, i, space, pairs, p, touching):
    """Minimiser of the distance of a grain to a plane; see ``dispatch.closest_to_plane``."""
    core = core_of(g, i)
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
    core = core_of(g, i)
    if core.count <= 2:
        return rod_weighted_to_plane(interaction, g, i, space, pairs, p, factor)
    if not interaction.regularised:
        return 0.0, 0.0, ZERO, 0
    e2 = factor * interaction.eps2[g.species[i]]
    f, x, _, status = regularised_plane(space, core, e2, np.int64(0), interaction.work)
    return f, dot_from(space.height, space.normal, x), x, status


@inlined
def zone_on_plane(interaction, g, i, bearing, pairs, p):
    """Half-length of the contact zone on a plane and its rocking axis; the normal points to the plane."""
    core = core_of(g, i)
    if core.count <= 2:
        return rod_zone_on_plane(interaction, g, i, bearing, pairs, p)
    return feature_zone_on_plane(core, pairs.warm[p, 0], bearing.normal)


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
