"""How walls move: at rest, sinusoidally, at constant velocity, turning, or as a servo that a force or pressure pushes."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, Strict, model_validator

from .base import Direction, Many, Model, NonNegative, Number, Positive, Vector, at_most_one, exactly_one

ALONG = 1e-9  # a component of a unit vector below which it counts as zero

Start = NonNegative | str
START = "time (s) or name of the stage at which the motion begins"


class Drive(Model):
    """Sinusoidal displacement a [sin(2 pi f t + phase) - sin(phase)] along a direction, zero at its start (t = 0)."""

    direction: Direction = Field(default=(0.0, 0.0, 1.0), description="direction of the displacement; is normalised (1); in 2D `[0.0, 1.0]`")
    amplitude: NonNegative | None = Field(default=None, description="amplitude a (m); or `gamma`")
    gamma: NonNegative | None = Field(default=None, description="peak acceleration in units of gravity: a = gamma g / (2 pi f)^2 (1); or `amplitude`")
    frequency: Positive = Field(description="frequency f (Hz)")
    phase: Number = Field(default=0.0, description="phase at the start (rad)")

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "amplitude", "gamma")
        return self

    def amplitude_for(self, gravity: tuple[float, float, float]) -> float:
        """Amplitude (m) under the given gravity (m/s^2): a = gamma |g| / (2 pi f)^2 (thesis, section 6.1)."""
        if self.amplitude is not None:
            return self.amplitude
        # the constant is written out, so that the value does not depend on a mathematics library
        omega = 6.283185307179586 * self.frequency
        return (self.gamma or 0.0) * math.sqrt(sum(c * c for c in gravity)) / (omega * omega)


class FixedMotion(Model):
    """At rest."""

    kind: Literal["fixed"] = Field(description="kind of motion")


class Halt(Model):
    """At rest, where the motion before has led."""

    kind: Literal["fixed"] = Field(description="kind of motion")
    start: str = Field(description="name of the stage at which the wall stops")


class SinusoidalMotion(Drive):
    """Sinusoidal from a time or stage on, to the end."""

    kind: Literal["sinusoidal"] = Field(description="kind of motion")
    start: Start = Field(default=0.0, description=START)


class VelocityMotion(Model):
    """Constant velocity from a time or stage on."""

    kind: Literal["velocity"] = Field(description="kind of motion")
    velocity: Vector = Field(description="velocity (m/s)")
    start: Start = Field(default=0.0, description=START)


class RotationMotion(Model):
    """Turning at a constant rate about an axis, from a time or stage on: bodies, discs, cylinders about axes parallel to their own, planes about
    their normal.
    """

    kind: Literal["rotation"] = Field(description="kind of motion")
    rate: Number = Field(description="angular velocity about the axis, by the right-hand rule (rad/s)")
    center: Vector = Field(default=(0.0, 0.0, 0.0), description="a point of the axis (m)")
    axis: Direction = Field(default=(0.0, 0.0, 1.0), description="direction of the axis; is normalised (1)")
    start: Start = Field(default=0.0, description=START)


Pair = Annotated[tuple[str, str], Strict(False)]


class ServoMotion(Model):
    """Free along a direction as a plate with a mass, pushed by a force or pressure; at constant velocity across it, from a time or stage on."""

    kind: Literal["servo"] = Field(description="kind of motion")
    direction: Direction = Field(description="direction in which the wall is pushed; is normalised (1)")
    force: Number | None = Field(default=None, description="force on the wall along the direction, its own weight included (N); or `pressure`")
    pressure: Number | None = Field(default=None, description="pressure that pushes it along the direction (Pa), on the area; or `force`")
    area: Positive | None = Field(default=None, description="area on which the pressure acts (m^2; in 2D the length in m)")
    span: Annotated[Many[Pair] | None, Field(min_length=1, max_length=2)] = Field(
        default=None,
        description="pairs of names of planes or discs, `[[a, b]]` or `[[a, b], [c, d]]`: the area is the product of their distances at the time, "
        "each along the normal of its first; in place of `area`",
    )
    mass: Positive = Field(description="mass of the wall (kg)")
    damping: NonNegative = Field(default=0.0, description="force against the motion along the direction, over its speed (N s/m)")
    velocity: Vector = Field(default=(0.0, 0.0, 0.0), description="constant velocity across the direction (m/s)")
    start: Start = Field(default=0.0, description=START)

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


def motion_from_text(value: Any) -> Any:
    """A motion given as the name of its kind alone, as a table."""
    return {"kind": value} if isinstance(value, str) else value


AnyMotion = Annotated[FixedMotion | SinusoidalMotion | VelocityMotion | RotationMotion | ServoMotion, Field(discriminator="kind")]
Motion = Annotated[AnyMotion, BeforeValidator(motion_from_text)]
LaterMotion = Annotated[Halt | SinusoidalMotion | VelocityMotion | RotationMotion | ServoMotion, Field(discriminator="kind")]
