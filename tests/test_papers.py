"""Short forms of the experiments of papers 000 to 002 (jobs/campaigns/papers): what is claimed of them holds at a fraction of the length."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mpi4py import MPI

from pardem.io.casefile import read_case
from pardem.simulation import Simulation

PAPERS = Path(__file__).resolve().parent.parent / "jobs" / "campaigns" / "papers"


@pytest.mark.slow
def test_the_books_of_the_shear_band_close() -> None:
    """Paper 000, section IV.A, claims work = loss + change of energy within 1 %; here losses are booked to second order."""
    case = read_case(PAPERS / "shear" / "pentagons.toml", ["time.step=1e-4", "stage.load.time=3.0", "stage.shear.time=2.0"])
    sim = Simulation(case, MPI.COMM_SELF)
    sim.step(30_000, observe=True)
    before = sim.observables()
    sim.step(20_000, observe=True)
    after = sim.observables()
    work, lost, held = (after[f"energy/{name}"] - before[f"energy/{name}"] for name in ("wall_work", "lost_damping", "total"))
    lost += after["energy/lost_friction"] - before["energy/lost_friction"]
    assert work > 50.0
    assert lost > 0.1 * work
    assert abs(work - lost - held) < 1e-4 * work


def test_disks_flow_from_a_hopper_once_it_opens() -> None:
    """Paper 002, figure 6, with dampers, so that the disks come to rest in a short time."""
    settings = ["insert.0.count=60", "stage.fill.time=6.0", "stage.flow.time=5.0", "contact.normal_damping=2460.0"]
    case = read_case(PAPERS / "plane_hopper" / "disks.toml", settings)
    sim = Simulation(case, MPI.COMM_SELF)
    below = []
    for name in ("fill", "flow"):
        sim.step(round(next(s.time for s in case.stage if s.name == name) / case.time.step))
        assert sim.engine.outflow is not None
        below.append(int(np.count_nonzero(sim.engine.grains.x[:, 1] < 0.0)) + sim.engine.outflow.count)
    assert below[0] == 0
    assert below[1] > 50


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "least", "most"), [("rice", 80, 90), ("yermis", 0, 20)])
def test_rice_flows_from_the_narrow_hopper_and_yermis_clog(kind: str, least: int, most: int) -> None:
    """Paper 003, figures 4 and 5, of 90 grains and after 10 s, with 200 times the paper's viscosity."""
    places = (("contact", 20.0), ("contact.pair.grain-wall", 40.0))
    damping = [f"{place}.{which}_damping={value}" for place, value in places for which in ("normal", "tangential")]
    case = read_case(PAPERS / "hopper" / "narrow.toml", [f"insert.grains.species={kind}", "stage.flow.time=10.0", *damping])
    sim = Simulation(case, MPI.COMM_SELF)
    sim.step(round(10.0 / case.time.step))
    assert least <= np.count_nonzero(sim.engine.grains.x[:, 2] < 0.0) <= most


@pytest.mark.slow
def test_four_walls_press_on_a_sample_from_all_sides() -> None:
    """Paper 001, section 4: before the test the pressure is the same along both axes."""
    case = read_case(PAPERS / "biaxial" / "compact.toml", ["insert.0.count=150", "stage.press.time=150.0"])
    sim = Simulation(case, MPI.COMM_SELF)
    sim.step(round(sum(stage.time for stage in case.stage) / case.time.step), observe=True)
    now = sim.observables()
    at = {wall.name: np.array(wall.point) + now[f"wall_displacement/{wall.name}"] for wall in case.wall}
    width, height = at["right"][0] - at["left"][0], at["top"][1] - at["bottom"][1]
    for wall, length in (("left", height), ("right", height), ("bottom", width), ("top", width)):
        assert np.linalg.norm(now[f"wall_force/{wall}"]) / length == pytest.approx(10.0, rel=5e-3)
    assert 0.8 < sim.engine.grains.v[:, 3].sum() / (width * height) < 0.9  # one kilogramme a square metre
