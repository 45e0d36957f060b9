"""Weighted Delaunay (regular) triangulations in space, exact, kept up as their points move. Usable on its own."""

from .triangulation import Counts, Triangulation

__all__ = ["Counts", "Triangulation"]
