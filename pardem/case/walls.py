"""The walls of a case: their tables stand with their surfaces."""

from __future__ import annotations

from ..walls.surfaces.registry import TABLES, AnyWall
from ..walls.surfaces.wall_table import WallTable

__all__ = ["TABLES", "AnyWall", "WallTable"]
