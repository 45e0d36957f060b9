"""Local volume fraction: a grain's volume over that of its cell in the power diagram of the grains' covering spheres (docs/theory/observables.md)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from mpi4py import MPI

from ..detection.sphere_tables import SphereTables, place_spheres
from ..shapes.catalogue import Catalogue
from ..state.arrays import Walls
from ..state.population import Population
from ..walls.surfaces.place import ABSENT, NORMAL, SIZES
from ..walls.surfaces.registry import SURFACES
from .cells_over_ranks import cell_volumes

FEW = 64  # grains, below which cells may reach as far as half a period


class _Placed(NamedTuple):
    """What `place_spheres` reads of grains."""

    x: np.ndarray
    q: np.ndarray
    species: np.ndarray
    scale: np.ndarray


class LocalFraction:
    """Measures local volume fractions.

    The cell of a grain is the union of the power cells of its covering spheres. Cells end at planes, at discs, approximately at the inside of
    cylinders (in the tangent plane of each sphere), and at the box. Those of grains at a free surface extend to the box.

    Args:
        comm: communicator.
        catalogue: shape catalogue.
        tables: tables of the covering spheres, see `detection.case_covers.cell_tables`.
        lower: lower corner of the box (m).
        upper: upper corner of the box (m).
        periodic: whether each axis is periodic.
    """

    def __init__(
        self, comm: MPI.Comm, catalogue: Catalogue, tables: SphereTables, lower: tuple[float, ...], upper: tuple[float, ...],
        periodic: tuple[bool, ...],
    ) -> None:  # fmt: skip
        self.comm, self.catalogue, self.tables = comm, catalogue, tables
        self.lower, self.upper = np.array(lower, dtype=float), np.array(upper, dtype=float)
        self.period = np.where(periodic, self.upper - self.lower, 0.0)

    def measure(self, grains: Population, walls: Walls) -> np.ndarray:
        """Compute the local volume fractions of this rank's grains, which do not depend on the number of ranks. Collective.

        Args:
            grains: grains of this rank.
            walls: walls, placed for the step.

        Returns:
            (n,) volume fractions.
        """
        placed = _Placed(np.ascontiguousarray(grains.x), np.ascontiguousarray(grains.q), grains.species, np.ascontiguousarray(grains.scale))
        rows = np.arange(grains.count, dtype=np.int32)
        start, spheres = place_spheres(rows, np.zeros(grains.count, np.int32), placed, self.tables, self.period)
        parts = _mirrored(self._with_images(spheres, self.comm.allreduce(grains.count)), walls)
        volumes = cell_volumes(self.comm, spheres, parts, self.lower - self.period, self.upper + self.period)
        volume = np.add.reduceat(volumes, start[:-1]) if grains.count else np.empty(0)
        with np.errstate(divide="ignore"):  # a grain behind an open face has no cell
            return np.asarray(self.catalogue.volumes(grains.species, grains.scale) / volume)

    def _with_images(self, own: np.ndarray, grains: int) -> list[np.ndarray]:
        """Spheres and their images within half a period of the box, by place; within a whole one where grains are few."""
        parts = [own]
        for axis in np.flatnonzero(self.period):
            length = self.period[axis]
            margin = length * (1.0 if grains < FEW else 0.5)
            for part in list(parts):
                for shift in (-length, length):
                    image = part + shift * np.eye(4)[axis]
                    parts.append(image[(image[:, axis] >= self.lower[axis] - margin) & (image[:, axis] < self.upper[axis] + margin)])
        return parts


def _mirrored(spheres: list[np.ndarray], walls: Walls) -> list[np.ndarray]:
    """Spheres and their mirror images behind the walls: the face between the cells of the two lies in the wall.

    Args:
        spheres: (n, 4) spheres by place.
        walls: walls, placed for the step.
    """
    parts = list(spheres)
    for k in np.flatnonzero(walls.there != ABSENT):
        mirrored, normal = SURFACES[walls.kind[k]].mirrored, walls.pose[k, NORMAL : NORMAL + 3]
        if mirrored is None:
            continue
        for part in spheres:
            # component by component: products of matrices may have other bits where there are more rows
            away = part[:, :3] - walls.shape[k, :3] - walls.pose[k, :3]
            height = away[:, 0] * normal[0] + away[:, 1] * normal[1] + away[:, 2] * normal[2]
            across = away - height[:, None] * normal
            inside, up, out = mirrored(height, np.sqrt(across[:, 0] ** 2 + across[:, 1] ** 2 + across[:, 2] ** 2), walls.shape[k, SIZES:])
            image = part[inside]
            image[:, :3] += up[inside, None] * normal + out[inside, None] * across[inside]
            parts.append(image)
    return parts
