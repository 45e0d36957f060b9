"""Insertion by all ranks together: the grains, to the bit, of one rank that puts in one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

from pardem.case import Case
from pardem.errors import InsertionError
from pardem.insertion.round_tables import Outbox
from pardem.setup import initial_grains, shared_insertion
from pardem.setup.preparation import build_scene
from pardem.state.population import Population

COMM = MPI.COMM_WORLD
TUBE = {"kind": "cylinder", "radius": 0.02, "lower": 0.01, "upper": 0.09, "axis": "x", "center": [0.0, 0.025, 0.025]}
CUBE = {"kind": "box", "lower": [0.01, 0.01, 0.01], "upper": [0.04, 0.04, 0.04]}
EVERYWHERE = {"kind": "periodic"}
SIZES = {"kind": "uniform", "min": 0.7, "max": 1.0}
THERE = [{"species": "ball", "position": [0.02 + 0.003 * i, 0.02, 5e-4], "velocity": [1.0, 0.0, 0.0]} for i in range(20)]


def case(*inserts: dict[str, Any], **more: Any) -> Case:
    """Grains in a box with periodic axes, longest along x."""
    return Case(**{
        "time": {"step": 2e-6}, "domain": {"lower": [0.0, 0.0, 0.0], "upper": [0.1, 0.05, 0.05], "periodic": [True, False, True]}, "seed": 3,
        "species": [{"name": name, "shape": "sphere", "radius": r, "density": 2e3} for name, r in (("ball", 1e-3), ("bead", 6e-4))],
        "insert": list(inserts), "contact": {"restitution": 0.5, "contact_time": 1e-4}, "stage": [{"name": "run", "kind": "run", "steps": 1}],
    } | more)  # fmt: skip


def insert(count: int, region: dict[str, Any], species: str = "ball", **more: Any) -> dict[str, Any]:
    return {"species": species, "count": count, "region": region} | more


@pytest.fixture(autouse=True)
def calls(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """However few spheres, the ranks insert them together, in four blocks; whether each such attempt succeeded."""
    found: list[bool] = []
    insert_together = shared_insertion.insert_together

    def noted(*arguments: Any) -> Any:
        spheres = insert_together(*arguments)
        found.append(spheres is not None)
        return spheres

    monkeypatch.setattr(shared_insertion, "FEWEST", 1)
    monkeypatch.setattr(shared_insertion, "LEAST", 300)
    monkeypatch.setattr(shared_insertion, "BLOCKS", 4)
    monkeypatch.setattr(initial_grains, "insert_together", noted)
    return found


SHAPES = [
    {"name": "rod", "shape": "spherocylinder", "length": 2.5e-3, "radius": 4e-4, "density": 2e3},
    {"name": "yermis", "shape": "yermis", "segments": 4, "edge": 8e-4, "radius": 2e-4, "density": 2e3},
    {"name": "cube", "shape": "cube", "side": 1.2e-3, "radius": 1e-4, "density": 2e3},
]
TURNED = [{"species": "yermis", "position": [0.02 + 0.004 * i, 0.02, 5e-4], "orientation": [0.6, 0.0, 0.8, 0.0], "scale": 1.5} for i in range(15)]
ANY_SHAPE = {"restitution": 0.5, "contact_time": 1e-4, "interaction": "minima"}
PERIODIC = case(insert(5000, EVERYWHERE, size=SIZES))
CASES = {
    "periodic": (PERIODIC, 1),
    "dense": (case(insert(15000, EVERYWHERE, size=SIZES)), 1),
    "several": (case(insert(2000, TUBE), insert(3000, CUBE, "bead", size=SIZES), insert(6000, EVERYWHERE, "bead"), grain=THERE), 3),
    "open": (case(insert(1200, CUBE), domain=None, wall=[{"name": "floor", "kind": "plane", "point": [0, 0, 0], "normal": [0, 0, 1]}]), 1),
    "shapes": (case(insert(900, TUBE, "rod", size=SIZES), insert(700, CUBE, "yermis"), insert(2500, EVERYWHERE, "cube", size=SIZES),
                    species=SHAPES, grain=TURNED, contact=ANY_SHAPE), 3),
    "thin": (case(insert(60, {"kind": "box", "lower": [0.01, 0.01, 0.01], "upper": [0.09, 0.0145, 0.0145]})), 1),
}


@pytest.mark.mpi
@pytest.mark.parametrize("name", CASES)
def test_all_ranks_together_insert_what_one_inserts(calls: list[bool], name: str) -> None:
    made, inserts = CASES[name]
    catalogue = build_scene(made, *initial_grains.size_range(made)).catalogue
    mine, whole = initial_grains.own_initial_grains(COMM, made, catalogue), initial_grains.initial_grains(made, catalogue)
    assert calls == [True] * inserts
    together = Population.joined(COMM.allgather(mine))
    together.arrange(np.argsort(together.gid))
    for column in Population.columns:
        assert np.array_equal(getattr(together, column), getattr(whole, column)), column
    if name in ("periodic", "dense"):
        assert max(COMM.allgather(mine.count)) < 1.4 * whole.count / COMM.size


@pytest.mark.mpi
def test_two_dimensions() -> None:
    flat = {"lower": [0.0, 0.0], "upper": [0.3, 0.1], "periodic": [True, False]}
    disks = [{"name": "disk", "shape": "disk", "radius": 1e-3, "density": 2e3}]
    made = case(insert(2500, EVERYWHERE, "disk"), dimension=2, domain=flat, species=disks)
    catalogue = build_scene(made, *initial_grains.size_range(made)).catalogue
    mine, whole = initial_grains.own_initial_grains(COMM, made, catalogue), initial_grains.initial_grains(made, catalogue)
    together = Population.joined(COMM.allgather(mine))
    together.arrange(np.argsort(together.gid))
    assert np.array_equal(together.x, whole.x)
    assert np.array_equal(together.q, whole.q)


@pytest.mark.mpi
def test_what_is_too_dense_is_left_to_one_rank_and_its_message(calls: list[bool], monkeypatch: pytest.MonkeyPatch) -> None:
    made = case(insert(2700, CUBE))
    with pytest.raises(InsertionError, match=r"Insertion stopped at grain \d+ of species 'ball'"):
        initial_grains.own_initial_grains(COMM, made, build_scene(made, *initial_grains.size_range(made)).catalogue)
    assert calls == [False]
    full = Outbox(np.empty((5, 3), np.int64), np.empty((5, 4)), np.empty(5, np.int64))
    monkeypatch.setattr(shared_insertion, "_outbox", lambda events: full)
    catalogue = build_scene(PERIODIC, *initial_grains.size_range(PERIODIC)).catalogue
    mine, whole = initial_grains.own_initial_grains(COMM, PERIODIC, catalogue), initial_grains.initial_grains(PERIODIC, catalogue)
    assert calls == [False, False]
    assert np.array_equal(Population.joined(COMM.allgather(mine)).x, whole.x)


def test_some_grains_are_not_inserted_together(calls: list[bool]) -> None:
    """Those that are lowered, those that fit into their region in some directions only, and those among bodies."""
    body = {"name": "stone", "kind": "body", "species": "cube", "position": [0.02, 0.02, 0.02]}
    flat = CUBE | {"upper": [0.04, 0.04, 0.01325]}
    for made in (
        case(insert(50, CUBE, lowered=True), gravity=[0.0, -9.8, 0.0]), case(insert(3, flat, "rod"), species=SHAPES[:1]),
        case(insert(50, CUBE, "rod"), species=SHAPES[::2], wall=[body]),
    ):  # fmt: skip
        initial_grains.own_initial_grains(MPI.COMM_SELF, made, build_scene(made, *initial_grains.size_range(made)).catalogue)
    assert calls == []


@pytest.mark.mpi
def test_memory_of_a_rank_is_that_of_its_own_spheres() -> None:
    import tracemalloc

    made = case(insert(9000, EVERYWHERE))
    catalogue = build_scene(made, *initial_grains.size_range(made)).catalogue
    initial_grains.own_initial_grains(COMM, made, catalogue)  # what is compiled or kept once
    tracemalloc.start()
    mine = initial_grains.own_initial_grains(COMM, made, catalogue)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1200 * mine.count + 12e6
