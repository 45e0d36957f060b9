"""Convex polytopes in lanes: minima and contact zones of several pairs at once, and of several grains on planes.

The solver's first round serves all pairs of a group; those whose minimum has left the features of the step before are sought one by one.
"""

from __future__ import annotations

import numpy as np

from ...compiled.choices import select
from ...compiled.jit import inlined, kernel
from ...compiled.lanes.arithmetic import all_of
from ...compiled.lanes.memory import pick
from ...compiled.lanes.places import members_at
from ...compiled.lanes.rows import column_at, put_column
from ...compiled.lanes.types import WIDTH, lane, spread, with_lane
from ...compiled.vectors import negative
from ..nearest.features import bodies_of
from ..nearest.polytope_active import Core
from ..nearest.polytope_pair import TwoCores, minimum, minimum_where_it_was
from ..nearest.polytope_plane import plane_minimum_where_it_was
from .polytope_cores import cores_of, penalties
from .polytope_zones import feature_zone, feature_zone_on_plane


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
