"""The force goes on without a jump where a contact goes over to other features: over vertices in the plane, over edges of cubes, on walls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scenes import CUBE, FLOOR, booked, case_of, centre_of, engine_of, grains_of, kinetic, turned
from scipy.spatial.transform import Rotation

from pardem.contacts.nearest.features import EDGE_EDGE, VERTEX_FACE, kind_of
from pardem.contacts.rules.local_minima import LocalMinima
from pardem.contacts.rules.superposition import Superposition
from pardem.state.arrays import LOST_NORMAL, LOST_TANGENTIAL

STIFFNESS = 1e5
SPRING = 0.05 * STIFFNESS  # so soft that nothing slips
STICKING = {
    "law": "viscoelastic", "normal_stiffness": STIFFNESS, "tangential_stiffness": SPRING, "friction": 2.0, "interaction": "minima",
}  # fmt: skip
PLANE: dict[str, Any] = {"dimension": 2, "gravity": (0.0, 0.0), "domain": {"lower": (-50, -50), "upper": (50, 50)}}
HEAVY = 1e12  # density at which forces do not bend the paths
KINK = {"name": "kink", "shape": "planar_polyline", "radius": 0.1, "density": HEAVY, "vertices": [(-3, -0.2), (0, 0), (2, -0.7)]}
SQUARE = {"name": "square", "shape": "regular_polygon", "sides": 4, "circumradius": 0.5, "radius": 0.1, "density": HEAVY}
BENT = {"name": "alone", "shape": "polyline", "radius": 0.1, "density": HEAVY, "vertices": [(0, 0, 0), (1, 0, 0), (1, 1, 0)]}


def forces(case: Any, seconds: float) -> tuple[np.ndarray, list[set[int]]]:
    """Force on the second grain (N), step by step from the first to the last contact, and the keys of its contacts."""
    engine, _ = engine_of(case, overlaps=True)
    assert isinstance(engine.scene.interaction, LocalMinima if case.contact.interaction == "minima" else Superposition)
    out, keys = [], []
    for _ in range(round(seconds / case.time.step)):
        engine.advance(1)
        table = engine.contacts()
        if not len(table.key):
            if out:
                break
            continue
        out.append(grains_of(engine).ft[1, :3] * engine.scene.settings.force)
        keys.append(set(table.key[:, 2].tolist()))
    return np.array(out), keys


def sliding(kind: str, step: float, contact: dict[str, Any] = STICKING) -> Any:
    """Two heavy grains, the second on its way over a corner or an edge of the first."""
    if kind.startswith("polygon"):
        turn = 0.3 if kind == "polygon on a corner" else 0.25 * np.pi + 0.1
        low = max(0.5 * np.sin(turn + k * 0.5 * np.pi) for k in range(4))
        # the first stands about its centre of mass; the kink is at (0, 0) of its outline
        centre = tuple(centre_of(KINK, **PLANE)[:2].tolist())
        square = {"species": "square", "position": (-0.3, low + 0.17), "orientation": -turn, "velocity": (1.0, -0.08)}
        return case_of([KINK, SQUARE], contact, step, grain=[{"species": "kink", "position": centre}, square], **PLANE)
    cube = CUBE | {"density": HEAVY}
    turn = turned((0.5, 1.0, 0.2), -0.8) if kind == "cube on a corner" else turned((1.0, 0.03, 0.0), 0.6)
    corners = Rotation.from_quat(turn, scalar_first=True).apply([(x, y, z) for x in (-0.4, 0.4) for y in (-0.4, 0.4) for z in (-0.4, 0.4)])
    tip = corners[corners[:, 2].argmin()]
    start, velocity = ((0.34, 0.0, 0.63), (0.5, 0.1, -0.5)) if kind == "cube on a corner" else ((0.2, 0.0, 0.58), (1.0, 0.3, -0.03))
    upper = {"species": "cube", "position": tuple((np.array(start) - tip).tolist()), "orientation": turn, "velocity": velocity}
    far = {"species": "alone", "position": (20.0, 20.0, 20.0)}
    return case_of([cube, BENT], contact, step, grain=[{"species": "cube", "position": (0.0, 0.0, 0.0)}, upper, far])


@pytest.mark.parametrize("kind", ["polygon on a corner", "polygon on its side", "cube on a corner", "cube on an edge"])
def test_a_contact_that_slides_over_an_edge_keeps_its_spring(kind: str) -> None:
    """One contact at any time, under several keys; the largest change of the force in a step falls with the step and is nothing like the force."""
    jumps = []
    for step in (4e-4, 1e-4):
        force, keys = forces(sliding(kind, step), 0.75)
        assert all(len(k) == 1 for k in keys)
        assert len(set().union(*keys)) > 1
        if kind.startswith("cube"):
            assert {kind_of(k) for k in set().union(*keys)} >= {EDGE_EDGE}
        if kind == "cube on a corner":
            assert VERTEX_FACE in {kind_of(k) for k in set().union(*keys)}
        jumps.append(float(np.linalg.norm(np.diff(force, axis=0), axis=1).max()))
    assert jumps[1] < 0.4 * jumps[0]
    # what a new spring would have lacked: it has grown over most of the way
    assert jumps[1] < 0.1 * SPRING * 0.2


@pytest.mark.parametrize("kind", ["polygon on a corner", "polygon on its side", "cube on a corner", "cube on an edge"])
def test_the_superposed_forces_have_no_jumps_either(kind: str) -> None:
    """Each pair of features has a spring of its own, which is born and ends without load, so that their sum is continuous."""
    jumps = []
    for step in (4e-4, 1e-4):
        force, keys = forces(sliding(kind, step, STICKING | {"interaction": "superposition"}), 0.75)
        assert len(set().union(*keys)) > 1
        assert len({len(k) for k in keys}) > 1
        jumps.append(float(np.linalg.norm(np.diff(force, axis=0), axis=1).max()))
    assert jumps[1] < 0.4 * jumps[0]


def rubbing(turns: tuple[float, float], offset: float, step: float) -> tuple[float, int]:
    """Two cows that meet with friction: what misses in the energy budget afterwards, over the energy; how often contacts changed features."""
    cow = {"name": "cow", "shape": "cow", "radius": 0.1, "length": 3.0, "density": 1.0}
    contact = {"law": "viscoelastic", "normal_stiffness": 1.5e3, "tangential_stiffness": 1e3, "friction": 0.4, "interaction": "minima"}
    grains = [
        {"species": "cow", "position": (-2.0, 0.0), "velocity": (1.0, 0.0), "orientation": turns[0]},
        {"species": "cow", "position": (2.0, offset), "velocity": (-1.0, 0.2), "orientation": turns[1]},
    ]
    engine, _ = engine_of(case_of([cow], contact, step, grain=grains, output={"observables": {"energy_budget": True}}, **PLANE))
    start, changes, before = float(kinetic(engine, engine.grains).sum()), 0, set[int]()
    every = round(8e-4 / step)  # all runs are looked at at the same times
    for _ in range(round(2.5 / step) // every):
        engine.advance(every)
        keys = set(engine.contacts().key[:, 2].tolist())
        changes += bool(keys and before and keys != before)
        before = keys
    assert not before
    lost = booked(engine.tally[LOST_NORMAL]) + booked(engine.tally[LOST_TANGENTIAL])
    assert lost * engine.scene.settings.energy > 0.1 * start
    return abs((float(kinetic(engine, engine.grains).sum()) + lost * engine.scene.settings.energy) / start - 1.0), changes


def test_the_energy_books_close_over_changes_of_features() -> None:
    """What a spring held goes on with it."""
    rng = np.random.default_rng(1)
    encounters = [(float(rng.uniform(-0.8, 0.8)), (float(rng.uniform(0, 6)), float(rng.uniform(0, 6)))) for _ in range(5)]
    coarse, fine = ([rubbing(turns, offset, step) for offset, turns in (encounters[0], *encounters[3:])] for step in (8e-4, 1e-4))
    assert sum(changes for _, changes in coarse) > 5
    assert max(error for error, _ in coarse) < 2e-4
    assert max(error for error, _ in fine) < max(error for error, _ in coarse) / 8.0


def test_a_polygon_that_rolls_on_a_plane_keeps_its_spring() -> None:
    """From corner to corner over a level side: the contact goes from one vertex to the other with the spring that it has."""
    jumps = []
    for step in (4e-4, 1e-4):
        floor = FLOOR | {"point": (0, 0), "normal": (0, 1)}
        square = {"species": "square", "position": (0.0, 0.44), "orientation": 0.25 * np.pi - 0.04, "angular_velocity": 0.2, "velocity": (0.1, 0.0)}
        alone = {"species": "kink", "position": (20, 20)}
        case = case_of([SQUARE, KINK], STICKING, step, grain=[alone, square], wall=[floor], **PLANE)
        force, keys = forces(case, 0.4)
        assert len(set().union(*keys)) > 1
        assert len(force) > 0.3 / step
        jumps.append(float(np.linalg.norm(np.diff(force, axis=0), axis=1).max()))
        assert abs(force[:, 0]).max() > 100.0 * jumps[-1]
    assert jumps[1] < 0.4 * jumps[0]
