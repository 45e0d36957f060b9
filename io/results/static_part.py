"""The static part of a run: what does not change, written once at its start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from mpi4py import MPI

from ..reading import FRAMES, PARAMETERS, note_made
from ..state.checksum import width_of
from ..state.disk import sync_path, take_on_trial
from ..state.holders import Holders
from ..state.losses import put_losses
from ..state.manifest import Manifest, entry_of
from ..state.ordered_rows import GrainRows
from ..state.rowfile import RowFile
from ..state.seals import crc32_of, crc32_of_array, put_sums
from ..state.shared_errors import together
from ..state.writable import WritableFile
from .h5md import label, write_box, write_metadata
from .paths import STATIC
from .vtkhdf import OFFSETS


class DomainBox(NamedTuple):
    """The domain, as files show it.

    Attributes:
        lower: (3,) lower corner (m).
        upper: (3,) upper corner (m).
        periodic: (3,) bool, which axes are periodic.
    """

    lower: Any
    upper: Any
    periodic: Any


class StaticPart(NamedTuple):
    """What does not change in a run.

    Attributes:
        case_text: effective case.
        case_hash: hash of the trajectory.
        catalogue: name -> array, the same on all ranks; with ``mass`` (ns,) (kg), ``radius`` (ns,) (m) and ``dimension`` (ns,).
        gid: (n,) int64 ids of this rank's grains.
        species: (n,) int32 rows of the catalogue.
        scale: (n,) size factors.
        box: the domain.
    """

    case_text: str
    case_hash: str
    catalogue: Mapping[str, np.ndarray]
    gid: np.ndarray
    species: np.ndarray
    scale: np.ndarray
    box: DomainBox

    def columns(self) -> dict[str, np.ndarray]:
        """Name -> (n,) ids, species, sizes, masses and sphero-radii of this rank's grains."""
        species, scale = np.asarray(self.species, dtype=np.int32), np.asarray(self.scale, dtype=float)
        mass = self.catalogue["mass"][species] * scale ** self.catalogue["dimension"][species]
        radius = self.catalogue["radius"][species] * scale
        return {"id": np.asarray(self.gid, dtype=np.int64), "species": species, "scale": scale, "mass": mass, "radius": radius}


def write_static(comm: MPI.Comm, parts: Path, static: StaticPart, manifest: Manifest) -> None:
    """Write the static part with the losses known so far, and note it in the manifest. Collective.

    Args:
        comm: communicator.
        parts: folder.
        static: what to write.
        manifest: manifest of the run, on rank 0. Its box, which is that of the run's first start, is written.
    """
    fields = {f"{FRAMES}/{name}": values for name, values in static.columns().items()}
    holders = Holders.of(comm, sum(width_of(values) for values in fields.values()) * int(comm.allreduce(len(static.gid))))
    rows = GrainRows(comm, static.gid, holders, max(width_of(values) for values in fields.values()))
    new = parts / (STATIC + ".new")
    sums = _write_columns(holders, new, rows, fields)
    with together(comm, f"{new} could not be written"):
        if comm.rank == 0:
            _write_rest(new, static, manifest, rows.count, sums)
            sync_path(new)
            new.rename(parts / STATIC)
            note_made(parts / STATIC)
            manifest.parts[STATIC] = entry_of(parts / STATIC)


def _write_columns(holders: Holders, new: Path, rows: GrainRows, fields: dict[str, np.ndarray]) -> dict[str, int]:
    """Write what has a row for each grain; CRC-32 by name. Collective."""
    with RowFile(holders.comm, new, "w") as file:
        file.reserve(sum(width_of(values) for values in fields.values()) * rows.count, holders)
        file.create({name: ((rows.count,), values.dtype) for name, values in fields.items()})
        with file.rows(holders) as writer:
            for name, values in fields.items():
                writer.write_all(name, rows.pieces(values))
        file.sync(ends=False)
    return dict(zip(fields, writer.checksums(fields), strict=True))


def _write_rest(new: Path, static: StaticPart, manifest: Manifest, count: int, sums: dict[str, int]) -> None:
    """Write box, catalogue, case, what was lost before, and the checksums of all, by one process."""
    catalogue = static.catalogue
    take_on_trial(new, sum(np.asarray(v).nbytes for v in catalogue.values()) + len(static.case_text) + 8 * count)
    with WritableFile(new, "r+") as handle:
        label(handle, "result")
        handle[OFFSETS] = np.arange(count + 1)
        write_metadata(handle, static.case_text, static.case_hash, catalogue)
        assert manifest.box is not None
        write_box(handle, *manifest.box)
        put_losses(handle, manifest.losses)
        tables = {f"{PARAMETERS}/catalogue/{name}": crc32_of_array(values) for name, values in catalogue.items()}
        small = {name: crc32_of(handle[name]) for name in (PARAMETERS, f"{PARAMETERS}/case", f"{FRAMES}/box")}
        put_sums(handle, "static", sums | tables | small)
