"""Grains as the kernels want them: vertices placed in space, the bodies of walls behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..compiled.lanes.types import ROW
from ..integrators.poses import place_vertices
from .arrays import Grains, Needed
from .memory import zeros_in_lines
from .population import Population

if TYPE_CHECKING:
    from ..setup.scene import Scene


def place_grains(p: Population, scene: Scene) -> Grains:
    """Make the arrays of the kernels from grains and from the bodies among the walls, which follow the grains.

    Args:
        p: grains of this rank, ghosts included.
        scene: constants of the run.

    Returns:
        The arrays. If there are no bodies they share memory with ``p``.
    """
    shapes = scene.shapes
    if scene.bodies.count:
        p = Population.joined([p, scene.bodies])
    number = shapes.kind if scene.rule.sphere_vertices else np.where(shapes.kind > 1, shapes.kind, 0)
    start = np.zeros(p.count + 1, np.int64)
    if pointed := number.any():
        np.cumsum(number[p.species], out=start[1:])
    # endless paths where velocities do not bound them, so that no candidate is screened
    path = np.full(p.count, 0.0 if scene.settings.midstep else np.inf) if scene.rule.paths else np.zeros(0)
    placed, x0 = zeros_in_lines((start[-1] + (2 if start[-1] else 0), ROW), np.float64), p.x[:, :3].copy()
    q0 = p.q.copy() if len(placed) or scene.bodies.count else p.q  # orientations of spheres stay as they are
    everything = Needed(np.zeros(0, np.int64), np.zeros(0, np.int32))
    grains = Grains(**vars(p), material=shapes.material[p.species], vert_start=start, vert=placed, needed=everything, x0=x0, q0=q0, path=path)
    if pointed:
        place_vertices(0, p.count, grains, shapes)
    return grains
