"""Detection by triangulation against linked cells: the same pairs, the same bits, and a maximal overlap that is watched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from beds import STIFF, VISCOUS, by_triangulation, in_a_tube, moved, shaken
from mpi4py import MPI
from scenes import AXES, CUBE, ROD, SPHERE, case_of, engine_of, fingerprint

from pardem.case import Case
from pardem.detection.bounds import bounded_grains
from pardem.detection.rank_lists import pairs_by_cells
from pardem.errors import CaseError
from pardem.run import run_case
from pardem.setup.preparation import build_scene

pytestmark = pytest.mark.usefixtures("known_covers")

BRICK = CUBE | {"name": "brick", "side": 0.5, "radius": 0.2}
TETRAHEDRON = {"name": "tetrahedron", "shape": "spherotetrahedron", "edge": 0.6, "radius": 0.25, "density": 1000.0}


SCENES = {
    "spheres of all sizes": lambda: shaken([SPHERE], 80, VISCOUS, {"kind": "uniform", "min": 0.2, "max": 1.0}),
    "rods": lambda: shaken([ROD], 40, VISCOUS),
    "shapes of all sizes": lambda: shaken([SPHERE, ROD, TETRAHEDRON], 20, STIFF, {"kind": "uniform", "min": 0.7, "max": 1.0}, height=6.0),
    "shapes in a tube": lambda: in_a_tube([ROD, BRICK], 15, STIFF),
}


def pairs_of(engine: Any, method: str, skin: float) -> set[tuple[int, int]]:
    """Candidate pairs of an engine on one rank, by global ids."""
    n, g, scene = engine.grains.count, engine.state.grains, engine.scene
    grains = bounded_grains(n, n, g)
    find = pairs_by_cells if method == "cells" else engine.rebuilder.lists.detector.find_pairs
    pairs, found = find(grains, scene.settings, skin, 0)
    named = {(int(g.gid[i]), int(g.gid[j])) for i, j in pairs[:found]}
    assert len(named) == found
    assert all(i < j for i, j in named)
    return named


def crowd(periodic: tuple[bool, bool, bool], rods: bool = True) -> Case:
    """Spheres and rods of sizes that differ by a factor of twelve, for which the last test of all methods is exact; spheres alone lie close."""
    box = {"kind": "box", "lower": (-1, 0, 2), "upper": (2.6, 3.6, 5.6)}
    return case_of(
        [ROD, SPHERE], {"law": "elastic", "contact_time": 0.1}, 1e-3, seed=11,
        domain={"lower": (-1, 0, 2), "upper": (2.6, 3.6, 5.6), "periodic": periodic},
        insert=[{"species": "ball", "count": 6, "region": box},
                *[{"species": "rod", "count": 20, "region": {"kind": "periodic"} if all(periodic) else box}][:rods],
                {"species": "ball", "count": 500 if rods else 2000, "size": {"kind": "uniform", "min": 0.08, "max": 0.3}, "region": box}],
    )  # fmt: skip


PERIODS = [(False, False, False), (True, True, False), (True, True, True)]


@pytest.mark.parametrize("periodic", PERIODS)
def test_the_same_pairs_from_edges_as_with_cells(periodic: tuple[bool, bool, bool]) -> None:
    engine, _ = engine_of(by_triangulation(crowd(periodic), max_overlap=0.002, every_step=True))
    skin = engine.scene.covering.skin
    for reach in (0.25 * skin, skin):
        assert pairs_of(engine, "triangulation", reach) == pairs_of(engine, "cells", reach)
    assert len(pairs_of(engine, "cells", skin)) > 20
    assert engine.rebuilder.lists.detector.counts.refused == 0


@pytest.mark.parametrize("rods", [False, True])
@pytest.mark.parametrize("periodic", PERIODS)
def test_the_same_pairs_by_walks_as_with_cells(periodic: tuple[bool, bool, bool], rods: bool) -> None:
    """At first and after grains have moved by steps of all lengths, a hundredth of the smallest radius to its double."""
    engine, _ = engine_of(by_triangulation(crowd(periodic, rods), skin=0.03))
    n, g, settings = engine.grains.count, engine.state.grains, engine.scene.settings
    detector, rng = engine.rebuilder.lists.detector, np.random.default_rng(3)
    kept = detector.kept
    lagged = followed = gathered = 0
    for step in range(45):
        reach = (0.12, 0.03, 0.002)[step // 15]
        pairs = pairs_of(engine, "cells", reach)
        assert pairs_of(engine, "triangulation", reach) == pairs
        assert len(pairs) > 20
        lagged += not np.isin(kept.place[4:, 0], g.x[:n, 0] - kept.shift[0]).all()
        gathered += detector.counts.points < 0.7 * detector.counts.bodies
        followed = max(followed, kept.triangulation.counts.followed)
        way = 4e-4 * 2.0 ** (step % 15 / 2)
        g.x[:n, :3] += way * (rng.normal(size=(n, 3)) + np.array((0.5, -0.3, 0.8)))
        for c in range(3):
            if settings.period[c] > 0.0:
                g.x[:n, c] = settings.lower[c] + (g.x[:n, c] - settings.lower[c]) % settings.period[c]
    assert lagged > 20
    assert gathered > 20 or rods
    assert followed > 10
    assert kept.counts.moves > 5


def test_grains_that_come_closer_need_fewer_points() -> None:
    engine, _ = engine_of(by_triangulation(crowd((False, False, False), rods=False), skin=0.03))
    n, g, detector = engine.grains.count, engine.state.grains, engine.rebuilder.lists.detector
    wide = detector.counts.points
    low = g.x[:n, :3].min(axis=0)
    for step in range(30):
        pairs = pairs_of(engine, "cells", 0.03)
        assert pairs_of(engine, "triangulation", 0.03) == pairs
        if step < 20:
            g.x[:n, :3] = low + 0.97 * (g.x[:n, :3] - low)
    assert detector.counts.points < 0.6 * wide


@pytest.mark.mpi
@pytest.mark.ranks(2, 3)
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("scene", SCENES)
def test_the_bits_of_cells_on_any_number_of_ranks(scene: str, axis: int) -> None:
    comm = MPI.COMM_WORLD
    case = SCENES[scene]()
    alone = comm.bcast(moved(case, MPI.COMM_SELF, steps=600)[0] if comm.rank == 0 else None)
    together, engine = moved(by_triangulation(case), comm, axis, steps=600)
    assert engine.counters.rebuilds > 5
    detector = engine.rebuilder.lists.detector
    assert comm.allreduce(detector.counts.hidden) == 0
    assert detector.kept.counts.builds + detector.kept.counts.moves > 5
    assert together == alone


@pytest.mark.mpi
def test_pairs_from_the_edges_every_step() -> None:
    """The thesis' variant, without a skin."""
    comm = MPI.COMM_WORLD
    case = SCENES["rods"]()
    alone = comm.bcast(moved(case, MPI.COMM_SELF, steps=200)[0] if comm.rank == 0 else None)
    thesis = by_triangulation(case, every_step=True)
    together, engine = moved(thesis, comm, steps=200)
    assert engine.counters.rebuilds >= 100
    counts = engine.rebuilder.lists.detector.counts
    assert comm.allreduce(counts.refused + counts.fast) == 0
    assert together == alone


