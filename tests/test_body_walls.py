"""Bodies as walls: energy, weight, periodic images, driven motion, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import CUBE, ELASTIC, ROD, SPHERE, booked, case_of, engine_of, grains_of, turned, worst_energy

from pardem.decomposition.nested_slabs import Nested
from pardem.engine import Engine
from pardem.errors import BlowUpError, CaseError
from pardem.setup.initial_grains import initial_grains, size_range
from pardem.setup.preparation import build_scene
from pardem.state import placing

CORNERS = [(x, y, z) for x in (-3.0, 3.0) for y in (-3.0, 3.0) for z in (-0.5, 0.0)]
PLATE = {"name": "plate", "shape": "polyhedron", "radius": 0.2, "density": 1.0, "vertices": CORNERS}
GROUND = {"name": "ground", "kind": "body", "species": "plate"}
TOP = 0.2  # of the plate (m)
VISCOUS = {"law": "viscoelastic", "restitution": 0.3, "contact_time": 0.02, "friction": 0.5}


@pytest.mark.parametrize(
    ("interaction", "species"),
    [
        pytest.param(interaction, s, marks=[pytest.mark.slow] * (interaction == "superposition" and s is not CUBE), id=f"{interaction}-{s['name']}")
        for interaction in ("regularised", "superposition")
        for s in (SPHERE, ROD, CUBE)
    ],
)
def test_energy_error_falls_as_the_square_of_the_step(species: dict[str, Any], interaction: str) -> None:
    grain = {"species": species["name"], "position": (0.2, 0.1, 1.2), "velocity": (0, 0, -1.0), "orientation": turned((1, 0.4, 0), 0.5)}
    contact = ELASTIC | {"interaction": interaction}
    coarse, fine = (worst_energy([species, PLATE], [grain], [GROUND], contact, dt, 1.0, 4e-4) for dt in (4e-4, 2.5e-5))
    assert coarse < 2e-3
    assert fine < coarse / 150.0


def test_gear4_bounces_off_a_body() -> None:
    """A ball that falls on the plate comes back to its height with the turned velocity, elastically, under Gear's scheme too."""
    ball = {"species": "ball", "position": (0.2, 0.1, TOP + 0.6), "velocity": (0.0, 0.0, -1.0)}
    scheme = {"step": 1e-4, "integrator": "gear4"}
    shapes = [SPHERE, CUBE, PLATE]  # without a cube it would be a kernel of its own
    engine, _ = engine_of(case_of(shapes, ELASTIC, 1e-4, time=scheme, grain=[ball], wall=[GROUND]))
    engine.advance(4000)
    assert engine.grains.v[0, 2] == pytest.approx(1.0, rel=1e-3)


def test_a_turned_and_scaled_body_lies_where_its_case_says() -> None:
    """A ball that touches the plate's side, which orientation and size bring to x = 1.2 + 2 (0.5 + 0.2)."""
    wall = GROUND | {"position": (1.2, 0, 0), "orientation": turned((0, 1, 0), math.pi / 2), "scale": 2.0}
    for gap, touches in ((1e-6, False), (-1e-6, True)):
        ball = {"species": "ball", "position": (1.2 + 2.0 * TOP + 0.5 + gap, 0.3, -0.4)}
        engine, _ = engine_of(case_of([SPHERE, PLATE], ELASTIC, 5e-4, grain=[ball], wall=[wall]), overlaps=True)
        engine.evaluate()
        assert (len(engine.contacts().key) > 0) is touches


