"""The errors a user can meet: each is one sentence that names the file, the key, the value and the remedy."""

from __future__ import annotations

from typing import Any


class PardemError(Exception):
    """Base class of every error that pardem raises deliberately."""


class CaseError(PardemError):
    """A case file or a parameter is wrong; raised before anything is computed."""


class ShapeError(PardemError):
    """A shape is degenerate, has no mass, or is not convex although it must be."""


class TriangulationError(PardemError):
    """The points of a triangulation are not finite, are too large or do not exist, or an array has the wrong shape."""


class InsertionError(PardemError):
    """Grains do not fit into their region, overlap, or lie outside the domain."""


class FileError(PardemError):
    """A file is missing, truncated, not one of pardem's, in the way of another one, or could not be written."""


class MeasureError(PardemError):
    """A function of the user has failed on the result of a run, or returned no number."""


class BlowUpError(PardemError):
    """The motion became unphysical: a value that is not finite, an excessive overlap, a force out of range, or a grain that left the domain.

    Args:
        message: sentences for the user.
        fault: what a step met (`state.diagnosis.Fault`), if it was one.
    """

    def __init__(self, message: str, fault: Any = None) -> None:
        super().__init__(message)
        self.fault = fault


class CoveringError(PardemError):
    """The grains cannot be covered by spheres as detection by triangulation requires."""
