"""Walls: their surfaces and how they move."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from .base import Direction, Many, Model, Name, NonNegative, Positive, Quaternion, Vector, exactly_one, ordered


class Drive(Model):
    """Sinusoidal displacement a [sin(2 pi f t + phase) - sin(phase)] along a direction, zero at its start (t = 0)."""

    direction: Direction = Field(default=(0.0, 0.0, 1.0), description="direction of the displacement; is normalised (1); in 2D `[0.0, 1.0]`")
    amplitude: NonNegative | None = Field(default=None, description="amplitude a (m); or `gamma`")
    gamma: NonNegative | None = Field(default=None, description="peak acceleration in units of gravity: a = gamma g / (2 pi f)^2 (1); or `amplitude`")
    frequency: Positive = Field(description="frequency f (Hz)")
    phase: float = Field(default=0.0, description="phase at the start (rad)")

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


class SinusoidalMotion(Drive):
    """Sinusoidal from a time or stage on, to the end."""

    kind: Literal["sinusoidal"] = Field(description="kind of motion")
    start: NonNegative | str = Field(default=0.0, description="time (s) or name of the stage at which the motion begins")


class VelocityMotion(Model):
    """Constant velocity from a time or stage on."""

    kind: Literal["velocity"] = Field(description="kind of motion")
    velocity: Vector = Field(description="velocity (m/s)")
    start: NonNegative | str = Field(default=0.0, description="time (s) or name of the stage at which the motion begins")


def _motion(value: Any) -> Any:
    return {"kind": value} if isinstance(value, str) else value


AnyMotion = Annotated[FixedMotion | SinusoidalMotion | VelocityMotion, Field(discriminator="kind")]


class _Wall(Model):
    name: Name = Field(description="name by which stages and `--set` refer to the wall")
    material: str = Field(description="name for contact pairs; default: the wall's name")
    motion: Annotated[AnyMotion, BeforeValidator(_motion)] = Field(
        default=FixedMotion(kind="fixed"), description='`"fixed"` or a table with `kind = "sinusoidal"` or `"velocity"`'
    )

    stages: Many[str] | None = Field(
        default=None, description="names of the stages in which the wall is there (it vanishes and appears at once); default: all of them"
    )

    @model_validator(mode="before")
    @classmethod
    def _material(cls, data: Any) -> Any:
        if isinstance(data, dict) and "material" not in data and "name" in data:
            return data | {"material": data["name"]}
        return data


class Plane(_Wall):
    """A half-space boundary."""

    kind: Literal["plane"] = Field(description="kind of wall")
    point: Vector = Field(description="a point of the plane (m)")
    normal: Direction = Field(description="normal, towards the grains; is normalised (1)")


class Disc(_Wall):
    """A round plate."""

    kind: Literal["disc"] = Field(description="kind of wall")
    center: Vector = Field(description="centre (m)")
    normal: Direction = Field(description="normal, towards the grains; is normalised (1)")
    radius: Positive = Field(description="radius (m)")


class Cylinder(_Wall):
    """The inside of an endless round tube; in 2D of a circle."""

    kind: Literal["cylinder"] = Field(description="kind of wall")
    center: Vector = Field(default=(0.0, 0.0, 0.0), description="a point on the axis (m)")
    axis: Direction = Field(default=(0.0, 0.0, 1.0), description="direction of the axis; is normalised (1)")
    radius: Positive = Field(description="inner radius (m)")


class Box(_Wall):
    """The inside of a box: six planes (in 2D four) that move together."""

    kind: Literal["box"] = Field(description="kind of wall")
    lower: Vector = Field(description="lower corner (m)")
    upper: Vector = Field(description="upper corner (m)")

    @model_validator(mode="after")
    def _check(self) -> Self:
        ordered(self.lower, self.upper)
        return self


class Body(_Wall):
    """A spheropolytope: the geometry of a species, met feature by feature. Its density counts for nothing."""

    kind: Literal["body"] = Field(description="kind of wall")
    species: str = Field(description="name of the species whose shape it has; it need not have grains")
    position: Vector = Field(default=(0.0, 0.0, 0.0), description="where the origin of the axes is in which the shape was given (m)")
    orientation: Quaternion = Field(
        default=(1.0, 0.0, 0.0, 0.0), description="quaternion (w, x, y, z), axes of the shape as given -> world; is normalised (1)"
    )
    scale: Positive = Field(default=1.0, description="size factor: multiplies all lengths of the species (1)")


AnyWall = Annotated[Plane | Disc | Cylinder | Box | Body, Field(discriminator="kind")]
