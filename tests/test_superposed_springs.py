"""Each contact of a sum has springs of its own: cubes that slide and turn on a plane and on each other, against an independent integration.

The cubes are so heavy that no force bends their paths; force and torque on the first one are compared. The springs of several vertices, or of several
edges and faces, begin and end one by one, stick and slide.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from prescribed import BEHAVIOURS, SPAN, Placed, case, compare, law_of
from reference_distance import CUBE, Array
from reference_springs import Feature, Mover, Nearest, feature_pairs
from scenes import FLOOR

UP = np.array([0.0, 0.0, 1.0])
SPIN = (0.3, -0.25, 2.0)


def tilted(scale: float) -> Placed:
    """Over the floor, nearly level."""
    return Placed("cube", scale, (0.0, 0.0, 0.6), (0.5, 0.3, 0.02), SPIN, (0.12, 0.08, 0.2))


def on_an_edge(scale: float) -> Placed:
    return Placed("cube", scale, (0.0, 0.0, 0.78), (0.4, -0.6, 0.05), (0.5, 0.2, -1.0), (0.7, 0.05, 0.0))


def lower(scale: float) -> Placed:
    """An edge upwards, about along y."""
    return Placed("die", scale, (0.05, 0.02, -1.28), (0.0, 0.1, 0.03), (0.1, 0.2, -0.5), (0.02, 0.25 * math.pi, 0.1))


def upper(scale: float) -> Placed:
    """An edge downwards, about along x, which slides across the other one until its corner is there."""
    return Placed("die", scale, (-0.2, 0.0, 0.0), (-0.6, 0.3, 0.0), (0.3, -0.15, 0.4), (0.25 * math.pi, 0.02, 0.05))


def on_the_floor(grain: Placed) -> list[Nearest]:
    def vertex(k: int) -> Nearest:
        def at(t: float) -> tuple[Array, Array]:
            x = grain.mover.points(t)[k]
            return x, x * (1.0 - UP)

        return at

    return [vertex(k) for k in range(len(grain.mover.core))]


SCENES: dict[str, list[Callable[[float], Placed]]] = {"on a floor": [tilted], "on an edge on a floor": [on_an_edge], "edge on edge": [upper, lower]}


def features(grains: list[Placed], contact: dict[str, object]) -> list[Feature]:
    radius, law = grains[0].radius, law_of(contact, grains[0].radius * (1.0 if len(grains) == 1 else 0.5))
    if len(grains) == 2:
        return feature_pairs(law, (grains[0].mover, grains[1].mover), (CUBE, CUBE), (radius, radius), SPAN, True)
    return [Feature(law, (grains[0].mover, Mover()), n, radius, radius, SPAN) for n in on_the_floor(grains[0])]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("name", SCENES)
def test_forces_and_torques_of_superposed_contacts(name: str, behaviour: str) -> None:
    how = BEHAVIOURS[behaviour]
    contact, grains = how.contact("superposition"), [grain(how.scale) for grain in SCENES[name]]
    walls = [] if len(grains) == 2 else [FLOOR]
    compare(how, features(grains, contact), lambda steps: case(grains, walls, contact, how.scale, steps))
