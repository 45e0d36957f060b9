"""The same bits on any number of ranks: over migration, moving cuts, periodic wraps, moving walls, friction and history."""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest
from beds import OF_THEIR_OWN, SCENES, STIFF, VISCOUS, moved, of_scene, reference, shaken, timed
from mpi4py import MPI
from scenes import AXES, CUBE, ROD, SPHERE, case_of

from pardem.case import Case

EVERYWHERE = ("rods", "spheres", "shapes of all sizes", "features on bodies", "balls that are sheared", "spheres that leak")


def numbers_of_ranks(scene: str) -> tuple[int, ...]:
    """Two ranks cut every scene; three ranks every other one and four ranks the others; some scenes are cut by all."""
    return (2, 3, 4) if scene in EVERYWHERE else (2, 3 + list(SCENES).index(scene) % 2)


CUT = [
    pytest.param(name, marks=[pytest.mark.ranks(*numbers_of_ranks(name)), *[pytest.mark.slow] * (name in OF_THEIR_OWN)]) for name in SCENES
]


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("scene", CUT)
def test_any_number_of_ranks_gives_the_bits_of_one(scene: str, axis: int) -> None:
    comm = MPI.COMM_WORLD
    alone = comm.bcast(reference(scene) if comm.rank == 0 else None)
    together, engine = of_scene(scene, comm, axis)
    assert engine.counters.rebuilds > 5
    assert together == alone


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("scene", ["spheres", "rods", "features on bodies"])
def test_wide_sums_have_the_same_bits_on_any_number_of_ranks(scene: str) -> None:
    """With two limbs for each force, torque and reaction, of which small contacts fill one."""
    comm, case = MPI.COMM_WORLD, SCENES[scene]()
    alone = comm.bcast(moved(case, MPI.COMM_SELF, wide=True)[0] if comm.rank == 0 else None)
    together, engine = moved(case, comm, wide=True)
    assert engine.scene.settings.wide
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
        "minima in a tube",
        pytest.param("minima of shapes that are not convex", marks=pytest.mark.slow),
    ],
)
def test_the_skin_never_shows(scene: str) -> None:
    """Not in the motion nor in the energy budget, even where grains move further than the skin in one step."""
    case = SCENES[scene]()
    runs = [moved(case, MPI.COMM_SELF, skin=skin) for skin in (1e-4, 0.01, 0.1, 0.4)]
    assert len({bits for bits, _ in runs}) == 1
    assert runs[0][1].counters.rebuilds > 2 * runs[3][1].counters.rebuilds


def periodic_cell() -> Case:
    """Rods that fly about and meet in a cell that is periodic in all directions: most boxes of the grids are thinner than they are long."""
    region = {"kind": "box", "lower": (0.0, 0.0, 0.0), "upper": (4.4, 4.4, 4.4)}
    domain = {"lower": (0.0, 0.0, 0.0), "upper": (4.4, 4.4, 4.4), "periodic": (True, True, True)}
    return case_of([ROD], VISCOUS, 1e-3, seed=4, domain=domain, insert=[{"species": "rod", "count": 40, "region": region}])


ON_GRIDS = {
    "rods": SCENES["rods"],
    "rods in a periodic cell": periodic_cell,
    "fewer grains than ranks": lambda: shaken([SPHERE], 3, VISCOUS),
    "fewer grains than ranks by Gear's scheme": lambda: timed(shaken([SPHERE, ROD, CUBE], 1, STIFF, height=6.0), integrator="gear4"),
}
STEPS = 150
GRIDS = [(2, 2, 1), (1, 2, 2), (2, 2, 2), (3, 2, 1), (7, 1, 1), (1, 1, 7), (0, 0, 0)]


@pytest.mark.mpi(min_size=4)
@pytest.mark.parametrize("grid", [(2, 2, 1), (1, 2, 2), (1, 1, 4)], ids=str)
@pytest.mark.parametrize("scene", ["rods in a periodic cell", "fewer grains than ranks", "fewer grains than ranks by Gear's scheme"])
def test_grids_of_four_ranks_give_the_bits_of_one(scene: str, grid: tuple[int, int, int]) -> None:
    """Boxes that meet in edges, beside themselves, or that are thinner than a grain is long; and empty ones."""
    comm = MPI.COMM_WORLD
    if comm.size != 4:
        pytest.skip("for four ranks")
    alone = comm.bcast(moved(ON_GRIDS[scene](), MPI.COMM_SELF, steps=STEPS)[0] if comm.rank == 0 else None)
    assert moved(ON_GRIDS[scene](), comm, steps=STEPS, grid=grid)[0] == alone


@pytest.mark.slow
def test_any_grid_of_ranks_gives_the_bits_of_one(run_mpi: Any) -> None:
    """Thin and empty boxes, boxes thinner than a grain is long, and more than eight boxes that meet in a corner."""
    alone = {scene: moved(case(), MPI.COMM_SELF, steps=STEPS)[0] for scene, case in ON_GRIDS.items()}
    done = run_mpi(8, __file__, timeout=900)
    assert done.stdout.splitlines() == [f"{scene} {grid} {alone[scene]}" for scene in ON_GRIDS for grid in GRIDS]


def on_grids(comm: MPI.Comm) -> None:
    """Print the fingerprint of each scene on each grid; some of eight ranks take no part in smaller ones."""
    for scene, case in ON_GRIDS.items():
        for grid in GRIDS:
            takes_part = comm.rank < (math.prod(grid) or 6)
            part = comm.Split(int(takes_part), comm.rank)
            bits = moved(case(), part, steps=STEPS, grid=grid)[0] if takes_part else ""
            if comm.rank == 0:
                sys.stdout.write(f"{scene} {grid} {bits}\n")
            part.Free()


if __name__ == "__main__":
    on_grids(MPI.COMM_WORLD)
