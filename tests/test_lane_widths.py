"""The same bits on other instruction sets and with other numbers of lanes: operations, laws, whole scenes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from beds import reference
from conftest import CLEAN_ENVIRONMENT
from test_lanes_laws import LAWS

from pardem.compiled.lanes.types import WIDTH

ROOT = Path(__file__).resolve().parent.parent
FILES = ("test_lanes", "test_lanes_memory", "test_lanes_laws")
ONE_LAW = sorted({*LAWS} - {"hertz"})  # what is left out of the laws
# the name of a processor alone would leave the features of this one on; the cache tells processors apart by both
PLAIN, HASWELL = ({"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": ""} for name in ("x86-64", "haswell"))
OTHER = 12 - WIDTH  # eight lanes where the processor has four, and the other way about
OTHER_WIDTH = {"PARDEM_LANES": str(OTHER)}


@pytest.mark.parametrize(
    ("setting", "left_out"),
    [
        pytest.param(PLAIN, ONE_LAW, id="x86-64, one law"),
        pytest.param(OTHER_WIDTH, ONE_LAW, id="other width, one law"),
        pytest.param(PLAIN, [], marks=pytest.mark.slow, id="x86-64"),
        pytest.param(HASWELL, [], marks=pytest.mark.slow, id="haswell"),
        pytest.param(OTHER_WIDTH, [], marks=pytest.mark.slow, id="other width"),
    ],
)
def test_lanes_are_numbers_everywhere(setting: dict[str, str], left_out: list[str]) -> None:
    """The tests of lanes for a processor without AVX, for one with AVX2, and with more lanes or fewer than this one has."""
    if not os.environ.keys().isdisjoint({"NUMBA_CPU_NAME", "PARDEM_LANES"}) or os.uname().machine != "x86_64":
        pytest.skip("of the code for x86-64 that is made for the processor at hand")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"tests/{file}.py" for file in FILES)]
    words += [f"--deselect=tests/test_lanes_laws.py::test_laws_and_friction_on_lanes[{law}]" for law in left_out]
    run = subprocess.run(words, env=dict(os.environ) | setting, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert not left_out or f"{len(left_out)} deselected" in run.stdout


ONE = """
import sys
from beds import of_scene
from mpi4py import MPI
from pardem.compiled.lanes.types import WIDTH
print(WIDTH, of_scene(sys.argv[1], MPI.COMM_SELF)[0])
"""
OF_EACH_KIND = ("spheres", "rods", "cubes", "features of all shapes", "outlines in the plane")
USUAL = ("spheres",)


@pytest.mark.parametrize("scene", [pytest.param(name, marks=[pytest.mark.slow] * (name not in USUAL)) for name in OF_EACH_KIND])
def test_scenes_with_other_numbers_of_lanes(scene: str) -> None:
    """Each kind of kernel, with walls; `jobs/instruction_sets.py` compares all scenes."""
    environment = CLEAN_ENVIRONMENT | OTHER_WIDTH | {"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"}
    run = subprocess.run([sys.executable, "-c", ONE, scene], cwd=ROOT / "tests", env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == [str(OTHER), reference(scene)]
