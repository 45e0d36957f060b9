"""Small beds over all laws, interactions, shapes, walls, integrators and ways of detection, to be held against other ranks and other versions."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scenes
from mpi4py import MPI
from scenes import CROSS, CUBE, ELL, FLOOR, ROD, SPHERE, TETRAHEDRON, case_of, engine_of, fingerprint, slabs_across
from skeletons import ell

import pardem
from pardem.case import Case
from pardem.compiled import cache
from pardem.decomposition.grids import Grid
from pardem.engine import Engine
from pardem.recorder import Recorder
from pardem.simulation import Simulation
from pardem.state.arrays import IN_COLUMNS

VISCOUS = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.02, "friction": 0.5}
STIFF = VISCOUS | {"contact_time": 0.01}
ROLLING = {"rolling_friction": 0.3, "twisting_friction": 0.2}
FEATURES = VISCOUS | {"interaction": "superposition"}
HERTZ = {"law": "hertz", "young": 3e6, "poisson": 0.3, "restitution": 0.6, "friction": 0.4, "reference_speed": 5.0}
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


def by_triangulation(case: Case, **more: Any) -> Case:
    """The case with the other way of detection."""
    data = case.model_dump(exclude_none=True)
    usual = {"method": "triangulation", "max_overlap": 0.005} | ({} if "every_step" in more else {"skin": 0.03})
    return Case(**data | {"detection": usual | more})


def attracting(count: int) -> Case:
    """Lennard-Jones balls and rods above a floor, periodic along x and y."""
    law = {"law": "lennard_jones", "depth": 2e3, "sigma": 1.0}
    pairs = [{"between": ["ball", "rod"], "sigma": 0.8, "cutoff": 2.0}, {"between": ["rod", "rod"], "sigma": 0.6}]
    region = {"kind": "box", "lower": (0.0, 0.0, 0.6), "upper": (9.0, 9.0, 8.0)}
    return case_of(
        [SPHERE, ROD], law | {"pair": pairs}, 1e-3, gravity=(0.0, 0.0, -1.0), seed=3,
        domain={"lower": (0.0, 0.0, -1.0), "upper": (9.0, 9.0, 40.0), "periodic": (True, True, False)}, wall=[FLOOR],
        insert=[{"species": s["name"], "count": count, "region": region} for s in (SPHERE, ROD)],
    )  # fmt: skip


def of_users_law(count: int) -> Case:
    """Spheres under the law of the examples."""
    law = {"law": "user", "user_law": "user_law.py:stiffening", "user_parameters": [4e6, 0.01, 3e3], "force_scale": 1e8, "friction": 0.3}
    return shaken([SPHERE], count, law | {"tangential_stiffness": 1e6}).located(Path(__file__).parent.parent / "jobs" / "examples")


def leaking(species: list[dict[str, Any]], count: int, contact: dict[str, Any], integrator: str = "verlet") -> Case:
    """Grains in a shaken tube on a disc with a hole, through which they fall to an open face; another is open at the side."""
    region = {"kind": "cylinder", "radius": 2.3, "lower": 0.1, "upper": 4.0}
    return case_of(
        species, contact, 5e-4, gravity=(0.0, 0.0, -9.8), seed=4, time={"step": 5e-4, "integrator": integrator},
        domain={"lower": (-3.0, -3.0, -0.8), "upper": (3.0, 3.0, 30.0), "outflow": ["lower-z", "upper-x"]},
        wall=[
            {"name": "tube", "kind": "cylinder", "radius": 2.5},
            {"name": "base", "kind": "disc", "center": (0, 0, 0), "normal": (0, 0, 1), "radius": 2.6, "hole": 2.0,
             "motion": {"kind": "sinusoidal", "gamma": 2.0, "frequency": 6.0}},
        ],
        insert=[{"species": s["name"], "count": count, "region": region, "size": SIZES} for s in species],
        stage=[{"name": "flow", "kind": "run", "steps": 2000}],
    )  # fmt: skip


def in_a_cone(species: list[dict[str, Any]], count: int, contact: dict[str, Any]) -> Case:
    """``count`` grains of each species above a shaken hopper in a tube, which they leave through its outlet and an open face."""
    region = {"kind": "cylinder", "radius": 2.0, "lower": 2.2, "upper": 6.0}
    return case_of(
        species, contact, 5e-4, gravity=(0.0, 0.0, -9.8), seed=4,
        domain={"lower": (-3.0, -3.0, -0.8), "upper": (3.0, 3.0, 30.0), "outflow": ["lower-z"]},
        wall=[
            {"name": "tube", "kind": "cylinder", "radius": 2.75},
            {"name": "hopper", "kind": "cone", "radius": 0.7, "half_angle": 0.6, "length": 3.0,
             "motion": {"kind": "sinusoidal", "direction": (0.3, 0, 1), "gamma": 2.0, "frequency": 6.0}},
        ],
        insert=[{"species": s["name"], "count": count, "region": region, "size": SIZES} for s in species],
        stage=[{"name": "flow", "kind": "run", "steps": 2000}],
    )  # fmt: skip


def sheared() -> Case:
    """Balls that servo walls compress and shear while a blade turns among them; a wall vanishes between two stages."""
    lid = {"name": "lid", "kind": "plane", "point": (0, 0, 5), "normal": (0, 0, -1)}
    walls = [
        FLOOR,
        {"name": "left", "kind": "plane", "point": (0, 0, 0), "normal": (0, 1, 0)},
        {"name": "right", "kind": "plane", "point": (0, 4, 0), "normal": (0, -1, 0), "motion": {
            "kind": "servo", "direction": (0, -1, 0), "pressure": 300.0, "span": [("floor", "lid"), ("front", "back")],
            "mass": 300.0, "damping": 900.0}},
        {"name": "front", "kind": "plane", "point": (0, 0, 0), "normal": (1, 0, 0)},
        {"name": "back", "kind": "plane", "point": (7, 0, 0), "normal": (-1, 0, 0), "stages": ["press"]},
        {"name": "fence", "kind": "plane", "point": (7.4, 0, 0), "normal": (-1, 0, 0)},
        {"name": "stirrer", "kind": "body", "species": "blade", "position": (3.5, 2, 1.2),
         "motion": {"kind": "rotation", "axis": (0, 1, 0), "center": (3.5, 2, 1.2), "rate": 4.0}},
        lid | {"motion": {"kind": "servo", "direction": (0, 0, -1), "force": 4e3, "mass": 400.0, "damping": 2e3}, "then": [
            {"kind": "servo", "direction": (0, 0, -1), "force": 6e3, "mass": 400.0, "damping": 2e3, "velocity": (0.5, 0, 0), "start": "shear"}]},
    ]  # fmt: skip
    blade = {"name": "blade", "shape": "spherocylinder", "length": 1.2, "radius": 0.2, "density": 1.0}
    return case_of(
        [SPHERE, blade], {"law": "viscoelastic", "restitution": 0.5, "contact_time": 0.03, "friction": 0.4}, 1e-3, seed=3,
        gravity=(0.0, 0.0, -9.81), wall=walls, domain={"lower": (-2, -2, -2), "upper": (9, 6, 9)},
        insert=[{"species": "ball", "count": 40, "size": {"kind": "uniform", "min": 0.7, "max": 1.0},
                 "region": {"kind": "box", "lower": (0, 0, 0), "upper": (7, 4, 5)}}],
        stage=[{"name": name, "kind": "run", "steps": steps} for name, steps in (("press", 400), ("shear", 2000))],
    )  # fmt: skip


def without_budget(case: Case) -> Case:
    """The case without the energy budget, whose histories are narrower."""
    data = case.model_dump(exclude_none=True)
    return Case(**data | {"output": {"observables": {"energy_budget": False}}})


SCENES = {
    "rods": lambda: shaken([ROD], 60, VISCOUS),
    "rods by nearest points": lambda: shaken([ROD], 40, VISCOUS | {"interaction": "minima"}),
    "spheres": lambda: shaken([SPHERE], 60, VISCOUS),
    "spheres of two sizes": lambda: shaken([SPHERE | {"radius": 0.3}], 80, VISCOUS | {"law": "walton"}),
    "spheres by Walton along the tangent": lambda: shaken([SPHERE | {"radius": 0.3}], 60, VISCOUS | {"law": "walton_tangential"}),
    "cubes": lambda: shaken([CUBE | {"side": 0.6}], 50, STIFF, height=6.0),
    "tetrahedra by nearest points": lambda: shaken([TETRAHEDRON], 50, STIFF | {"interaction": "minima"}, height=5.0),
    "shapes of all sizes": lambda: shaken([SPHERE, ROD, CUBE], 25, STIFF, SIZES, height=6.0),
    "shapes of all sizes by Gear's scheme": lambda: timed(shaken([SPHERE, ROD, CUBE], 25, STIFF, SIZES, height=6.0), integrator="gear4"),
    "rods by Fincham's leap-frog": lambda: timed(shaken([ROD], 40, VISCOUS), rotation="fincham"),
    "shapes in a tube": lambda: in_a_tube([ROD, CUBE], 15, STIFF),
    "features of all shapes": lambda: shaken([SPHERE, ROD, TETRAHEDRON], 25, FEATURES, SIZES, 5.0, 5e-4),
    "features on bodies": lambda: on_plates([SPHERE, CUBE], 25, FEATURES, 5e-4),
    "shapes on bodies": lambda: on_plates([ROD, CUBE], 25, STIFF, 2.5e-4),
    "wide sums": lambda: on_plates([ROD, CUBE], 25, STIFF, 2.5e-4),
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
    "elastic spheres": lambda: shaken([SPHERE], 40, {"law": "elastic", "contact_time": 0.02, "friction": 0.4}),
    "spheres of Hertz": lambda: shaken([SPHERE], 60, HERTZ, SIZES),
    "rods of Hertz": lambda: shaken([ROD], 40, HERTZ, step=5e-4),
    "attracting spheres and rods": lambda: attracting(30),
    "spheres of a user's law": lambda: of_users_law(40),
    "spheres without energy budget": lambda: without_budget(shaken([SPHERE], 60, VISCOUS, SIZES)),
    "shapes without energy budget": lambda: without_budget(shaken([SPHERE, ROD, CUBE], 25, STIFF, SIZES, height=6.0)),
    "spheres by semi-implicit steps": lambda: timed(shaken([SPHERE], 60, VISCOUS), integrator="euler"),
    "spheres found by triangulation": lambda: by_triangulation(shaken([SPHERE], 80, VISCOUS, {"kind": "uniform", "min": 0.2, "max": 1.0})),
    "rods found by triangulation": lambda: by_triangulation(shaken([ROD], 40, VISCOUS)),
    "spheres that leak": lambda: leaking([SPHERE], 60, VISCOUS),
    "features that leak": lambda: leaking([ROD, CUBE], 12, FEATURES),
    "shapes in a cone": lambda: in_a_cone([SPHERE, ROD, CUBE], 10, STIFF),
    "balls that are sheared": sheared,
    "spheres with rolling springs": lambda: shaken([SPHERE], 60, VISCOUS | ROLLING | {"resistance": "spring"}, SIZES),
    "shapes with constant torques": lambda: shaken([SPHERE, ROD, CUBE], 25, STIFF | ROLLING | {"resistance": "constant"}, SIZES, height=6.0),
}
STEPS = 1200

# beds whose kernels no other test needs, and which take a minute to compile: they run with --full
OF_THEIR_OWN = ("shapes with constant torques", "rods of Hertz")
USUAL = [pytest.param(name, marks=[pytest.mark.slow] * (name in OF_THEIR_OWN)) for name in SCENES]


def kernel_of(name: str) -> str:
    """What the step of a scene is compiled for, as far as its case tells: narrow phase, law, integrator. Scenes that share it compile it once."""
    case = SCENES[name]()
    shapes = {species.shape for species in case.species}
    reentrant = not shapes.isdisjoint({"yermis", "skeleton", "polygon"})
    if not shapes.isdisjoint({"compound", "planar_compound"}):
        narrow = "pieces"
    elif case.contact.interaction != "regularised" and (reentrant or case.contact.interaction == "superposition"):
        narrow = case.contact.interaction
    else:
        narrow = "spheres" if shapes <= {"sphere", "disk"} else "rods" if shapes <= {"sphere", "disk", "spherocylinder", "rice"} else "polytopes"
    return f"{narrow}, {case.contact.law}, {case.time.integrator.replace('euler', 'verlet')}"


def moved(
    case: Case, comm: MPI.Comm, axis: int = 0, steps: int = STEPS, skin: float | None = None, wide: bool = False, observe: bool = False,
    in_columns: bool = False, recorded: bool = False, grid: Grid | None = None,
) -> tuple[str, Engine]:  # fmt: skip
    """Some steps of a case with random shoves at its start.

    Args:
        case: with a stage of as many steps or more, or of one step: then that is made longer.
        comm: communicator.
        axis: across which the slabs are cut.
        steps: how many.
        skin: of the lists (m).
        wide: whether to sum in two limbs what need not be.
        observe: whether the observables at the end count.
        in_columns: whether no contacts go through lanes.
        recorded: whether the contacts at the end are recorded.
        grid: number of parts along each axis; None: slabs.

    Returns:
        fingerprint of the state and of the observables, and the engine.
    """
    data = case.model_dump(exclude_none=True)
    if len(case.stage) == 1:
        data["stage"] = [{"name": "go", "kind": "run", "steps": steps}]
    if skin is not None:
        data["detection"] = data.get("detection", {}) | {"skin": skin}
    axis = min(axis, case.dimension - 1)
    case = Case(**data | {"parallel": {"grid": grid or slabs_across(axis)}}).located(case.directory)
    if wide:
        engine, _ = engine_of(case, comm, axis=axis, wide=True)
        advance = engine.advance
    else:
        sim = Simulation(case, comm)
        engine, advance = sim.engine, sim.step
    shove = np.random.default_rng(9).normal(size=(1000, 3))
    shove[:, case.dimension :] = 0.0
    engine.grains.v[:, :3] = shove[engine.grains.gid]
    engine.control[IN_COLUMNS] = in_columns
    if recorded:
        engine.recorder = Recorder()
    advance(steps, observe=observe or recorded)
    digest = hashlib.sha256(fingerprint(engine).encode())
    if observe and not wide:
        for name, value in sorted(sim.observables().items()):
            if name == "stage":  # of the step alone
                continue
            digest.update(name.encode() + np.asarray(value, dtype=float).tobytes())
    return digest.hexdigest()[:16], engine


def of_scene(name: str, comm: MPI.Comm, axis: int = 0, grid: Grid | None = None) -> tuple[str, Engine]:
    """What ``moved`` gives for one of ``SCENES``, observables included."""
    return moved(SCENES[name](), comm, axis, wide=name.startswith("wide"), observe=True, grid=grid)


def reference(name: str) -> str:
    """The fingerprint of a scene on one rank, computed once for each state of the sources and kept beside the compiled kernels."""
    sources = [*sorted(Path(pardem.__file__).parent.glob("**/*.py")), Path(__file__), Path(scenes.__file__)]
    version = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    folder = cache.folder() / f"references-{version}"
    file = folder / hashlib.sha256(name.encode()).hexdigest()[:16]
    try:
        return file.read_text()
    except OSError:
        bits = of_scene(name, MPI.COMM_SELF)[0]
        folder.mkdir(parents=True, exist_ok=True)
        new = file.with_suffix(f".{os.getpid()}")
        new.write_text(bits)
        new.rename(file)
        return bits
