"""Local volume fractions: cells that fill the box, of crystals and beds; the same bits on any number of ranks."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from mpi4py import MPI
from scenes import ROD, SPHERE, case_of, engine_of

from pardem.case import Case
from pardem.engine import Engine
from pardem.errors import CaseError
from pardem.observables.local_fraction import LocalFraction
from pardem.run import run_case
from pardem.setup.preparation import Setup

pytestmark = pytest.mark.usefixtures("known_covers")

LAW = {"interaction": "regularised", "restitution": 0.5, "contact_time": 2e-3, "friction": 0.3}
CUBE = {"name": "cube", "shape": "cube", "side": 0.6, "radius": 0.15, "density": 1000.0}


def with_cells(species: list[dict[str, Any]], **more: Any) -> Case:
    return case_of(species, LAW, 1e-4, gravity=(0, 0, 0), output={"fields": ["position", "local_fraction"]}, **more)


def fractions(engine: Engine, setup: Setup, case: Case, comm: MPI.Comm = MPI.COMM_SELF) -> np.ndarray:
    assert setup.cell_tables is not None
    assert case.domain is not None
    cells = LocalFraction(comm, setup.catalogue, setup.cell_tables, case.domain.lower, case.domain.upper, case.domain.periodic)
    return cells.measure(engine.grains, setup.scene.walls)


@pytest.mark.parametrize(("count", "periodic"), [(4, (True, True, True)), (3, (True, True, True)), (4, (True, False, True))])
def test_every_sphere_of_a_cubic_crystal_has_its_share(count: int, periodic: tuple[bool, ...]) -> None:
    place = 1.1 * (np.indices((count,) * 3).reshape(3, -1).T + 0.5)
    case = with_cells([SPHERE], grain=[{"species": "ball", "position": p} for p in place.tolist()],
                      domain={"lower": (0, 0, 0), "upper": (1.1 * count,) * 3, "periodic": periodic})  # fmt: skip
    found = fractions(*engine_of(case), case)
    np.testing.assert_allclose(found, math.pi / 6.0 / 1.1**3, rtol=1e-12)


def packed(periodic: bool) -> Case:
    """Grains of three shapes in a box whose walls stand within the domain, or that is periodic along x and y."""
    region = {"kind": "box", "lower": (0, 0, 0), "upper": (4, 4, 5)}
    domain = {"lower": (0, 0, -1), "upper": (4, 4, 7), "periodic": (True, True, False)} if periodic else {"lower": (-1, -2, -3), "upper": (7, 6, 8)}
    caps = [{"name": "low", "kind": "plane", "point": (0, 0, 0), "normal": (0, 0, 1)}, {"name": "top", "kind": "disc", "center": (2, 2, 5),
             "normal": (0, 0, 1), "radius": 9.0}]  # fmt: skip
    box = [{"name": "box", "kind": "box", "lower": (0, 0, 0), "upper": (4, 4, 5)}]
    return with_cells(
        [SPHERE, ROD, CUBE], domain=domain, wall=caps if periodic else box, seed=3,
        insert=[{"species": s, "count": 8, "size": {"kind": "uniform", "min": 0.6, "max": 1.0}, "region": region} for s in ("ball", "rod", "cube")],
    )  # fmt: skip


@pytest.mark.parametrize("periodic", [False, True])
def test_cells_fill_what_walls_enclose(periodic: bool) -> None:
    case = packed(periodic)
    engine, setup = engine_of(case)
    found = fractions(engine, setup, case)
    volume = setup.catalogue.volumes(engine.grains.species, engine.grains.scale)
    assert (volume / found).sum() == pytest.approx(4 * 4 * 5, rel=1e-9)
    assert found.min() > 0.0
    assert found.max() < 0.74


def test_cells_in_a_tube_end_at_it() -> None:
    """In the tangent planes of its wall: outside of the tube by a share that falls with the spheres' distance from each other."""
    ring = [{"species": "ball", "position": (2.4 * math.cos(a), 2.4 * math.sin(a), 0.6)} for a in 2.0 * math.pi * np.arange(12) / 12]
    case = with_cells(
        [SPHERE], grain=[*ring, {"species": "ball", "position": (0, 0, 0.6)}], domain={"lower": (-9, -9, 0), "upper": (9, 9, 1.2)},
        wall=[{"name": "tube", "kind": "cylinder", "radius": 3.0}],
    )  # fmt: skip
    engine, setup = engine_of(case)
    found = fractions(engine, setup, case)
    polygon = 12 * 3.0**2 * math.tan(math.pi / 12) * 1.2
    assert (math.pi / 6.0 / found).sum() == pytest.approx(polygon, rel=1e-12)


@pytest.mark.mpi
@pytest.mark.ranks(4)
@pytest.mark.parametrize("periodic", [False, True])
def test_the_same_bits_on_any_number_of_ranks(periodic: bool) -> None:
    comm, case = MPI.COMM_WORLD, packed(periodic)
    engine, setup = engine_of(case, comm)
    parts = comm.allgather((engine.grains.gid.copy(), fractions(engine, setup, case, comm)))
    alone, one = engine_of(case, MPI.COMM_SELF)
    expected = fractions(alone, one, case)
    found = np.empty(len(expected))
    for gid, values in parts:
        found[gid] = values
    np.testing.assert_array_equal(found[alone.grains.gid], expected)


def test_frames_hold_them(tmp_path: Path) -> None:
    case = Case(**packed(False).model_dump(exclude_none=True) | {"stage": [{"name": "go", "kind": "run", "steps": 2}]})
    run_case(case, out=tmp_path / "out.h5", comm=MPI.COMM_SELF)
    engine, setup = engine_of(case)
    with h5py.File(tmp_path / "out.h5") as file:
        value = file["particles/grains/local_fraction/value"][()]
    assert value.shape == (2, 24, 1)
    np.testing.assert_array_equal(value[0, :, 0], fractions(engine, setup, case)[np.argsort(engine.grains.gid)])


def test_what_cannot_be_had_is_refused() -> None:
    disk = {"name": "d", "shape": "disk", "radius": 0.5, "density": 1.0}
    plane = case_of(
        [disk], LAW, 1e-4, dimension=2, gravity=(0, 0), domain={"lower": (-5, -5), "upper": (5, 5)}, grain=[{"species": "d", "position": (0, 0)}],
        output={"fields": ["position", "local_fraction"]},
    )  # fmt: skip
    with pytest.raises(CaseError, match="three dimensions"):
        engine_of(plane)
    yermis = {"name": "y", "shape": "yermis", "radius": 0.1, "edge": 0.5, "density": 1.0}
    bent = case_of(
        [yermis], LAW | {"interaction": "superposition"}, 1e-4, gravity=(0, 0, 0), grain=[{"species": "y", "position": (0, 0, 0)}],
        output={"fields": ["position", "local_fraction"]},
    )  # fmt: skip
    with pytest.raises(CaseError, match="'y' is not"):
        engine_of(bent)
