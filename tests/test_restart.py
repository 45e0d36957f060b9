"""A bed of cubes cut in two: contacts, histories and the solver's active sets pass through a checkpoint to another number of ranks, bit for bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI
from scenes import CUBE, ELL, case_of

from pardem import run_state
from pardem.case import Case
from pardem.contacts.nearest.features import EDGE_EDGE, EDGE_VERTEX, VERTEX_EDGE, kind_of
from pardem.errors import FileError
from pardem.io.results.paths import parts_of
from pardem.io.state.checkpoint import read_checkpoint, write_checkpoint
from pardem.io.views.compare import compare
from pardem.run_state import full_state, load_start
from pardem.setup import preparation
from pardem.simulation import Simulation

CUT, END = 1650, 2400  # steps
CONTACT_TIME = {"regularised": 1e-2, "superposition": 3e-2, "pieces": 1.5e-2}  # 15 pairs of features act at once where corners meet, 4 of pieces


def shaken_box(integrator: str, interaction: str) -> Case:
    """Cubes, or under ``pieces`` ells, of many sizes in a box that is shaken as a whole."""
    grain, rule = (ELL, "regularised") if interaction == "pieces" else (CUBE, interaction)
    region = {"kind": "box", "lower": (0, 0, 0), "upper": (6, 6, 5)}
    return case_of(
        [grain], {"interaction": rule, "restitution": 0.4, "contact_time": CONTACT_TIME[interaction], "friction": 0.3}, 6e-4, seed=5,
        gravity=(0.0, 0.0, -9.81),
        time={"step": 6e-4, "integrator": integrator}, domain={"lower": (-1, -1, -1), "upper": (7, 7, 9)},
        wall=[{"name": "box", "kind": "box", "lower": (0, 0, 0), "upper": (6, 6, 8),
               "motion": {"kind": "sinusoidal", "gamma": 2.0, "frequency": 2.0}}],
        insert=[{"species": grain["name"], "count": 32, "size": {"kind": "uniform", "min": 0.7, "max": 1.1}, "region": region}],
        stage=[{"name": "shake", "kind": "run", "steps": END}],
    )  # fmt: skip


def part(comm: MPI.Comm, case: Case, out: Path, step: int) -> Path:
    """Go on from the newest checkpoint beside ``out``, or from the case, up to a step, and write a checkpoint there."""
    start, warnings = load_start(comm, out, case)
    assert not warnings
    simulation = Simulation(case, comm, start)
    simulation.step(step - simulation.steps_done)
    assert simulation.steps_done == step
    return write_checkpoint(comm, parts_of(out), full_state(simulation))


@pytest.mark.mpi
@pytest.mark.ranks(3)
@pytest.mark.parametrize(
    ("integrator", "interaction"), [("verlet", "regularised"), ("gear4", "regularised"), ("verlet", "superposition"), ("verlet", "pieces")]
)
def test_a_run_goes_on_from_a_checkpoint_on_another_number_of_ranks(mpi_tmp_path: Path, integrator: str, interaction: str) -> None:
    comm, case = MPI.COMM_WORLD, shaken_box(integrator, interaction)
    whole = part(MPI.COMM_SELF, case, mpi_tmp_path / "whole.h5", END) if comm.rank == 0 else None
    if comm.rank == 0:
        contacts = read_checkpoint(MPI.COMM_SELF, part(MPI.COMM_SELF, case, mpi_tmp_path / "spread.h5", CUT)).contacts
        if interaction != "superposition":
            assert np.count_nonzero(contacts.ints[:, 0]) > 15
        if interaction == "pieces":
            assert np.count_nonzero(contacts.sub[contacts.higher >= 0]) > 3
        if interaction == "superposition":
            assert np.count_nonzero(contacts.sub >> 32) > 5  # pairs of features
        assert np.count_nonzero(contacts.higher >= 0) > 5
    comm.Barrier()
    spread = part(comm, case, mpi_tmp_path / "spread.h5", END)
    part(comm, case, mpi_tmp_path / "gathered.h5", CUT)
    if comm.rank == 0:
        gathered = part(MPI.COMM_SELF, case, mpi_tmp_path / "gathered.h5", END)
        assert compare(whole, spread) is None
        assert compare(whole, gathered) is None
        assert compare(whole, part(MPI.COMM_SELF, case, mpi_tmp_path / "shorter.h5", END - 1)) is not None
    comm.Barrier()


def test_a_checkpoint_of_another_layout_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = shaken_box("verlet", "regularised")
    part(MPI.COMM_SELF, case, tmp_path / "out.h5", 0)
    monkeypatch.setattr(run_state, "LAYOUT", run_state.LAYOUT + 1)
    with pytest.raises(FileError, match=r"checkpoint-0+\.h5 holds a state of layout \d+ .*--force"):
        load_start(MPI.COMM_SELF, tmp_path / "out.h5", case)


def test_a_run_goes_on_in_the_quanta_that_it_began_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of pardem may choose others; the sums in a checkpoint would then be of other forces."""
    case, choose = shaken_box("verlet", "regularised"), preparation.choose_quanta
    with monkeypatch.context() as other_version:
        other_version.setattr(preparation, "choose_quanta", lambda *a: (q := choose(*a))._replace(force=64.0 * q.force, torque=32.0 * q.torque))
        whole = part(MPI.COMM_SELF, case, tmp_path / "whole.h5", END)
        part(MPI.COMM_SELF, case, tmp_path / "halved.h5", CUT)
    assert compare(whole, part(MPI.COMM_SELF, case, tmp_path / "halved.h5", END)) is None
    assert compare(whole, part(MPI.COMM_SELF, case, tmp_path / "today.h5", END)) is not None


