"""Bounding hierarchies over the features of a shape in its body frame: balanced binary trees of axis-aligned boxes as flat arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

LEAF = 4
"""Most features of a leaf."""


class Hierarchy(NamedTuple):
    """A complete binary tree of boxes. The children of node k are 2 k + 1 and 2 k + 2; all leaves are on the last level, from ``first_leaf`` on.

    Attributes:
        lower: (nn, 3) lower corner of the box of each node, which contains all its features (m). A tree over no features has no nodes.
        upper: (nn, 3) upper corner of the box of each node (m).
        span: (nn, 2) int32; node k contains the features ``order[span[k, 0]:span[k, 1]]``. The spans of the leaves are contiguous and cover all
            features.
        order: (n,) int32 permutation of the features.
        first_leaf: number of the first leaf, 2^depth - 1.
    """

    lower: np.ndarray
    upper: np.ndarray
    span: np.ndarray
    order: np.ndarray
    first_leaf: int


def build_hierarchy(lower: np.ndarray, upper: np.ndarray, leaf: int = LEAF) -> Hierarchy:
    """Build a tree over boxes; each node is split into halves, by number, along the axis in which the centres of its boxes spread furthest.

    The result depends on the numbers alone: ties between centres are resolved by feature number, ties between spreads by axis.

    Args:
        lower: (n, 3) lower corners of the boxes of the features (m).
        upper: (n, 3) upper corners of these boxes (m).
        leaf: largest number of features in a leaf; every leaf contains at least half as many, or all features.

    Returns:
        The tree.
    """
    n = len(lower)
    if n == 0:
        return Hierarchy(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 2), np.int32), np.zeros(0, np.int32), 0)
    depth = max(0, int(np.ceil(np.log2(n / leaf))))
    centre = 0.5 * (lower + upper)
    order = np.arange(n)
    starts = np.array([0, n])
    spans = []
    for level in range(depth + 1):
        spans.append(np.column_stack([starts[:-1], starts[1:]]))
        if level == depth:
            break
        low, high = np.minimum.reduceat(centre[order], starts[:-1]), np.maximum.reduceat(centre[order], starts[:-1])
        node = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        key = centre[order, np.argmax(high - low, axis=1)[node]]
        order = order[np.lexsort((order, key, node))]
        starts = np.sort(np.concatenate([starts, (starts[:-1] + starts[1:]) // 2]))
    low = np.concatenate([np.minimum.reduceat(lower[order], s[:, 0]) for s in spans])
    high = np.concatenate([np.maximum.reduceat(upper[order], s[:, 0]) for s in spans])
    return Hierarchy(low, high, np.concatenate(spans).astype(np.int32), order.astype(np.int32), (1 << depth) - 1)


def boxes(vertices: np.ndarray, features: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute the boxes of features.

    Args:
        vertices: (nv, 3) vertices (m).
        features: (n, k) vertex numbers.

    Returns:
        (n, 3) lower and (n, 3) upper corners (m).
    """
    points = vertices[features]
    return points.min(axis=1), points.max(axis=1)


def near_pairs(first: Hierarchy, second: Hierarchy, lower1: np.ndarray, upper1: np.ndarray, lower2: np.ndarray, upper2: np.ndarray,
               margin: float) -> np.ndarray:  # fmt: skip
    """Find the pairs of features whose boxes come within a margin of each other along every axis, by descending two trees together.

    Args:
        first: tree over the first boxes.
        second: tree over the second boxes.
        lower1: (n1, 3) lower corners of the first boxes (m).
        upper1: (n1, 3) upper corners of the first boxes (m).
        lower2: (n2, 3) lower corners of the second boxes (m).
        upper2: (n2, 3) upper corners of the second boxes (m).
        margin: largest gap between two boxes along an axis (m).

    Returns:
        (m, 2) int64 pairs (feature of the first tree, feature of the second), sorted.
    """
    if len(first.order) == 0 or len(second.order) == 0:
        return np.empty((0, 2), dtype=np.int64)
    a, b = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    while True:
        meets = ((first.lower[a] <= second.upper[b] + margin) & (second.lower[b] <= first.upper[a] + margin)).all(axis=1)
        a, b = a[meets], b[meets]
        inner_a, inner_b = a < first.first_leaf, b < second.first_leaf
        if not (inner_a | inner_b).any():
            break
        # the nodes of one front are on one level of each tree, so the deeper tree is opened alone once the other is at its leaves
        if inner_a.all():
            a, b = np.concatenate([2 * a + 1, 2 * a + 2]), np.concatenate([b, b])
        if inner_b.all():
            a, b = np.concatenate([a, a]), np.concatenate([2 * b + 1, 2 * b + 2])
    sizes1, sizes2 = np.diff(first.span[a], axis=1)[:, 0], np.diff(second.span[b], axis=1)[:, 0]
    counts = (sizes1 * sizes2).astype(np.int64)
    pair = np.repeat(np.arange(len(a)), counts)
    k = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    i = first.order[first.span[a[pair], 0] + k // sizes2[pair]].astype(np.int64)
    j = second.order[second.span[b[pair], 0] + k % sizes2[pair]].astype(np.int64)
    meets = ((lower1[i] <= upper2[j] + margin) & (lower2[j] <= upper1[i] + margin)).all(axis=1)
    i, j = i[meets], j[meets]
    by = np.lexsort((j, i))
    return np.column_stack([i[by], j[by]])
