"""Grains of convex pieces under `regularised`: the bits of convex grains, energy, momentum, nothing missed, histories, and the count over a seam."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import judging
import numpy as np
import papers
import pytest
from beds import SCENES, SIZES, VISCOUS, moved, shaken
from mpi4py import MPI
from scales import SCALES, domain
from scenes import CROSS, CUBE, ELASTIC, ELL, FLOOR, ROD, SPHERE, box, case_of, engine_of, fingerprint, gathered, grains_of, turned, worst_energy
from scipy.spatial.transform import Rotation

from pardem.case import Case
from pardem.contacts.nearest.features import first_of, second_of
from pardem.contacts.rules.compounds import Pieces
from pardem.contacts.rules.compounds import build_interaction as by_pieces
from pardem.contacts.rules.polytopes import Polytopes
from pardem.decomposition.nested_slabs import Nested
from pardem.engine import Engine
from pardem.errors import CaseError
from pardem.insertion.distance import polytope_distance
from pardem.setup.initial_grains import initial_grains, size_range
from pardem.setup.preparation import build_scene

WEDGE = [(0.0, 0.0, 0.0), (0.7, 0.1, 0.0), (0.2, 0.6, 0.1), (0.3, 0.2, 0.5), (0.6, 0.6, 0.4)]
STRONG = ELASTIC | {"eps": 0.03}


def with_pieces(case: Case, overlaps: bool = False) -> Engine:
    """An engine of a case of convex grains that are met by pieces, one each."""
    largest, smallest = size_range(case)
    setup = build_scene(case, largest, smallest)
    assert isinstance(setup.scene.interaction, Polytopes)
    interaction = by_pieces(setup.catalogue, setup.scene.interaction.eps2, setup.scene.parts)
    return Engine(Nested(MPI.COMM_SELF), replace(setup.scene, interaction=interaction), initial_grains(case, setup.catalogue, overlaps))


def test_grains_of_one_piece_have_the_bits_of_convex_ones() -> None:
    """Through the solver for pieces, on planes and among each other, with friction and couples."""
    pebble = {"name": "pebble", "shape": "polyhedron", "vertices": WEDGE, "radius": 0.1, "density": 1000.0}
    single = {"name": "pebble", "shape": "compound", "pieces": [WEDGE], "radius": 0.1, "density": 1000.0}
    cases = [shaken([SPHERE, ROD, CUBE, kind], 12, VISCOUS, SIZES, 5.0, 5e-4) for kind in (pebble, single)]
    engines = [engine_of(cases[0])[0], engine_of(cases[1])[0], with_pieces(cases[1])]
    assert isinstance(engines[2].scene.interaction, Pieces)
    for engine in engines:
        engine.advance(1500)
    assert len(engines[0].contacts().key) > 20
    assert len({fingerprint(engine) for engine in engines}) == 1


def test_planar_grains_of_one_piece_have_the_bits_of_convex_ones() -> None:
    outline = [(0.0, 0.0), (0.8, 0.1), (0.7, 0.5), (0.1, 0.6)]
    common = {"name": "stone", "radius": 0.1, "density": 1000.0}
    kinds = [{"shape": "polygon", "vertices": outline}, {"shape": "planar_compound", "pieces": [outline]}]
    cases = [
        case_of(
            [common | kind], VISCOUS, 5e-4, dimension=2, gravity=(0.0, -9.8), domain={"lower": (-5, -1), "upper": (5, 30)},
            wall=[FLOOR | {"point": (0, 0), "normal": (0, 1)}],
            insert=[{"species": "stone", "count": 20, "region": {"kind": "box", "lower": (-2, 0), "upper": (2, 9)}}],
        )
        for kind in kinds
    ]  # fmt: skip
    engines = [engine_of(cases[0])[0], engine_of(cases[1])[0], with_pieces(cases[1])]
    for engine in engines:
        engine.advance(1500)
    assert len(engines[0].contacts().key) > 5
    assert len({fingerprint(engine) for engine in engines}) == 1


def grain(species: str, position: tuple[float, ...], velocity: tuple[float, ...], turn: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)) -> dict[str, Any]:
    return {"species": species, "position": position, "velocity": velocity, "orientation": turn}


SCRIPT = judging.measures(Path(papers.__file__).parent / "pieces" / "pieces.py")
COLLISIONS: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "two ells, arm in corner": (SCRIPT.COLLISIONS["arm in corner"], []),
    "two ells, side by side": (SCRIPT.COLLISIONS["side by side"], []),
    "ell and cross": ([grain("ell", (0, 0, 0), (0, 0.4, 0)), grain("cross", (-0.1, 1.59, 0.1), (0.05, -0.4, 0), turned((1, 2, 0), 0.5))], []),
    "ell, flat on a wall": (SCRIPT.COLLISIONS["flat on a plane"], [FLOOR]),
    "ell, corner on a wall": ([grain("ell", (0, 0, 0.685), (0, 0, -0.8), turned((1, 0.4, 0.2), 0.7))], [FLOOR]),
}  # fmt: skip


@pytest.mark.parametrize("name", COLLISIONS)
def test_energy_error_falls_with_the_square_of_the_step(name: str) -> None:
    grains, walls = COLLISIONS[name]
    coarse, fine = (worst_energy([ELL, CROSS], grains, walls, STRONG, step, 0.16, 2e-4) for step in (2e-4, 1.25e-5))
    assert coarse < 3e-3
    assert fine < coarse / 100.0  # a sixteenth of the step: 256 for an exact second order


@pytest.mark.parametrize("name", [name for name, scene in COLLISIONS.items() if not scene[1]])
def test_a_free_collision_keeps_linear_and_angular_momentum(name: str) -> None:
    """Forces cancel as integers; angular momentum keeps to the rounding of the torques to quanta and of the kicks to floats."""
    step, steps = 1e-4, 1600
    engine, _ = engine_of(case_of([ELL, CROSS], STRONG, step, grain=COLLISIONS[name][0]))
    settings = engine.scene.settings

    def momenta() -> tuple[np.ndarray, np.ndarray]:
        g = grains_of(engine)
        p = g.v[:, 3:] * g.v[:, :3]
        return p.sum(axis=0), np.cross(g.x[:, :3], p).sum(axis=0) + g.am[:, :3].sum(axis=0)

    before, spun, most = momenta(), 0.0, 0
    for _ in range(steps):
        engine.advance(1)
        g = grains_of(engine)
        assert not g.ft[:, :3].sum(axis=0).any()
        spun, most = max(spun, float(np.abs(g.am[:, :3]).max())), max(most, len(engine.contacts().key))
    after = momenta()
    assert spun > 1.0
    assert most > 1 or name == "ell and cross"
    size, reach, ulp = float((g.v[:, 3] * np.abs(g.v[:, :3]).max(axis=1)).sum()), float(np.abs(g.x[:, :3]).max()), np.finfo(float).eps
    assert np.abs(after[0] - before[0]).max() < 4.0 * steps * ulp * size
    rounded = step * steps * most * (2.0 * settings.torque + 2.0 * reach * settings.force)
    assert np.abs(after[1] - before[1]).max() < rounded + 4.0 * steps * ulp * (size * reach + spun)


def test_lists_hold_every_pair_of_pieces_that_may_touch() -> None:
    """Against all pairs of pieces: those closer than the sum of the radii plus the skin are listed, with the grains' lower id first."""
    skin = 0.2
    before, setup = engine_of(SCENES["pieces of all shapes"]())
    before.advance(800)
    engine = Engine(Nested(MPI.COMM_SELF), setup.scene, grains_of(before), before.contacts(), skin=skin)
    g, pairs, parts = engine.state.grains, engine.state.pairs, setup.scene.parts
    assert g is not None
    assert pairs is not None
    rows = np.repeat(pairs.row, np.diff(pairs.ptr))
    listed = {(int(g.gid[i]), int(g.gid[j]), int(s)) for i, j, s in zip(rows, pairs.col, pairs.sub, strict=True)}
    assert len(listed) == len(pairs.col)
    work, period = np.empty((12, 4)), setup.scene.settings.period
    order, near, several = np.argsort(g.gid), 0, 0
    for i, j in combinations(order, 2):
        d = g.x[j, :3] - g.x[i, :3]
        d -= np.where(period > 0.0, period, 0.0) * np.rint(d / np.where(period > 0.0, period, 1.0))
        mine, other = (parts.start[g.species[k]] for k in (i, j))
        for m, n in product(range(mine, parts.start[g.species[i] + 1]), range(other, parts.start[g.species[j] + 1])):
            a, b = g.vert_start[i] + parts.first[m], g.vert_start[j] + parts.first[n]
            _, gap = polytope_distance(g.vert, (a, a + parts.size[m]), (b, b + parts.size[n]), tuple(d), np.inf, 0.0, work)
            if gap < g.x[i, 3] + g.x[j, 3] + skin:
                key = (m - mine, n - other)
                near, several = near + 1, several + (key != (0, 0))
                assert (int(g.gid[i]), int(g.gid[j]), int(key[0] << 28 | key[1])) in listed
    assert near > 50
    assert several > 20
    assert len(listed) < 3 * near


