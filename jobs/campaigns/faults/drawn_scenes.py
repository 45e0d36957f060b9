"""Random scenes over shapes, laws, interactions, walls and integrators, out of a few dozen combinations for which kernels are compiled once."""

from __future__ import annotations

import random
from typing import Any

from seeds import ARROW, CORNERS
from trials import ROOT

Table = dict[str, Any]

SOLID = {"density": 1000.0}
SPHERE = SOLID | {"name": "ball", "shape": "sphere", "radius": 0.4}
ROD = SOLID | {"name": "rod", "shape": "spherocylinder", "length": 0.8, "radius": 0.22}
CUBE = SOLID | {"name": "cube", "shape": "cube", "side": 0.6, "radius": 0.1}
TETRAHEDRON = SOLID | {"name": "tetrahedron", "shape": "spherotetrahedron", "edge": 0.9, "radius": 0.1}
HOOK = SOLID | {"name": "hook", "shape": "yermis", "edge": 0.45, "segments": 4, "bend": 1.3, "radius": 0.13}
TWIG = SOLID | {"name": "twig", "shape": "polyline", "vertices": [[500.0 * x for x in corner] for corner in CORNERS], "radius": 0.12}
CROSS = SOLID | {
    "name": "cross", "shape": "compound", "radius": 0.15,
    "pieces": [[[-0.5, 0, 0], [0.5, 0, 0]], [[0, -0.5, 0], [0, 0.5, 0]], [[0, 0, -0.5], [0, 0, 0.5]]],
}  # fmt: skip
DISK = SOLID | {"name": "disk", "shape": "disk", "radius": 0.35}
RICE = SOLID | {"name": "rice", "shape": "rice", "length": 0.5, "radius": 0.15}
PENTAGON = SOLID | {"name": "pentagon", "shape": "regular_polygon", "sides": 5, "circumradius": 0.4, "radius": 0.1}
BIRD = SOLID | {"name": "bird", "shape": "polygon", "vertices": [[300.0 * x for x in corner] for corner in ARROW], "radius": 0.1}

VISCOUS = {"law": "viscoelastic"}
MINIMA, FEATURES = VISCOUS | {"interaction": "minima"}, VISCOUS | {"interaction": "superposition"}
HERTZ = {"law": "hertz", "young": 3e6, "poisson": 0.3, "reference_speed": 5.0}
EULER, GEAR, FINCHAM = {"integrator": "euler"}, {"integrator": "gear4"}, {"rotation": "fincham"}
ATTRACTED = {"law": "lennard_jones", "sigma": 0.8}
OWN = {"law": "user", "user_law": f"{ROOT / 'jobs' / 'examples' / 'user_law.py'}:stiffening", "force_scale": 1e7}
SPRINGS = VISCOUS | {"rolling_friction": 0.3, "twisting_friction": 0.2, "resistance": "spring"}

# species of which some are taken, contact, integrator; what is drawn beyond these is not compiled in
COMBINATIONS: tuple[tuple[tuple[Table, ...], Table, Table], ...] = (
    ((SPHERE,), VISCOUS, {}), ((SPHERE,), VISCOUS, EULER), ((SPHERE,), {"law": "walton"}, {}), ((SPHERE,), {"law": "walton_tangential"}, {}),
    ((SPHERE,), {"law": "elastic"}, {}), ((SPHERE,), HERTZ, {}), ((SPHERE,), SPRINGS, {}), ((SPHERE,), VISCOUS, GEAR),
    ((ROD, SPHERE), VISCOUS, {}), ((ROD,), VISCOUS, FINCHAM), ((ROD, SPHERE), HERTZ, {}), ((ROD, SPHERE), MINIMA, {}),
    ((CUBE, ROD, SPHERE, TETRAHEDRON), VISCOUS, {}), ((CUBE, ROD, SPHERE), VISCOUS, GEAR), ((TETRAHEDRON, CUBE), MINIMA, {}),
    ((CROSS, CUBE, ROD, SPHERE), VISCOUS, {}), ((HOOK, TWIG, CUBE, SPHERE), MINIMA, {}), ((CUBE, ROD, HOOK, SPHERE), FEATURES, {}),
    ((DISK,), VISCOUS, {}), ((RICE, DISK, PENTAGON), VISCOUS, {}), ((BIRD, RICE), MINIMA, {}), ((BIRD, PENTAGON, DISK), FEATURES, {}),
    ((SPHERE,), ATTRACTED, {}), ((ROD, SPHERE), ATTRACTED, {}), ((ROD, SPHERE), OWN, {}),
)  # fmt: skip
PLANAR = ("disk", "rice", "pentagon", "bird")
CONVEX = ("ball", "rod", "cube", "tetrahedron")
DRAWN = 100  # scenes until one is valid: far more than it ever takes


def valid_scene(k: int, dice: random.Random) -> tuple[Table, int]:
    """Draw scenes until a run of one begins: its grains fit in, and its time step is short enough.

    Args:
        k: number of the scene.
        dice: source of all choices.

    Returns:
        The scene, and how many were refused before.
    """
    from mpi4py import MPI

    from pardem.case import Case
    from pardem.errors import PardemError
    from pardem.simulation import Simulation

    for refused in range(DRAWN):
        case = scene(k, dice)
        try:
            Simulation(Case(**case | {"stage": [{"name": "go", "kind": "run", "steps": 1}]}), MPI.COMM_SELF)
        except PardemError:
            continue
        return case, refused
    raise RuntimeError(f"none of {DRAWN} scenes with number {k} is valid")