def colliding(speed: float, **more: Any) -> Case:
    """Two balls that meet head on beside a third one at rest."""
    grains = [
        {"species": "ball", "position": (-0.55, 0, 0), "velocity": (speed, 0, 0)},
        {"species": "ball", "position": (0.55, 0, 0), "velocity": (-speed, 0, 0)},
        {"species": "ball", "position": (0, 1.2, 0)},
    ]
    return case_of([SPHERE], {"law": "elastic", "contact_time": 0.02}, 2e-4, grain=grains, **more)


def test_too_large_an_overlap_is_seen_and_cells_step_in() -> None:
    """Balls of radius 0.5 come within 0.6: their spheres, of radius 0.55, are more than orthogonal below 0.78."""
    case = colliding(32.0)
    bits = []
    for c in (case, by_triangulation(case, every_step=True)):
        engine, _ = engine_of(c)
        engine.advance(200)
        bits.append(fingerprint(engine))
        assert not len(engine.contacts().key)
    assert bits[0] == bits[1]
    counts = engine.rebuilder.lists.detector.counts
    assert counts.broken == (0, 1)
    assert 0 < counts.refused < engine.counters.rebuilds
    gentle, _ = engine_of(by_triangulation(colliding(2.0), every_step=True))
    gentle.advance(1000)
    assert gentle.rebuilder.lists.detector.counts.refused == 0


def test_a_run_reports_too_large_an_overlap(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    case = by_triangulation(colliding(32.0, stage=[{"name": "go", "kind": "run", "steps": 200}]), every_step=True)
    run_case(case, out=tmp_path / "out.h5", comm=MPI.COMM_SELF)
    assert "grains 0 and 1 overlapped by more than detection.max_overlap = 0.005 m" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"detection": {"method": "triangulation", "max_overlap": 1.2, "every_step": True}}, "maximal overlap of 1.2 m is too large for 'ball'"),
        ({"detection": {"every_step": True}}, "takes no every_step with method = 'cells'"),
        ({"detection": {"method": "triangulation", "skin": 0.1, "every_step": True}}, "takes no skin with every_step"),
    ],
)
def test_bad_settings_are_said(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CaseError, match=sentence):
        build_scene(colliding(1.0, **change), {"ball": 1.0}, {"ball": 1.0})


def test_a_law_must_act_at_contact() -> None:
    law = {"law": "lennard_jones", "depth": 1.0, "sigma": 1.2}
    case = case_of([SPHERE], law, 1e-3, grain=[{"species": "ball", "position": (0, 0, 0)}], detection={"method": "triangulation"})
    with pytest.raises(CaseError, match="law = 'lennard_jones' acts beyond; use 'cells'"):
        build_scene(case, {"ball": 1.0}, {"ball": 1.0})


def test_grains_with_covering_spheres_must_be_convex() -> None:
    frame = {"name": "corner", "shape": "polyline", "vertices": [(0, 0, 0), (1, 0, 0), (1, 1, 0)], "radius": 0.1, "density": 1.0}
    case = case_of(
        [frame], {"law": "elastic", "contact_time": 0.1, "interaction": "superposition"}, 1e-3,
        grain=[{"species": "corner", "position": (0, 0, 0)}], detection={"method": "triangulation", "every_step": True},
    )  # fmt: skip
    with pytest.raises(CaseError, match="needs convex grains, but species 'corner' is not"):
        build_scene(case, {"corner": 1.0}, {"corner": 1.0})
