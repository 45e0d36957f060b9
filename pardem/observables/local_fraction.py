"""Local volume fraction: a grain's volume over that of its cell in the power diagram of the grains' covering spheres (docs/theory/observables.md)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from mpi4py import MPI

from ..decomposition.exchange import RowExchange, exchanges
from ..detection.sphere_tables import SphereTables, place_spheres
from ..shapes.catalogue import Catalogue
from ..state.arrays import Walls
from ..state.population import Population
from ..triangulation.triangulation import Triangulation
from ..walls.surfaces.place import ABSENT, NORMAL, SIZES
from ..walls.surfaces.registry import SURFACES

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
        """Compute the local volume fractions of this rank's grains, which do not depend on the number of ranks. Collective; rank 0 computes the
        cells.

        Args:
            grains: grains of this rank.
            walls: walls, placed for the step.

        Returns:
            (n,) volume fractions.
        """
        placed = _Placed(np.ascontiguousarray(grains.x), np.ascontiguousarray(grains.q), grains.species, np.ascontiguousarray(grains.scale))
        rows = np.arange(grains.count, dtype=np.int32)
        start, spheres = place_spheres(rows, np.zeros(grains.count, np.int32), placed, self.tables, self.period)
        to_first, of_spheres = exchanges(self.comm, np.zeros(len(rows), np.int64), np.zeros(len(spheres), np.int64))
        gid, counts = to_first(grains.gid), to_first(np.diff(start))
        volumes = self._cells(gid, counts, of_spheres(spheres), walls)  # of no grains but on the first rank
        owners = np.repeat(np.arange(self.comm.size), to_first.arriving)
        volume = RowExchange(self.comm, owners)(volumes)
        with np.errstate(divide="ignore"):  # a grain behind an open face has no cell
            return np.asarray(self.catalogue.volumes(grains.species, grains.scale) / volume)

    def _cells(self, gid: np.ndarray, spheres_of: np.ndarray, spheres: np.ndarray, walls: Walls) -> np.ndarray:
        """Volumes of the grains' cells (m^3)."""
        if not len(gid):
            return np.empty(0)
        grain = np.repeat(gid, spheres_of)
        order = np.argsort(grain, kind="stable")  # the same whichever rank has which grain
        own = spheres[order]
        every = _mirrored(self._with_images(own, len(gid)), walls)
        reach = np.where(self.period > 0.0, self.period, 0.0)
        volumes = Triangulation(every[:, :3], every[:, 3]).volumes(self.lower - reach, self.upper + reach)[: len(own)]
        ids, first = np.unique(grain[order], return_index=True)
        cells = np.add.reduceat(volumes, first) if len(first) else np.empty(0)
        return np.asarray(cells[np.searchsorted(ids, gid)])

    def _with_images(self, own: np.ndarray, grains: int) -> np.ndarray:
        """Spheres and their images within half a period of the box; within a whole one where grains are few."""
        every = own
        for axis in np.flatnonzero(self.period):
            length = self.period[axis]
            margin = length * (1.0 if grains < FEW else 0.5)
            parts = [every]
            for shift in (-length, length):
                image = every + shift * np.eye(4)[axis]
                parts.append(image[(image[:, axis] >= self.lower[axis] - margin) & (image[:, axis] < self.upper[axis] + margin)])
            every = np.concatenate(parts)
        return every


def _mirrored(spheres: np.ndarray, walls: Walls) -> np.ndarray:
    """Spheres and their mirror images behind the walls: the face between the cells of the two lies in the wall."""
    parts = [spheres]
    for k in np.flatnonzero(walls.there != ABSENT):
        surface, normal = SURFACES[walls.kind[k]], walls.pose[k, NORMAL : NORMAL + 3]
        if surface.mirrored is None:
            continue
        away = spheres[:, :3] - walls.shape[k, :3] - walls.pose[k, :3]
        height = away @ normal
        across = away - height[:, None] * normal
        inside, up, out = surface.mirrored(height, np.linalg.norm(across, axis=1), walls.shape[k, SIZES:])
        image = spheres[inside]
        image[:, :3] += up[inside, None] * normal + out[inside, None] * across[inside]
        parts.append(image)
    return np.concatenate(parts)
