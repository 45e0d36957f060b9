"""Stages: what happens one after the other, and when each ends."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ..case_values import Count, Model, Name, NonNegative, Positive, exactly_one
from .motions import Drive


def steps_in(duration: float, step: float) -> int:
    """Count the steps that reach a duration. A count that is whole within 1e-9 is taken as whole.

    Args:
        duration: duration (s).
        step: time step (s).

    Returns:
        Number of steps.
    """
    return max(0, math.ceil(duration / step * (1.0 - 1e-9)))


class Settle(Model):
    """Let the grains settle, until the kinetic energy per grain falls below a bound or a time has passed."""

    name: Name = Field(description="name of the stage")
    kind: Literal["settle"] = Field(description="kind of stage")
    energy_per_grain: NonNegative = Field(description="kinetic energy per grain below which the stage ends (J)")
    max_time: Positive = Field(description="longest duration of the stage (s)")
    check_every: Count = Field(default=100, description="number of steps between two checks of the energy, counted from the start of the stage (1)")
    energy_of: Literal["translation"] | None = Field(
        default=None, description="the energy that counts, where it is not all of it: friction does not stop a sphere that spins on the spot"
    )
    until_clear: str | None = Field(
        default=None, description="name of a disc with a hole; the stage also ends when a check finds no grain above the hole"
    )

    def max_steps(self, step: float) -> int:
        """Determine the largest number of steps that the stage can take.

        Args:
            step: time step (s).

        Returns:
            The number.
        """
        return steps_in(self.max_time, step)


class Vibrate(Drive):
    """Drive a wall sinusoidally for a number of periods (taps) from the start of the stage; outside the stage the wall is at rest."""

    name: Name = Field(description="name of the stage")
    kind: Literal["vibrate"] = Field(description="kind of stage")
    wall: str = Field(description="name of the wall that is driven")
    taps: Count = Field(description="number of periods (1)")

    def max_steps(self, step: float) -> int:
        """Determine the number of steps of the stage.

        Args:
            step: time step (s).

        Returns:
            The number.
        """
        return steps_in(self.taps / self.frequency, step)


class Run(Model):
    """Run for a given time or number of steps."""

    name: Name = Field(description="name of the stage")
    kind: Literal["run"] = Field(description="kind of stage")
    time: Positive | None = Field(default=None, description="duration (s); alternative: `steps`")
    steps: Count | None = Field(default=None, description="duration in steps (1); alternative: `time`")
    outflow_share: Annotated[Positive, Field(le=1)] | None = Field(
        default=None, description="share of all grains, by number, after whose departure through `domain.outflow` the stage ends early (1)"
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "time", "steps")
        return self

    def max_steps(self, step: float) -> int:
        """Determine the largest number of steps that the stage can take.

        Args:
            step: time step (s).

        Returns:
            The number.
        """
        return self.steps if self.steps is not None else steps_in(self.time or 0.0, step)


AnyStage = Annotated[Settle | Vibrate | Run, Field(discriminator="kind")]

END_KEYS = {"time", "steps", "taps", "energy_per_grain", "max_time", "check_every", "outflow_share", "until_clear", "energy_of"}
"""Keys that say only when a stage ends: those of the last stage do not make another case."""
