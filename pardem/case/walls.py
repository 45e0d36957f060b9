"""Walls: their surfaces."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from .base import Direction, Many, NamedModel, Positive, Quaternion, Vector, ordered
from .motions import FixedMotion, Halt, LaterMotion, Motion, RotationMotion, ServoMotion, SinusoidalMotion, VelocityMotion


class _Wall(NamedModel):
    motion: Motion = Field(
        default=FixedMotion(kind="fixed"), description='`"fixed"` or a table with `kind = "sinusoidal"`, `"velocity"`, `"rotation"` or `"servo"`'
    )
    then: Many[LaterMotion] | None = Field(
        default=None, description="motions that take over, from where the wall is then, each at the stage that its `start` names"
    )
    stages: Many[str] | None = Field(
        default=None, description="names of the stages in which the wall is there (it vanishes and appears at once); default: all of them"
    )

    @property
    def motions(self) -> tuple[FixedMotion | Halt | SinusoidalMotion | VelocityMotion | RotationMotion | ServoMotion, ...]:
        """The motions of all stages, in their order."""
        return (self.motion, *(self.then or ()))


class Plane(_Wall):
    """A half-space boundary."""

    kind: Literal["plane"] = Field(description="kind of wall")
    point: Vector = Field(description="a point of the plane (m)")
    normal: Direction = Field(description="normal, towards the grains; is normalised (1)")


class Disc(_Wall):
    """A round plate, whole or with a round hole in its middle."""

    kind: Literal["disc"] = Field(description="kind of wall")
    center: Vector = Field(description="centre (m)")
    normal: Direction = Field(description="normal, towards the grains; is normalised (1)")
    radius: Positive = Field(description="radius (m)")
    hole: Positive | None = Field(default=None, description="radius of the hole, below that of the disc (m); default: none")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.hole is not None and not self.hole < self.radius:
            raise ValueError(f"needs hole < radius, but hole is {self.hole!r} and radius is {self.radius!r}")
        return self


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