def test_histories_go_by_pairs_of_pieces_and_survive_rebuilds() -> None:
    """A stage later on, with lists made anew often or hardly ever: the same springs for the same pairs of pieces."""
    keys, springs = [], []
    for skin in (0.02, 0.3):
        engine, _ = engine_of(SCENES["pieces of all shapes"](), skin=skin)
        engine.advance(1500)
        _, contacts = gathered(engine)
        keys.append(contacts.key)
        springs.append(contacts.hist)
    assert np.array_equal(keys[0], keys[1])
    assert np.array_equal(springs[0], springs[1])
    between = keys[0][keys[0][:, 1] >= 0]
    assert ((first_of.py_func(between[:, 2]) > 0) | (second_of.py_func(between[:, 2]) > 0)).any()
    assert len(np.unique(keys[0], axis=0)) == len(keys[0])
    assert np.abs(springs[0][:, :3]).max() > 0.0


@pytest.mark.parametrize("skin", [0.01, 0.1, 0.4])
@pytest.mark.parametrize("scene", ["pieces of all shapes", "pieces in a tube", "pieces in the plane"])
def test_the_skin_never_shows(scene: str, skin: float) -> None:
    case = SCENES[scene]()
    assert moved(case, MPI.COMM_SELF, skin=skin)[0] == moved(case, MPI.COMM_SELF, skin=0.25)[0]