def test_a_body_bears_the_weight_of_a_heap() -> None:
    contact = VISCOUS | {"interaction": "superposition"}
    case = case_of(
        [CUBE, PLATE], contact, 3e-4, gravity=(0.0, 0.0, -10.0),
        wall=[GROUND, {"name": "tube", "kind": "cylinder", "radius": 2.5}],
        insert=[{"species": "cube", "count": 12, "region": {"kind": "cylinder", "radius": 2.4, "lower": 0.3, "upper": 4.5}}],
    )  # fmt: skip
    engine, setup = engine_of(case)
    engine.advance(20_000)
    forces = []
    for _ in range(200):
        engine.advance(20)
        forces.append([[booked(r[c]) * setup.scene.settings.force for c in range(3)] for r in setup.scene.walls.reaction])
    ground, tube = np.mean(forces, axis=0)
    weight = 10.0 * grains_of(engine).v[:, 3].sum()
    assert ground[2] < -0.5 * weight
    assert ground + tube == pytest.approx([0.0, 0.0, -weight], rel=0.01, abs=0.01 * weight)


def test_a_driven_body_carries_what_lies_on_it() -> None:
    """A ball on a plate that moves sideways at constant speed ends up moving with it, dragged by friction; the work is what it gained and lost."""
    wall = GROUND | {"motion": {"kind": "velocity", "velocity": (0.5, 0.0, 0.0)}}
    block = {"species": "cube", "position": (0, 0, TOP + 0.5)}
    case = case_of([CUBE, PLATE], VISCOUS | {"interaction": "superposition"}, 5e-4, gravity=(0.0, 0.0, -10.0), grain=[block], wall=[wall])
    engine, _ = engine_of(case)
    engine.advance(4000)
    assert engine.grains.v[0, 0] == pytest.approx(0.5, rel=1e-3)


def test_a_body_is_met_in_its_nearest_image() -> None:
    """Balls bounce alike at the middle of a periodic floor and across its ends."""
    corners = [(x, y, z) for x in (0.0, 2.0) for y in (-2.0, 2.0) for z in (-0.5, 0.0)]
    tiles = [GROUND | {"name": f"tile_{k}", "position": (2.0 * k, 0, 0)} for k in range(4)]
    heights = []
    for x in (3.0, 7.9, 0.05):
        case = case_of(
            [SPHERE, PLATE | {"vertices": corners}], ELASTIC, 5e-4, gravity=(0.0, 0.0, -10.0), wall=tiles,
            domain={"lower": (0, -5, -5), "upper": (8, 5, 9), "periodic": (True, False, False)},
            grain=[{"species": "ball", "position": (x, 0, 1.2), "velocity": (1.0, 0.0, 0.0)}],
        )  # fmt: skip
        engine, _ = engine_of(case)
        path = []
        for _ in range(40):
            engine.advance(50)
            path.append(engine.grains.x[0, 2])
        heights.append(path)
    # seams between tiles count twice under superposition of edges; so the start differs, but nobody falls through
    assert min(map(min, heights)) > 0.6
    assert heights[1][:5] == pytest.approx(heights[2][:5], rel=1e-12)


def test_a_feature_as_long_as_half_a_period_is_refused() -> None:
    domain = {"lower": (-4, -4, -4), "upper": (4, 4, 9), "periodic": (True, False, False)}
    case = case_of([SPHERE, PLATE], ELASTIC, 5e-4, domain=domain, wall=[GROUND], grain=[{"species": "ball", "position": (0, 0, 2)}])
    with pytest.raises(CaseError, match=r"wall\.ground: an edge or face of species 'plate' is 6 m long along x, too long for the period of 8 m"):
        engine_of(case)


def test_a_body_counts_a_corner_as_a_grain_does() -> None:
    """In the plane a disk meets the two edges at a corner, and a corner a disk with its two edges, whichever of them is the wall."""
    disk = {"name": "disk", "shape": "disk", "radius": 0.1, "density": 1.0}
    roof = {"name": "roof", "shape": "polygon", "radius": 0.1, "density": 1.0, "vertices": [(-1.0, -1.0), (1.0, -1.0), (0.0, 0.0)]}
    domain = {"lower": (-3.0, -3.0), "upper": (3.0, 3.0)}
    above, below = {"species": "disk", "position": (0.0, 0.19)}, {"species": "roof", "position": (0.0, -2.0 / 3.0)}
    for grain, wall in ((above, below | {"position": (0.0, 0.0)}), (below, above)):
        body = {"name": "body", "kind": "body"} | wall
        case = case_of([disk, roof], ELASTIC, 5e-4, dimension=2, gravity=(0.0, 0.0), grain=[grain], wall=[body], domain=domain)
        engine, _ = engine_of(case, skin=0.01)
        assert len(engine.state.wall_pairs.sub) == 2


