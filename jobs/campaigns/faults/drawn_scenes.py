"""Random scenes over shapes, laws, interactions, walls and integrators, out of a few dozen combinations for which kernels are compiled once."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
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
BY_TIME = ("viscoelastic", "elastic", "walton", "walton_tangential")  # laws whose contacts last as long for all sizes
WIDE, FINER = {"kind": "uniform", "min": 0.06, "max": 1.0}, 0.4
"""Sizes whose forces are summed in two limbs, and by how much steps and contacts are shorter then, for the sake of the small."""
CONTAINERS = {2: ("planes", "planes", "planes", "box"), 3: ("planes", "planes", "planes", "box", "tube", "pierced", "hopper")}
PLANAR = ("disk", "rice", "pentagon", "bird")
CONVEX = ("ball", "rod", "cube", "tetrahedron")
DRAWN = 100  # scenes until one is valid: far more than it ever takes


def valid_scene(k: int, dice: random.Random, change: Callable[[Table, random.Random], Table] = lambda case, _: case) -> tuple[Table, int]:
    """Draw scenes until a run of one begins: its grains fit in, and its time step is short enough.

    Args:
        k: number of the scene.
        dice: source of all choices.
        change: what becomes of a scene before it is tried.

    Returns:
        The scene, and how many were refused before.
    """
    from mpi4py import MPI

    from pardem.case import Case
    from pardem.errors import PardemError
    from pardem.simulation import Simulation

    for refused in range(DRAWN):
        case = change(scene(k, dice), dice)
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
    container = dice.choice(CONTAINERS[dimension])
    periodic = [container == "planes" and dice.random() < share for share in (*[0.4] * (dimension - 1), 0.15)]
    walls, region = walls_of(container, sides, periodic, dice)
    if dice.random() < 0.35:
        walls.append(_body(sides, species, dice, turns=not any(periodic)))
    count = dice.randint(3, 50 if species[0] in (SPHERE, ROD, DISK, RICE) else 15)
    size = dice.choice((1.0, 0.7, {"kind": "uniform", "min": 0.5, "max": 1.0}))
    wide = contact["law"] in BY_TIME and all(one in (SPHERE, ROD) for one in species) and dice.random() < 0.4
    size, fine = (WIDE, FINER) if wide else (size, 1.0)
    room = [0.0 if axis else 3.0 for axis in periodic]
    budget = dice.random() < 0.7
    return {
        "seed": dice.randrange(1000), "dimension": dimension, "gravity": _gravity(dimension, dice), "time": {"step": 5e-4 * fine} | integrator,
        "domain": {"lower": [-gap for gap in room], "upper": [side + gap for side, gap in zip(sides, room, strict=True)], "periodic": periodic},
        "species": species, "insert": [{"species": one["name"], "count": count, "region": region, "size": size} for one in species],
        "contact": _contact(contact, fine, dice), "wall": walls, "output": {"observables": {"energy_budget": budget}},
    }  # fmt: skip


def _contact(contact: Table, fine: float, dice: random.Random) -> Table:
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
    return contact | more | {"contact_time": fine * dice.uniform(0.01, 0.02)}


def _gravity(dimension: int, dice: random.Random) -> list[float]:
    return [dice.uniform(-3.0, 3.0) for _ in range(dimension - 1)] + [dice.uniform(-40.0, -10.0)]


def walls_of(container: str, sides: list[float], periodic: list[bool], dice: random.Random) -> tuple[list[Table], Table]:
    """Draw the walls of a container, some of which move.

    Args:
        container: planes, a box, a tube on a disc with or without a hole, or a hopper.
        sides: lengths of the space of the grains (m).
        periodic: which axes are; of planes alone.
        dice: source of all choices.

    Returns:
        The walls, and the region in which grains are put.
    """
    dimension = len(sides)
    region: Table = {"kind": "box", "lower": [0.1] * dimension, "upper": [side - 0.1 for side in sides]}
    region = {"kind": "periodic"} if all(periodic) else region
    if container == "planes":
        return _planes(sides, periodic, dice), region
    if container == "box":
        box = {"name": "box", "kind": "box", "lower": [0.0] * dimension, "upper": sides}
        return [box | _motion([float(k == 0) for k in range(dimension)], dice)], region
    return _round(container, sides, dice)


def _planes(sides: list[float], periodic: list[bool], dice: random.Random) -> list[Table]:
    """Walls at the faces of a box that are not periodic, some of which move; the last one may be pushed."""
    walls = []
    for axis, side in enumerate(sides):
        normal = [float(k == axis) for k in range(len(sides))]
        for name, sign in () if periodic[axis] else (("lower", 1.0), ("upper", -1.0)):
            point = [0.0 if sign > 0.0 else side] * len(sides)
            wall = {"name": f"{name}_{axis}", "kind": "plane", "point": point, "normal": [sign * n for n in normal]}
            pushed = axis == len(sides) - 1 and sign < 0.0 and dice.random() < 0.35
            walls.append(wall | (_servo(normal, sides, dice) if pushed else _motion(normal, dice)))
    return walls


def _motion(direction: list[float], dice: random.Random) -> Table:
    kind = dice.random()
    if kind < 0.3:
        return {"motion": {"kind": "sinusoidal", "direction": direction, "amplitude": 0.05, "frequency": dice.uniform(3.0, 8.0)}}
    if kind < 0.4:
        return {"motion": {"kind": "velocity", "velocity": [0.3 * n for n in direction]}}
    return {}


def _servo(normal: list[float], sides: list[float], dice: random.Random) -> Table:
    """What pushes a lid onto the grains."""
    push = {"direction": [-n for n in normal], "pressure": dice.uniform(200.0, 2000.0), "mass": dice.uniform(1e3, 4e3)}
    return {"motion": {"kind": "servo", "area": math.prod(sides[:-1]), "damping": dice.choice((0.0, 1e3))} | push}


def _turning(place: list[float], dice: random.Random) -> Table:
    """A rotation about an upright axis, in the plane about z."""
    axis = {"center": place, "axis": [0.0, 0.0, 1.0]} if len(place) == 3 else {"center": place}
    return {"motion": {"kind": "rotation", "rate": dice.uniform(-4.0, 4.0)} | axis}


def _body(sides: list[float], species: list[Table], dice: random.Random, *, turns: bool) -> Table:
    """A grain that stands still, swings or turns about its centre, at some place low among the grains."""
    place = [dice.uniform(0.35, 0.65) * side for side in sides[:-1]] + [dice.uniform(0.15, 0.4) * sides[-1]]
    angle = [dice.gauss(0.0, 1.0) for _ in range(4)] if len(sides) == 3 else dice.uniform(0.0, 6.0)
    body = {"name": "rock", "kind": "body", "species": dice.choice(species)["name"], "position": place}
    body |= {"orientation": angle, "scale": dice.uniform(0.9, 1.6)}
    return body | (_turning(place, dice) if turns and dice.random() < 0.6 else _motion([1.0] + [0.0] * (len(sides) - 1), dice))


def _round(kind: str, sides: list[float], dice: random.Random) -> tuple[list[Table], Table]:
    """An upright tube under a lid: on a disc, on a disc with a hole above a floor, or on a cone above a floor; and the room for grains."""
    center, radius = [0.5 * sides[0], 0.5 * sides[1], 0.0], 0.5 * min(sides[:2])
    lid = {"name": "lid", "kind": "plane", "point": [0, 0, sides[2]], "normal": [0, 0, -1]}
    tube = {"name": "tube", "kind": "cylinder", "center": center, "radius": radius}
    floor = {"name": "floor", "kind": "plane", "point": [0, 0, -2.5], "normal": [0, 0, 1]}
    base: Table = {"name": "base", "kind": "disc", "center": center, "normal": [0, 0, 1], "radius": 1.1 * radius}
    height = 0.0
    if kind == "pierced":
        base |= {"hole": dice.uniform(0.3, 0.8)}
    elif kind == "hopper":
        height = dice.uniform(0.8, 1.6)
        base = {"name": "base", "kind": "cone", "center": center, "axis": [0, 0, 1], "length": height, "radius": dice.uniform(0.4, 0.9)}
        base |= {"end_radius": 0.98 * radius}
    moves = _turning(center, dice) if dice.random() < 0.3 else _motion([0.0, 0.0, 1.0], dice)
    tube |= _turning(center, dice) if dice.random() < 0.2 else {}
    region = {"kind": "cylinder", "center": center, "radius": radius - 0.1, "lower": height + 0.1, "upper": sides[2] - 0.1}
    return [tube, base | moves, lid, *([floor] if kind != "tube" else [])], region


def by_triangulation(case: Table) -> bool:
    """Whether a scene can be detected by triangulation, which takes three dimensions and a law without reach.

    Args:
        case: the scene.
    """
    return case["contact"]["law"] != "lennard_jones" and case["dimension"] == 3


def is_convex(case: Table) -> bool:
    """Whether all grains are convex, as detection from edges alone needs.

    Args:
        case: the scene.
    """
    return all(species["name"] in CONVEX for species in case["species"])


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
