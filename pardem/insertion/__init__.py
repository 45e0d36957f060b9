"""Putting grains into a region at random without overlap, and checking grains that a user has placed."""

from __future__ import annotations

from .check import Overlaps, centres_outside, check_overlaps, grains_outside, require_clear
from .lowering import Way, lower_grains
from .placed_grains import PlacedGrains, wrapped
from .random import NewGrains, Surroundings, insert_random, insert_while_free, random_scales
from .regions import BoxDomain, BoxRegion, CylinderRegion, Region, periodic_region

__all__ = [
    "BoxDomain",
    "BoxRegion",
    "CylinderRegion",
    "NewGrains",
    "Overlaps",
    "PlacedGrains",
    "Region",
    "Surroundings",
    "Way",
    "centres_outside",
    "check_overlaps",
    "grains_outside",
    "insert_random",
    "insert_while_free",
    "lower_grains",
    "periodic_region",
    "random_scales",
    "require_clear",
    "wrapped",
]
