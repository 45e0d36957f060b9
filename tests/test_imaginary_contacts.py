"""Imaginary contacts of solids: local minima of the distance whose line leaves its grain elsewhere than at its sphero-radius (thesis, equation 2.3).

Solids keep them, beside a real contact, since the energy of the pair would jump where they end; chains and shells do not have them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from reference_minima import body_of, imaginary
from scenes import case_of, centre_of, energy, engine_of
from skeletons import ell, star
from test_local_minima import ALONE, BENT, FAR, MINIMA, PLANE, RADIUS, disk, found_by, outline, two

from pardem.contacts.rules.local_minima import LocalMinima
from pardem.errors import PardemError

pytestmark = pytest.mark.usefixtures("rough_masses")


def solid_of(vertices: np.ndarray, loops: Any) -> dict[str, Any]:
    return {"shape": "skeleton", "vertices": vertices.tolist(), "faces": [tuple(map(int, loop)) for loop in loops], "solid": True}


def test_of_two_solids_the_nearest_points_are_a_real_contact() -> None:
    """No point of a grain is nearer to p, at its radius on the shortest line, than that radius, or it would be nearer to the other grain.

    Other minima may be imaginary; random solids with inner corners have some of these.
    """
    rng, found_imaginary, pairs, radius = np.random.default_rng(8), 0, 0, 0.35
    while pairs < 10:
        # corners at random distances: some make surfaces that cross themselves, which are refused
        shapes = [solid_of(*ell(2.0, 2.0, 0.7, 0.6, 0.8)) if rng.random() < 0.3 else solid_of(*star(int(rng.integers(1000)), 10)) for _ in "ab"]
        species = [{"name": name, "radius": radius, "density": 1.0} | shape for name, shape in zip("ab", shapes, strict=True)]
        direction, turn = rng.normal(size=3), rng.normal(size=4)
        direction /= np.linalg.norm(direction)
        try:
            engine = two(species, 4.0 * direction, tuple(turn.tolist()), 1.0)
        except PardemError:
            continue
        for distance in np.arange(4.0, 0.5, -0.15):
            engine = two(species, distance * direction, tuple(turn.tolist()), 1.0)
            found = found_by(engine)
            if not found:
                continue
            gaps = [float(np.linalg.norm(x - y)) for x, y in found]
            if min(gaps) < radius:
                pairs += 1
                break
            a, b = (body_of(engine, k, True) for k in range(2))
            bad = [imaginary(a, x, y, radius) or imaginary(b, y, x, radius) for x, y in found]
            assert not bad[int(np.argmin(gaps))]
            found_imaginary += sum(bad)
    assert found_imaginary > 0


@pytest.mark.parametrize("seed", range(6))
def test_convex_solids_have_no_imaginary_contact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    species: list[dict[str, Any]] = [
        {"name": "a", "shape": "cube", "side": 1.0, "radius": 0.3, "density": 1.0},
        {"name": "b", "shape": "spherotetrahedron", "edge": 1.5, "radius": 0.3, "density": 1.0}, ALONE,
    ]  # fmt: skip
    direction, turn = rng.normal(size=3), rng.normal(size=4)
    for distance in np.arange(2.5, 1.0, -0.05):
        at = tuple((distance * direction / np.linalg.norm(direction)).tolist())
        grains = [{"species": "a", "position": (0, 0, 0)}, {"species": "b", "position": at, "orientation": tuple(turn.tolist())}, FAR]
        engine, _ = engine_of(case_of(species, MINIMA, 1e-4, grain=grains), overlaps=True)
        found = found_by(engine)
        if found and np.linalg.norm(found[0][0] - found[0][1]) < 0.45:
            break
    ((x, y),) = found
    assert not imaginary(body_of(engine, 0, True), x, y, 0.3)
    assert not imaginary(body_of(engine, 1, True), y, x, 0.3)


VALLEY = [*BENT[::-1], (-2.0, -1.0), (2.0, -1.0)]  # an obtuse inner corner at the origin, seen from above
THIN, CLEFT = 0.06, 0.08  # two prongs, one above the other (m)
FORK = [(0.0, 0.0), (3.0, 0.0), (3.0, THIN), (0.5, THIN), (0.5, THIN + CLEFT), (3.0, THIN + CLEFT), (3.0, 2 * THIN + CLEFT), (0.0, 2 * THIN + CLEFT)]


@pytest.mark.parametrize(("vertices", "place", "real", "all_of_them"), [
    (VALLEY, (-0.02, 0.385), 1, 2),  # the rounding of the first side ends 0.035 before the corner
    (VALLEY, (-0.06, 0.385), 2, 2),
    (VALLEY, (-1.0, 0.385), 1, 1),
    (FORK, (2.0, 2 * THIN + CLEFT + 0.25), 1, 2),  # within reach of the prong behind, from which the line leads through the one in front
    (FORK, (2.0, 2 * THIN + CLEFT + 0.35), 1, 1),
], ids=["corner", "before it", "away from it", "two prongs", "one prong"])  # fmt: skip
def test_where_a_solid_has_imaginary_contacts(vertices: Any, place: tuple[float, float], real: int, all_of_them: int) -> None:
    species = outline("a", vertices)
    at = centre_of(species, **PLANE)[:2]
    grains = [{"species": "a", "position": tuple(at.tolist())}, {"species": "b", "position": place}]
    engine, _ = engine_of(case_of([species, disk(RADIUS)], MINIMA, 1e-4, grain=grains, **PLANE), overlaps=True)
    found, a = found_by(engine), body_of(engine, 0, True)
    assert len(found) == all_of_them
    assert sum(not imaginary(a, x, y, RADIUS) for x, y in found) == real


@pytest.mark.parametrize(("thickness", "count"), [(0.1, 2), (1.0, 1)])
def test_superposed_pairs_count_on_both_sides_of_a_thin_plate(thickness: float, count: int) -> None:
    """A ball over the middle of a solid plate: with the face below it, and with the one behind if that is within reach."""
    sides = np.array([2.0, 2.0, thickness])
    corners = ((2.0 * np.array(list(np.ndindex(2, 2, 2))) - 1.0) * 0.5 * sides).tolist()
    plate = {"name": "a", "shape": "polyhedron", "radius": RADIUS, "density": 1.0, "vertices": corners}
    ball = disk(RADIUS) | {"shape": "sphere"}
    grains = [{"species": "a", "position": (0, 0, 0)}, {"species": "b", "position": (0.1, 0.2, 0.5 * thickness + RADIUS + 0.05)}]
    contact = MINIMA | {"interaction": "superposition"}
    engine, _ = engine_of(case_of([plate, ball], contact, 1e-4, grain=grains), overlaps=True)
    engine.evaluate()
    assert len(engine.contacts().key) == count


TURN = math.radians(20.0)  # of the outline at the corner of the valley


def change(first: dict[str, Any], step: float) -> float:
    """Largest relative change of the energy of a disk that touches both sides of a heavy grain, and goes on to its corner while it does."""
    at = centre_of(first, **PLANE)[:2]
    velocity = (4.0 * math.sin(TURN) + 2.0 * math.cos(TURN), -4.0 * math.cos(TURN) + 2.0 * math.sin(TURN))
    grains = [{"species": "a", "position": tuple(at.tolist())}, {"species": "b", "position": (-0.06, 0.411), "velocity": velocity}]
    engine, _ = engine_of(case_of([first, disk(RADIUS)], MINIMA, step, grain=grains, **PLANE), overlaps=True)
    assert isinstance(engine.scene.interaction, LocalMinima)
    engine.evaluate()
    values = []
    for _ in range(math.ceil(0.04 / step)):
        engine.advance(1, observe=True)
        values.append(energy(engine))
    return float(np.abs(np.array(values) / values[0] - 1.0).max())


def test_the_energy_is_kept_where_a_solid_has_an_imaginary_contact_and_not_where_a_chain_has_none() -> None:
    solid = outline("a", VALLEY) | {"density": 1e4}
    chain = {"name": "a", "shape": "planar_polyline", "radius": RADIUS, "density": 1e4, "vertices": BENT}
    coarse, fine = change(solid, 2e-4), change(solid, 5e-5)
    assert fine < 5e-5
    assert fine < 0.2 * coarse
    assert change(chain, 5e-5) > 0.01
