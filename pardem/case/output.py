"""What is written, and how often."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from .base import AxisName, Count, Many, Model, Number, PathName, Positive, at_most_one

FieldName = Literal["position", "image", "orientation", "velocity", "angular_velocity", "force", "torque", "local_fraction"]
ContactField = Literal["point", "normal", "overlap", "force", "couple"]


@dataclass(frozen=True)
class Cadence:
    """A repeated event. Event k = 0, 1, 2, ... happens at step round(k * every): intervals need not be whole numbers of steps and do not drift.

    Attributes:
        every: distance of two events (steps, at least 1, may be fractional).
    """

    every: float

    def step(self, k: int) -> int:
        """Step of event k."""
        return math.floor(k * self.every + 0.5)

    def next_after(self, step: int) -> int:
        """The first event's step later than the given step."""
        k = max(0, math.floor(step / self.every) - 1)
        while self.step(k) <= step:
            k += 1
        return self.step(k)


class Layers(Model):
    """Horizontal layers in which observables are also taken one by one."""

    thickness: Positive = Field(description="thickness of a layer (m)")
    origin: Number = Field(default=0.0, description="coordinate at which the first layer begins (m)")
    axis: AxisName = Field(default="z", description='direction across the layers; in 2D `"y"`')


class NearWall(Model):
    """Share of each species near a wall."""

    wall: str = Field(description="name of the wall")
    distance: Positive = Field(description="largest distance of the centre of mass from the wall (m)")


class Observables(Model):
    """Which global quantities are taken and where."""

    energy_budget: bool = Field(default=True, description="book the work of walls, dissipation and the residual")
    container: str = Field(
        default="auto", description="wall (cylinder or box) whose inside the density refers to; `auto`: the first such wall, else the domain"
    )
    base: str = Field(
        default="auto", description="wall above which fill height and angles are taken; `auto`: the first disc or plane that faces up, else none"
    )
    layers: Layers | None = Field(default=None, description="density and mean angle by layers too")
    near_wall: NearWall | None = Field(default=None, description="share of each species near a wall")


class Output(Model):
    """The result file and the checkpoints. An interval may be given in one unit: seconds, steps or taps."""

    file: PathName | None = Field(default=None, description="name of the result file; default: that of the case with `.h5`, in the working directory")
    frame_interval: Positive | None = Field(default=None, description="simulated time between frames (s)")
    frame_steps: Count | None = Field(default=None, description="steps between frames (steps)")
    frame_taps: Positive | None = Field(default=None, description="periods of the first `vibrate` stage between frames (1)")
    observable_interval: Positive | None = Field(default=None, description="simulated time between rows of observables (s)")
    observable_steps: Count | None = Field(default=None, description="steps between rows of observables (steps)")
    observable_taps: Positive | None = Field(default=None, description="periods of the first `vibrate` stage between rows of observables (1)")
    checkpoint_interval: Positive | None = Field(default=None, description="simulated time between checkpoints (s)")
    checkpoint_steps: Count | None = Field(default=None, description="steps between checkpoints (steps)")
    checkpoint_minutes: Positive = Field(default=10.0, description="wall-clock time between checkpoints, beside the above (min)")
    precision: Literal["double", "single"] = Field(default="double", description="precision of frames; the final state is double always")
    fields: Many[FieldName] = Field(
        default=("position", "image", "orientation", "velocity", "angular_velocity"),
        description="what a frame holds; `local_fraction`: a grain's volume over that of its power cell (3D, convex grains)",
    )
    contacts: bool | Many[ContactField] = Field(
        default=False, description="what a frame holds of each contact besides its two bodies; `true`: all of it"
    )
    observables: Observables = Field(default=Observables(), description="which global quantities are taken and where")

    @model_validator(mode="after")
    def _check(self) -> Self:
        for what in ("frame", "observable"):
            at_most_one(self, f"{what}_interval", f"{what}_steps", f"{what}_taps")
        at_most_one(self, "checkpoint_interval", "checkpoint_steps")
        if "position" not in self.fields:
            raise ValueError("needs 'position' among fields")
        return self

    @property
    def contact_fields(self) -> tuple[str, ...]:
        """Names of what a frame holds of each contact; nothing where frames show no contacts."""
        if isinstance(self.contacts, bool):
            return get_args(ContactField) if self.contacts else ()
        return self.contacts
