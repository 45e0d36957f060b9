"""The same bits on any number of ranks: over migration, moving cuts, periodic wraps, moving walls, friction and history."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from beds import SCENES, moved, of_scene, reference
from mpi4py import MPI

EVERYWHERE = ("rods", "spheres", "shapes of all sizes", "features on bodies", "balls that are sheared", "spheres that leak")


def takes_part(scene: str, axis: int, ranks: int) -> bool:
    """Two ranks cut every scene along x; three ranks every other one along z and four ranks the others along x; some scenes are cut by all."""
    if axis != (2 if ranks == 3 else 0):
        return False
    return ranks == 2 or scene in EVERYWHERE or list(SCENES).index(scene) % 2 == ranks % 2


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("axis", [0, 2])
@pytest.mark.parametrize("scene", SCENES)
def test_any_number_of_ranks_gives_the_bits_of_one(scene: str, axis: int, pytestconfig: pytest.Config) -> None:
    comm = MPI.COMM_WORLD
    if not takes_part(scene, axis, comm.size) and not pytestconfig.getoption("--full"):
        pytest.skip("not for this number of ranks and axis: run with --full")
    alone = comm.bcast(reference(scene) if comm.rank == 0 else None)
    together, engine = of_scene(scene, comm, axis)
    assert engine.counters.rebuilds > 5
    assert together == alone


@pytest.mark.parametrize(
    "scene",
    [
        "rods",
        "spheres",
        "shapes of all sizes",
        "shapes of all sizes by Gear's scheme",
        "shapes in a tube",
        "features of all shapes",
        "features on bodies",
        "outlines in the plane",
        "minima of shapes that are not convex",
    ],
)
def test_the_skin_never_shows(scene: str) -> None:
    """Not in the motion nor in the energy books, even where grains move further than the skin in one step."""
    case = SCENES[scene]()
    runs = [moved(case, MPI.COMM_SELF, skin=skin) for skin in (1e-4, 0.01, 0.1, 0.4)]
    assert len({bits for bits, _ in runs}) == 1
    assert runs[0][1].counters.rebuilds > 2 * runs[3][1].counters.rebuilds


def test_seven_ranks(run_mpi: Any) -> None:
    """More ranks than the scene is wide: thin and empty slabs."""
    done = run_mpi(7, __file__)
    alone = moved(SCENES["rods"](), MPI.COMM_SELF, steps=400)[0]
    assert done.stdout.split() == [alone]


if __name__ == "__main__":
    bits = moved(SCENES["rods"](), MPI.COMM_WORLD, axis=2, steps=400)[0]
    if MPI.COMM_WORLD.rank == 0:
        sys.stdout.write(bits + "\n")
