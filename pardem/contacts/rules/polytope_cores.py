"""Cores of grains in scenes with convex polytopes: their vertices, their penalties, and from where the solver of a pair starts."""

from __future__ import annotations

import numpy as np

from ...compiled.jit import inlined
from ...compiled.vectors import put_columns, row
from ..nearest.polytope_active import Core
from ..nearest.polytope_pair import TwoCores
from ..nearest.polytope_separation import separation2


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
def core_of(g, i):
    """The vertices of a grain, a ``polytope_active.Core``.

    Args:
        g: `Grains`.
        i: row of the grain.
    """
    return Core(g.vert, g.vert_start[i], g.vert_start[i + 1] - g.vert_start[i])


@inlined
def cores_of(g, bodies):
    """The vertices of two bodies, a ``polytope_pair.TwoCores``.

    Args:
        g: `Grains`.
        bodies: the two ``features.Bodies``.
    """
    a, b = core_of(g, bodies.i), core_of(g, bodies.j)
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
