"""All classes of species that a case can have, told apart by their key `shape`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .grains import Cube, Polyhedron, Sphere, Spherocylinder, Spherotetrahedron, Spherotriangle
from .planar_grains import PlanarSpecies
from .skeleton_grains import Compound, Mesh, Polyline, Skeleton, Yermis

AnySpecies = Annotated[
    Sphere | Spherocylinder | Spherotriangle | Spherotetrahedron | Polyhedron | Cube | Polyline | Yermis | Skeleton | Compound | Mesh | PlanarSpecies,
    Field(discriminator="shape"),
]
