"""MPICH, whose handles are 32-bit integers, and a serial h5py: the quick try on two ranks has the bits of Open MPI's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import CLEAN_ENVIRONMENT

from pardem.io.views.compare import compare
from pardem.io.views.info import info

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
PIPED: dict[str, Any] = {"capture_output": True, "text": True, "stdin": subprocess.DEVNULL}
PATIENCE = 1800.0  # two ranks that wait by polling, on cores that others may be using


def called(*command: object, env: dict[str, str] | None = None) -> str:
    """What a command prints, on both streams."""
    done = subprocess.run([str(word) for word in command], env=CLEAN_ENVIRONMENT | (env or {}), timeout=PATIENCE, check=False, **PIPED)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def mpich(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What leads a process of this environment to MPICH, and to the serial h5py of the package index."""
    if shutil.which("mpiexec.mpich") is None:
        if os.getuid() or shutil.which("apt-get") is None:
            pytest.skip("mpiexec.mpich is not there, and only root can install Debian's package mpich")
        # Debian prefers Open MPI's mpirun and mpicc while both are there
        called("apt-get", "update")
        called("apt-get", "install", "-y", "--no-install-recommends", "mpich", env={"DEBIAN_FRONTEND": "noninteractive"})
    folder = tmp_path_factory.mktemp("mpich")
    site, library = folder / "site", folder / "lib"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", ROOT / "jobs" / "constraints.txt"]
    called(*pip, "--no-deps", "--only-binary", ":all:", "--target", site, "mpi4py", "h5py")
    called(sys.executable, "-m", "compileall", "-q", site)
    library.mkdir()
    found = next(Path("/usr/lib").glob("*/libmpich.so.12"))
    (library / "libmpi.so.12").symlink_to(found)  # the name that MPICH has everywhere else, and by which the wheel asks for it
    return {"PYTHONPATH": f"{site}:{ROOT}", "LD_LIBRARY_PATH": str(library), "MPI4PY_MPIABI": "mpich"}


def test_the_quick_try_has_the_same_bits(mpich: dict[str, str], tmp_path: Path, run_mpi: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    ours, theirs, case = tmp_path / "openmpi.h5", tmp_path / "mpich.h5", ROOT / "jobs" / "smoke.toml"
    which = (
        "from mpi4py import MPI; import h5py; world = MPI.COMM_WORLD\n"
        "found = world.gather((MPI._sizeof(MPI.Request), h5py.get_config().mpi, world.size))\n"
        "if world.rank == 0: print(found)"
    )
    assert called("mpiexec.mpich", "-n", 2, sys.executable, "-c", which, env=mpich) == f"{[(4, False, 2)] * 2}\n"
    said = called("mpiexec.mpich", "-n", 2, sys.executable, "-m", "pardem", "run", case, "-o", theirs, env=mpich)
    assert "h5py is serial: rank 0 gathers and writes all output" in said
    assert [start["ranks"] for start in info(theirs)["provenance"]] == [2]
    run_mpi(2, "-m", "pardem", "run", case, "-o", ours)
    assert compare(ours, theirs) is None