def scene(k: int, dice: random.Random) -> Table:
    """Draw a scene.

    Args:
        k: number of the scene, by which combinations take turns.
        dice: source of all other choices.

    Returns:
        A case as keywords, without ``parallel`` and ``detection``.
    """
    every, contact, integrator = COMBINATIONS[k % len(COMBINATIONS)]
    species = list(every[:1]) if len(every) == 1 else dice.sample(every, dice.randint(1, len(every)))
    if not any(species is every[0] for species in species) and every[0] in (CROSS, HOOK):
        species.append(every[0])  # for which the interaction is compiled
    dimension = 2 if species[0]["name"] in PLANAR else 3
    sides = [dice.uniform(4.5, 7.0) for _ in range(dimension)]
    periodic = [dice.random() < 0.4 for _ in range(dimension - 1)] + [dice.random() < 0.15]
    walls = _box(sides, periodic, dice)
    if dimension == 3 and dice.random() < 0.35 and not any(periodic):
        walls = _tube(sides, dice)
    count = dice.randint(3, 50 if species[0] in (SPHERE, ROD, DISK, RICE) else 15)
    size = dice.choice((1.0, 0.7, {"kind": "uniform", "min": 0.5, "max": 1.0}))
    round_ = any(wall["kind"] == "cylinder" for wall in walls)
    region: Table = {"kind": "box", "lower": [0.1] * dimension, "upper": [side - 0.1 for side in sides]}
    if round_:
        radius = walls[0]["radius"] - 0.1
        region = {"kind": "cylinder", "center": walls[0]["center"], "radius": radius, "lower": 0.1, "upper": sides[2] - 0.1}
    region = {"kind": "periodic"} if all(periodic) else region
    room = [0.0 if axis else 3.0 for axis in periodic]
    budget = dice.random() < 0.7
    return {
        "seed": dice.randrange(1000), "dimension": dimension, "gravity": _gravity(dimension, dice), "time": {"step": 5e-4} | integrator,
        "domain": {"lower": [-gap for gap in room], "upper": [side + gap for side, gap in zip(sides, room, strict=True)], "periodic": periodic},
        "species": species, "insert": [{"species": one["name"], "count": count, "region": region, "size": size} for one in species],
        "contact": _contact(contact, dice), "wall": walls, "output": {"observables": {"energy_budget": budget}},
    }  # fmt: skip


def _contact(contact: Table, dice: random.Random) -> Table:
    if contact["law"] == "lennard_jones":
        return contact | {"depth": dice.uniform(100.0, 500.0)}
    more: Table = {"friction": dice.choice((0.0, 0.3, 0.6))}
    if contact["law"] == "user":
        stiffness = dice.uniform(3e5, 1e6)
        return contact | more | {"user_parameters": [stiffness, 0.1, dice.uniform(0.0, 3e3)], "tangential_stiffness": 0.3 * stiffness}
    if contact["law"] == "hertz":
        return contact | more | {"restitution": dice.uniform(0.3, 0.9)}
    if contact["law"] != "elastic":
        more["restitution"] = dice.uniform(0.3, 0.9)
    return contact | more | {"contact_time": dice.uniform(0.01, 0.02)}


def _gravity(dimension: int, dice: random.Random) -> list[float]:
    return [dice.uniform(-3.0, 3.0) for _ in range(dimension - 1)] + [dice.uniform(-40.0, -10.0)]


def _box(sides: list[float], periodic: list[bool], dice: random.Random) -> list[Table]:
    """Walls at the faces of a box that are not periodic, some of which move."""
    walls = []
    for axis, side in enumerate(sides):
        normal = [float(k == axis) for k in range(len(sides))]
        for name, sign in () if periodic[axis] else (("lower", 1.0), ("upper", -1.0)):
            point = [0.0 if sign > 0.0 else side] * len(sides)
            wall = {"name": f"{name}_{axis}", "kind": "plane", "point": point, "normal": [sign * n for n in normal]}
            walls.append(wall | _motion(normal, dice))
    return walls


def _motion(direction: list[float], dice: random.Random) -> Table:
    kind = dice.random()
    if kind < 0.3:
        return {"motion": {"kind": "sinusoidal", "direction": direction, "amplitude": 0.05, "frequency": dice.uniform(3.0, 8.0)}}
    if kind < 0.4:
        return {"motion": {"kind": "velocity", "velocity": [0.3 * n for n in direction]}}
    return {}


def _tube(sides: list[float], dice: random.Random) -> list[Table]:
    """An upright tube on a disc, under a lid."""
    center, radius = [0.5 * sides[0], 0.5 * sides[1], 0.0], 0.5 * min(sides[:2])
    return [
        {"name": "tube", "kind": "cylinder", "center": center, "radius": radius},
        {"name": "base", "kind": "disc", "center": center, "normal": [0, 0, 1], "radius": 1.1 * radius} | _motion([0.0, 0.0, 1.0], dice),
        {"name": "lid", "kind": "plane", "point": [0, 0, sides[2]], "normal": [0, 0, -1]},
    ]


def by_triangulation(case: Table) -> bool:
    """Whether a scene can be detected by triangulation, which takes convex grains and a law without reach.

    Args:
        case: the scene.
    """
    return case["contact"]["law"] != "lennard_jones" and all(species["name"] in CONVEX for species in case["species"])


def grids(ranks: int, dimension: int) -> list[list[int]]:
    """List the grids of a number of ranks, also those of which parts are left open.

    Args:
        ranks: number of ranks.
        dimension: of the scene; in two dimensions z is not cut.
    """
    found = [[0, 1, 1], [1, 0, 1], [0, 0, 0]] + ([[1, 1, 0]] if dimension == 3 else [])
    for px in range(1, ranks + 1):
        for py in range(1, ranks // px + 1):
            if ranks % (px * py) == 0 and (dimension == 3 or px * py == ranks):
                found.append([px, py, ranks // (px * py)])
    return found
