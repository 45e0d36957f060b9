"""Contacts of spheres, rods, polytopes and features, with each other and with walls, have the same bits through lanes and through columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from beds import FEATURES, HERTZ, ROLLING, SIZES, STIFF, VISCOUS, in_a_tube, moved, on_plates, outlines, shaken, without_budget
from mpi4py import MPI
from scenes import CUBE, ROD, SPHERE, TETRAHEDRON, case_of, engine_of, gathered

from pardem.case import Case
from pardem.compiled.jit import kernel
from pardem.compiled.lanes.types import WIDTH
from pardem.contacts.encounter import free_path
from pardem.engine import Engine
from pardem.errors import BlowUpError
from pardem.stale import GONE
from pardem.state.arrays import CONTACTS, LOST_NORMAL, LOST_TANGENTIAL, STORED, WALL_CONTACTS

BEAD = SPHERE | {"name": "bead", "radius": 0.3}
UNLIKE = VISCOUS | {"pair": [{"between": ["ball", "bead"], "friction": 0.1}, {"between": ["bead", "bead"], "restitution": 0.9}]}
ATTRACTING = {"law": "lennard_jones", "depth": 400.0, "sigma": 0.6}
SHORT = ROD | {"name": "short", "length": 0.3, "radius": 0.2}
UNLIKE_RODS = VISCOUS | {
    "pair": [{"between": ["rod", "ball"], "friction": 0.1}, {"between": ["short", "short"], "torsional_friction": False, "rocking_damping": False}]
}
UNLIKE_SHAPES = VISCOUS | {
    "pair": [{"between": ["cube", "small"], "friction": 0.1}, {"between": ["cube", "cube"], "torsional_friction": False, "rocking_damping": False}]
}


def stirred(species: list[dict[str, Any]], count: int, contact: dict[str, Any]) -> Case:
    """``count`` grains of each species in a turning tube on a turntable, with a ramp at rest."""
    region = {"kind": "cylinder", "radius": 2.0, "lower": 1.2, "upper": 5.0}
    return case_of(
        species, contact, 5e-4, gravity=(0.0, 0.0, -50.0), seed=4, domain={"lower": (-3.0, -3.0, -3.0), "upper": (3.0, 3.0, 30.0)},
        wall=[
            {"name": "tube", "kind": "cylinder", "radius": 2.5, "motion": {"kind": "rotation", "axis": (0, 0, 1), "rate": 3.0}},
            {"name": "table", "kind": "plane", "point": (0, 0, 0), "normal": (0, 0, 1),
             "motion": {"kind": "rotation", "axis": (0, 0, 1), "center": (0.3, 0, 0), "rate": -2.0}},
            {"name": "ramp", "kind": "plane", "point": (-1, 0, 0), "normal": (0.6, 0, 0.8)},
        ],
        insert=[{"species": s["name"], "count": count, "region": region, "size": SIZES} for s in species],
    )  # fmt: skip


def in_a_funnel(species: list[dict[str, Any]], count: int, contact: dict[str, Any]) -> Case:
    """``count`` grains of each species in a turning funnel over a plate with a hole that turns the other way."""
    region = {"kind": "cylinder", "radius": 1.4, "lower": 0.5, "upper": 9.0}
    return case_of(
        species, contact, 5e-4, gravity=(0.0, 0.0, -50.0), seed=4, domain={"lower": (-3.0, -3.0, -3.0), "upper": (3.0, 3.0, 30.0)},
        wall=[
            {"name": "tube", "kind": "cylinder", "radius": 2.5},
            {"name": "funnel", "kind": "cone", "radius": 0.8, "end_radius": 2.5, "length": 1.5,
             "motion": {"kind": "rotation", "axis": (0, 0, 1), "rate": 3.0}},
            {"name": "plate", "kind": "disc", "center": (0, 0, -0.5), "normal": (0, 0, 1), "radius": 2.4, "hole": 0.12,
             "motion": {"kind": "rotation", "axis": (0, 0, 1), "center": (0.1, 0, 0), "rate": -2.0}},
        ],
        insert=[{"species": s["name"], "count": count, "region": region, "size": SIZES} for s in species],
    )  # fmt: skip


def on_a_body_that_turns(species: list[dict[str, Any]], count: int, contact: dict[str, Any]) -> Case:
    """``count`` grains of each species in a tube on a turntable with a hump, a body of two feet."""
    case = stirred(species, count, contact).model_dump(exclude_none=True)
    tube, table, _ = case["wall"]
    hump = {"name": "hump", "shape": "polyhedron", "radius": 0.1, "density": 1.0,
            "vertices": [(-3, -3, -1), (3, -3, -1), (3, 3, -1), (-3, 3, -1), (0.5, 0, 0.3), (-0.5, 0, 0.3)]}  # fmt: skip
    turntable = {"name": "table", "kind": "body", "species": "hump", "motion": table["motion"]}
    return Case(**case | {"species": [*case["species"], hump], "wall": [tube, turntable]})


def outlines_on_bodies(count: int, contact: dict[str, Any]) -> Case:
    """Outlines in the plane on a shaken floor made of bodies, periodic along x."""
    case = outlines(count, contact).model_dump(exclude_none=True)
    plank = {"name": "plank", "shape": "polygon", "radius": 0.1, "density": 1.0, "vertices": [(0, -1), (2.5, -1), (2.5, -0.1), (0, -0.1)]}
    (floor,) = case["wall"]
    planks = [{"name": f"plank_{k}", "material": "floor", "kind": "body", "species": "plank", "position": (2.5 * k, 0), "motion": floor["motion"]}
              for k in range(4)]  # fmt: skip
    return Case(**case | {"species": [*case["species"], plank], "wall": planks})


BEDS: dict[str, Callable[[], Case]] = {
    "viscoelastic": lambda: shaken([SPHERE], 180, VISCOUS, SIZES),
    "in a tube": lambda: in_a_tube([BEAD], 250, VISCOUS),
    "between walls that turn": lambda: stirred([BEAD], 200, VISCOUS),
    "in a funnel": lambda: in_a_funnel([BEAD], 200, VISCOUS),
    "of two materials": lambda: shaken([SPHERE | {"radius": 0.4}, BEAD], 150, UNLIKE),
    "walton": lambda: shaken([BEAD], 400, VISCOUS | {"law": "walton"}),
    "walton_tangential": lambda: shaken([BEAD], 400, VISCOUS | {"law": "walton_tangential"}),
    "hertz": lambda: shaken([SPHERE], 180, HERTZ, SIZES),
    "elastic": lambda: shaken([BEAD], 450, {"law": "elastic", "contact_time": 0.02, "friction": 0.4}),
    "rods": lambda: shaken([ROD], 200, VISCOUS),
    "rods of two materials and spheres": lambda: shaken([ROD, SPHERE | {"radius": 0.4}, SHORT], 80, UNLIKE_RODS),
    "rods of Hertz": lambda: shaken([ROD], 260, HERTZ, SIZES),
    "cubes and tetrahedra": lambda: shaken([CUBE, TETRAHEDRON], 36, VISCOUS),
    "convex shapes of two materials": lambda: shaken([CUBE, TETRAHEDRON | {"name": "small"}, SHORT], 42, UNLIKE_SHAPES),
    "shapes in a tube": lambda: in_a_tube([SHORT, CUBE | {"side": 0.4}], 80, VISCOUS),
    "shapes in a funnel": lambda: in_a_funnel([SHORT, CUBE | {"side": 0.4}], 50, STIFF),
    "shapes with constant torques": lambda: stirred([SHORT, CUBE | {"side": 0.4}], 80, STIFF | ROLLING | {"resistance": "constant"}),
    "features": lambda: shaken([CUBE, TETRAHEDRON], 36, FEATURES, step=5e-4),
    "outlines": lambda: outlines(30, FEATURES),
    "on bodies": lambda: on_plates([BEAD], 420, VISCOUS, 5e-4),
    "on a body that turns": lambda: on_a_body_that_turns([BEAD], 220, VISCOUS),
    "rods and cubes on bodies": lambda: on_plates([SHORT, CUBE | {"side": 0.4}], 110, VISCOUS, 4e-4),
    "features on bodies": lambda: on_plates([BEAD, CUBE | {"side": 0.5}], 90, FEATURES, 4e-4),
    "outlines on bodies": lambda: outlines_on_bodies(30, FEATURES),
    "rolling springs": lambda: shaken([SPHERE | {"radius": 0.4}, BEAD], 150, UNLIKE | ROLLING | {"resistance": "spring"}),
    "attracting beads and rods": lambda: shaken([BEAD, SHORT], 150, ATTRACTING),
    "attracting beads": lambda: shaken([BEAD], 250, ATTRACTING),
    "elastic rods": lambda: shaken([SHORT], 600, {"law": "elastic", "contact_time": 0.02, "friction": 0.4}),
}


OF_THEIR_OWN = ("elastic rods", "rods of Hertz", "shapes with constant torques", "attracting beads")  # with kernels of their own
CONSERVATIVE = ("attracting beads and rods", "attracting beads")
FEW_ON_WALLS = ("outlines", "outlines on bodies")  # on a floor that throws them; the walls of features are those of their own bed
WIDE = ("of two materials", "rolling springs", "hertz", "rods", "cubes and tetrahedra", "features")  # beds whose sums are widened, too


@pytest.mark.parametrize("budget", [True, False])
@pytest.mark.parametrize(
    ("name", "wide"),
    [
        pytest.param(name, wide, marks=[pytest.mark.slow] * (name in OF_THEIR_OWN))
        for name in BEDS
        for wide in (False, True)[: 1 + (name in WIDE)]
    ],
)
def test_lanes_and_columns_give_the_same_bits(name: str, wide: bool, budget: bool) -> None:
    case = BEDS[name]() if budget else without_budget(BEDS[name]())
    steps = round(0.5 / case.time.step)
    (expected, contacts, walls, tally, record), (got, same, walls_of_lanes, tally_of_lanes, record_of_lanes) = (
        (*gathered(engine), engine.scene.walls, engine.tally, engine.recorder.contacts)
        for engine in (moved(case, MPI.COMM_SELF, steps=steps, in_columns=way, recorded=True, wide=wide)[1] for way in (True, False))
    )
    on_walls = np.count_nonzero(contacts.key[:, 1] < 0)
    assert on_walls > (0 if name in FEW_ON_WALLS else WIDTH)
    assert len(contacts.key) - on_walls > 3 * WIDTH
    np.testing.assert_array_equal(same.key, contacts.key)
    np.testing.assert_array_equal(same.hist.view(np.int64), contacts.hist.view(np.int64))
    np.testing.assert_array_equal(same.warm, contacts.warm)
    for values, other in ((got.x, expected.x), (got.v, expected.v), (got.w, expected.w), (got.ft, expected.ft), (got.image, expected.image)):
        np.testing.assert_array_equal(values, other)
    np.testing.assert_array_equal(walls_of_lanes.reaction, walls.reaction)
    np.testing.assert_array_equal(walls_of_lanes.work, walls.work)
    assert walls.work.any()
    assert tally[[LOST_NORMAL, LOST_TANGENTIAL]].any() == (budget and name not in CONSERVATIVE)
    assert tally[STORED].any()
    assert tally[CONTACTS, 0] + tally[WALL_CONTACTS, 0] == len(contacts.key)
    np.testing.assert_array_equal(tally_of_lanes, tally)
    for field, values in vars(record).items():
        np.testing.assert_array_equal(getattr(record_of_lanes, field), values)


def test_candidates_that_are_passed_over_do_not_touch() -> None:
    """Spheres that fly about, with and without a look at all candidates in every step."""
    case = shaken([SPHERE], 60, VISCOUS)
    states = []
    for look_at_all in (False, True):
        engine = engine_of(case)[0]
        for _ in range(600):
            if look_at_all:
                engine.state.spare[GONE] = np.inf
            engine.advance(1)
        passed_over = engine.state.pairs.free > 2.0 * engine.state.spare[GONE]
        assert passed_over.any() != look_at_all
        states.append(engine.grains)
    for name in ("gid", "x", "v", "w", "ft"):
        np.testing.assert_array_equal(getattr(states[0], name), getattr(states[1], name))


@kernel(cache=False)
def _free_paths(paths, f, reach, kept):
    for k in range(len(paths)):
        kept[k] = free_path(paths[k], f[k], reach[k], (0.0, 0.0, 0.0))


def test_no_path_becomes_longer_where_it_is_kept() -> None:
    """Of all scales, and from gaps far smaller than what the grains have gone to far larger ones."""
    rng, n = np.random.default_rng(3), 10_000
    reach = 10.0 ** rng.uniform(-6.0, 3.0, n)
    paths, gaps = (reach * 10.0 ** rng.uniform(-9.0, 2.0, n) for _ in range(2))
    kept = np.empty(n, np.float32)
    _free_paths(paths, (reach + gaps) ** 2, reach, kept)
    assert (kept <= paths + gaps).all()
    assert (kept > (1.0 - 1e-6) * (paths + gaps) - 1e-9 * reach).all()


def _one_step(engine: Engine) -> None:
    engine.advance(1)


@pytest.mark.parametrize("place", [0, 6, 12])
def test_a_fault_in_a_group_names_the_pair(place: int) -> None:
    """One pair that overlaps by more than a radius, among contacts enough for whole groups."""
    grains = [{"species": "ball", "position": (x, y, z)} for x in (0.0, 0.99) for y in (0.0, 0.99) for z in (0.0, 0.99, 1.98)]
    grains[place:place] = [{"species": "ball", "position": (4.0, 0.0, z)} for z in (0.0, 0.4)]
    case = case_of([SPHERE], VISCOUS, 1e-3, grain=grains)
    said = []
    for one in (case, without_budget(case)):
        with pytest.raises(BlowUpError) as found:
            _one_step(engine_of(one, overlaps=True)[0])
        said.append(str(found.value))
    assert said[0] == said[1]
    assert f"grain {place} and grain {place + 1} overlap" in said[0]
