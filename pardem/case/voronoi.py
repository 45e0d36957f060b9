"""Packings of rounded Voronoi cells in a case: each cell becomes a species of one grain."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from ..case_values import NamedModel, Positive, Vector, exactly_one, ordered
from ..errors import CaseError, ShapeError
from .grains import Polyhedron
from .placement import Grain
from .planar_grains import Polygon
from .settings import Domain

SHY = 1e-9
"""Part of the erosion by which the ball is smaller than asked for where it would fill it, so that rounding makes no neighbours overlap."""


class Voronoi(NamedModel):
    """A box filled with rounded Voronoi cells, which do not overlap: cells are eroded by d, then dilated by r <= d (paper 000)."""

    density: Positive = Field(description="mass density (kg/m^3; in 2D kg/m^2); default: that of the `[[material]]`")
    count: Annotated[int, Field(ge=1, le=10_000_000)] = Field(
        description="number of sites, which are drawn at random (1); a cell that vanishes by the erosion gives no grain"
    )
    lower: Vector | None = Field(default=None, description="lower corner of the box (m); default: that of the domain")
    upper: Vector | None = Field(default=None, description="upper corner of the box (m); default: that of the domain")
    erosion: Positive | None = Field(default=None, description="distance d by which the cells are eroded (m); alternative: `void_ratio`")
    void_ratio: Positive | None = Field(
        default=None, description="ratio of the volume of the voids to that of the grains, from which d follows (1); alternative: `erosion`"
    )
    radius: Positive | None = Field(default=None, description="radius r of the ball that rounds the grains, at most d (m); alternative: `roundness`")
    roundness: Annotated[Positive, Field(le=1)] | None = Field(
        default=None, description="ratio r/d (1); default: 1, the morphological opening of the cells; alternative: `radius`"
    )
    regularity: Annotated[int, Field(ge=0, le=10_000)] = Field(
        default=0, description="number of steps of Lloyd's algorithm, which makes the cells more uniform and rounder (1)"
    )
    seed: Annotated[int, Field(ge=0, lt=2**63)] | None = Field(default=None, description="seed of the sites (1); default: that of the case")

    @model_validator(mode="after")
    def _check(self) -> Self:
        exactly_one(self, "erosion", "void_ratio")
        if self.radius is not None and self.roundness is not None:
            raise ValueError("takes radius or roundness, not both")
        if self.lower is not None and self.upper is not None:
            ordered(self.lower, self.upper)
        return self


def cells_of(packing: Voronoi, domain: Domain | None, dimension: int, seed: int) -> tuple[list[Polyhedron | Polygon], list[Grain]]:
    """Make the species and grains of a Voronoi packing, named by the packing and numbered.

    The box of the packing is periodic along those periodic axes of the domain that it spans.

    Args:
        packing: validated table of the packing.
        domain: domain of the case, or None.
        dimension: dimension of the case, 2 or 3.
        seed: seed of the case.

    Returns:
        The species, and the grains.

    Raises:
        CaseError: there is no box, or the packing cannot be made.
    """
    from ..shapes import Rounding, voronoi_packing

    key = f"voronoi.{packing.name}"
    if domain is None:
        raise CaseError(f"{key} needs a [domain] to lie in")
    low, high = packing.lower or domain.lower, packing.upper or domain.upper
    for a, axis in enumerate("xyz"[:dimension]):
        if not domain.lower[a] <= low[a] < high[a] <= domain.upper[a]:
            raise CaseError(
                f"{key} reaches from {low[a]!r} to {high[a]!r} m along {axis}, which must be a part of [domain] ({domain.lower[a]!r} to "
                f"{domain.upper[a]!r} m)"
            )
    periodic = [domain.periodic[a] and low[a] == domain.lower[a] and high[a] == domain.upper[a] for a in range(dimension)]
    try:
        rounding = Rounding(packing.erosion, packing.void_ratio, packing.radius, packing.roundness)
        drawn = seed if packing.seed is None else packing.seed
        made = voronoi_packing(
            packing.count, low[:dimension], high[:dimension], rounding, periodic=periodic, seed=drawn, regularity=packing.regularity
        )
    except ShapeError as error:
        raise CaseError(f"{key}: {error}") from None
    if not len(made):
        raise CaseError(f"{key}: all {packing.count} cells vanish; make the erosion or the void ratio smaller, or give fewer sites")
    radius = min(made.radius, (1.0 - SHY) * made.erosion)
    common: dict[str, Any] = {"material": packing.material, "radius": radius, "density": packing.density}
    species: list[Polyhedron | Polygon] = []
    grains = []
    for shape, site, centre in zip(made.shapes(), made.site.tolist(), made.centres.tolist(), strict=True):
        name, vertices = f"{packing.name}_{site}", shape.vertices.tolist()
        if dimension == 2:
            species.append(Polygon(name=name, shape="polygon", vertices=vertices, **common))
        else:
            species.append(Polyhedron(name=name, shape="polyhedron", vertices=vertices, **common))
        grains.append(Grain(species=name, position=(*centre, 0.0)[:3]))
    return species, grains
