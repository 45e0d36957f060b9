"""Shapes of grains, their mass properties, and the catalogue of species."""

from __future__ import annotations

from .catalogue import Catalogue, Species, build_catalogue, principal_orientations
from .mass import MassProperties
from .minkowski import dilation, erosion, opening
from .monte_carlo import MassEstimate
from .shape import Shape
from .voronoi import voronoi_packing
from .voronoi_grains import Packing

__all__ = [
    "Catalogue",
    "MassEstimate",
    "MassProperties",
    "Packing",
    "Shape",
    "Species",
    "build_catalogue",
    "dilation",
    "erosion",
    "opening",
    "principal_orientations",
    "voronoi_packing",
]
