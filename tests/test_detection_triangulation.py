"""Detection by triangulation against linked cells: the same pairs, the same bits, and a maximal overlap that is watched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import CUBE, ROD, SPHERE, case_of, engine_of, fingerprint
from test_ranks import SIZES, STIFF, VISCOUS, in_a_tube, shaken

from pardem.case import Case
from pardem.detection.bounds import oriented_extents
from pardem.detection.build import _pairs_by_cells

BRICK = CUBE | {"name": "brick", "side": 0.5, "radius": 0.2}
TETRAHEDRON = {"name": "tetrahedron", "shape": "spherotetrahedron", "edge": 0.6, "radius": 0.25, "density": 1000.0}


def by_triangulation(case: Case, **more: Any) -> Case:
    """The case with the other detection."""
    data = case.model_dump(exclude_none=True)
    return Case(**data | {"detection": data["detection"] | {"method": "triangulation", "max_overlap": 0.005} | more})


SCENES = {
    "spheres of all sizes": lambda: shaken([SPHERE], 80, VISCOUS, {"kind": "uniform", "min": 0.2, "max": 1.0}),
    "rods": lambda: shaken([ROD], 40, VISCOUS),
    "shapes of all sizes": lambda: shaken([SPHERE, ROD, BRICK, TETRAHEDRON], 15, STIFF, SIZES, height=6.0),
    "shapes in a tube": lambda: in_a_tube([ROD, BRICK], 15, STIFF),
}


def moved(case: Case, comm: MPI.Comm, axis: int = 0, steps: int = 600, skin: float | None = None) -> tuple[str, Any]:
    """Fingerprint after some steps with random shoves at the start, and the engine."""
    engine, _ = engine_of(case, comm, axis=axis, skin=skin)
    shove = np.random.default_rng(9).normal(size=(1000, 3))
    engine.grains.v[:, :3] = shove[engine.grains.gid]
    engine.advance(steps)
    engine.settle_faults()
    return fingerprint(engine), engine


def pairs_of(engine: Any, method: str, skin: float) -> set[tuple[int, int]]:
    """Candidate pairs of an engine on one rank, by global ids."""
    n, g, scene = engine.grains.count, engine._grains, engine.scene
    extent, radius = np.empty((n, 3)), np.empty(n)
    oriented_extents(0, n, g, extent, radius)
    if method == "cells":
        pairs, found = _pairs_by_cells(n, n, g, extent, radius, scene, skin, 0)
    else:
        pairs, found = engine.detector.find_pairs(n, n, g, extent, scene.settings, skin, 0)
    named = {(int(g.gid[i]), int(g.gid[j])) for i, j in pairs[:found]}
    assert len(named) == found
    assert all(i < j for i, j in named)
    return named


@pytest.mark.parametrize("periodic", [(False, False, False), (True, True, False), (True, True, True)])
def test_the_same_pairs_as_with_cells(periodic: tuple[bool, bool, bool]) -> None:
    """Spheres and rods of sizes that differ by a factor of twelve, for which the last test of both methods is exact."""
    box = {"kind": "box", "lower": (-1, 0, 2), "upper": (4.5, 5.5, 8)}
    case = case_of(
        [ROD, SPHERE], {"law": "elastic", "contact_time": 0.1}, 1e-3, seed=11,
        domain={"lower": (-1, 0, 2), "upper": (4.5, 5.5, 8), "periodic": periodic},
        insert=[{"species": "rod", "count": 50, "region": {"kind": "periodic"} if all(periodic) else box},
                {"species": "ball", "count": 400, "size": {"kind": "uniform", "min": 0.08, "max": 0.3}, "region": box},
                {"species": "ball", "count": 8, "region": box}],
    )  # fmt: skip
    engine, _ = engine_of(by_triangulation(case, max_overlap=0.002, skin=0.006))
    skin = engine.scene.covering.skin
    for reach in (0.25 * skin, skin):
        assert pairs_of(engine, "triangulation", reach) == pairs_of(engine, "cells", reach)
    assert len(pairs_of(engine, "cells", skin)) > 20
    assert engine.detector.counts.refused == 0


@pytest.mark.mpi
@pytest.mark.parametrize("axis", [0, 2])
@pytest.mark.parametrize("scene", SCENES)
def test_the_bits_of_cells_on_any_number_of_ranks(scene: str, axis: int) -> None:
    comm = MPI.COMM_WORLD
    case = SCENES[scene]()
    alone = comm.bcast(moved(case, MPI.COMM_SELF)[0] if comm.rank == 0 else None)
    together, engine = moved(by_triangulation(case), comm, axis)
    assert engine.counters.rebuilds > 5
    assert comm.allreduce(engine.detector.counts.refused) == 0
    assert comm.allreduce(engine.detector.counts.spheres) > 0
    assert together == alone
