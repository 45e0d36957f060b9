"""Shapes of grains, their mass properties, and the catalogue of species."""

from __future__ import annotations

from .catalogue import Catalogue, Species, build_catalogue, principal_orientations
from .geometry.minkowski import dilation, erosion, opening
from .mass.monte_carlo import MassEstimate
from .mass.polytope_mass import MassProperties
from .shape import Shape
from .voronoi.packing import Rounding, voronoi_packing
from .voronoi.packing_file import Packing

__all__ = [
    "Catalogue",
    "MassEstimate",
    "MassProperties",
    "Packing",
    "Rounding",
    "Shape",
    "Species",
    "build_catalogue",
    "dilation",
    "erosion",
    "opening",
    "principal_orientations",
    "voronoi_packing",
]
