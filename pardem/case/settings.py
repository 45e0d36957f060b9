"""Time, attraction, domain, detection and decomposition of a case."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, Strict, model_validator

from ..integrators.phases import SCHEMES
from .base import Many, Model, Positive, Vector, ordered

Face = Literal["lower-x", "lower-y", "lower-z", "upper-x", "upper-y", "upper-z"]


class Time(Model):
    """The time step and the scheme that takes it."""

    step: Positive = Field(description="time step (s); checked against the contact time: error above a tenth, warning above a twentieth of it")
    integrator: Literal["verlet", "euler", "gear4"] = Field(
        default="verlet",
        description="`verlet`: velocity Verlet; `euler`: semi-implicit, first order; `gear4`: Gear's fourth-order predictor-corrector",
    )
    rotation: Literal["splitting", "fincham"] = Field(
        default="splitting",
        description="how `verlet` and `euler` turn non-spheres. `splitting`: symplectic; `fincham`: Fincham's explicit leap-frog",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.rotation != "splitting" and not SCHEMES[self.integrator].rotations:
            raise ValueError(
                f"takes no rotation = '{self.rotation}' with integrator = '{self.integrator}', which turns grains its own way; leave rotation out"
            )
        return self


class Attraction(Model):
    """A field that pulls grains towards a point, of constant strength but near the point: the acceleration g r / sqrt(r^2 + s^2)."""

    strength: Positive = Field(description="acceleration g far from the point (m/s^2)")
    center: Vector = Field(default=(0.0, 0.0, 0.0), description="the point (m)")
    softening: Positive = Field(description="distance s from the point below which the field weakens (m); about the radius of a grain")


class Domain(Model):
    """The box in which grains may be; a grain that leaves it otherwise than through a periodic or open face is an error."""

    lower: Vector = Field(description="lower corner (m)")
    upper: Vector = Field(description="upper corner (m)")
    periodic: Annotated[tuple[bool, bool, bool], Strict(False)] = Field(
        default=(False, False, False), description="periodic along x, y, z; a period must exceed twice the largest grain diameter plus skin"
    )
    outflow: Many[Face] | None = Field(
        default=None,
        min_length=1,
        description="open faces: a grain whose centre is beyond one is frozen and counts no more (looked at every 32 steps); default: none",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        ordered(self.lower, self.upper)
        for face in self.outflow or ():
            if self.periodic["xyz".index(face[-1])]:
                raise ValueError(f"takes no outflow through '{face}' while periodic along {face[-1]}; leave one of the two out")
            if (self.outflow or ()).count(face) > 1:
                raise ValueError(f"names '{face}' twice in outflow; once will do")
        return self


class Detection(Model):
    """Search for neighbours; its settings change the speed, never the result."""

    method: Literal["cells", "triangulation"] = Field(
        default="cells",
        description="`cells`: linked cells with oriented extents; `triangulation`: edges of the weighted Delaunay triangulation of covering spheres, "
        "for convex grains in three dimensions; a text in place of the table is a method",
    )
    skin: Literal["auto"] | Positive = Field(default="auto", description="distance beyond contact at which pairs enter the list (m), or `auto`")
    max_overlap: Literal["auto"] | Positive = Field(
        default="auto",
        description="largest overlap of two grains (m) that the covering spheres of `triangulation` are made for; `auto`: a twentieth of the "
        "smallest sphero-radius. Where grains overlap by too much, linked cells step in and a message says so",
    )
    every_step: bool = Field(
        default=False,
        description="`triangulation` with no other skin than the way of the fastest grain in a step: pairs come from the edges every step or two",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.method == "cells":
            for key, default in (("max_overlap", "auto"), ("every_step", False)):
                if getattr(self, key) != default:
                    raise ValueError(f"takes no {key} with method = 'cells': it belongs to method = 'triangulation'")
        if self.every_step and self.skin != "auto":
            raise ValueError("takes no skin with every_step = true, which keeps none; leave one of the two out")
        return self


def _method(value: Any) -> Any:
    return {"method": value} if isinstance(value, str) else value


AnyDetection = Annotated[Detection, BeforeValidator(_method)]


class Parallel(Model):
    """Decomposition into slabs; its settings change the speed, never the result."""

    axis: Literal["auto", "x", "y", "z"] = Field(default="auto", description="axis that the slabs cut; `auto`: the longest extent of the domain")
    rebalance: bool = Field(default=True, description="move the cuts so that counted work stays equal")
