"""What a result or a checkpoint tells to a run that starts from its state: the state, its digest, the case and the shapes of its run."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np
from mpi4py import MPI

from pardem.case import Case
from pardem.errors import CaseError, FileError
from pardem.shapes.catalogue import Catalogue
from pardem.state.origin_state import Origin
from pardem.version import LAYOUT

from ..layout import CATALOGUE, LayoutError, text
from ..reading import FRAMES, PARAMETERS, is_index, kind_of, opened, sound
from ..state.full_state import FullState
from ..state.seals import crc32_of, get_sums
from ..state.shared_errors import together
from ..state.state_reading import read_state, state_group
from .paths import STATIC, parts_of

BLOCK = 1 << 20  # rows of a file that are in memory at a time


class StateFile(NamedTuple):
    """A state with what its numbers mean.

    Attributes:
        path: path of the file.
        digest: digest of the state.
        case: case of its run.
        catalogue: catalogue of its run.
        full: the state as the file holds it.
    """

    path: Path
    digest: str
    case: Case
    catalogue: Mapping[str, np.ndarray]
    full: FullState


def digest_of(path: Path) -> str:
    """SHA-256 of the header of a state and the checksums of its arrays.

    Args:
        path: result or checkpoint.

    Raises:
        FileError: it cannot be read, or holds no state.
    """
    with opened(path) as file, sound(path):
        group = state_group(file, path)
        return hashlib.sha256(bytes(group["header"][()]) + bytes(group["checksums"][()])).hexdigest()


def read_state_file(comm: MPI.Comm, path: Path) -> StateFile:
    """Read a state with the case and the catalogue of its run. Collective.

    Args:
        comm: communicator; each rank gets a part of the state.
        path: result or checkpoint.

    Raises:
        FileError: it cannot be read, holds no state, or one of another layout; on every rank.
    """
    described: tuple[str, dict[str, Any], dict[str, np.ndarray]] | None = None
    with together(comm, f"{path} cannot be read"):
        if comm.rank == 0:
            digest = digest_of(path)
            described = (digest, *_described(path))
    digest, tables, catalogue = comm.bcast(described)
    full = read_state(comm, path)
    if full.layout != LAYOUT:
        raise FileError(
            f"{path} holds a state of layout {full.layout} and this pardem starts from layout {LAYOUT}: make it anew, or use {full.writer}, "
            f"or another pardem of layout {full.layout}, which `pardem --version` tells"
        )
    try:
        case = Case(**tables).located(path.parent)
    except CaseError as error:
        raise FileError(f"{path} comes from a case that this pardem does not understand ({str(error).splitlines()[0]}): make it anew") from None
    return StateFile(path, digest, case, catalogue, full)


def _described(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The case and the catalogue of the run that wrote a state; for a checkpoint they lie beside it."""
    with opened(path) as file:
        beside, copied = kind_of(file) == "checkpoint", is_index(file) and (parts_of(path) / STATIC).exists()
    # an index has them from its parts, without checksums
    source = path.parent / STATIC if beside else parts_of(path) / STATIC if copied else path
    if beside and not source.exists():
        raise FileError(f"{source} is missing, which tells the species of this checkpoint: keep it in the folder in which its run wrote it")
    with opened(source) as file, sound(source):
        _require_whole(file)
        return tomllib.loads(text(file[f"{PARAMETERS}/case"])), {name: file[f"{CATALOGUE}/{name}"][()] for name in Catalogue._fields}


def _require_whole(file: h5py.File) -> None:
    """Refuse a case or a catalogue that is not what the run wrote: what grains look like, and how they lie, would be another thing, silently."""
    sums, summed = get_sums(file, "static"), file.attrs["pardem_format"] > 1 and not is_index(file)
    for name in (f"{PARAMETERS}/case", *(f"{CATALOGUE}/{field}" for field in Catalogue._fields)):
        if name not in file:
            raise LayoutError(f"{name} is missing")
        if (name in sums or summed) and crc32_of(file[name]) != sums.get(name):
            raise LayoutError(f"the checksum of {name} is wrong or missing")


class SpeciesTally:
    """Numbers and sizes of grains by species.

    Args:
        species: number of species.
    """

    def __init__(self, species: int) -> None:
        self.count, self.least, self.most = np.zeros(species, np.int64), np.full(species, np.inf), np.zeros(species)

    def add(self, species: np.ndarray, scale: np.ndarray) -> None:
        """Count grains by their rows of species ((n,)) and size factors ((n,))."""
        self.count += np.bincount(species, minlength=len(self.count))
        np.minimum.at(self.least, species, scale)
        np.maximum.at(self.most, species, scale)

    def join(self, comm: MPI.Comm) -> None:
        """Count those of all ranks. Collective."""
        for values, how in ((self.count, MPI.SUM), (self.least, MPI.MIN), (self.most, MPI.MAX)):
            comm.Allreduce(MPI.IN_PLACE, values, how)

    def by_name(self, names: Sequence[str]) -> tuple[dict[str, tuple[float, float]], dict[str, int]]:
        """Smallest and largest size factors, and numbers, by name of the species; of those alone that have grains."""
        there = np.flatnonzero(self.count).tolist()
        return {names[k]: (float(self.least[k]), float(self.most[k])) for k in there}, {names[k]: int(self.count[k]) for k in there}


def recalled_origin(out: Path) -> tuple[Origin, str, Sequence[float]] | None:
    """What a run that started from a state has noted of it, in the part of its output that never changes.

    Args:
        out: result file of the run.

    Returns:
        Sizes and numbers of grains, digest and quanta of the state; None where there is no output.
    """
    for path in (parts_of(out) / STATIC, out):
        with suppress(FileError), opened(path) as file, sound(path):
            case = tomllib.loads(text(file[f"{PARAMETERS}/case"]))
            start = case.get("start", {})
            if not {"digest", "quanta"} <= start.keys():
                return None
            names, tally = [s["name"] for s in case["species"]], SpeciesTally(len(case["species"]))
            kinds, scale = file[f"{FRAMES}/species"], file[f"{FRAMES}/scale"]
            for first in range(0, len(kinds), BLOCK):
                tally.add(kinds[first : first + BLOCK], scale[first : first + BLOCK])
            return Origin(*tally.by_name(names), None), str(start["digest"]), start["quanta"]
    return None
