"""Counted work of steps and rebuilds: the balance of the ranks and the automatic skin go by it, never by clocks, so that a run repeats.

The unit is two candidate pairs of spheres that do not touch, in one step: some 8 ns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..state.arrays import Contacts, Grains
from .lists import work_of

if TYPE_CHECKING:
    from ..setup.scene import Scene

SPHERE, ROD, POLYTOPE, FEATURE = range(4)
"""Classes of species: by core vertices; where contacts are those of features, all."""
MOTION, MOTION_PER_VERTEX = (2.0, 6.0, 6.0, 6.0), 0.2  # of a grain; spheres have no vertices to turn
APART = (0.5, 0.5, 0.5, 0.3)  # a candidate pair; spheres are looked at in lanes, all others are passed over by their paths in most steps
TOUCHING = (3.0, 10.0, 18.0, 9.0)  # one that touches
WALL = (1.0, 1.0, 4.0, 2.0)  # a candidate on a wall
SEARCH = 2.5  # holding two boxes or features against each other at a rebuild
REBUILD_PER_GRAIN, REBUILD_PER_CANDIDATE = 30.0, 8.0
SPHERE_TESTS, FLIP_TESTS, FOLLOWED_TESTS = 30, 25, 2000
"""Of detection by triangulation, in such tests: for each covering sphere at a rebuild, each flip, and each point that had to follow by itself."""
WALKED_GRAIN_TESTS, WALKED_FOLLOWED_TESTS, WALKS_PER_TEST = 15, 300, 8
"""Of walks along edges, in such tests: for each grain at a rebuild, and each point that moved by itself; distances that take as long as one."""
REBUILD = 6e4  # for each rank, however few its grains are


class Costs(NamedTuple):
    """Work by species, in the unit above.

    Attributes:
        motion: (ns,) float64 of one grain in a step.
        apart: (ns,) float64 of a candidate pair that does not touch.
        touching: (ns,) float64 of one that touches, and of a contact with a wall.
        wall: (ns,) float64 of a candidate on a wall that does not touch.
    """

    motion: np.ndarray
    apart: np.ndarray
    touching: np.ndarray
    wall: np.ndarray


def costs_of(scene: Scene) -> Costs:
    """Determine the work of the species of a scene.

    Args:
        scene: constants of the run.

    Returns:
        The work by species.
    """
    kind = scene.shapes.kind
    group = np.full(len(kind), FEATURE) if scene.rule.candidates == "features" else np.minimum(kind, 3) - 1
    motion = np.array(MOTION)[group] + np.where(kind > 1, MOTION_PER_VERTEX * kind, 0.0)
    return Costs(motion, np.array(APART)[group], np.array(TOUCHING)[group], np.array(WALL)[group])


def work_by_grain(pairs: Contacts, wall_pairs: Contacts, owned: int, g: Grains, costs: Costs) -> np.ndarray:
    """Counted work of each owned grain in one step.

    Args:
        pairs: contacts of grains.
        wall_pairs: contacts with walls.
        owned: number of grains that this rank owns.
        g: grains.
        costs: work of the species.

    Returns:
        (owned,) float64.
    """
    return np.asarray(work_of(pairs, wall_pairs, owned, g.species, costs))


def work_of_rebuild(ranks: int, grains: int, candidates: int, tests: int) -> float:
    """Counted work of a rebuild.

    Args:
        ranks: number of ranks.
        grains: grains of all ranks.
        candidates: pairs of all ranks.
        tests: how often two boxes or features were held against each other, on all ranks.
    """
    return REBUILD * ranks + REBUILD_PER_GRAIN * grains + REBUILD_PER_CANDIDATE * candidates + SEARCH * tests
