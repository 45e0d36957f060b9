"""Where the grains of a case come from: inserted at random in a region, poured into it, or given one by one."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from ..case_values import AxisName, Model, Name, Number, Positive, Quaternion, Vector, ordered


class CylinderPlacement(Model):
    """The inside of a cylinder; in 2D of a circle."""

    kind: Literal["cylinder"] = Field(description="kind of region")
    axis: AxisName = Field(default="z", description="direction of the axis")
    center: Vector = Field(default=(0.0, 0.0, 0.0), description="any point on the axis (m)")
    radius: Positive = Field(description="radius (m)")
    lower: Number = Field(description="coordinate along the axis at which the region begins (m); not used in 2D")
    upper: Number = Field(description="coordinate along the axis at which the region ends (m); not used in 2D")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.lower < self.upper:
            raise ValueError(f"needs lower < upper, but lower is {self.lower!r} and upper is {self.upper!r}")
        return self


class BoxPlacement(Model):
    """A box aligned with the axes."""

    kind: Literal["box"] = Field(description="kind of region")
    lower: Vector = Field(description="lower corner (m)")
    upper: Vector = Field(description="upper corner (m)")

    @model_validator(mode="after")
    def _check(self) -> Self:
        ordered(self.lower, self.upper)
        return self


class PeriodicRegion(Model):
    """The whole domain; grains may protrude through its periodic faces only."""

    kind: Literal["periodic"] = Field(description="kind of region")


AnyRegion = Annotated[CylinderPlacement | BoxPlacement | PeriodicRegion, Field(discriminator="kind")]


class ConstantSize(Model):
    """The same size factor for all grains."""

    kind: Literal["constant"] = Field(description="kind of distribution")
    value: Positive = Field(default=1.0, description="size factor, by which all lengths of the species are multiplied (1)")


class UniformSize(Model):
    """Size factors distributed uniformly between two bounds."""

    kind: Literal["uniform"] = Field(description="kind of distribution")
    min: Positive = Field(description="smallest size factor (1)")
    max: Positive = Field(description="largest size factor (1)")

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.min > self.max:
            raise ValueError(f"needs min <= max, but min is {self.min!r} and max is {self.max!r}")
        return self


def _size(value: Any) -> Any:
    return {"kind": "constant", "value": value} if isinstance(value, int | float) and not isinstance(value, bool) else value


AnySize = Annotated[ConstantSize | UniformSize, Field(discriminator="kind")]


class RandomGrains(Model):
    """Grains at random positions in a region."""

    name: Name | None = Field(default=None, description="name for `--set` and for merging with a base file")
    species: str = Field(description="name of the species")
    count: Annotated[int, Field(ge=1, lt=2**31)] = Field(description="number of grains")
    region: AnyRegion = Field(description="region in which the grains must lie entirely")
    size: Annotated[AnySize, BeforeValidator(_size)] = Field(
        default=ConstantSize(kind="constant"), description="size factor: a number or a distribution"
    )

    @property
    def sizes(self) -> tuple[float, float]:
        """Smallest and largest size factor (1)."""
        return (self.size.value, self.size.value) if self.size.kind == "constant" else (self.size.min, self.size.max)


class Insert(RandomGrains):
    """Grains inserted at random without overlap: positions are uniform in the region, orientations are isotropic; both follow from seed and id."""

    lowered: bool = Field(
        default=False,
        description="whether the grains, once all are inserted, are lowered along gravity without turning, in the order of their heights, each until "
        "it touches another grain, a body among the walls or the lower end of its region; gravity must be along an axis",
    )


class Pour(RandomGrains):
    """Grains that arrive one after the other while the run goes on.

    A grain arrives at a random position of the region that is free by then, with an isotropic orientation. Where there is none, it waits, and those
    behind it wait as well. Whether grains are due is looked at every 32 steps.
    """

    rate: Positive = Field(description="number of grains that arrive in a second (1/s)")
    velocity: Vector = Field(default=(0.0, 0.0, 0.0), description="velocity with which they arrive (m/s)")
    start: str | None = Field(
        default=None,
        description="name of the stage at whose start the first grain arrives; the others follow, in later stages as well; default: the first stage",
    )


class Grain(Model):
    """One grain with a given state."""

    name: Name | None = Field(default=None, description="name for `--set` and for merging with a base file")
    species: str = Field(description="name of the species")
    position: Vector = Field(description="centre of mass (m)")
    orientation: Quaternion = Field(
        default=(1.0, 0.0, 0.0, 0.0),
        description="quaternion (w, x, y, z) that rotates the axes in which the shape is given into the world; it is normalised; in 2D an angle "
        "about z (rad)",
    )
    velocity: Vector = Field(default=(0.0, 0.0, 0.0), description="velocity of the centre of mass (m/s)")
    angular_velocity: Vector = Field(default=(0.0, 0.0, 0.0), description="angular velocity in the world frame (rad/s); in 2D a single number")
    scale: Positive = Field(default=1.0, description="size factor, by which all lengths of the species are multiplied (1)")
