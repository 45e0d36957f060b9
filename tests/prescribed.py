"""Scenes whose bodies are so heavy that no force bends their paths: loads of the engine at some times, held against ``reference_springs``."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from reference_distance import CUBE, POINT, ROD, Array
from reference_springs import SLIP, STICK, Feature, Law, Mover, drifting, loads
from scenes import case_of, engine_of, mass_of
from scipy.spatial.transform import Rotation

from pardem.case import Case

HEAVY = 1e12  # density (kg/m^3) where lengths are of 1 m
SPAN = 0.5  # duration (s)
CHECKS = 20  # times at which loads are compared
STEPS = (200, 400, 800)
SECOND, FIRST = 9.0, 3.0  # by how much errors fall, at least, for a quarter of the step
STIFFNESS, SPRING = 1e5, 4e4  # N/m
RADII = {"ball": 0.5, "rod": 0.25, "cube": 0.3, "die": 0.1, "arch": 0.3, "wheel": 0.3}  # m, over the scale
ANGLES = np.radians([-160.0, -135.0, -110.0, -85.0, -60.0, -35.0])
DRAWN = {
    "arch": np.array([[-0.8, 0.0, 0.0], [0.0, 0.0, 0.6], [0.8, 0.0, 0.0]]),
    "wheel": np.stack([0.9 * np.cos(ANGLES), 0.0 * ANGLES, 0.9 * np.sin(ANGLES)], axis=1),
}
SHAPES: dict[str, dict[str, Any]] = {
    "ball": {"shape": "sphere"}, "rod": {"shape": "spherocylinder", "length": 1.0}, "cube": {"shape": "cube", "side": 0.8},
    "die": {"shape": "cube", "side": 0.8}, "arch": {"shape": "polyline"}, "wheel": {"shape": "polyline"},
}  # fmt: skip


class Behaviour(NamedTuple):
    """Friction, caps of rolling and twisting, scale; whether a spring does what it is about; by how much the error of the torque falls at least."""

    friction: float
    caps: float
    scale: float
    seen: Callable[[tuple[int, ...]], bool]
    fall: float

    def contact(self, interaction: str) -> dict[str, Any]:
        return contact_of(interaction, self.friction, self.caps, self.caps)


BEHAVIOURS = {
    "sticks": Behaviour(50.0, 50.0, 1.0, lambda modes: modes[:2] == (0, STICK), SECOND),
    "slides": Behaviour(0.5, 50.0, 1e-3, lambda modes: modes[0] == 0 and SLIP in modes[1:], SECOND),
    "yields": Behaviour(0.5, 0.2, 1e3, lambda modes: modes[0] > 0 and SLIP in modes[1:], FIRST),  # yielding is of first order
}


def species_of(name: str, scale: float) -> dict[str, Any]:
    sizes = {key: scale * value if isinstance(value, float) else value for key, value in SHAPES[name].items()}
    species = {"name": name, "radius": scale * RADII[name], "density": HEAVY / scale**3} | sizes
    if name not in DRAWN:
        return species
    species["vertices"] = (scale * DRAWN[name]).tolist()
    moments = mass_of(species).principal_moments
    return species | {"inertia": tuple((moments.max() / moments).tolist())}  # equal moments: it keeps its spin about any axis


CORES = {"ball": POINT, "rod": ROD, "cube": CUBE, "die": CUBE} | {name: core - mass_of(species_of(name, 1.0)).centre for name, core in DRAWN.items()}
SOLIDS, CHAINS = ("ball", "rod", "cube", "die"), ("rod", "arch", "wheel")  # species that stand together, so that scenes share kernels


def contact_of(interaction: str, friction: float, rolling: float, twisting: float) -> dict[str, Any]:
    """Springs without dampers; those of rolling and twisting have the stiffness k_t r^2."""
    resistance = {"resistance": "spring", "resistance_stiffness": "iwashita", "rolling_damping": 0.0, "twisting_damping": 0.0}
    stiffnesses = {"law": "viscoelastic", "normal_stiffness": STIFFNESS, "tangential_stiffness": SPRING}
    return stiffnesses | resistance | {"friction": friction, "rolling_friction": rolling, "twisting_friction": twisting, "interaction": interaction}


def law_of(contact: dict[str, Any], radius: float) -> Law:
    """The same for the reference; ``radius``: the effective one (m)."""
    turning = SPRING * radius**2
    limits = (contact["friction"], contact["rolling_friction"] * radius, contact["twisting_friction"] * radius)
    return Law(STIFFNESS, (SPRING, turning, turning), limits)


class Placed:
    """A grain: how it starts in a case, and as it moves on."""

    def __init__(self, name: str, scale: float, place: Any, velocity: Any, spin: Any, turn: Any = (0.0, 0.0, 0.0)) -> None:
        """Place and velocity over the scale; spin (rad/s), turn (rotation vector)."""
        self.name, self.radius, rotation = name, scale * RADII[name], Rotation.from_rotvec(turn)
        at, moves, spins = scale * np.array(place), scale * np.array(velocity), np.array(spin, dtype=float)
        self.mover: Mover = drifting(at, moves, spins, scale * rotation.apply(CORES[name]))
        self.entry = {
            "species": name, "position": tuple(at.tolist()), "velocity": tuple(moves.tolist()), "angular_velocity": tuple(spins.tolist()),
            "orientation": tuple(rotation.as_quat(scalar_first=True).tolist()),
        }  # fmt: skip


def case(grains: list[Placed], walls: list[dict[str, Any]], contact: dict[str, Any], scale: float, steps: int, names: Sequence[str] = SOLIDS) -> Case:
    """Grains and walls that meet by a law; ``names``: the species."""
    size = 50.0 * scale
    return case_of(
        [species_of(name, scale) for name in names], contact, SPAN / steps, grain=[g.entry for g in grains], wall=walls,
        domain={"lower": (-size,) * 3, "upper": (size,) * 3},
    )  # fmt: skip


def loads_of(scene: Case, steps: int) -> tuple[Array, Array]:
    """Force on the first grain and torque about its centre at the times of the checks, (CHECKS, 3) each."""
    engine, _ = engine_of(scene, overlaps=True)
    engine.evaluate()
    s, force, torque = engine.scene.settings, [], []
    for _ in range(CHECKS):
        engine.advance(steps // CHECKS)
        row = int(np.argmin(engine.grains.gid))
        force.append(engine.grains.ft[row, :3] * s.force)
        torque.append(engine.grains.ft[row, 4:7] * s.torque)
    return np.array(force), np.array(torque)


def check_times() -> Array:
    return SPAN / CHECKS * np.arange(1.0, CHECKS + 1.0)


def error(found: Array, known: Array) -> float:
    """Root mean square over the times, over that of what is known."""
    return math.sqrt(float(((found - known) ** 2).sum() / (known**2).sum()))


def compare(behaviour: Behaviour, features: list[Feature], scene: Callable[[int], Case]) -> None:
    """Assert that a quarter of the step gives about 16 times less error.

    Args:
        behaviour: what springs do.
        features: all contacts of the first grain.
        scene: the case for a number of steps.
    """
    force, torque, modes = loads(features, check_times())
    assert any(behaviour.seen(m) for m in modes), modes
    every = [loads_of(scene(steps), steps) for steps in STEPS]
    found = np.array([(error(f, force), error(t, torque)) for f, t in every])
    assert found[0, 0] / found[-1, 0] > SECOND, found
    assert found[0, 1] / found[-1, 1] > behaviour.fall, found
    assert found[-1].max() < 5e-4, found
