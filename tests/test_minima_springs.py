"""Springs of local minima, which move over the grains, end and are born: against an independent integration, of second order in the step.

Chains and rods that no force can bend rock and roll on a floor and on each other; force and torque on the first one are compared. A minimum that is
born begins without a spring, one that goes over to the next vertex keeps its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from prescribed import BEHAVIOURS, CHAINS, CORES, SPAN, Placed, case, compare, law_of
from reference_distance import Array
from reference_minima import of_segments
from reference_springs import Feature, Mover, Nearest
from scenes import FLOOR
from scipy.optimize import brentq

UP = np.array([0.0, 0.0, 1.0])
AMPLITUDE, FREQUENCY = 0.06, 4.0  # m over the scale, Hz
OMEGA = 2.0 * math.pi * FREQUENCY
LOW = float(-CORES["wheel"][:, 2].min())


def shaken(scale: float) -> tuple[dict[str, Any], Mover]:
    """The floor for the case, and as it goes."""
    way = scale * AMPLITUDE * UP
    motion = {"kind": "sinusoidal", "direction": (0, 0, 1), "amplitude": AMPLITUDE * scale, "frequency": FREQUENCY}
    return FLOOR | {"motion": motion}, Mover(lambda t: way * math.sin(OMEGA * t), lambda t: way * OMEGA * math.cos(OMEGA * t))


def resting(_: float) -> tuple[dict[str, Any], Mover]:
    return FLOOR, Mover()


def foot(x: Array, floor: Mover, t: float) -> tuple[Array, Array]:
    return x, x * (1.0 - UP) + floor.centre(t) * UP


def tips(grain: Placed, floor: Mover) -> list[Nearest]:
    """Those of the arch, each by itself."""

    def tip(k: int) -> Nearest:
        return lambda t: foot(grain.mover.points(t)[k], floor, t)

    return [tip(0), tip(2)]


def lowest(grain: Placed, floor: Mover) -> Nearest:
    """Of the wheel whichever vertex is lowest."""

    def at(t: float) -> tuple[Array, Array]:
        points = grain.mover.points(t)
        return foot(points[int(np.argmin(points[:, 2]))], floor, t)

    return at


def level(grain: Placed) -> list[float]:
    """When sides of the wheel lie flat, one after the other."""

    def rise(t: float, k: int) -> float:
        points = grain.mover.points(t)
        return float(points[k + 1, 2] - points[k, 2])

    return [brentq(rise, 0.0, SPAN, (k,), xtol=1e-15, rtol=1e-14) for k in range(len(grain.mover.core) - 1) if rise(0.0, k) > 0.0 > rise(SPAN, k)]


def across(first: Placed, second: Placed) -> Nearest:
    def at(t: float) -> tuple[Array, Array]:
        return of_segments(*first.mover.points(t), *second.mover.points(t))

    return at


def arch(scale: float) -> Placed:
    """It rocks from one tip to the other."""
    low = float(-CORES["arch"][:, 2].min())
    return Placed("arch", scale, (0.1, 0.05, low + 0.22), (0.5, 0.3, 0.05), (0.0, 1.0, 3.0), (0.0, -0.13, 0.0))


def wheel(scale: float) -> Placed:
    """It rolls from vertex to vertex; fast, since slip that ended as a side lies flat, where the limit's rate jumps, would err in first order."""
    return Placed("wheel", scale, (0.0, 0.1, LOW + 0.25), (3.6, 0.3, 0.0), (0.0, 2.6, 0.0), (0.0, -0.65, 0.0))


def lower_rod(scale: float) -> Placed:
    return Placed("rod", scale, (0.0, 0.0, -0.42), (0.1, 0.2, 0.05), (0.0, 0.0, 1.5), (0.5 * math.pi, 0.0, 0.0))


def upper_rod(scale: float) -> Placed:
    """It rolls along the lower one."""
    return Placed("rod", scale, (-0.05, -0.2, 0.0), (0.3, 0.9, -0.02), (-2.0, 0.0, 0.0), (0.0, 0.5 * math.pi, 0.0))


SCENES: dict[str, tuple[list[Callable[[float], Placed]], Callable[[float], tuple[dict[str, Any], Mover]]]] = {
    "arch that rocks": ([arch], resting),
    "arch on a shaken floor": ([arch], shaken),
    "wheel of straight sides": ([wheel], resting),
    "rod that rolls on a rod": ([upper_rod, lower_rod], resting),
}


def features(grains: list[Placed], floor: Mover, contact: dict[str, Any]) -> list[Feature]:
    first, radius, law = grains[0], grains[0].radius, law_of(contact, grains[0].radius / len(grains))
    if len(grains) == 2:
        return [Feature(law, (first.mover, grains[1].mover), across(*grains), 2.0 * radius, 0.0, SPAN, True)]
    if first.name == "wheel":
        return [Feature(law, (first.mover, floor), lowest(first, floor), radius, radius, SPAN, breaks=level(first))]
    return [Feature(law, (first.mover, floor), tip, radius, radius, SPAN) for tip in tips(first, floor)]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("name", SCENES)
def test_forces_and_torques_of_minima(name: str, behaviour: str) -> None:
    how, (makers, ground) = BEHAVIOURS[behaviour], SCENES[name]
    contact, grains, (wall, floor) = how.contact("minima"), [grain(how.scale) for grain in makers], ground(how.scale)
    walls = [wall] if len(grains) == 1 else []
    compare(how, features(grains, floor, contact), lambda steps: case(grains, walls, contact, how.scale, steps, CHAINS))
