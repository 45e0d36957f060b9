"""Bounding hierarchies over the features of all species in their body frames, as one set of flat arrays for the search for pairs of features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import njit  # noqa: F401  (the layout of the trees is part of the compiled code: this file belongs to the cache's hash)
from ..shapes.catalogue import Catalogue
from ..shapes.geometry.hierarchy import build_hierarchy
from ..state.arrays import Features

VERTICES, EDGES, FACES = 0, 1, 2
"""What a body shows to another: columns of the tables of trees."""
LEAF = 3  # most features of a leaf: the quickest of 1 to 4 for outlines of 3 to 62 corners and for cubes
ROUNDING = 1e-9  # of a species' size, by which boxes are larger than what they hold: they are turned by other roundings than vertices


class Trees(NamedTuple):
    """Complete binary trees of boxes (``shapes.geometry.hierarchy``), one for the vertices, the edges and the faces of each species.

    Attributes:
        root: (ns, 3) int64 row of each tree's root; the children of the node at root + k are root + 2 k + 1 and root + 2 k + 2.
        leaf: (ns, 3) int64 number of the first leaf of each tree, counted from its root; -1 where there is nothing to hold.
        box: (nn, 6) middle and half-extents of each node in the principal frame at size factor 1 (m).
        span: (nn, 2) int64 the node's features are ``order[span[k, 0]:span[k, 1]]``.
        order: int32 numbers of features within the species.
    """

    root: np.ndarray
    leaf: np.ndarray
    box: np.ndarray
    span: np.ndarray
    order: np.ndarray


def build_trees(catalogue: Catalogue, features: Features) -> Trees:
    """Build the trees of boxes over the features of all species.

    Args:
        catalogue: shape catalogue.
        features: features of the same species (``contacts.nearest.features.build_features``).

    Returns:
        The trees.
    """
    species = len(catalogue.kind)
    root, leaf = np.zeros((species, 3), np.int64), np.full((species, 3), -1, np.int64)
    box, span, order = [np.empty((0, 6))], [np.empty((0, 2), np.int64)], [np.empty(0, np.int32)]
    nodes = numbers = 0
    for s in range(species):
        vertices = catalogue.vertices[catalogue.vertex_start[s] : catalogue.vertex_start[s + 1]]
        edges = features.edges[features.edge_start[s] : features.edge_start[s + 1]]
        corners = features.loop_start[features.face_start[s] : features.face_start[s + 1] + 1]
        loops = features.loops[corners[0] : corners[-1]]
        margin = ROUNDING * float(np.abs(vertices).max())
        for what, (points, starts) in enumerate((
            (vertices, np.arange(len(vertices))),
            (vertices[edges.ravel()], np.arange(0, 2 * len(edges), 2)),
            (vertices[loops], corners[:-1] - corners[0]),
        )):  # fmt: skip
            if not len(starts):
                continue
            tree = build_hierarchy(np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts), LEAF)
            root[s, what], leaf[s, what] = nodes, tree.first_leaf
            box.append(np.concatenate([0.5 * (tree.lower + tree.upper), 0.5 * (tree.upper - tree.lower) + margin], axis=1))
            span.append(tree.span.astype(np.int64) + numbers)
            order.append(tree.order)
            nodes += len(tree.span)
            numbers += len(tree.order)
    return Trees(root, leaf, np.concatenate(box), np.concatenate(span), np.concatenate(order))
