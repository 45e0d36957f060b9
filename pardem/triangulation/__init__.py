"""Weighted Delaunay (regular) triangulations in space, exact, kept up as their points move. Usable on its own."""

from .counts import Counts
from .flip_paths import Flip, flip_path
from .triangulation import Triangulation

__all__ = ["Counts", "Flip", "Triangulation", "flip_path"]
