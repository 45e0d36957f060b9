"""What the species of all shapes have in common."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import Field, Strict, model_validator

from ..case_values import NamedModel, Positive
from ..errors import ShapeError

if TYPE_CHECKING:
    from ..shapes import Shape


class SpeciesBase(NamedModel):
    """A species: name, density, radius and the sizes of its shape."""

    density: Positive = Field(description="mass density (kg/m^3); default: that of the `[[material]]`")
    radius: Positive = Field(description="radius of the ball that rounds the core (m)")
    inertia: Annotated[tuple[Positive, Positive, Positive], Strict(False)] | None = Field(
        default=None,
        description="factors by which the principal moments of inertia are multiplied, in their order in a result (1); default: those of a "
        "homogeneous grain",
    )

    @model_validator(mode="after")
    def _check_inertia(self) -> Self:
        if self.inertia is not None and (self.dimension == 2 or self.core_vertices == 1) and len(set(self.inertia)) > 1:
            raise ValueError("needs three equal factors as its inertia: a sphere has one moment, and so has a grain in the plane")
        return self

    @property
    def dimension(self) -> int:
        """Number of dimensions of space."""
        return 3

    @property
    def core_vertices(self) -> int:
        """Number of vertices of the core, or an upper bound of it."""
        raise NotImplementedError

    def located(self, directory: Path) -> Self:
        """Return the same species with relative paths that refer to a folder; most species have no paths.

        Args:
            directory: the folder.
        """
        return self

    def make_shape(self) -> Shape:
        """Return the geometry as a `pardem.Shape`, which is built only once.

        Raises:
            ShapeError: the shape is degenerate; the message begins with the species.
        """
        return _made(self)


def inertia_factors(species: Sequence[SpeciesBase]) -> np.ndarray:
    """Factors by which the principal moments of species differ from those of homogeneous grains, (ns, 3).

    Args:
        species: the species.
    """
    return np.array([s.inertia or (1.0, 1.0, 1.0) for s in species]).reshape(-1, 3)


@lru_cache(maxsize=1 << 14)
def _made(species: SpeciesBase) -> Shape:
    from ..shapes import Shape

    sizes = species.model_dump(exclude={"name", "material", "density", "shape", "inertia"}, exclude_none=True)
    try:
        shape: Shape = getattr(Shape, species.model_dump(include={"shape"})["shape"])(**sizes)
    except ShapeError as error:
        raise ShapeError(f"species.{species.name}: {error}") from None
    return shape
