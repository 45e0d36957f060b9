"""Time, attraction, domain, detection and decomposition of a case."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, Strict, model_validator

from ..case_values import MOST, Many, Model, Positive, Vector, ordered
from ..integrators.phases import SCHEMES

Parts = Annotated[int, Field(ge=0, le=MOST)]
if TYPE_CHECKING:
    SchemeName = str
else:
    SchemeName = Literal[tuple(SCHEMES)]
"""Name of an integrator."""

Face = Literal["lower-x", "lower-y", "lower-z", "upper-x", "upper-y", "upper-z"]


class Time(Model):
    """The time step and the integrator."""

    step: Positive = Field(
        description="time step (s); it must not exceed a tenth of the shortest contact time, and there is a warning above a twentieth"
    )
    integrator: SchemeName = Field(
        default="verlet",
        description="time integrator; `verlet`: velocity Verlet; `euler`: semi-implicit Euler, first order; `gear4`: Gear's fourth-order "
        "predictor-corrector",
    )
    rotation: Literal["splitting", "fincham"] = Field(
        default="splitting",
        description="how `verlet` and `euler` integrate the rotation of non-spheres; `splitting`: symplectic splitting; `fincham`: Fincham's "
        "explicit leap-frog",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.rotation != "splitting" and not SCHEMES[self.integrator].rotations:
            raise ValueError(
                f"takes no rotation = '{self.rotation}' with integrator = '{self.integrator}', which rotates grains by its own scheme; leave it out"
            )
        return self


class Attraction(Model):
    """A field that pulls grains towards a point with the acceleration g r / sqrt(r^2 + s^2), constant except near the point."""

    strength: Positive = Field(description="acceleration g at large distances from the point (m/s^2)")
    center: Vector = Field(default=(0.0, 0.0, 0.0), description="position of the point (m)")
    softening: Positive = Field(description="distance s from the point below which the field weakens (m); a good value is the radius of a grain")


class Domain(Model):
    """The box that contains the grains. It is an error if a grain leaves it, except through a periodic or an open face."""

    lower: Vector = Field(description="lower corner (m)")
    upper: Vector = Field(description="upper corner (m)")
    periodic: Annotated[tuple[bool, bool, bool], Strict(False)] = Field(
        default=(False, False, False),
        description="whether the domain is periodic along x, y and z; a period must exceed twice the sum of the largest grain diameter and the skin",
    )
    outflow: Many[Face] | None = Field(
        default=None,
        min_length=1,
        description="open faces of the domain; a grain whose centre is found beyond one of them (checked every 32 steps) no longer takes part in "
        "the run, and keeps its last state in the files; default: none",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        ordered(self.lower, self.upper)
        for face in self.outflow or ():
            if self.periodic["xyz".index(face[-1])]:
                raise ValueError(f"takes no outflow through '{face}' if it is periodic along {face[-1]}; leave one of the two out")
            if (self.outflow or ()).count(face) > 1:
                raise ValueError(f"names '{face}' twice in outflow; name it once")
        return self


class Detection(Model):
    """Search for neighbours; it affects the speed, never the result."""

    method: Literal["cells", "triangulation"] = Field(
        default="cells",
        description="method of detection; `cells`: linked cells with oriented extents; `triangulation`: walks along the edges of the Delaunay "
        'triangulation of the centres, in three dimensions. `detection = "triangulation"` is short for a table with this key alone',
    )
    skin: Literal["auto"] | Positive = Field(
        default="auto",
        description="distance beyond contact up to which pairs enter the neighbour list (m); `auto`: chosen and adapted during the run",
    )
    max_overlap: Literal["auto"] | Positive = Field(
        default="auto",
        description="largest overlap of two grains (m) for which the covering spheres of `every_step` are made; `auto`: a twentieth of the "
        "smallest sphero-radius. If grains overlap by more, linked cells are used instead, with a message",
    )
    every_step: bool = Field(
        default=False,
        description="whether `triangulation` works without a skin beyond the path of the fastest grain in one step, so that the pairs are renewed "
        "every one or two steps: they are then the edges of the weighted Delaunay triangulation of covering spheres, for convex grains",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.method == "cells":
            for key, default in (("max_overlap", "auto"), ("every_step", False)):
                if getattr(self, key) != default:
                    raise ValueError(f"takes no {key} with method = 'cells': it is for method = 'triangulation'")
        if self.every_step and self.skin != "auto":
            raise ValueError("takes no skin with every_step = true, which works without one; leave one of the two out")
        return self


def _method(value: Any) -> Any:
    return {"method": value} if isinstance(value, str) else value


AnyDetection = Annotated[Detection, BeforeValidator(_method)]


class Parallel(Model):
    """Domain decomposition into boxes, one per rank; it affects the speed, never the result."""

    grid: Literal["auto"] | Annotated[tuple[Parts, Parts, Parts], Strict(False)] = Field(
        default="auto",
        description="number of parts into which the domain is cut along x, y and z; their product is the number of ranks. 0: any number, so that "
        "`[0, 1, 1]` are slabs across x on any number of ranks. What is left open, all numbers with `auto`, is chosen for the fewest ghosts and "
        "chosen anew in the course of the run",
    )
    rebalance: bool = Field(
        default=True, description="whether the cuts move in the course of the run, so that the ranks have equal work, and the grid may change"
    )

    @property
    def parts(self) -> tuple[int, int, int]:
        """Number of parts along each axis, 0 where it may be chosen."""
        return (0, 0, 0) if self.grid == "auto" else self.grid

    @property
    def least_ranks(self) -> int:
        """The smallest number of ranks that the grid fits."""
        return prod(n for n in self.parts if n)
