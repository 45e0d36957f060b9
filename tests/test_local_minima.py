"""The rule of nearest points for grains of any shape: every local minimum of the distance, once; the solver's point where grains are convex."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from reference_distance import make_pair
from reference_minima import body_of, local_minima
from scenes import CUBE, ELASTIC, FLOOR, case_of, centre_of, engine_of, turned
from skeletons import ell, prism, star

from pardem.contacts.nearest.features import FACE_FACE, bodies_of
from pardem.contacts.nearest.minima import WORK_SIZE, nearest_polytopes
from pardem.contacts.nearest.polytope_faces import TILT
from pardem.contacts.nearest.polytope_pair import TwoCores
from pardem.contacts.rules.local_minima import LocalMinima, closest
from pardem.engine import Engine

pytestmark = pytest.mark.usefixtures("rough_masses")

MINIMA = ELASTIC | {"interaction": "minima"}
PLANE: dict[str, Any] = {"dimension": 2, "gravity": (0.0, 0.0), "domain": {"lower": (-50, -50), "upper": (50, 50)}}
RADIUS = 0.2
ALONE = {"name": "alone", "shape": "polyline", "radius": 0.1, "density": 1.0, "vertices": [(0, 0, 0), (1, 0, 0), (1, 1, 0)]}
FAR = {"species": "alone", "position": (20.0, 20.0, 20.0)}

Found = list[tuple[np.ndarray, np.ndarray]]


def found_by(engine: Engine) -> Found:
    """Nearest points, in space, of all candidates of the first two grains that touch."""
    g, pairs, interaction = engine.state.grains, engine.state.pairs, engine.scene.interaction
    assert isinstance(interaction, LocalMinima)
    assert g is not None
    assert pairs is not None
    out = []
    for r, i in enumerate(pairs.row):
        for p in range(pairs.ptr[r], pairs.ptr[r + 1]):
            j = pairs.col[p]
            w = g.x[i, :3] - g.x[j, :3]
            bodies = bodies_of(int(i), int(j), tuple(w))
            near, _, x, y, status = closest(interaction, g, bodies, pairs, p, False, g.x[i, 3] + g.x[j, 3])
            assert status == 0
            if near and g.gid[i] == 0 and g.gid[j] == 1:
                out.append((g.x[i, :3] + x, g.x[j, :3] + y))
    return out


def same(found: Found, expected: Found, size: float = 1e-8) -> bool:
    """Whether two sets of minima are the same."""
    nearest = [min((float(np.linalg.norm(x - p) + np.linalg.norm(y - q)) for p, q in expected), default=np.inf) for x, y in found]
    return len(found) == len(expected) and all(d < size for d in nearest)


LENGTHS = ("radius", "vertices", "edge")
SCALES = (1.0, 1e-3, 1e3)  # in turn


def two(species: list[dict[str, Any]], offset: np.ndarray, turn: Any, scale: float, **more: Any) -> Engine:
    """The first species at the origin, the second displaced and turned; all lengths times the scale."""
    size = (50.0 * scale,) * len(offset)
    species = [{k: (scale * np.array(v)).tolist() if k in LENGTHS else v for k, v in s.items()} for s in species]
    grains = [{"species": "a", "position": (0.0,) * len(offset)}, {"species": "b", "position": tuple((scale * offset).tolist()), "orientation": turn}]
    case = case_of(species, MINIMA, 1e-4, grain=grains, **more | {"domain": {"lower": tuple(-c for c in size), "upper": size}})
    return engine_of(case, overlaps=True, skin=0.05 * scale)[0]


def compared(engine: Engine, solid: tuple[bool, bool], reach: float, scale: float) -> Found:
    """What is found between two grains, over the scale, if it is what the reference finds."""
    a, b = (body_of(engine, k, inside) for k, inside in enumerate(solid))
    found = [(x / scale, y / scale) for x, y in found_by(engine)]
    assert same(found, local_minima(a._replace(vertices=a.vertices / scale), b._replace(vertices=b.vertices / scale), reach))
    return found


def jagged(rng: np.random.Generator) -> dict[str, Any]:
    """A polygon that all of is seen from the origin, with random distances, or an open zigzag."""
    n = int(rng.integers(5, 12))
    if rng.random() < 0.25:
        return {"shape": "planar_polyline", "vertices": [(0.4 * k - 0.2 * n, float(rng.uniform(-0.7, 0.7))) for k in range(n)]}
    angle = 2.0 * np.pi * (np.arange(n) + rng.uniform(0.0, 0.7, n)) / n
    return {"shape": "polygon", "vertices": (rng.uniform(0.3, 1.0, n) * np.stack([np.cos(angle), np.sin(angle)])).T.tolist()}


def test_polygons_and_polylines_against_all_pairs_of_features() -> None:
    rng, counts = np.random.default_rng(3), []
    while len(counts) < 10:
        species = [{"name": name, "radius": RADIUS, "density": 1.0} | jagged(rng) for name in "ab"]
        direction, turn = rng.uniform(0.0, 6.0, 2)
        for distance in np.arange(2.3, 0.2, -0.1):
            scale = SCALES[len(counts) % 3]
            engine = two(species, distance * np.array([math.cos(direction), math.sin(direction)]), float(turn), scale, **PLANE)
            if not isinstance(engine.scene.interaction, LocalMinima):
                break
            found = compared(engine, (species[0]["shape"] == "polygon", species[1]["shape"] == "polygon"), 2.0 * RADIUS, scale)
            if found and min(np.linalg.norm(x - y) for x, y in found) < RADIUS:
                counts.append(len(found))
                break
    assert max(counts) > 1


def shapes(rng: np.random.Generator) -> list[dict[str, Any]]:
    """A solid ell, a random star, an open chain, a bent shell."""

    def faces(vertices: np.ndarray, loops: Any, solid: bool) -> dict[str, Any]:
        return {"shape": "skeleton", "vertices": vertices.tolist(), "faces": [tuple(map(int, loop)) for loop in loops], "solid": solid}

    pit = prism([(0.0, 0.0), (2.0, 0.0), (2.0, 1.5), (1.0, 0.6), (0.0, 1.5)], 0.5)
    return [
        faces(*ell(2.0, 2.0, 0.7, 0.6, 0.8), True), faces(*star(int(rng.integers(1000)), 10), True), faces(pit[0], pit[1], False),
        {"shape": "yermis", "edge": 1.0, "segments": 4},
    ]  # fmt: skip


def test_skeletons_against_all_pairs_of_features() -> None:
    rng, counts = np.random.default_rng(5), []
    radius = 0.35
    while len(counts) < 8:
        species = [{"name": name, "radius": radius, "density": 1.0} | shapes(rng)[k] for name, k in zip("ab", rng.integers(0, 4, 2))]
        direction, turn = rng.normal(size=3), rng.normal(size=4)
        direction /= np.linalg.norm(direction)
        for distance in np.arange(4.0, 0.5, -0.3):
            scale = SCALES[len(counts) % 3]
            engine = two(species, distance * direction, tuple((turn / np.linalg.norm(turn)).tolist()), scale)
            if not found_by(engine):
                continue
            found = compared(engine, (species[0].get("solid", False), species[1].get("solid", False)), 2.0 * radius, scale)
            if min(np.linalg.norm(x - y) for x, y in found) < radius:
                counts.append(len(found))
                break
    assert max(counts) > 1


@pytest.mark.parametrize("arrangement", ["random", "lattice", "parallel", "shared face"])
def test_convex_grains_have_one_contact_where_the_solver_has_it(arrangement: str) -> None:
    """The same barycentres between parallel faces and edges; only about the angle up to which they count as parallel the rules may differ."""
    reach, checked = 0.8, 0
    for seed in range(120):
        pair = make_pair(arrangement, seed)
        if len(pair.a) < 3 or len(pair.b) < 3:
            continue
        shape = ["spherotriangle" if len(v) == 3 else "polyhedron" for v in (pair.a, pair.b)]
        species = [
            {"name": n, "radius": 0.5 * reach, "density": 1.0, "shape": s, "vertices": v.tolist()} for n, s, v in zip("ab", shape, (pair.a, pair.b))
        ]
        grains = [{"species": "a", "position": tuple(pair.w.tolist())}, {"species": "b", "position": (0.0, 0.0, 0.0)}, FAR]
        engine, _ = engine_of(case_of([*species, ALONE], MINIMA, 1e-4, grain=grains), overlaps=True, skin=0.05)
        g = engine.state.grains
        assert g is not None
        i, j = (int(np.flatnonzero(g.gid == k)[0]) for k in (0, 1))
        vert = np.vstack([g.vert[g.vert_start[k] : g.vert_start[k + 1]] for k in (i, j)])
        na = int(g.vert_start[i + 1] - g.vert_start[i])
        d2, on_i, on_j, *_ = nearest_polytopes(tuple(g.x[i, :3] - g.x[j, :3]), TwoCores(vert, 0, na, na, len(vert) - na), (0, 0), np.zeros(WORK_SIZE))
        if not 1e-8 < d2 < (reach - 1e-6) ** 2:
            continue
        found = found_by(engine)
        assert len(found) == 1
        x, y = found[0]
        assert np.linalg.norm(x - y) == pytest.approx(math.sqrt(d2), abs=3.0 * TILT * math.sqrt(pair.size2))
        away = max(np.linalg.norm(x - g.x[i, :3] - on_i), np.linalg.norm(y - g.x[j, :3] - on_j))
        checked += bool(away < 1e-6)
        assert away < 1e-6 or arrangement == "parallel"
    assert checked > 10


@pytest.mark.parametrize(("share", "listed"), [(0.98, True), (3.0, False)])
def test_faces_that_can_become_parallel_before_the_next_rebuild_are_listed(share: float, listed: bool) -> None:
    """Core points go by half the skin at most, so two grains turn by skin/R at most towards each other."""
    skin, radius = 0.05, CUBE["side"] * math.sqrt(0.75)
    turn = turned((1.0, 1.0, 0.0), share * skin / radius)
    grains = [
        {"species": "cube", "position": (0.0, 0.0, 0.0)}, {"species": "cube", "position": (0.1, 0.2, 0.98), "orientation": turn}, FAR,
    ]  # fmt: skip
    engine, _ = engine_of(case_of([CUBE, ALONE], MINIMA, 1e-4, grain=grains), overlaps=True, skin=skin)
    assert ((engine.state.pairs.sub >> 56) == FACE_FACE).any() == listed


ELL = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]
CUP = [(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)]
SQUARE = [(0, 0), (2, 0), (2, 2), (0, 2)]
GAP = 2.0 * RADIUS - 0.01


def outline(name: str, vertices: Any) -> dict[str, Any]:
    return {"name": name, "shape": "polygon", "radius": RADIUS, "density": 1.0, "vertices": vertices}


def disk(radius: float) -> dict[str, Any]:
    return {"name": "b", "shape": "disk", "radius": radius, "density": 1.0}


PLACED: dict[str, tuple[Any, dict[str, Any], tuple[float, float], float, list[tuple[float, float]]]] = {
    # first outline, second grain, where its given axes stand, its turn, where the first is touched
    "disk in the corner of an ell": (ELL, disk(RADIUS), (1 + GAP, 1 + GAP), 0.0, [(1, 1 + GAP), (1 + GAP, 1)]),
    "disk beside it": (ELL, disk(RADIUS), (2.0, 1 + GAP), 0.0, [(2, 1)]),
    "disk on an outer corner": (ELL, disk(RADIUS), (3 + 0.7 * GAP, 1 + 0.7 * GAP), 0.0, [(3, 1)]),
    "disk below, not through the wall": (ELL, disk(1.0), (2.0, -1.0), 0.0, [(2, 0)]),
    "disk on the bottom of a cup": (CUP, disk(RADIUS), (1.5, 1 + GAP), 0.0, [(1.5, 1)]),
    "disk held on three sides of a cup": (CUP, disk(0.5 - 0.99 * RADIUS), (1.5, 1.499), 0.0, [(1.5, 1), (1, 1.499), (2, 1.499)]),
    "disk stuck between two horns": (CUP, disk(0.6), (1.5, 3.6), 0.0, [(1, 3), (2, 3)]),
    "square in the corner of an ell, on two flats": (ELL, outline("b", SQUARE), (1 + GAP, 1 + GAP), 0.0, [(2 + 0.5 * GAP, 1), (1, 2 + 0.5 * GAP)]),
    "square on a corner in it": (ELL, outline("b", SQUARE), (2.0, 1 + GAP), 0.25 * math.pi, [(2, 1)]),
    "ell about the corner of a square": (SQUARE, outline("b", ELL), (3 + GAP, 3 + GAP), math.pi, [(2, 1 + 0.5 * GAP), (1 + 0.5 * GAP, 2)]),
}


@pytest.mark.parametrize("name", PLACED)
def test_placed_prisms_touch_where_they_should(name: str) -> None:
    """The same outlines as prisms, the second a share higher than the first; a ball in place of the disk, in the middle of the height."""
    first, second, place, turn, expected = PLACED[name]
    height, higher, frame = 1.0, 0.3, np.array([[math.cos(turn), -math.sin(turn), 0.0], [math.sin(turn), math.cos(turn), 0.0], [0.0, 0.0, 1.0]])

    def standing(name: str, vertices: Any) -> dict[str, Any]:
        corners, faces = prism([(float(x), float(y)) for x, y in vertices], height)
        loops = [tuple(map(int, f)) for f in faces]
        return {"name": name, "radius": RADIUS, "density": 1.0, "shape": "skeleton", "vertices": corners.tolist(), "faces": loops, "solid": True}

    ball = second["shape"] == "disk"
    species = [standing("a", first), second | {"shape": "sphere"} if ball else standing("b", second["vertices"]), ALONE]
    low = min(v[2] for v in species[0]["vertices"])
    at = np.array([*place, low + 0.5 * height if ball else higher]) + (0.0 if ball else frame @ centre_of(species[1]))
    grains = [
        {"species": "a", "position": tuple(centre_of(species[0]).tolist())},
        {"species": "b", "position": tuple(at.tolist()), "orientation": turned((0, 0, 1), turn)}, FAR,
    ]  # fmt: skip
    engine, _ = engine_of(case_of(species, MINIMA, 1e-4, grain=grains), overlaps=True)
    engine.evaluate()
    assert len(engine.contacts().key) == len(expected)
    middle = low + 0.5 * (height if ball else height + higher)
    touched = sorted(tuple(x.tolist()) for x, _ in found_by(engine))
    np.testing.assert_allclose(touched, sorted((*p, middle) for p in expected), atol=2e-8)


@pytest.mark.parametrize("name", PLACED)
def test_placed_grains_touch_where_they_should(name: str) -> None:
    first, second, place, turn, expected = PLACED[name]
    species = [outline("a", first), second, {"name": "c", "shape": "peanut", "radius": RADIUS, "density": 1.0, "length": 1.0}]
    c, s = math.cos(turn), math.sin(turn)
    at = np.array(place) + np.array([[c, -s], [s, c]]) @ centre_of(second, **PLANE)[:2]
    grains = [
        {"species": "a", "position": tuple(centre_of(species[0], **PLANE)[:2].tolist())},
        {"species": "b", "position": tuple(at.tolist()), "orientation": turn}, {"species": "c", "position": (20, 20)},
    ]  # fmt: skip
    engine, _ = engine_of(case_of(species, MINIMA, 1e-4, grain=grains, **PLANE), overlaps=True)
    engine.evaluate()
    assert len(engine.contacts().key) == len(expected)
    touched = sorted((float(x[0]), float(x[1])) for x, _ in found_by(engine))
    np.testing.assert_allclose(touched, sorted(expected), atol=1e-9 * 20.0)


FOLDED = [(0.0, 0.0), (3.0, 0.0), (3.0, 0.1), (0.0, 0.1)]
BENT = [(-2.0, 0.0), (0.0, 0.0), (2.0 * math.cos(math.radians(20.0)), 2.0 * math.sin(math.radians(20.0)))]


@pytest.mark.parametrize(("chain", "place", "expected"), [
    (FOLDED, (1.5, 0.37), [(1.5, 0.1)]),  # within reach of the far arm, too
    (FOLDED, (1.5, -0.27), [(1.5, 0.0)]),
    (BENT, (-0.02, 0.385), [1]),  # the rounding of the first side ends 0.035 before the corner
    (BENT, (-0.06, 0.385), [0, 1]),
    (BENT, (-1.0, 0.385), [0]),
])  # fmt: skip
@pytest.mark.parametrize("dimension", [2, 3])
def test_there_are_no_imaginary_contacts(dimension: int, chain: Any, place: tuple[float, float], expected: Any) -> None:
    """The line of least distance leaves each grain at its radius (thesis, equation 2.3): of polylines, and in space of folded shells."""
    chained = {"name": "a", "shape": "planar_polyline", "radius": RADIUS, "density": 1.0, "vertices": chain}
    ball, more = disk(RADIUS), PLANE
    if dimension == 3:
        vertices = [(x, y, z) for x, y in chain for z in (-1.0, 1.0)]
        faces = [(2 * k, 2 * k + 1, 2 * k + 3, 2 * k + 2) for k in range(len(chain) - 1)]
        chained |= {"shape": "skeleton", "vertices": vertices, "faces": faces, "solid": False}
        ball, more = ball | {"shape": "sphere"}, {}
    at = centre_of(chained, **more)[:dimension]
    grains = [{"species": "a", "position": tuple(at.tolist())}, {"species": "b", "position": (*place, 0.0)[:dimension]}]
    engine, _ = engine_of(case_of([chained, ball], MINIMA, 1e-4, grain=grains, **more), overlaps=True)
    p = np.array(place)
    sides = [(np.array(a), np.array(b)) for a, b in itertools.pairwise(chain)]
    feet = [a + (p - a) @ (b - a) / ((b - a) @ (b - a)) * (b - a) for a, b in sides]
    wanted = sorted(tuple(feet[k]) if isinstance(k, int) else k for k in expected)
    touched = sorted((float(x[0]), float(x[1])) for x, _ in found_by(engine))
    np.testing.assert_allclose(touched, wanted, atol=1e-9)


@pytest.mark.parametrize(("turn", "count"), [(0.0, 1), (0.5 * math.pi, 1), (math.pi, 2), (math.pi + 0.05, 1)])
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_cup_stands_on_a_plane(dimension: int, turn: float, count: int) -> None:
    """On its bottom and on its side on one flat, upside down on two flat horns, tilted on a corner (in space an edge) of one."""
    cup = outline("a", CUP)
    if dimension == 3:
        vertices, faces = prism([(float(x), float(y)) for x, y in CUP], 1.0)
        cup = cup | {"shape": "skeleton", "vertices": vertices.tolist(), "faces": [tuple(map(int, f)) for f in faces], "solid": True}
    c, s = math.cos(turn), math.sin(turn)
    x, y, _ = centre_of(cup, **(PLANE if dimension == 2 else {}))
    height = s * x + c * y - min(s * u + c * v for u, v in CUP) + RADIUS - 0.01
    if dimension == 2:
        ground = FLOOR | {"point": (0, 0), "normal": (0, 1)}
        case = case_of([cup], MINIMA, 1e-4, grain=[{"species": "a", "position": (0, height), "orientation": turn}], wall=[ground], **PLANE)
    else:  # upright about x, then turned about y
        upright, about = np.array([math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0]), turned((0, -1, 0), turn)
        w, b = about[0], about[2]
        q = (w * upright[0], w * upright[1], b * upright[0], -b * upright[1])
        case = case_of([cup], MINIMA, 1e-4, grain=[{"species": "a", "position": (0, 0, height), "orientation": q}], wall=[FLOOR])
    engine, _ = engine_of(case, overlaps=True)
    engine.evaluate()
    assert len(engine.contacts().key) == count
    g = engine.grains
    law_force = g.ft[0, dimension - 1] * engine.scene.settings.force
    assert law_force == pytest.approx(count * float(g.v[0, 3]) * (math.pi / ELASTIC["contact_time"]) ** 2 * 0.01, rel=1e-6)