def test_contacts_at_local_minima_pass_through_a_checkpoint(tmp_path: Path) -> None:
    """Horned polygons that catch each other: several contacts of a pair, which go over to other features, come back with their springs."""
    horns = {
        "name": "horns", "shape": "polygon", "radius": 0.08, "density": 1.0,
        "vertices": [(0, 0), (0.8, 0), (0.8, 0.7), (0.6, 0.7), (0.6, 0.2), (0.2, 0.2), (0.2, 0.7), (0, 0.7)],
    }  # fmt: skip
    case = case_of(
        [horns], {"interaction": "minima", "restitution": 0.4, "contact_time": 2e-2, "friction": 0.3}, 6e-4, dimension=2,
        gravity=(0.0, -9.81), seed=5, domain={"lower": (-1, -1), "upper": (5, 9)},
        wall=[{"name": "box", "kind": "box", "lower": (0, 0), "upper": (4, 8)}],
        insert=[{"species": "horns", "count": 14, "region": {"kind": "box", "lower": (0, 0), "upper": (4, 8)}}],
        stage=[{"name": "fall", "kind": "run", "steps": END}],
    )  # fmt: skip
    whole = part(MPI.COMM_SELF, case, tmp_path / "whole.h5", END)
    contacts = read_checkpoint(MPI.COMM_SELF, part(MPI.COMM_SELF, case, tmp_path / "halved.h5", CUT)).contacts
    between = contacts.higher >= 0
    pairs = np.stack([contacts.lower[between], contacts.higher[between]], axis=1)
    assert len(np.unique(pairs, axis=0)) < len(pairs)
    assert {kind_of(int(s)) for s in contacts.sub[between]} == {EDGE_EDGE}
    assert compare(whole, part(MPI.COMM_SELF, case, tmp_path / "halved.h5", END)) is None


def test_pairs_of_features_pass_through_a_checkpoint(tmp_path: Path) -> None:
    """Pentagons that roll over each other under superposition: both kinds of pairs of features, vertex and edge, edge and vertex, come back apart."""
    pentagon = {"name": "pentagon", "shape": "regular_polygon", "sides": 5, "circumradius": 0.4, "radius": 0.1, "density": 1.0}
    case = case_of(
        [pentagon], {"interaction": "superposition", "restitution": 0.4, "contact_time": 2e-2, "friction": 0.3}, 6e-4, dimension=2,
        gravity=(0.0, -9.81), seed=5, domain={"lower": (-1, -1), "upper": (5, 9)},
        wall=[{"name": "box", "kind": "box", "lower": (0, 0), "upper": (4, 8)}],
        insert=[{"species": "pentagon", "count": 16, "region": {"kind": "box", "lower": (0, 0), "upper": (4, 8)}}],
        stage=[{"name": "fall", "kind": "run", "steps": END}],
    )  # fmt: skip
    whole = part(MPI.COMM_SELF, case, tmp_path / "whole.h5", END)
    sub = read_checkpoint(MPI.COMM_SELF, part(MPI.COMM_SELF, case, tmp_path / "halved.h5", CUT)).contacts.sub
    assert {kind_of(int(s)) for s in sub} >= {VERTEX_EDGE, EDGE_VERTEX}
    assert compare(whole, part(MPI.COMM_SELF, case, tmp_path / "halved.h5", END)) is None
