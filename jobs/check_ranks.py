"""Ends ``jobs/setup``: do the ranks find each other, and can they write one HDF5 file together? Rank 0 prints what was found."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import h5py
import numpy as np
from mpi4py import MPI


def write_together(comm: MPI.Intracomm, path: Path) -> bool:
    """Whether every rank's row reaches the one file at ``path``."""
    with h5py.File(path, "w", driver="mpio", comm=comm) as file:
        rows = file.create_dataset("rows", (comm.size,), dtype=np.int64)
        with rows.collective:
            rows[comm.rank] = comm.rank
        with rows.collective:
            return bool(np.array_equal(rows[:], np.arange(comm.size)))


def main() -> str | None:
    """Check; an error message on rank 0, otherwise None."""
    comm = MPI.COMM_WORLD
    parallel = bool(h5py.get_config().mpi)
    problem = None
    if comm.size != 2:
        problem = f"mpirun -n 2 gave {comm.size} rank(s): mpi4py found another MPI ({MPI.Get_library_version()}) than the one of mpirun"
    elif parallel:
        folder = comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None)
        path = Path(folder, "check.h5")
        if not comm.allreduce(write_together(comm, path), MPI.LAND):
            problem = "h5py is parallel, but what the ranks wrote together did not reach the file"
        if comm.rank == 0:
            path.unlink()
            os.rmdir(folder)
    if comm.rank != 0 or problem:
        return problem if comm.rank == 0 else None
    library = MPI.Get_library_version().split("\n")[0].split(",")[0].strip("\0 ")
    files = "parallel" if parallel else "serial: rank 0 gathers and writes"
    print(
        f"pardem is ready: {comm.size} ranks of {library}, HDF5 {h5py.version.hdf5_version} with h5py {h5py.version.version} ({files}), "
        f"numba {version('numba')}, numpy {version('numpy')}, Python {platform.python_version()}"
    )
    return None


if __name__ == "__main__":
    sys.exit(main())