def test_discs_are_met_piece_by_piece() -> None:
    """A wide disc is a plane, to the last bit; a small one is met by the piece above it alone, its rim by that piece's vertices."""
    falling = [grain("ell", (0, 0, 0.32), (0.1, 0, -0.8))]
    disc = {"name": "floor", "kind": "disc", "center": (0, 0, 0), "normal": (0, 0, 1), "radius": 9.0}
    plane, wide = (engine_of(case_of([ELL], VISCOUS, 5e-4, grain=falling, wall=[wall]))[0] for wall in (FLOOR, disc))
    plane.advance(60)
    wide.advance(60)
    assert plane.contacts().key[:, 2].tolist() == [0, 1]
    assert fingerprint(plane) == fingerprint(wide)
    # under the middle of either arm; beyond the end of one, whose corners come near the rim
    for centre, radius, pieces in (((-0.25, 0.35, 0), 0.1, [1]), ((0.15, -0.25, 0), 0.1, [0]), ((-0.25, 0.95, 0), 0.27, [1])):
        small, _ = engine_of(case_of([ELL], VISCOUS, 5e-4, grain=falling, wall=[disc | {"center": centre, "radius": radius}]))
        small.advance(55)
        assert small.contacts().key[:, 2].tolist() == pieces


TILE = {"name": "tile", "shape": "compound", "radius": 0.1, "density": 1e3, "pieces": [box(*half) for half in SCRIPT.HALVES]}
BALL = SPHERE | {"name": "ball"}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("deep", [0.002, 0.01, 0.05])
def test_a_ball_over_a_seam_meets_both_pieces_within_their_reach(deep: float, scale: float) -> None:
    """A tile cut in two, a ball at many places near the cut: the force is the sum of the closed forms of both pieces, and that of one beyond.

    Without the regularisation, to first order in the overlap delta, it is 1 + max(0, 1 - x^2/(2 D delta)) times that of one piece.
    """
    k, reach = SCRIPT.STIFFNESS * scale**3, SCRIPT.REACH * scale  # a contact takes as long at all scales
    overlap, size = deep * scale, {"radius": 0.1 * scale, "pieces": [[tuple(scale * c for c in p) for p in half] for half in TILE["pieces"]]}
    species, flat = [BALL | {"radius": 0.5 * scale}, TILE | size], grain("tile", (0, 0, -0.2 * scale), (0, 0, 0))
    contact = {"law": "viscoelastic", "normal_stiffness": k, "eps": {"tile": SCRIPT.EPS}}
    over = []
    for share in (0.0, 0.25, 0.5, 0.75, 0.9, 1.1, 2.0):
        x = share * math.sqrt(2.0 * reach * overlap)
        ball = grain("ball", (x, 0, reach - overlap), (0, 0, 0))
        case = case_of(species, contact, 1e-5, grain=[flat, ball], domain=domain(scale))
        engine, setup = engine_of(case, overlaps=True)
        engine.evaluate()
        g = grains_of(engine)
        # into the axes of the shape: the centre of mass is an estimate, and the principal axes with it
        turn = setup.catalogue.axes[1] @ Rotation.from_quat(g.q[0], scalar_first=True).as_matrix().T
        p = setup.catalogue.centre[1] + turn @ (g.x[1, :3] - g.x[0, :3])
        found = turn @ (g.ft[1, :3] * setup.scene.settings.force)
        one, other = (k * SCRIPT.on_a_half(p, half, scale) for half in SCRIPT.HALVES[::-1])
        assert np.abs(found - one - other).max() < 1e-9 * np.abs(one).max()
        assert len(engine.contacts().key) == (2 if share < 1.0 else 1)
        over.append(float(found[2] / one[2]))
        assert over[-1] == pytest.approx(1.0 + max(0.0, 1.0 - share**2), abs=0.1)
    assert over[0] == pytest.approx(2.0, rel=1e-3)
    assert over[-2:] == pytest.approx([1.0, 1.0], rel=1e-9)


