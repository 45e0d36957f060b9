"""Packings of Voronoi cells in a case: what they stand for, that they do not overlap, and what is refused."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import engine_of

from pardem.case import Case
from pardem.errors import CaseError
from pardem.observables.observable import MOST_SPECIES
from pardem.shapes import Rounding, voronoi_packing
from pardem.simulation import Simulation

UPPER = (4.0, 1.0, 2.0)
ROCK = {"name": "rock", "density": 2500.0, "count": 60, "void_ratio": 0.3, "regularity": 1}


def scene(dimension: int = 3, **changes: Any) -> dict[str, Any]:
    """A packing in a domain that is periodic along x, without gravity."""
    return {
        "dimension": dimension, "seed": 7, "gravity": (0.0,) * dimension, "time": {"step": 1e-5},
        "domain": {"lower": (0.0,) * dimension, "upper": UPPER[:dimension], "periodic": (True, False, False)[:dimension]},
        "contact": {"restitution": 0.5, "contact_time": 1e-3, "friction": 0.3}, "stage": [{"name": "go", "kind": "run", "steps": 10}],
        "voronoi": [ROCK],
    } | changes  # fmt: skip


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_packing_stands_for_its_cells(dimension: int) -> None:
    case = Case(**scene(dimension))
    upper = UPPER[:dimension]
    made = voronoi_packing(60, (0.0,) * dimension, upper, Rounding(void_ratio=0.3), periodic=(True, False, False)[:dimension], seed=7, regularity=1)
    assert len(case.species) == len(case.grain) == len(made)
    assert case.voronoi == ()
    assert case.materials == ("rock",)
    np.testing.assert_array_equal([g.position for g in case.grain], np.pad(made.centres, ((0, 0), (0, 3 - dimension))))
    assert [g.species for g in case.grain] == [s.name for s in case.species] == [f"rock_{k}" for k in made.site]
    volume = sum(s.make_shape().mass_properties().volume for s in case.species)
    assert np.prod(upper) / volume - 1.0 == pytest.approx(0.3, rel=1e-6)
    again = Case(**tomllib.loads(case.to_toml()))
    assert again == case
    assert again.hash() == case.hash()


@pytest.mark.parametrize("dimension", [2, 3])
def test_cells_start_side_by_side_without_a_force(dimension: int) -> None:
    """Openings of the cells touch their neighbours' but for rounding."""
    engine, _ = engine_of(Case(**scene(dimension)))
    engine.advance(5, observe=True)
    assert not len(engine.contacts().key)
    assert not engine.grains.v[:, :3].any()


def test_box_roundness_and_seed_of_its_own() -> None:
    rock = ROCK | {"lower": (0.0, 0.2, 0.0), "upper": (4.0, 0.8, 1.0), "roundness": 0.5, "seed": 3, "void_ratio": None, "erosion": 0.03}
    case = Case(**scene(voronoi=[{k: v for k, v in rock.items() if v is not None}, ROCK | {"name": "top", "lower": (0.0, 0.0, 1.0), "count": 9}]))
    assert {s.radius for s in case.species if s.material == "rock"} == {0.015}
    place = np.array([g.position for g in case.grain])
    rocks = np.array([g.species.startswith("rock") for g in case.grain])
    assert (place[rocks, 1] > 0.2).all()
    assert (place[rocks, 1] < 0.8).all()
    assert (place[rocks, 2] < 1.0).all()
    assert (place[~rocks, 2] > 1.0).all()
    with pytest.raises(CaseError, match=r"rock_[0-9]+' is used twice"):
        Case(**scene(voronoi=[ROCK | {"upper": (4.0, 1.0, 1.0)}, ROCK | {"lower": (0.0, 0.0, 1.0)}]))


def test_many_species_are_observed_by_material() -> None:
    sim = Simulation(Case(**scene(output={"observable_steps": 10})), MPI.COMM_SELF)
    values = sim.observables()
    assert len(sim.case.species) > MOST_SPECIES
    assert [name for name in values if name.startswith("height/")] == ["height/rock"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"void_ratio": None}, "needs exactly one of erosion, void_ratio, but none is given"),
        ({"erosion": 0.01}, "needs exactly one of erosion, void_ratio, but erosion and void_ratio are given"),
        ({"radius": 0.01, "roundness": 0.5}, "takes radius or roundness, not both"),
        ({"roundness": 1.5}, "voronoi.rock.roundness = 1.5 must be at most 1"),
        ({"void_ratio": None, "erosion": 0.01, "radius": 0.02}, "voronoi.rock: radius = 0.02 m is larger than erosion = 0.01 m"),
        ({"void_ratio": None, "erosion": 5.0}, "voronoi.rock: all 60 cells vanish"),
        ({"upper": (4.0, 1.5, 1.0)}, "voronoi.rock reaches from 0.0 to 1.5 m along y, which must be a part of [domain] (0.0 to 1.0 m)"),
        ({"count": 0}, "voronoi.rock.count = 0 must be at least 1"),
        ({"counts": 3}, "unknown key voronoi.rock.counts; did you mean 'count'?"),
    ],
)
def test_sentences(changes: dict[str, Any], sentence: str) -> None:
    rock = {key: value for key, value in (ROCK | changes).items() if value is not None}
    with pytest.raises(CaseError) as error:
        Case(**scene(voronoi=[rock]))
    assert sentence in str(error.value)


def test_a_packing_needs_a_domain() -> None:
    data = scene(wall=[{"name": "floor", "kind": "plane", "point": (0, 0, 0), "normal": (0, 0, 1)}])
    del data["domain"]
    with pytest.raises(CaseError, match=r"voronoi.rock needs a \[domain\] to lie in"):
        Case(**data)


def test_too_many_shapes_to_cover_are_refused() -> None:
    case = Case(**scene(voronoi=[ROCK | {"count": 120}], detection={"method": "triangulation", "every_step": True}))
    with pytest.raises(CaseError, match=r"covers shapes by spheres, .*: 64 at most, but the case has 1[0-9]{2}; leave every_step out"):
        engine_of(case)
