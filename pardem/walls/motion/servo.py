"""Walls that a force or pressure pushes; how they move step by step is in ``plates``."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, Strict, model_validator

from ...case_values import Direction, Many, NonNegative, Number, Positive, Vector, at_most_one, exactly_one
from ...compiled.jit import inlined
from ...compiled.vectors import columns, length
from ...integrators.phases import SCHEMES
from ...suggestions import unknown
from .motion_table import START, MotionTable, Mover, Start, put_direction
from .rows import AREA, DAMPING, FORCE, MASS, PLACE, PRESSURE, SLIDE, SPAN, SPEED

if TYPE_CHECKING:
    from ...case.tables import CaseTables

ALONG = 1e-9  # a component of a unit vector below which it counts as zero


@inlined
def _along(motion, k, steps, dt):
    return motion[k, PLACE]  # as it is at the present step


@inlined
def _top_speed(motion, k):
    return abs(motion[k, SPEED]) + length(columns(motion, k, SLIDE))


PUSH = Mover(_along, top_speed=_top_speed, goes=lambda row: True)

Pair = Annotated[tuple[str, str], Strict(False)]


class ServoMotion(MotionTable):
    """From the given time or stage on, the wall is a plate with a mass that is free to move along a direction, pushed by a force or a pressure;
    across this direction it moves at a constant velocity.
    """

    kind: Literal["servo"] = Field(description="kind of motion")
    direction: Direction = Field(description="direction in which the wall is pushed and free to move; it is normalised (1)")
    force: Number | None = Field(default=None, description="force on the wall along the direction, including its weight (N); alternative: `pressure`")
    pressure: Number | None = Field(default=None, description="pressure on the wall along the direction, on an area (Pa); alternative: `force`")
    area: Positive | None = Field(default=None, description="area on which the pressure acts (m^2; in 2D a length in m); alternative: `span`")
    span: Annotated[Many[Pair] | None, Field(min_length=1, max_length=2)] = Field(
        default=None,
        description="pairs of names of planes or discs, `[[a, b]]` or `[[a, b], [c, d]]`; the pressure acts on the product of the current distances "
        "of these pairs, each measured along the normal of the first wall of the pair; alternative: `area`",
    )
    mass: Positive = Field(description="mass of the wall (kg)")
    damping: NonNegative = Field(default=0.0, description="viscous damping along the direction: resisting force divided by speed (N s/m)")
    velocity: Vector = Field(default=(0.0, 0.0, 0.0), description="constant velocity perpendicular to the direction (m/s)")
    start: Start = Field(default=0.0, description=START)

    mover: ClassVar = PUSH

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "force", "pressure")
        at_most_one(self, "force", "area", "span")
        if self.pressure is not None:
            exactly_one(self, "area", "span")
        size = math.sqrt(sum(c * c for c in self.velocity))
        if abs(sum(a * b for a, b in zip(self.direction, self.velocity, strict=True))) > ALONG * size:
            raise ValueError(f"needs a velocity across its direction, but {list(self.velocity)} has a part along {list(self.direction)}")
        return self

    @property
    def inertia(self) -> float:
        """The wall's mass (kg)."""
        return self.mass

    @property
    def pushed(self) -> bool:
        """Forces push a servo wall."""
        return True

    def fill(self, row: np.ndarray, gravity: tuple[float, float, float], rows: dict[str, list[int]]) -> None:
        """Write mass, damping, what pushes it and where; see `MotionTable.fill`."""
        row[[MASS, DAMPING]] = self.mass, self.damping
        row[[FORCE, PRESSURE, AREA]] = self.force or 0.0, self.pressure or 0.0, self.area or 1.0
        put_direction(row, self.direction)
        row[SLIDE : SLIDE + 3] = self.velocity
        for k, (a, b) in enumerate(self.span or ()):
            row[SPAN + 2 * k : SPAN + 2 * k + 2] = rows[a][0], rows[b][0]

    def speed(self, row: np.ndarray) -> float:
        """Across its direction (m/s); along it the wall may be stopped in time."""
        return math.sqrt(sum(c * c for c in self.velocity))

    def objections(self, key: str, case: CaseTables) -> Iterator[str]:
        """An integrator that knows no forces ahead; walls that span no distance."""
        scheme = case.time.integrator
        if not SCHEMES[scheme].servo:
            yield f"{key}.kind = 'servo' does not go with time.integrator = '{scheme}', which knows no forces on walls ahead: use 'verlet'"
        flat = [wall.name for wall in case.wall if wall.spans]
        for pair in self.span or ():
            for name in pair:
                if name not in flat:
                    yield unknown(f"{key}.span", name, flat, "plane or disc")
