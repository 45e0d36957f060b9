"""Where a file comes from: versions, machine, ranks, times."""

from __future__ import annotations

import platform
import socket
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import Any

import h5py

from pardem.version import versions


def now() -> str:
    """The present date and time (UTC), ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def provenance(ranks: int, **extra: Any) -> dict[str, Any]:
    """Describe which program wrote a file, where and when.

    Args:
        ranks: number of ranks.
        **extra: further entries.

    Returns:
        The entries.
    """
    from mpi4py import MPI

    return {
        "ranks": ranks,
        "host": socket.gethostname(),
        "machine": platform.machine(),
        "started": now(),
        "versions": {
            **versions(),
            "python": platform.python_version(),
            "hdf5": h5py.version.hdf5_version,
            "mpi": MPI.Get_library_version().splitlines()[0].strip("\x00 "),
            **{name: _version(name) for name in ("numpy", "numba", "mpi4py", "h5py")},
        },
        **extra,
    }


@cache
def _version(name: str) -> str:
    """Version of an installed package, for which its folder is searched."""
    return version(name)
