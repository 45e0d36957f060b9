"""Springs of friction, rolling and twisting at curved walls, at rest and moving: second order in the step against an independent integration.

Grains that no force can bend go along a tube, a cone, the rims of a disc with a hole and a body; force and torque on them are compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from prescribed import BEHAVIOURS, RADII, SPAN, Placed, case, compare, law_of
from reference_distance import CUBE, Array
from reference_springs import Feature, Mover, Nearest, feature_pairs
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

AXIS = np.array([0.48, 0.6, 0.64])
TUBE, OPENING, LENGTH = 2.0, 0.3, 4.0  # radius of tube, and of the cone at its narrow end; the cone's half-angle and length
RADIUS, HOLE = 2.0, 0.8  # of the disc
RATE = 3.0  # rad/s
AMPLITUDE, FREQUENCY = 0.1, 2.0  # m over the scale, Hz
SHAKE = np.array([0.6, 0.0, 0.8])
OMEGA = 2.0 * math.pi * FREQUENCY


def across(point: Array) -> tuple[float, float, Array]:
    """Height of a point along the axis, its distance from it, the unit vector from it."""
    height = float(point @ AXIS)
    out = point - height * AXIS
    far = math.sqrt(float(out @ out))
    return height, far, out / far


def of_tube(point: Array) -> Array:
    _, far, out = across(point)
    return point + (TUBE - far) * out


def of_cone(point: Array) -> Array:
    height, far, out = across(point)
    distance = (TUBE + math.tan(OPENING) * height - far) * math.cos(OPENING)
    return np.asarray(point + distance * (math.cos(OPENING) * out - math.sin(OPENING) * AXIS))


def of_ring(point: Array) -> Array:
    height, far, out = across(point)
    return np.asarray(min(max(far, HOLE), RADIUS) * out) if not HOLE < far < RADIUS else point - height * AXIS


def of_rim(a: Array, b: Array) -> tuple[Array, Array]:
    """Nearest points of an edge that comes in from outside, and of the rim of the hole."""
    u = b - a
    beside, aside = a - (a @ AXIS) * AXIS, u - (u @ AXIS) * AXIS
    start, length2, far2, rise, aside2 = (float(p @ q) for p, q in ((a, u), (u, u), (beside, beside), (beside, aside), (aside, aside)))

    def slope(s: float) -> float:
        """(x - y).u for the point x = a + s u and the point y of the rim beside it."""
        return start + s * length2 - HOLE * (rise + s * aside2) / math.sqrt(far2 + 2.0 * s * rise + s * s * aside2)

    x = a + brentq(slope, 0.0, 1.0, xtol=1e-15, rtol=1e-14) * u
    return x, HOLE * across(x)[2]


SURFACES: dict[str, Callable[[Array], Array]] = {"tube": of_tube, "cone": of_cone, "ring": of_ring}


def wall_of(kind: str, scale: float) -> dict[str, Any]:
    axis = tuple(AXIS.tolist())
    return {"name": kind} | {
        "tube": {"kind": "cylinder", "radius": TUBE * scale, "axis": axis},
        "cone": {"kind": "cone", "radius": TUBE * scale, "axis": axis, "half_angle": OPENING, "length": LENGTH * scale},
        "ring": {"kind": "disc", "center": (0, 0, 0), "normal": axis, "radius": RADIUS * scale, "hole": HOLE * scale},
        "body": {"kind": "body", "species": "cube"},
    }[kind]


def moving(how: str, scale: float, core: Array) -> tuple[dict[str, Any], Mover]:
    """A motion for the case, and as it goes."""
    if how == "turning":  # about an axis of its own
        return {"motion": {"kind": "rotation", "axis": tuple(AXIS.tolist()), "rate": RATE}}, Mover(spin=RATE * AXIS, core=core)
    if how == "shaken":
        way = scale * AMPLITUDE * SHAKE
        motion = {"kind": "sinusoidal", "direction": tuple(SHAKE.tolist()), "amplitude": AMPLITUDE * scale, "frequency": FREQUENCY}
        return {"motion": motion}, Mover(lambda t: way * math.sin(OMEGA * t), lambda t: way * OMEGA * math.cos(OMEGA * t), core=core)
    return {}, Mover(core=core)


ACROSS = np.cross(AXIS, [0.0, 0.0, 1.0]) / np.linalg.norm(np.cross(AXIS, [0.0, 0.0, 1.0]))
ALONG = np.cross(AXIS, ACROSS)


def place(a: float, b: float, c: float) -> Array:
    """A vector by its parts across the axis and along it."""
    return np.asarray(a * ACROSS + b * ALONG + c * AXIS)


def around(
    radius: float, height: float, name: str = "ball", turn: Any = (0, 0, 0), spin: Any = (5, -3, 4), rise: float = 0.4
) -> Callable[[float], Placed]:
    """A grain on a chord beside the axis, which turns by about 45 degrees around it."""
    return lambda scale: Placed(name, scale, place(radius, -0.6, height), place(0.0, 2.4, rise), spin, turn)


def rod_over_the_rim(scale: float) -> Placed:
    """It lies over the rim, one end in the hole, and turns across its own axis."""
    along = place(0.0, 1.0, 0.3) / math.hypot(1.0, 0.3)
    turn = Rotation.align_vectors([along], [[0.0, 0.0, 1.0]])[0].as_rotvec()
    return Placed("rod", scale, place(0.05, 0.8, 0.15), place(0.2, 0.1, 0.1), 1.5 * np.cross(along, ACROSS), turn)


def ball(at: tuple[float, float, float], velocity: tuple[float, float, float]) -> Callable[[float], Placed]:
    return lambda scale: Placed("ball", scale, place(*at), place(*velocity), (5.0, -3.0, 4.0))


class Scene(NamedTuple):
    """The wall, how it moves, and the grain that meets it."""

    wall: str
    motion: str
    grain: Callable[[float], Placed]


SCENES = {
    "ball in a tube": Scene("tube", "fixed", around(1.53, 0.0)),
    "ball in a turning tube": Scene("tube", "turning", around(1.53, 0.0)),
    "ball in a shaken tube": Scene("tube", "shaken", around(1.45, 0.0)),
    "cube in a tube": Scene("tube", "fixed", around(1.15, 0.0, "cube", (0.3, 0.2, 0.1), (0.3, -0.4, 0.5))),
    "ball in a cone": Scene("cone", "fixed", around(2.0, 1.5)),
    "ball in a turning cone": Scene("cone", "turning", around(1.95, 1.5)),
    "cube in a shaken cone": Scene("cone", "shaken", around(1.53, 1.5, "cube", (0.3, 0.2, 0.1), (0.3, -0.4, 0.5))),
    "ball over the inner rim": Scene("ring", "fixed", ball((0.1, -1.2, 0.46), (0.3, 2.0, -0.3))),
    "ball over the outer rim": Scene("ring", "turning", ball((0.1, -2.2, 0.42), (0.3, 1.2, 0.0))),
    "rod on the inner rim": Scene("ring", "shaken", rod_over_the_rim),
    "ball around a body": Scene("body", "fixed", lambda scale: Placed("ball", scale, (0.6, 0.3, 1.1), (0.4, 0.2, -1.3), (5, -3, 4))),
    "ball around a turning body": Scene("body", "turning", lambda scale: Placed("ball", scale, (0.6, 0.3, 1.1), (0.4, 0.2, -1.3), (5, -3, 4))),
}  # fmt: skip


def features(scene: Scene, grain: Placed, wall: Mover, contact: dict[str, Any], scale: float) -> list[Feature]:
    """All contacts of a grain with a wall."""
    if scene.wall == "body":
        other = scale * RADII["cube"]
        law = law_of(contact, grain.radius * other / (grain.radius + other))
        core = np.zeros((1, 3)) if grain.name == "ball" else CUBE
        return feature_pairs(law, (grain.mover, wall), (core, CUBE), (grain.radius, other), SPAN, False)
    law, near = law_of(contact, grain.radius), SURFACES[scene.wall]

    def vertex(k: int) -> Nearest:
        def at(t: float) -> tuple[Array, Array]:
            x, centre = grain.mover.points(t)[k], wall.centre(t)
            return x, centre + scale * near((x - centre) / scale)

        return at

    def edge(t: float) -> tuple[Array, Array]:
        centre = wall.centre(t)
        x, y = of_rim(*((p - centre) / scale for p in grain.mover.points(t)))
        return centre + scale * x, centre + scale * y

    nearest = [vertex(k) for k in range(len(grain.mover.core))] + ([edge] if grain.name == "rod" else [])
    return [Feature(law, (grain.mover, wall), n, grain.radius, grain.radius, SPAN) for n in nearest]


# the reference of a body takes longest, and the limits of torques are the same at all walls
RUNS = [(name, behaviour) for name in SCENES for behaviour in BEHAVIOURS if (SCENES[name].wall, behaviour) != ("body", "yields")]


@pytest.mark.parametrize(("name", "behaviour"), RUNS)
def test_forces_and_torques_at_curved_walls(name: str, behaviour: str) -> None:
    scene, how = SCENES[name], BEHAVIOURS[behaviour]
    contact, scale = how.contact("superposition"), how.scale
    grain = scene.grain(scale)
    motion, wall = moving(scene.motion, scale, scale * CUBE)
    compare(
        how, features(scene, grain, wall, contact, scale),
        lambda steps: case([grain], [wall_of(scene.wall, scale) | motion], contact, scale, steps),
    )  # fmt: skip
