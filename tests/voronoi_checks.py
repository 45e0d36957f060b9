"""How well packings of rounded Voronoi cells keep what they promise: held by the tests, and documented by jobs/checks.py."""

from __future__ import annotations

import numpy as np

from pardem.shapes import Packing, Rounding, voronoi_packing
from pardem.shapes.voronoi.cells import voronoi_cells
from pardem.shapes.voronoi.packing import erode_and_dilate, random_sites


def box(d: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return (-0.3, 0.1, 0.0)[:d], (1.1, 1.0, 0.8)[:d]


def slab_gaps(packing: Packing) -> np.ndarray:
    """For every pair of a core and another site's image, how far the core stays on its side of the bisector; the least for each core."""
    length = packing.upper - packing.lower
    turns = np.stack(np.meshgrid(*[(-2, -1, 0, 1, 2) if p else (0,) for p in packing.periodic], indexing="ij"), axis=-1).reshape(-1, len(length))
    images = (packing.sites[None] + turns[:, None] * length).reshape(-1, len(length))
    least = np.empty(len(packing))
    for k in range(len(packing)):
        site = packing.sites[packing.site[k]]
        core = packing.core(k)
        core = core + length * np.round((site - core.mean(axis=0)) / length) * packing.periodic
        between = images - site
        distance = np.linalg.norm(between, axis=1)
        between, distance = between[distance > 0.0], distance[distance > 0.0]
        gaps = 0.5 * distance - ((core - site) @ (between / distance[:, None]).T).max(axis=0)
        walls = np.concatenate([(core - packing.lower)[:, ~packing.periodic], (packing.upper - core)[:, ~packing.periodic]], axis=1)
        least[k] = min(gaps.min(initial=np.inf), walls.min(initial=np.inf))
    return least


def beyond_cells(d: int) -> tuple[float, int]:
    """How far the surfaces of the opening reach beyond the sides of their cells (m), and the number of grains."""
    lower, upper = box(d)
    cells = voronoi_cells(random_sites(30, lower, upper, seed=3), lower, upper, False)
    packing = erode_and_dilate(cells, 0.02, 0.02)
    rng, most = np.random.default_rng(0), -np.inf
    for k in range(len(packing)):
        planes = slice(cells.plane_start[packing.site[k]], cells.plane_start[packing.site[k] + 1])
        outward = rng.normal(size=(500, d))
        outward = np.concatenate([outward / np.linalg.norm(outward, axis=1)[:, None], cells.normal[planes]])
        core = packing.core(k) - packing.sites[packing.site[k]]
        points = core[np.argmax(core @ outward.T, axis=0)] + packing.radius * outward  # the rounded surface, by its normals
        most = max(most, float((points @ cells.normal[planes].T - cells.offset[planes]).max()))
    return most, len(packing)


def mass_deviations() -> tuple[float, float]:
    """Relative deviation of the volumes of a packing in space from those of its shapes, and the distance of their centres from the origin (m)."""
    packing = voronoi_packing(40, *box(3), Rounding(erosion=0.03, radius=0.02), periodic=(True, False, True), seed=9)
    masses = [shape.mass_properties() for shape in packing.shapes()]
    volume = max(abs(mass.volume / packing.volume[k] - 1.0) for k, mass in enumerate(masses))
    return float(volume), float(max(np.abs(mass.centre).max() for mass in masses))
