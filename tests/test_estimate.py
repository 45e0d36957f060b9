"""What a run is expected to cost, beside what one took."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI
from scenes import CUBE, SPHERE, case_of

from pardem.case import Case
from pardem.run import run_case
from pardem.setup.estimate import WITH_BUDGET, estimate

MEASURE = """
import sys
from mpi4py import MPI
from pathlib import Path
from pardem.case import Case
from pardem.run import run_case
from pardem.run_options import RunOptions
case = Case.model_validate_json(Path(sys.argv[1]).read_text()).located(Path(sys.argv[1]).parent)
run_case(case, out=Path(sys.argv[2]), comm=MPI.COMM_SELF, options=RunOptions(force=True))
# not ru_maxrss: that begins at what the process that started this one used
print("peak", next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def lattice(folder: Path, edge: int, budget: bool = True) -> Case:
    """4 edge^3 spheres on a face-centred lattice, nearly touching: a dense bed."""
    a = 1.002 * np.sqrt(2.0)
    cells = np.stack(np.meshgrid(*[np.arange(edge)] * 3, indexing="ij"), -1).reshape(-1, 3)
    offsets = np.array([(0, 0, 0), (0.5, 0.5, 0), (0.5, 0, 0.5), (0, 0.5, 0.5)])
    x = np.concatenate([(cells + offset) * a for offset in offsets])
    np.savez(folder / "grains.npz", species=np.zeros(len(x), np.int64), position=x)
    contact = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.02, "friction": 0.5}
    stage = [{"name": "go", "kind": "run", "steps": 30}]
    output = {"observables": {"energy_budget": budget}}
    return case_of([SPHERE], contact, 1e-4, grains_file="grains.npz", stage=stage, output=output).located(folder)


@pytest.mark.parametrize("edge", [14, 29])
def test_memory_is_what_a_run_takes(tmp_path: Path, edge: int) -> None:
    # here first: that may compile, which takes more memory than the run
    run_case(lattice(tmp_path, 3), out=tmp_path / "small.h5", comm=MPI.COMM_SELF)
    case = lattice(tmp_path, edge)
    (tmp_path / "case.json").write_text(case.model_dump_json(exclude_none=True))
    command = [sys.executable, "-c", MEASURE, str(tmp_path / "case.json"), str(tmp_path / "out.h5")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    peak = 1024 * int(done.stdout.split("peak")[1])
    cost = estimate(case)
    assert cost.grains == 4 * edge**3
    assert cost.memory == pytest.approx(peak, rel=0.3)


def test_energy_books_cost_time_and_the_assumptions_are_said(tmp_path: Path) -> None:
    case, bare = lattice(tmp_path, 3), lattice(tmp_path, 3, budget=False)
    assert estimate(case).seconds == pytest.approx(estimate(bare).seconds / WITH_BUDGET)
    assert "with the energy budget" in str(estimate(case))
    assert "without the energy budget" in str(estimate(bare))
    assert estimate(case, 2).seconds == 0.5 * estimate(case).seconds


def test_pairs_of_features_cost_more_than_pairs_of_grains() -> None:
    insert = [{"species": "cube", "count": 1000, "region": {"kind": "box", "lower": (0, 0, 0), "upper": (9, 9, 9)}}]
    contact = {"law": "elastic", "contact_time": 0.02}
    one, each = (estimate(case_of([CUBE], contact | {"interaction": rule}, 1e-4, insert=insert)) for rule in ("regularised", "superposition"))
    assert each.rate < one.rate
    assert each.memory > one.memory
