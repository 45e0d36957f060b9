"""Beds to measure: settled once and kept, and large ones laid out of tiles of the usual size."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from mpi4py import MPI

from ..case import Case
from ..compiled.cache import source_hash
from ..decomposition.nested_slabs import Nested
from ..engine import Engine
from ..errors import FileError
from ..setup.initial_grains import own_initial_grains, size_range
from ..setup.preparation import build_scene
from ..state.population import ContactTable, Population
from .scenes import bed_of, bed_width, scene_case, state_case


def from_state(comm: MPI.Comm, path: Path) -> tuple[Case, Engine]:
    """Load a settled state written by ``jobs/benchmarks/lammps_spheres``. Collective.

    Args:
        comm: communicator.
        path: path of the state.

    Returns:
        The case, and an engine of this rank.
    """
    case: Case = comm.bcast(state_case(path) if comm.rank == 0 else None)
    return case, engine_of(comm, case, None, None)


def settled(comm: MPI.Comm, scene: str, grains: int) -> tuple[Case, Engine]:
    """Load or make a bed of about a given number of grains. Collective.

    Up to twice the usual number of the scene the bed is settled, and stored in the cache directory under the hash of the sources. Larger beds are
    composed of tiles, copies of the usual bed side by side without the walls between them; the grains at the seams rearrange in the first steps.

    Args:
        comm: communicator.
        scene: name of the scene.
        grains: number of grains.

    Returns:
        The case, and an engine of this rank.
    """
    tiling = tiling_of(scene, grains)
    case = scene_case(scene, tiling.grains)
    bed, contacts = settled_tile(comm, scene, tiling.grains)
    if tiling.tiles == 1:
        return case, engine_of(comm, case, _mine(comm, bed), contacts)
    number = np.arange(comm.rank, tiling.tiles, comm.size).repeat(bed.count)
    beds = bed.take(np.tile(np.arange(bed.count), len(range(comm.rank, tiling.tiles, comm.size))))
    beds.gid += number * bed.count
    beds.x[:, :2] += tiling.places(number)
    beds.ft[:] = 0
    case = scene_case(scene, tiling.grains, tiling.columns, tiling.rows)
    return case, engine_of(comm, case, beds, None)


class Tiling(NamedTuple):
    """How a bed is composed of copies of a settled one.

    Attributes:
        grains: number of grains of a tile.
        columns: number of tiles along x.
        rows: number of tiles along y.
        width: side of a tile (m).
    """

    grains: int
    columns: int
    rows: int
    width: float

    @property
    def tiles(self) -> int:
        """Number of tiles."""
        return self.columns * self.rows

    def places(self, number: np.ndarray) -> np.ndarray:
        """Find where tiles are.

        Args:
            number: (n,) int64 their numbers.

        Returns:
            (n, 2) float64 displacement of each along x and y (m).
        """
        return np.stack([(number // self.rows) * self.width, (number % self.rows) * self.width], axis=1)


def tiling_of(scene: str, grains: int) -> Tiling:
    """Choose the tiles of which a bed is composed: one up to twice the usual number of grains of the scene, else of the usual number each.

    Args:
        scene: name of the scene.
        grains: number of grains.

    Returns:
        The tiling, whose number of grains is near to the one wanted.
    """
    bed = bed_of(scene)
    if grains <= 2 * bed.grains:
        return Tiling(grains, 1, 1, bed_width(scene, grains))
    tiles = round(grains / bed.grains)
    rows = 1 if bed.dimension == 2 else max(k for k in range(1, int(tiles**0.5) + 1) if tiles % k == 0)
    return Tiling(bed.grains, tiles // rows, rows, bed_width(scene, bed.grains))


def settled_tile(comm: MPI.Comm, scene: str, grains: int) -> tuple[Population, ContactTable]:
    """Load or make a settled bed. Collective.

    Args:
        comm: communicator.
        scene: name of the scene.
        grains: number of grains.

    Returns:
        All of its grains and contacts, on every rank.
    """
    data = _settled(comm, scene, scene_case(scene, grains))
    contacts = ContactTable(data.pop("key"), data.pop("hist"), data.pop("warm"))
    return Population(**data), contacts


def _mine(comm: MPI.Comm, everything: Population) -> Population:
    return everything.take(np.arange(everything.count) % comm.size == comm.rank)


def engine_of(comm: MPI.Comm, case: Case, grains: Population | None, contacts: ContactTable | None) -> Engine:
    """Make an engine. Collective.

    Args:
        comm: communicator.
        case: the case.
        grains: grains of this rank; None: those of the case.
        contacts: living contacts, by key; None: there are none.

    Returns:
        The engine.
    """
    setup = build_scene(case, *size_range(case))
    if grains is None:
        grains = own_initial_grains(comm, case, setup.catalogue, overlaps=True)
    skin = case.detection.skin
    return Engine(Nested(comm), setup.scene, grains, contacts, skin=None if skin == "auto" else float(skin))


def _settled(comm: MPI.Comm, scene: str, case: Case) -> dict[str, Any]:
    """Grains and contacts of the scene's bed after settling, on every rank. Collective."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "pardem" / "bench"
    grains = sum(insert.count for insert in case.insert)
    steps = bed_of(scene).settle
    path = folder / f"{scene}-{grains}-{steps}-{case.hash()[:8]}-{source_hash()[:8]}.npz"
    data: dict[str, Any] | None = comm.bcast(dict(np.load(path)) if comm.rank == 0 and path.is_file() else None)
    if data is not None:
        return data
    engine = engine_of(comm, case, None, None)
    engine.advance(steps)
    population = Population.joined(comm.allgather(engine.grains.take(np.arange(engine.grains.count))))
    data = vars(population) | vars(ContactTable.joined(comm.allgather(engine.owned_contacts())))
    if comm.rank == 0:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            np.savez(path, **data)
        except OSError as error:
            raise FileError(f"{path}: the settled scene cannot be kept ({error}); make room or set XDG_CACHE_HOME") from None
    return data
