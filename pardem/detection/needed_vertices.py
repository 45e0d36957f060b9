"""Which vertices contacts can ask for until the lists are made anew: of grains with many of them, most are placed at rebuilds only.

Where candidates are pairs of features and contacts do not go over to others, those of the listed features are enough.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..compiled.jit import inlined, kernel
from ..contacts.nearest.features import EDGE_EDGE, EDGE_VERTEX, FACE_VERTEX, VERTEX_EDGE, VERTEX_FACE, first_of, kind_of, second_of
from ..state.arrays import Contacts, Grains, Needed
from ..walls.surfaces.registry import LINE

if TYPE_CHECKING:
    from ..setup.scene import Scene

MANY = 16
"""Vertices a grain from which on it is worth while to look; fewer are placed in no time."""
WORTH = 0.5
"""Share of all vertices below which a list of them is."""


@inlined
def _mark_edge(features, g, i, k, marks):
    e = features.edge_start[g.species[i]] + k
    marks[g.vert_start[i] + features.edges[e, 0]] = marks[g.vert_start[i] + features.edges[e, 1]] = 1


@inlined
def _mark_face(features, g, i, k, marks):
    face = features.face_start[g.species[i]] + k
    for n in range(features.loop_start[face], features.loop_start[face + 1]):
        marks[g.vert_start[i] + features.loops[n]] = 1


@inlined
def _mark_first(features, g, i, sub, marks):
    """Mark the vertices of the first feature of a pair, which is of the grain in row ``i``."""
    kind, k = kind_of(sub), first_of(sub)
    if kind in (VERTEX_EDGE, VERTEX_FACE):
        marks[g.vert_start[i] + k] = 1
    elif kind in (EDGE_VERTEX, EDGE_EDGE):
        _mark_edge(features, g, i, k, marks)
    else:
        _mark_face(features, g, i, k, marks)


@inlined
def _mark_second(features, g, j, sub, marks):
    """Mark the vertices of the second feature of a pair, which is of the grain in row ``j``."""
    kind, k = kind_of(sub), second_of(sub)
    if kind in (EDGE_VERTEX, FACE_VERTEX):
        marks[g.vert_start[j] + k] = 1
    elif kind in (VERTEX_EDGE, EDGE_EDGE):
        _mark_edge(features, g, j, k, marks)
    else:
        _mark_face(features, g, j, k, marks)


@kernel
def _mark(g, pairs, wall_pairs, walls, bodies, marks):
    """Mark the vertices of all candidates.

    Args:
        g: `Grains`.
        pairs: candidate pairs of features.
        wall_pairs: candidate contacts with walls, which are met vertex by vertex.
        walls: `Walls`.
        bodies: row of the first of the bodies among the walls, all of whose vertices are marked.
        marks: (M,) uint8, zero.

    Returns:
        number of vertices marked.
    """
    features = walls.features
    for p in range(pairs.col.shape[0]):
        _mark_first(features, g, pairs.first[p], pairs.sub[p], marks)
        _mark_second(features, g, pairs.col[p], pairs.sub[p], marks)
    for p in range(wall_pairs.col.shape[0]):
        i, k = wall_pairs.first[p], wall_pairs.col[p]
        if walls.body[k] != 0:
            _mark_first(features, g, i, wall_pairs.sub[p], marks)
        elif LINE[walls.kind[k]] >= 0:  # a vertex meets it
            marks[g.vert_start[i] + wall_pairs.sub[p]] = 1
        else:  # with parts of its own
            marks[g.vert_start[i] : g.vert_start[i + 1]] = 1
    marks[g.vert_start[bodies] :] = 1
    return marks.sum()


def with_needed_vertices(g: Grains, pairs: Contacts, wall_pairs: Contacts, scene: Scene) -> Grains:
    """Note which vertices are to be placed in each step, if that is worth while.

    Args:
        g: arrays of the grains and bodies.
        pairs: candidate pairs of grains.
        wall_pairs: candidate contacts with walls.
        scene: constants of the run.

    Returns:
        The arrays with ``needed``; where most vertices or all of them may be asked for, those given.
    """
    rule, start = scene.rule, g.vert_start
    if rule.candidates != "features" or rule.inherits or start[-1] < MANY * len(g.gid):
        return g
    marks = np.zeros(start[-1], np.uint8)
    if _mark(g, pairs, wall_pairs, scene.walls, len(g.gid) - scene.bodies.count, marks) > WORTH * len(marks):
        return g
    rows = np.flatnonzero(marks)
    first = np.searchsorted(rows, start)
    return g._replace(needed=Needed(first, (rows - np.repeat(start[:-1], np.diff(first))).astype(np.int32)))
