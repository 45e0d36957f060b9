"""Walls that turn about an axis at a constant rate."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from ...case_values import Direction, Number, Vector
from ...compiled.jit import inlined
from .motion_table import START, MotionTable, Mover, Start, put_direction
from .rows import CENTRE, REACH, SIZE


@inlined
def _turned(motion, k, steps, dt):
    return motion[k, SIZE] * steps * dt


@inlined
def _top_speed(motion, k):
    return abs(motion[k, SIZE]) * motion[k, REACH]


TURN = Mover(turned=_turned, top_speed=_top_speed, goes=lambda row: bool(row[REACH] > 0.0), turns=True)


class RotationMotion(MotionTable):
    """The wall rotates at a constant rate about an axis from the given time or stage on. Bodies, discs and cones may rotate about any axis,
    cylinders about axes parallel to their own, planes about their normal.
    """

    kind: Literal["rotation"] = Field(description="kind of motion")
    rate: Number = Field(description="angular velocity about the axis, in the sense of the right-hand rule (rad/s)")
    center: Vector = Field(default=(0.0, 0.0, 0.0), description="any point on the axis of rotation (m)")
    axis: Direction = Field(default=(0.0, 0.0, 1.0), description="direction of the axis of rotation; it is normalised (1)")
    start: Start = Field(default=0.0, description=START)

    mover: ClassVar = TURN

    def fill(self, row: np.ndarray, gravity: tuple[float, float, float], rows: dict[str, list[int]]) -> None:
        """Write rate, axis and centre; see `MotionTable.fill`."""
        row[SIZE] = self.rate
        put_direction(row, self.axis)
        row[CENTRE : CENTRE + 3] = self.center

    def speed(self, row: np.ndarray) -> float:
        """Of the furthest point (m/s)."""
        return abs(float(row[SIZE])) * float(row[REACH])
