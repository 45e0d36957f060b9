"""Grains as the kernels want them: vertices placed in space, the bodies of walls behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..integrators.poses import place_vertices
from .arrays import Grains
from .population import Population

if TYPE_CHECKING:
    from ..setup.scene import Scene


def place_grains(p: Population, scene: Scene) -> Grains:
    """The kernels' grains, whose arrays are those of ``p`` where there are no bodies; the bodies of walls follow the grains."""
    shapes = scene.shapes
    if scene.bodies.count:
        p = Population.joined([p, scene.bodies])
    vertices = (shapes.kind if scene.rule.sphere_vertices else np.where(shapes.kind > 1, shapes.kind, 0))[p.species]
    start = np.concatenate([[0], np.cumsum(vertices, dtype=np.int64)])
    # endless paths where velocities do not bound them, so that no candidate is screened
    path = np.full(p.count, 0.0 if scene.settings.midstep else np.inf) if scene.rule.paths else np.zeros(0)
    grains = Grains(
        p.gid, p.species, shapes.material[p.species], p.scale, p.x, p.v, p.w, p.q, p.am, p.ft, p.image, p.past,
        start, np.empty((start[-1], 3)), p.x[:, :3].copy(), p.q.copy(), path,
    )  # fmt: skip
    place_vertices(0, p.count, grains, shapes)
    return grains
