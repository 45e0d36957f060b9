"""The errors a user can meet: each is one sentence that names the file, the key, the value and the remedy."""

from __future__ import annotations


class PardemError(Exception):
    """Base of every error that pardem raises on purpose."""


class CaseError(PardemError):
    """A case file or a parameter is wrong; found before anything is computed."""


class ShapeError(PardemError):
    """A shape is degenerate, not convex where it must be, or without mass."""


class TriangulationError(PardemError):
    """Points of a triangulation are not numbers, too large or not there, or an array has the wrong shape."""


class InsertionError(PardemError):
    """The grains asked for do not fit, overlap, or lie outside the domain."""


class FileError(PardemError):
    """A file is missing, truncated, foreign, in the way, or could not be written."""


class BlowUpError(PardemError):
    """The motion became unphysical: not-a-number, runaway overlap, a force out of range, a grain that left the domain."""


class CoveringError(PardemError):
    """Grains cannot be covered by spheres as the triangulation needs them."""
