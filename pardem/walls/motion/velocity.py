"""Walls that move at a constant velocity."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from ...case_values import Vector
from ...compiled.jit import inlined
from .motion_table import START, MotionTable, Mover, Start
from .rows import DIRECTION, SIZE


@inlined
def _along(motion, k, steps, dt):
    return motion[k, SIZE] * (steps * dt)


@inlined
def _top_speed(motion, k):
    return abs(motion[k, SIZE])


GLIDE = Mover(_along, top_speed=_top_speed, goes=lambda row: True)


class VelocityMotion(MotionTable):
    """The wall moves at a constant velocity from the given time or stage on."""

    kind: Literal["velocity"] = Field(description="kind of motion")
    velocity: Vector = Field(description="velocity of the wall (m/s)")
    start: Start = Field(default=0.0, description=START)

    mover: ClassVar = GLIDE

    def fill(self, row: np.ndarray, gravity: tuple[float, float, float], rows: dict[str, list[int]]) -> None:
        """Write speed and direction; see `MotionTable.fill`."""
        velocity = np.array(self.velocity, dtype=float)
        speed = float(np.sqrt(velocity @ velocity))
        row[SIZE] = speed
        row[DIRECTION : DIRECTION + 3] = velocity / speed if speed > 0.0 else 0.0
