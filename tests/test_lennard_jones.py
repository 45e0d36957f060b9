"""The Lennard-Jones law: force and energy against the formula, bound and free pairs, rods, walls, the same bits on any number of ranks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import AXES, FLOOR, ROD, SPHERE, booked, case_of, energy, engine_of, fingerprint, grains_of, turned

from pardem.case import Case
from pardem.errors import BlowUpError, CaseError
from pardem.setup.law_tables import build_law
from pardem.state.arrays import STORED

DEPTH, SIGMA, CUT = 3.0, 1.0, 2.5
LAW = {"law": "lennard_jones", "depth": DEPTH, "sigma": SIGMA}
KINDS = [SPHERE, ROD]  # whose kernel other tests use, too
BOTTOM = 2.0 ** (1.0 / 6.0) * SIGMA
PERIOD = 2.0 * math.pi * math.sqrt(0.5 * SPHERE["density"] * math.pi / 6.0 / (57.1464378708551 * DEPTH / SIGMA**2))  # of two balls at the bottom (s)


def potential(r: Any) -> Any:
    """U (J) at distances r (m) without cut-off."""
    return 4.0 * DEPTH * ((SIGMA / r) ** 12 - (SIGMA / r) ** 6)


def slope(r: float) -> float:
    """dU/dr (N)."""
    return 4.0 * DEPTH * (-12.0 * SIGMA**12 / r**13 + 6.0 * SIGMA**6 / r**7)


def shifted(r: float) -> float:
    """U (J) with the force shifted to zero at the cut-off."""
    limit = CUT * SIGMA
    return potential(r) - potential(limit) - (r - limit) * slope(limit) if r < limit else 0.0


def ball(x: float, v: float = 0.0, y: float = 0.0) -> dict[str, Any]:
    return {"species": "ball", "position": (x, y, 0.0), "velocity": (v, 0.0, 0.0)}


def gas(count: int) -> Case:
    """Balls and rods above a floor, periodic along x and y, with attraction."""
    region = {"kind": "box", "lower": (0.0, 0.0, 0.6), "upper": (9.0, 9.0, 8.0)}
    pairs = [{"between": ["ball", "rod"], "sigma": 0.8, "cutoff": 2.0}, {"between": ["rod", "rod"], "sigma": 0.6}]
    return case_of(
        [SPHERE, ROD], LAW | {"depth": 40.0, "pair": pairs}, 2e-3, gravity=(0.0, 0.0, -1.0), seed=3,
        domain={"lower": (0.0, 0.0, -1.0), "upper": (9.0, 9.0, 40.0), "periodic": (True, True, False)}, wall=[FLOOR],
        insert=[{"species": s["name"], "count": count, "region": region} for s in (SPHERE, ROD)],
    )  # fmt: skip


@pytest.mark.parametrize("species", [KINDS, pytest.param([SPHERE], marks=pytest.mark.slow)], ids=["balls beside rods", "balls"])
@pytest.mark.parametrize("distance", [0.95, BOTTOM, 1.3, 2.0, 2.499, 2.501])
def test_force_and_energy_are_those_of_the_formula(distance: float, species: list[dict[str, Any]]) -> None:
    """Force along the centres, shifted to zero at the cut-off; the energy is its integral."""
    engine, _ = engine_of(case_of(species, LAW, 1e-3, grain=[ball(0.0), ball(distance)]), overlaps=True)
    engine.evaluate()
    s = engine.scene.settings
    force = grains_of(engine).ft[:, :3] * s.force
    expected = -slope(distance) + slope(CUT * SIGMA) if distance < CUT * SIGMA else 0.0
    assert force[1].tolist() == pytest.approx([expected, 0.0, 0.0], rel=1e-12, abs=2.0 * s.force)
    assert (force[0] == -force[1]).all()
    assert booked(engine.tally[STORED]) * s.energy == pytest.approx(shifted(distance), rel=1e-12, abs=2.0 * s.energy)


def test_a_bound_pair_swings_with_the_period_of_the_well_and_keeps_its_energy() -> None:
    """Small swings about the bottom of the shifted well; the energy error falls as the square of the step."""
    found = []
    for step in (PERIOD / 50.0, PERIOD / 200.0):
        engine, _ = engine_of(case_of(KINDS, LAW, step, grain=[ball(0.0), ball(1.02 * BOTTOM)]))
        engine.evaluate()
        first, worst, signs = energy(engine), 0.0, []
        for _ in range(round(10.2 * PERIOD / step)):
            engine.advance(1, observe=True)
            worst = max(worst, abs(energy(engine) - first))
            v = grains_of(engine).v[:, 0]
            signs.append(v[1] - v[0])
        turns = np.flatnonzero((np.array(signs[:-1]) < 0.0) & (np.array(signs[1:]) >= 0.0))
        period = (turns[-1] - turns[0]) * step / (len(turns) - 1)
        found.append((worst, period))
    assert found[1][0] < found[0][0] / 12.0
    assert found[1][1] == pytest.approx(PERIOD, rel=0.03)  # the well is softer outwards, and shifted


def test_a_fast_ball_is_drawn_in_thrown_back_and_let_go() -> None:
    """Head on from beyond the cut-off: the energy is the same when it is out of range again, and along the way."""
    engine, _ = engine_of(case_of(KINDS, LAW, 2e-3, grain=[ball(0.0), ball(3.0, -0.2)]))
    first = energy(engine)
    fastest = 0.0
    for _ in range(400):
        engine.advance(50, observe=True)
        assert energy(engine) == pytest.approx(first, rel=2e-3)
        v = grains_of(engine).v[:, 0]
        fastest = max(fastest, v[0] - v[1])
    g = grains_of(engine)
    assert g.x[1, 0] - g.x[0, 0] > CUT * SIGMA
    assert g.v[1, 0] - g.v[0, 0] == pytest.approx(0.2, rel=1e-3)
    assert fastest > 0.22


def test_rods_attract_by_the_distance_of_their_surfaces() -> None:
    """Side by side at a gap of sigma; the forces are those of the formula at 2 sigma, and there is no torque."""
    law = LAW | {"sigma": 0.5, "interaction": "minima"}
    rods = [{"species": "rod", "position": (1.0 * k, 0.0, 0.0), "orientation": turned((1, 0, 0), 0.3)} for k in range(2)]
    engine, _ = engine_of(case_of([ROD], law, 1e-4, grain=rods))
    engine.evaluate()
    g, s = grains_of(engine), engine.scene.settings
    q6, cut6 = 2.0**-6, CUT**-6
    expected = 24.0 * DEPTH * ((2.0 * q6 * q6 - q6) / 1.0 - (2.0 * cut6 * cut6 - cut6) / (CUT * 0.5))
    assert (g.ft[:, :3] * s.force)[1].tolist() == pytest.approx([expected, 0.0, 0.0], rel=1e-12, abs=2.0 * s.force)
    assert np.abs(g.ft[:, 4:7] * s.torque).max() < 1e-12 * abs(expected)


def test_walls_repel_only() -> None:
    """A ball above a floor feels it below the bottom of the potential, as a ball of its own radius there, and bounces without loss."""
    engine, _ = engine_of(case_of(KINDS, LAW, 1e-3, grain=[{"species": "ball", "position": (0, 0, 1.5), "velocity": (0, 0, -0.1)}], wall=[FLOOR]))
    above = 0.5 + BOTTOM - SIGMA
    lowest = np.inf
    for _ in range(300):
        engine.advance(100)
        z, v = float(engine.grains.x[0, 2]), float(engine.grains.v[0, 2])
        lowest = min(lowest, z)
        if z > above:
            assert abs(v) == pytest.approx(0.1, rel=1e-4)
    assert 0.3 < lowest < above
    assert engine.grains.v[0, 2] == pytest.approx(0.1, rel=1e-4)


def of_comm(comm: MPI.Comm, axis: int = 0, skin: float | None = None) -> str:
    engine, _ = engine_of(gas(40), comm, axis=axis, skin=skin)
    engine.advance(600)
    return fingerprint(engine)


def test_the_skin_never_shows() -> None:
    assert len({of_comm(MPI.COMM_SELF, skin=skin) for skin in (0.01, 0.1, 0.3)}) == 1


@pytest.mark.mpi
@pytest.mark.ranks(2, 3)
@pytest.mark.parametrize("axis", AXES)
def test_any_number_of_ranks_gives_the_bits_of_one(axis: int) -> None:
    comm = MPI.COMM_WORLD
    alone = comm.bcast(of_comm(MPI.COMM_SELF) if comm.rank == 0 else None)
    assert of_comm(comm, axis) == alone


def test_what_does_not_fit_is_named() -> None:
    def build(contact: dict[str, Any], step: float = 1e-3, **more: Any) -> None:
        engine_of(case_of(KINDS, contact, step, grain=[ball(0.0)], **more))

    with pytest.raises(CaseError, match=r"sigma missing for law = 'lennard_jones', which needs depth and sigma"):
        build({"law": "lennard_jones", "depth": 1.0})
    with pytest.raises(CaseError, match=r"contact\.friction = 0\.5 is not used by law = 'lennard_jones'"):
        build(LAW | {"friction": 0.5})
    with pytest.raises(CaseError, match=r"contact\.cutoff"):
        build(LAW | {"cutoff": 1.1})
    with pytest.raises(CaseError, match=r"a wall has the material 'ball' of a species"):
        build(LAW, wall=[FLOOR | {"material": "ball"}])
    with pytest.raises(CaseError, match=r"'triangulation' finds grains that touch, but law = 'lennard_jones' acts beyond; use 'cells'"):
        build(LAW, detection={"method": "triangulation"})
    with pytest.raises(CaseError, match=r"time\.step = .* is too long"):
        build(LAW, PERIOD / 15.0)
    engine, _ = engine_of(case_of(KINDS, LAW, 1e-3, grain=[ball(0.0), ball(3.0, -60.0)]))
    with pytest.raises(BlowUpError, match=r"overlap by more than a sphero-radius|out of range"):
        engine.advance(200)


def test_the_range_does_not_depend_on_the_order_of_the_species() -> None:
    """A species that only a wall has the shape of shares the row of the beads in the tables, and has no range."""
    bead = {"name": "bead", "shape": "sphere", "radius": 1e-3, "density": 1e3}
    cube = {"name": "cube", "shape": "cube", "side": 1e-3, "radius": 2e-4, "density": 1e3}
    extra = []
    for species in ([bead, cube], [cube, bead]):
        case = Case(
            species=species, time={"step": 1e-7}, gravity=(0.0, 0.0, 0.0), domain={"lower": (-0.1, -0.1, -0.1), "upper": (0.1, 0.1, 0.1)},
            contact={"law": "lennard_jones", "depth": 1e-9, "sigma": 2e-3}, grain=[{"species": "bead", "position": (0.0, 0.0, 0.0)}],
            wall=[{"name": "body", "kind": "body", "species": "cube", "position": (0.05, 0.0, 0.0)}],
            stage=[{"name": "run", "kind": "run", "steps": 1}],
        )  # fmt: skip
        row = case.material_rows["bead"]
        extra.append(build_law(case).start[row, row])
    assert extra[0] == extra[1] == pytest.approx(3e-3)
