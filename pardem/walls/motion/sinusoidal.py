"""Walls that swing to and fro."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from ...case_values import Direction, Model, NonNegative, Number, Positive, exactly_one
from ...compiled.jit import inlined
from .motion_table import START, MotionTable, Mover, Start, put_direction
from .rows import FREQUENCY, PHASE, SIZE

if TYPE_CHECKING:
    from ...case.tables import CaseTables


@inlined
def _along(motion, k, steps, dt):
    return motion[k, SIZE] * (math.sin(motion[k, FREQUENCY] * (steps * dt) + motion[k, PHASE]) - math.sin(motion[k, PHASE]))


SWING = Mover(_along, sweep=lambda row: 2.0 * abs(float(row[SIZE])))  # lists allow for the whole way


class Drive(Model):
    """Sinusoidal displacement a [sin(2 pi f t + phase) - sin(phase)] along a direction, zero at its start (t = 0)."""

    direction: Direction = Field(
        default=(0.0, 0.0, 1.0), description="direction of the displacement; it is normalised (1); the default is `[0.0, 1.0]` in 2D"
    )
    amplitude: NonNegative | None = Field(default=None, description="amplitude a (m); alternative: `gamma`")
    gamma: NonNegative | None = Field(
        default=None, description="peak acceleration in units of gravity, with a = gamma g / (2 pi f)^2 (1); alternative: `amplitude`"
    )
    frequency: Positive = Field(description="frequency f (Hz)")
    phase: Number = Field(default=0.0, description="phase at the start of the motion (rad)")

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "amplitude", "gamma")
        return self

    def amplitude_for(self, gravity: tuple[float, float, float]) -> float:
        """Amplitude under gravity (m): a = gamma abs(g) / (2 pi f)^2 (thesis, section 6.1), unless it is given.

        Args:
            gravity: gravity of the case (m/s^2).
        """
        if self.amplitude is not None:
            return self.amplitude
        # the constant is written out, so that the value does not depend on a mathematics library
        omega = 6.283185307179586 * self.frequency
        return (self.gamma or 0.0) * math.sqrt(sum(c * c for c in gravity)) / (omega * omega)

    def fill(self, row: np.ndarray, gravity: tuple[float, float, float], rows: dict[str, list[int]]) -> None:
        """Write amplitude, angular frequency, phase and direction; see `MotionTable.fill`."""
        row[SIZE], row[FREQUENCY], row[PHASE] = self.amplitude_for(gravity), 2.0 * math.pi * self.frequency, self.phase
        put_direction(row, self.direction)

    def objections(self, key: str, case: CaseTables) -> Iterator[str]:
        """Without gravity an acceleration in its units says nothing."""
        if self.gamma and not any(case.gravity):
            yield f"{key}.gamma = {self.gamma!r} has no meaning without gravity: give amplitude (m)"


class SinusoidalMotion(Drive, MotionTable):
    """The wall oscillates sinusoidally from the given time or stage until the end of the run or the next motion."""

    kind: Literal["sinusoidal"] = Field(description="kind of motion")
    start: Start = Field(default=0.0, description=START)

    mover: ClassVar = SWING

    def speed(self, row: np.ndarray) -> float:
        """At the middle of the swing (m/s)."""
        return float(row[SIZE] * row[FREQUENCY])