def test_a_ball_slides_over_a_seam_without_loss() -> None:
    """It grazes a cut tile: what the seam gives and takes is that of a potential."""
    grains = [grain("tile", (0, 0, -0.2), (0, 0, 0)), grain("ball", (-0.2, 0, 0.605), (1.5, 0, -0.3))]
    contact = ELASTIC | {"contact_time": 0.1, "eps": {"tile": 0.03}}
    coarse, fine = (worst_energy([BALL, TILE], grains, [], contact, step, 0.4, 2e-3) for step in (2e-3, 1.25e-4))
    assert coarse < 3e-3
    assert fine < coarse / 100.0


@pytest.mark.parametrize(
    ("species", "more", "match"),
    [
        (
            {"shape": "yermis", "edge": 0.5},
            {},
            r"needs grains that are convex or made of convex pieces, but species 'ell' is neither: give it as a compound, or use",
        ),
        ({}, {"interaction": "minima"}, r"'minima' meets grains feature by feature, but species 'ell' is a compound.*use 'regularised'"),
        ({}, {"interaction": "superposition"}, r"'superposition' meets grains feature by feature, but species 'ell' is a compound"),
        ({}, {"body": "cube"}, r"wall\.ramp\.kind = 'body' is met feature by feature, but species 'ell' is a compound.*use planes"),
        ({}, {"body": "ell"}, r"wall\.ramp\.species = 'ell' is a compound, and a body is met feature by feature: give a wall for each piece"),
    ],
)
def test_what_pieces_do_not_go_with_is_refused(species: dict[str, Any], more: dict[str, Any], match: str) -> None:
    ell = {key: value for key, value in ELL.items() if not species or key != "pieces"} | species
    walls = [{"name": "ramp", "kind": "body", "species": more["body"], "position": (0, 0, -9)}] if "body" in more else []
    rule = {"interaction": more["interaction"]} if "interaction" in more else {}
    case = case_of([ell, CUBE], ELASTIC | rule, 1e-4, grain=[grain("ell", (0, 0, 0), (0, 0, 0))], wall=walls)
    with pytest.raises(CaseError, match=match):
        engine_of(case)


def test_several_pieces_shorten_the_contact_time() -> None:
    """Two of a tile's halves meet a ball at the cut, four pairs two tiles: contact times over the square root of that."""
    for species, count in (([ELL], 4), ([ELL, BALL], 4), ([CROSS], 9)):
        grains = [grain(s["name"], (3.0 * k, 0, 0), (0, 0, 0)) for k, s in enumerate(species)]
        limit = 0.02 / math.sqrt(count) / 10.0
        build = [case_of(species, ELASTIC, factor * limit, grain=grains) for factor in (0.999, 1.001)]
        engine_of(build[0])
        with pytest.raises(CaseError, match="is too long: a contact between"):
            engine_of(build[1])
