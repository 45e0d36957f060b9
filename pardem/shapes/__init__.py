"""Shapes of grains, their mass properties, and the catalogue of species."""

from __future__ import annotations

from .catalogue import Catalogue, Species, build_catalogue, principal_orientations
from .mass import MassProperties
from .monte_carlo import MassEstimate
from .shape import Shape

__all__ = ["Catalogue", "MassEstimate", "MassProperties", "Shape", "Species", "build_catalogue", "principal_orientations"]