@pytest.mark.parametrize("dimension", [2, 3])
def test_round_bodies_meet_round_grains_at_their_centres(dimension: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing has vertices their array is empty; what lies behind it in memory must not count. Each grain feels stiffness times overlap."""
    beyond = np.full((16, 4), 1e12 / 3.0)  # doubles are 6e-5 apart there; NaN would be met one by one
    monkeypatch.setattr(placing, "zeros_in_lines", lambda shape, dtype: beyond[: shape[0]])
    shape = SPHERE if dimension == 3 else SPHERE | {"shape": "disk"}
    overlap, radius, stiffness = 1e-3, 0.5, 1e4
    angles = np.linspace(0.0, 2.0 * math.pi, 11, endpoint=False)
    ways = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)
    ring = [{"species": "ball", "position": tuple(x[:dimension])} for x in ((5.0 * radius - overlap) * ways).tolist()]
    hub = {"name": "hub", "kind": "body", "species": "ball", "position": (0.0,) * dimension, "scale": 4.0}
    domain = {"lower": (-5.0,) * dimension, "upper": (5.0,) * dimension}
    contact = {"law": "viscoelastic", "normal_stiffness": stiffness, "tangential_stiffness": 0.0}
    case = case_of([shape], contact, 1e-4, dimension=dimension, gravity=(0.0,) * dimension, grain=ring, wall=[hub], domain=domain)
    engine, _ = engine_of(case, overlaps=True)
    engine.evaluate()
    force = grains_of(engine).ft[:, :3] * engine.scene.settings.force
    assert force == pytest.approx(stiffness * overlap * ways, rel=1e-6, abs=1e-6 * stiffness * overlap)


def test_an_unknown_species_is_named() -> None:
    with pytest.raises(CaseError, match=r"wall\.ground\.species = 'plat' is not a species of this case .*did you mean 'plate'"):
        case_of([SPHERE, PLATE], ELASTIC, 5e-4, wall=[GROUND | {"species": "plat"}], grain=[{"species": "ball", "position": (0, 0, 2)}])


@pytest.mark.parametrize("velocity", [{"velocity": (0.0, 1.0, 0.0)}, {"angular_velocity": (0.0, 0.0, 1.0)}])
def test_a_grain_that_crosses_the_domain_in_one_step_ends_the_run(velocity: dict[str, Any]) -> None:
    """Lists that allow for its way would hold millions of images of a body in a periodic domain."""
    rods = [{"species": "rod", "position": (x, 0.0, 2.0), "orientation": turned((0, 1, 0), math.pi / 2)} for x in (-2.0, 2.0)]
    domain = {"lower": (-5.0, -9.0, -5.0), "upper": (5.0, 9.0, 5.0), "periodic": (False, True, False)}
    case = case_of([ROD, PLATE], ELASTIC, 5e-4, grain=[rods[0], rods[1] | velocity], wall=[GROUND], domain=domain)
    setup = build_scene(case, *size_range(case))
    grains = initial_grains(case, setup.catalogue)
    for array in (grains.v[:, :3], grains.w, grains.am):  # a case that asks for it is refused
        array *= 1e12
    with pytest.raises(BlowUpError, match=r"At step 0 .* grain 1 is so fast that it crosses the whole domain in one step"):
        Engine(Nested(MPI.COMM_SELF), setup.scene, grains)
