"""What the species of all shapes have in common."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import Field

from ..case_values import NamedModel, Positive
from ..errors import ShapeError

if TYPE_CHECKING:
    from ..shapes import Shape


class SpeciesBase(NamedModel):
    """A species: name, density, radius and the sizes of its shape."""

    density: Positive = Field(description="mass density (kg/m^3); default: that of the `[[material]]`")
    radius: Positive = Field(description="radius of the ball that rounds the core (m)")

    @property
    def dimension(self) -> int:
        """Number of dimensions of space."""
        return 3

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


@lru_cache(maxsize=1 << 14)
def _made(species: SpeciesBase) -> Shape:
    from ..shapes import Shape

    sizes = species.model_dump(exclude={"name", "material", "density", "shape"}, exclude_none=True)
    try:
        shape: Shape = getattr(Shape, species.model_dump(include={"shape"})["shape"])(**sizes)
    except ShapeError as error:
        raise ShapeError(f"species.{species.name}: {error}") from None
    return shape
