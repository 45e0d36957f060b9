"""The same bits on any number of ranks: over migration, moving cuts, periodic wraps, moving walls, friction and history."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import CROSS, CUBE, ELL, ROD, SPHERE, TETRAHEDRON, case_of, engine_of, fingerprint
from skeletons import ell

from pardem.case import Case

VISCOUS = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.02, "friction": 0.5}
STIFF = VISCOUS | {"contact_time": 0.01}
FEATURES = VISCOUS | {"interaction": "superposition"}
HOOK = {"name": "hook", "shape": "yermis", "edge": 0.5, "segments": 4, "bend": 1.3, "radius": 0.15, "density": 1000.0}
_POINTS, _FACES = ell(1.2, 1.2, 0.4, 0.4, 0.4)
CORNER = {
    "name": "corner", "shape": "skeleton", "radius": 0.12, "density": 1000.0, "vertices": _POINTS.tolist(), "faces": _FACES, "solid": True
}  # fmt: skip
HORNS = {
    "name": "horns", "shape": "polygon", "radius": 0.1, "density": 1000.0,
    "vertices": [(0, 0), (1.2, 0), (1.2, 1), (0.9, 1), (0.9, 0.3), (0.3, 0.3), (0.3, 1), (0, 1)],
}  # fmt: skip
FORK = {
    "name": "fork", "shape": "planar_compound", "radius": 0.2, "density": 1000.0,
    "pieces": [[(0, 0), (1.2, 0), (1.2, 0.3), (0, 0.3)], [(0, 0.3), (0.3, 0.3), (0.3, 1), (0, 1)], [(0.9, 0.3), (1.2, 0.3), (1.2, 1), (0.9, 1)]],
}  # fmt: skip
PENTAGON = {"name": "pentagon", "shape": "regular_polygon", "sides": 5, "circumradius": 0.4, "radius": 0.1, "density": 1000.0}
RICE = {"name": "rice", "shape": "rice", "length": 0.4, "radius": 0.12, "density": 1000.0}

SIZES = {"kind": "uniform", "min": 0.5, "max": 1.0}


def shaken(species: list[dict[str, Any]], count: int, contact: dict[str, Any], size: Any = 1.0, height: float = 9.0, step: float = 1e-3) -> Case:
    """``count`` grains of each species in a box that is periodic along x, on a shaken floor between walls along y."""
    region = {"kind": "box", "lower": (1.3, 0.1, 0.1), "upper": (5.7, 4.9, height)}
    return case_of(
        species, contact, step, gravity=(0.0, 0.0, -9.8), seed=4,
        domain={"lower": (0.0, -0.1, -5.0), "upper": (7.0, 5.1, 30.0), "periodic": (True, False, False)},
        wall=[
            {"name": "floor", "kind": "plane", "point": (0, 0, 0), "normal": (0, 0, 1),
             "motion": {"kind": "sinusoidal", "direction": (0.3, 0, 1), "gamma": 3.0, "frequency": 4.0}},
            {"name": "left", "kind": "plane", "point": (0, 0, 0), "normal": (0, 1, 0)},
            {"name": "right", "kind": "plane", "point": (0, 5, 0), "normal": (0, -1, 0)},
        ],
        insert=[{"species": s["name"], "count": count, "region": region, "size": size} for s in species],
    )  # fmt: skip


def in_a_tube(species: list[dict[str, Any]], count: int, contact: dict[str, Any], **base: float) -> Case:
    """``count`` grains of each species in an upright tube that is closed by a vibrating disc (``base``: more of it)."""
    region = {"kind": "cylinder", "radius": 2.3, "lower": 0.1, "upper": 4.0}
    return case_of(
        species, contact, 5e-4, gravity=(0.0, 0.0, -9.8), seed=4,
        domain={"lower": (-3.0, -3.0, -3.0), "upper": (3.0, 3.0, 30.0)},
        wall=[
            {"name": "tube", "kind": "cylinder", "radius": 2.5},
            {"name": "base", "kind": "disc", "center": (0, 0, 0), "normal": (0, 0, 1), "radius": 2.6,
             "motion": {"kind": "sinusoidal", "gamma": 2.0, "frequency": 6.0}} | base,
        ],
        insert=[{"species": s["name"], "count": count, "region": region, "size": SIZES} for s in species],
    )  # fmt: skip


def in_the_plane(species: list[dict[str, Any]], count: int, contact: dict[str, Any]) -> Case:
    """``count`` grains of each species in two dimensions, periodic along x, on a shaken floor."""
    region = {"kind": "box", "lower": (1.3, 0.1), "upper": (10.7, 16.0)}
    return case_of(
        species, contact, 5e-4, dimension=2, gravity=(0.0, -9.8), seed=4,
        domain={"lower": (0.0, -5.0), "upper": (12.0, 60.0), "periodic": (True, False)},
        wall=[{"name": "floor", "kind": "plane", "point": (0, 0), "normal": (0, 1),
               "motion": {"kind": "sinusoidal", "direction": (0.3, 1), "gamma": 3.0, "frequency": 4.0}}],
        insert=[{"species": s["name"], "count": count, "region": region, "size": SIZES} for s in species],
    )  # fmt: skip


def on_plates(species: list[dict[str, Any]], count: int, contact: dict[str, Any], step: float = 1e-3) -> Case:
    """``count`` grains of each species on a shaken floor made of bodies, periodic along x."""
    case = shaken(species, count, contact, SIZES, height=6.0, step=step).model_dump(exclude_none=True)
    corners = [(x, y, z) for x in (0.0, 1.75) for y in (0.0, 5.0) for z in (-0.5, -0.1)]
    plate = {"name": "plate", "shape": "polyhedron", "radius": 0.1, "density": 1.0, "vertices": corners}
    floor, *sides = case["wall"]
    plates = [
        {"name": f"plate_{k}", "material": "floor", "kind": "body", "species": "plate", "position": (1.75 * k, 0, 0), "motion": floor["motion"]}
        for k in range(4)
    ]
    return Case(**case | {"species": [*case["species"], plate], "wall": [*sides, *plates]})


def outlines(count: int, contact: dict[str, Any]) -> Case:
    """``count`` grains of each of three shapes with many corners or none, in a plane box that is periodic along x, on a shaken floor."""
    common = {"radius": 0.1, "density": 1000.0}
    species = [
        {"name": "wheel", "shape": "regular_polygon", "sides": 20, "circumradius": 0.4} | common,
        {"name": "cow", "shape": "cow", "length": 1.0} | common | {"radius": 0.05},
        {"name": "disk", "shape": "disk"} | common | {"radius": 0.3},
    ]
    return case_of(
        species, contact, 5e-4, dimension=2, gravity=(0.0, -9.8), seed=4,
        domain={"lower": (0.0, -5.0), "upper": (10.0, 40.0), "periodic": (True, False)},
        wall=[{"name": "floor", "kind": "plane", "point": (0, 0), "normal": (0, 1),
               "motion": {"kind": "sinusoidal", "direction": (0.3, 1), "gamma": 3.0, "frequency": 4.0}}],
        insert=[{"species": s["name"], "count": count, "size": SIZES, "region": {"kind": "box", "lower": (1.0, 0.1), "upper": (9.0, 9.0)}}
                for s in species],
    )  # fmt: skip


def timed(case: Case, **time: str) -> Case:
    """The case with another integrator."""
    data = case.model_dump(exclude_none=True)
    return Case(**data | {"time": data["time"] | time})


SCENES = {
    "rods": lambda: shaken([ROD], 60, VISCOUS),
    "rods by nearest points": lambda: shaken([ROD], 40, VISCOUS | {"interaction": "minima"}),
    "spheres": lambda: shaken([SPHERE], 60, VISCOUS),
    "spheres of two sizes": lambda: shaken([SPHERE | {"radius": 0.3}], 80, VISCOUS | {"law": "walton"}),
    "cubes": lambda: shaken([CUBE | {"side": 0.6}], 50, STIFF, height=6.0),
    "tetrahedra by nearest points": lambda: shaken([TETRAHEDRON], 50, STIFF | {"interaction": "minima"}, height=5.0),
    "shapes of all sizes": lambda: shaken([SPHERE, ROD, CUBE], 25, STIFF, SIZES, height=6.0),
    "shapes of all sizes by Gear's scheme": lambda: timed(shaken([SPHERE, ROD, CUBE], 25, STIFF, SIZES, height=6.0), integrator="gear4"),
    "rods by Fincham's leap-frog": lambda: timed(shaken([ROD], 40, VISCOUS), rotation="fincham"),
    "shapes in a tube": lambda: in_a_tube([ROD, CUBE], 15, STIFF),
    "features of all shapes": lambda: shaken([SPHERE, ROD, TETRAHEDRON], 25, FEATURES, SIZES, 5.0, 5e-4),
    "features on bodies": lambda: on_plates([SPHERE, CUBE], 25, FEATURES, 5e-4),
    "shapes on bodies": lambda: on_plates([ROD, CUBE], 25, VISCOUS, 5e-4),
    "wide sums": lambda: on_plates([ROD, CUBE], 25, VISCOUS, 5e-4),
    "wide sums by Gear's scheme": lambda: timed(shaken([SPHERE, ROD, CUBE], 25, STIFF, SIZES, height=6.0), integrator="gear4"),
    "outlines in the plane": lambda: outlines(15, FEATURES),
    "features in a tube": lambda: in_a_tube([ROD, CUBE], 15, FEATURES),
    "regularised in the plane": lambda: in_the_plane([SPHERE | {"shape": "disk", "radius": 0.4}, RICE, PENTAGON], 20, VISCOUS),
    "minima of shapes that are not convex": lambda: shaken([SPHERE, HOOK, CORNER], 20, VISCOUS | {"interaction": "minima"}, SIZES, 5.0, 5e-4),
    "minima in a tube": lambda: in_a_tube([HOOK, CUBE], 12, VISCOUS | {"interaction": "minima"}),
    "minima above a hole": lambda: in_a_tube([HOOK, CUBE], 12, VISCOUS | {"interaction": "minima"}, hole=1.2),
    "minima in the plane": lambda: in_the_plane([HORNS, RICE], 30, VISCOUS | {"interaction": "minima"}),
    "pieces of all shapes": lambda: shaken([SPHERE, ROD, CUBE, ELL, CROSS], 12, VISCOUS, SIZES, 6.0, 5e-4),
    "pieces in a tube": lambda: in_a_tube([ELL, CROSS], 9, VISCOUS),
    "pieces in the plane": lambda: in_the_plane([FORK, SPHERE | {"shape": "disk", "radius": 0.4}, RICE | {"radius": 0.2}], 15, VISCOUS),
}
STEPS = 1200


def of_comm(comm: MPI.Comm, case: Case, axis: int, steps: int = STEPS, skin: float | None = None, wide: bool = False) -> tuple[str, int]:
    """Fingerprint after some steps with random shoves at the start, and the number of rebuilds."""
    engine, _ = engine_of(case, comm, axis=axis, skin=skin, wide=wide)
    rng = np.random.default_rng(9)
    shove = rng.normal(size=(1000, 3))
    shove[:, case.dimension :] = 0.0
    engine.grains.v[:, :3] = shove[engine.grains.gid]
    engine.advance(steps)
    engine.settle_faults()
    return fingerprint(engine), engine.counters.rebuilds


@pytest.mark.mpi
@pytest.mark.parametrize("axis", [0, 2])
@pytest.mark.parametrize("scene", SCENES)
def test_any_number_of_ranks_gives_the_bits_of_one(scene: str, axis: int) -> None:
    comm = MPI.COMM_WORLD
    case, wide = SCENES[scene](), scene.startswith("wide")
    alone = comm.bcast(of_comm(MPI.COMM_SELF, case, 0, wide=wide)[0] if comm.rank == 0 else None)
    together, rebuilds = of_comm(comm, case, min(axis, case.dimension - 1), wide=wide)
    assert rebuilds > 5
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
    runs = [of_comm(MPI.COMM_SELF, case, 0, skin=skin) for skin in (1e-4, 0.01, 0.1, 0.4)]
    assert len({bits for bits, _ in runs}) == 1
    assert runs[0][1] > 2 * runs[3][1]


def test_seven_ranks(run_mpi: Any) -> None:
    """More ranks than the scene is wide: thin and empty slabs."""
    done = run_mpi(7, __file__)
    alone = of_comm(MPI.COMM_SELF, SCENES["rods"](), 0, steps=400)[0]
    assert done.stdout.split() == [alone]


if __name__ == "__main__":
    bits = of_comm(MPI.COMM_WORLD, SCENES["rods"](), 2, steps=400)[0]
    if MPI.COMM_WORLD.rank == 0:
        sys.stdout.write(bits + "\n")
