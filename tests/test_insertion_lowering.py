"""Grains lowered along gravity: no overlap, nothing that could go lower, the same on any number of ranks."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

from pardem.case import Case
from pardem.errors import CaseError
from pardem.insertion import (
    BoxDomain,
    BoxRegion,
    CylinderRegion,
    NewGrains,
    PlacedGrains,
    Surroundings,
    Way,
    check_overlaps,
    insert_random,
    lower_grains,
    periodic_region,
    random_scales,
)
from pardem.setup.initial_grains import initial_grains, own_initial_grains
from pardem.setup.preparation import build_scene
from pardem.shapes import Shape, Species, build_catalogue

CATALOGUE = build_catalogue(
    [
        Species("ball", Shape.sphere(radius=0.5e-3), 1910.0),
        Species("rod", Shape.spherocylinder(length=2.092e-3, radius=0.2615e-3), 1910.0),
        Species("tetrahedron", Shape.spherotetrahedron(edge=1.2e-3, radius=0.1e-3), 1910.0),
        Species("cube", Shape.cube(side=0.8e-3, radius=0.1e-3), 1910.0),
        Species("plate", Shape.spherotriangle(circumradius=0.8e-3, radius=0.1e-3), 1910.0),
        Species("yermis", Shape.yermis(edge=0.8e-3, radius=0.15e-3), 1910.0),
    ]
)
DOWN = Way(2, -1.0)
TUBE = CylinderRegion(radius=5e-3, lower=1e-3, upper=120e-3)


def inserted(species: Any, region: Any, scale: Any = 1.0, domain: BoxDomain | None = None) -> PlacedGrains:
    rows = np.asarray(species)
    return PlacedGrains(rows, scale, *insert_random(region, CATALOGUE, NewGrains(rows, scale), seed=3, around=Surroundings(domain)))


def lowest(grains: PlacedGrains, axis: int = 2) -> np.ndarray:
    """Coordinate of the lowest point of each grain (m)."""
    out = np.empty(len(grains.species))
    for k, (s, x, (w, *u)) in enumerate(zip(grains.species, grains.positions, grains.orientations, strict=True)):
        v = CATALOGUE.vertices[CATALOGUE.vertex_start[s] : CATALOGUE.vertex_start[s + 1]]
        turned = v + 2.0 * np.cross(u, np.cross(u, v) + w * v)
        size = float(np.broadcast_to(grains.scale, len(out))[k])
        out[k] = x[axis] + size * (turned[:, axis].min() - CATALOGUE.radius[s])
    return out


def check_low(grains: PlacedGrains, floor: float, domain: BoxDomain | None = None, axis: int = 2) -> None:
    """No overlaps; each grain that lies above the floor overlaps another one if it is moved down by a little."""
    assert len(check_overlaps(CATALOGUE, grains, domain=domain).pairs) == 0
    radius = np.broadcast_to(grains.scale, len(grains.species)) * CATALOGUE.radius[grains.species]
    bottom = lowest(grains, axis)
    assert (bottom > floor - 1e-15).all()
    for k in np.flatnonzero(bottom > floor + 1e-6 * radius):
        moved = grains.positions.copy()
        moved[k, axis] -= 5e-3 * radius[k]  # one that grazes another may stop a little before
        pairs = check_overlaps(CATALOGUE, grains._replace(positions=moved), domain=domain).pairs
        assert (pairs == k).any(), k


def test_beads_as_in_the_thesis() -> None:
    """1126 of 5 mm in a tube of 5 cm."""
    species, scale = np.zeros(1126, int), 5.0
    region = CylinderRegion(radius=25e-3, lower=0.0, upper=0.3)
    grains = inserted(species, region, scale)
    lower_grains(CATALOGUE, grains._replace(scale=scale), np.full(1126, 0.0), DOWN)
    start = time.perf_counter()
    x = lower_grains(CATALOGUE, grains, np.full(1126, 0.0), DOWN)
    assert time.perf_counter() - start < 1.0  # takes 0.01 s
    assert np.array_equal(x[:, :2], grains.positions[:, :2])
    assert (x[:, 2] <= grains.positions[:, 2]).all()
    after = grains._replace(positions=x)
    assert len(check_overlaps(CATALOGUE, after).pairs) == 0
    between = x[:, None] - x[None]
    across = np.hypot(between[..., 0], between[..., 1])
    under = (across < 5e-3) & (between[..., 2] > 0.0)  # a ball k over a ball l comes to lie at sqrt(d^2 - across^2) above it, unless held before
    height = np.where(under, x[None, :, 2] + np.sqrt(np.maximum(25e-6 - across**2, 0.0)), 2.5e-3)
    assert x[:, 2] == pytest.approx(height.max(axis=1), abs=2e-3 * 5e-3)  # balls that only graze stop a little before
    gap = np.where(under, np.linalg.norm(between, axis=2) - 5e-3, np.inf).min(axis=1)
    assert np.minimum(gap, x[:, 2] - 2.5e-3).max() < 1.01e-6 * 5e-3
    share = 1126 * CATALOGUE.volume[0] * 125.0 / (np.pi * 25e-3**2 * x[:, 2].max())
    assert 0.1 < share < 0.3
    assert share > 1.2 * 1126 * CATALOGUE.volume[0] * 125.0 / region.volume


@pytest.mark.parametrize("species", range(5))
def test_any_convex_shape_goes_as_low_as_it_can(species: int) -> None:
    grains = inserted(np.full(150, species), TUBE, random_scales(1, 0, 150, 0.7, 1.2))
    x = lower_grains(CATALOGUE, grains, np.full(150, TUBE.lower), DOWN)
    check_low(grains._replace(positions=x), TUBE.lower)
    assert x[:, 2].mean() < 0.5 * grains.positions[:, 2].mean()


def test_a_mixture_across_periodic_faces() -> None:
    domain = BoxDomain((0.0, 0.0, 0.0), (8e-3, 9e-3, 40e-3), (True, True, False))
    species = np.random.default_rng(0).integers(0, 5, 200)
    grains = inserted(species, periodic_region(domain), domain=domain)
    x = lower_grains(CATALOGUE, grains, np.zeros(200), DOWN, domain=domain)
    check_low(grains._replace(positions=x), 0.0, domain)


@pytest.mark.parametrize(("axis", "sign"), [(0, -1.0), (1, 1.0), (2, 1.0)])
def test_any_axis_either_way(axis: int, sign: float) -> None:
    """Mirrored and with its axes exchanged, spheres come to lie where they do along -z, to rounding."""
    grains = inserted(np.zeros(80, int), BoxRegion((0.0, 0.0, 0.0), (5e-3, 5e-3, 40e-3)))
    expected = lower_grains(CATALOGUE, grains, np.zeros(80), DOWN)
    turn = [2, 1, 0] if axis == 0 else [0, 2, 1] if axis == 1 else [0, 1, 2]
    factor = np.where(np.arange(3) == axis, -sign, 1.0)
    x = lower_grains(CATALOGUE, grains._replace(positions=grains.positions[:, turn] * factor), np.zeros(80), Way(axis, sign))
    assert (x * factor)[:, turn] == pytest.approx(expected, abs=1e-9)


def test_grains_without_a_floor_stay_and_hold_others() -> None:
    grains = PlacedGrains(np.zeros(3, int), 1.0, np.array([[0, 0, 5e-3], [0, 0, 9e-3], [2e-3, 0, 9e-3]]), np.tile([1.0, 0, 0, 0], (3, 1)))
    x = lower_grains(CATALOGUE, grains, np.array([np.nan, 0.0, 0.0]), DOWN)
    assert x[:, 2] == pytest.approx([5e-3, 6e-3, 0.5e-3], abs=1e-9)


def test_chains_are_lowered_too() -> None:
    grains = inserted(np.full(40, 5), TUBE)
    x = lower_grains(CATALOGUE, grains, np.full(40, TUBE.lower), DOWN)
    after = grains._replace(positions=x)
    assert len(check_overlaps(CATALOGUE, after).pairs) == 0
    assert lowest(after).min() == pytest.approx(TUBE.lower, abs=1e-9)
    assert x[:, 2].mean() < 0.5 * grains.positions[:, 2].mean()


# -- in cases -------------------------------------------------------------------------------------------------------------------------


def case_of(**more: Any) -> Case:
    region = {"kind": "cylinder", "radius": 4e-3, "lower": 0.0, "upper": 30e-3}
    data: dict[str, Any] = {
        "time": {"step": 1e-5}, "domain": {"lower": [-5e-3, -5e-3, -1e-3], "upper": [5e-3, 5e-3, 40e-3]},
        "species": [
            {"name": "ball", "shape": "sphere", "radius": 0.5e-3, "density": 1900.0},
            {"name": "rod", "shape": "spherocylinder", "radius": 0.25e-3, "length": 1.5e-3, "density": 1900.0},
        ],
        "insert": [
            {"species": "ball", "count": 60, "region": region, "lowered": True}, {"species": "ball", "count": 5, "region": region},
            {"species": "rod", "count": 50, "region": region, "lowered": True},
        ],
        "contact": {"restitution": 0.4, "contact_time": 6e-4}, "stage": [{"name": "go", "kind": "run", "steps": 1}],
    }  # fmt: skip
    return Case(**(data | more))


def grains_of(case: Case) -> Any:
    return initial_grains(case, build_scene(case, {s.name: 1.0 for s in case.species}, {s.name: 1.0 for s in case.species}).catalogue)


def test_inserts_of_a_case_are_lowered_together() -> None:
    """Both kinds lie on the floor and on each other; what was not to be lowered stays where it was inserted."""
    case = case_of()
    left = case.model_copy(update={"insert": tuple(i.model_copy(update={"lowered": False}) for i in case.insert)})
    grains, as_inserted = grains_of(case), grains_of(left)
    moved = as_inserted.x[:, 2] - grains.x[:, 2]
    assert not moved[60:65].any()
    assert np.count_nonzero(moved > 1e-4) > 100
    for rows in (slice(0, 60), slice(65, 115)):
        assert np.count_nonzero(grains.x[rows, 2] < 3e-3) > 5
    placed = PlacedGrains(grains.species, 1.0, grains.x[:, :3], grains.q)
    catalogue = build_catalogue([Species(s.name, s.make_shape(), s.density) for s in case.species])
    assert len(check_overlaps(catalogue, placed).pairs) == 0


def test_bodies_hold_them() -> None:
    """A plate in the middle of a box, half as wide."""
    plate = {"name": "plate", "shape": "cube", "side": 4e-3, "radius": 0.2e-3, "density": 1.0}
    box = {"kind": "box", "lower": [-4e-3, -4e-3, 0.0], "upper": [4e-3, 4e-3, 40e-3]}
    case = case_of(
        species=[*case_of().model_dump(exclude_none=True)["species"], plate],
        insert=[{"species": "ball", "count": 150, "region": box, "lowered": True}], wall=[{"name": "plate", "kind": "body", "species": "plate"}],
    )  # fmt: skip
    x = grains_of(case).x[:, :3]
    over = (np.abs(x[:, :2]) < 2e-3).all(axis=1)
    assert x[over, 2].min() == pytest.approx(2.7e-3, rel=1e-5)
    assert x[~over, 2].min() == pytest.approx(0.5e-3, rel=1e-5)


def test_disks_in_the_plane() -> None:
    case = Case(
        dimension=2, time={"step": 1e-5}, domain={"lower": [0.0, 0.0], "upper": [0.05, 0.5]},
        species=[{"name": "disk", "shape": "disk", "radius": 2e-3, "density": 1.0}, {"name": "rice", "shape": "rice", "length": 4e-3, "radius": 1e-3,
                                                                                   "density": 1.0}],
        insert=[{"species": s, "count": 40, "lowered": True, "region": {"kind": "box", "lower": [0.0, 0.0], "upper": [0.05, 0.5]}}
                for s in ("disk", "rice")],
        contact={"restitution": 0.4, "contact_time": 1e-3, "interaction": "superposition"}, stage=[{"name": "go", "kind": "run", "steps": 1}],
    )  # fmt: skip
    grains = grains_of(case)
    assert not grains.x[:, 2].any()
    assert np.count_nonzero(np.isclose(grains.x[:40, 1], 2e-3, rtol=1e-6)) > 2
    assert grains.x[:, 1].max() < 0.1


@pytest.mark.parametrize(("more", "message"), [
    ({"gravity": [0.0, 1.0, -9.81]}, r"insert\.0\.lowered needs gravity along one axis, but gravity = \[0\.0, 1\.0, -9\.81\]"),
    ({"gravity": [0.0, -9.81, 0.0]}, r"insert\.0\.lowered needs a region with a flat lower end: a box, or a cylinder along gravity \(y\)"),
    ({"domain": {"lower": [-5e-3, -5e-3, -1e-3], "upper": [5e-3, 5e-3, 40e-3], "periodic": [False, False, True]}},
     r"insert\.0\.lowered needs a floor, but \[domain\] is periodic along gravity \(z\)"),
])  # fmt: skip
def test_what_cannot_be_lowered_is_refused(more: dict[str, Any], message: str) -> None:
    with pytest.raises(CaseError, match=message):
        case_of(**more)


def test_cases_without_it_keep_their_hashes() -> None:
    case = case_of(insert=[{"species": "ball", "count": 5, "region": {"kind": "box", "lower": [0.0] * 3, "upper": [4e-3] * 3}}])
    assert case.hash() == "ede33fb66e8018f6ef8adf68f2d53ce7f24cce86ee00ff734901301bbdc3eb0a"
    assert case.hash() != case.model_copy(update={"insert": (case.insert[0].model_copy(update={"lowered": True}),)}).hash()


@pytest.mark.mpi
@pytest.mark.ranks(2)
def test_ranks_get_the_grains_of_one() -> None:
    comm, case = MPI.COMM_WORLD, case_of()
    setup = build_scene(case, {"ball": 1.0, "rod": 1.0}, {"ball": 1.0, "rod": 1.0})
    mine, every = own_initial_grains(comm, case, setup.catalogue), initial_grains(case, setup.catalogue)
    assert np.array_equal(mine.x, every.x[mine.gid])
    assert comm.allreduce(mine.count) == every.count
