"""Random outlines and polylines of the plane, for tests of shapes and of insertion."""

from __future__ import annotations

import numpy as np


def star(seed: int, corners: int) -> np.ndarray:
    """A simple polygon about the origin, mostly non-convex, counter-clockwise."""
    rng = np.random.default_rng(seed)
    angle = 2.0 * np.pi * (np.arange(corners) + rng.uniform(0.0, 0.6, corners)) / corners
    return rng.uniform(0.4, 1.0, corners)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def zigzag(seed: int, corners: int) -> np.ndarray:
    """A polyline that goes to the right and bends both ways."""
    rng = np.random.default_rng(seed)
    return np.column_stack([np.cumsum(rng.uniform(0.2, 1.0, corners)), rng.normal(size=corners)])
