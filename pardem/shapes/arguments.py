"""What constructors of shapes take: points and numbers, and their checks."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..errors import ShapeError

Points = np.ndarray | Sequence[Sequence[float]]
"""Places as constructors take them: (n, 3), in two dimensions (n, 2), metres."""


def number(value: Any) -> bool:
    """Determine whether a value is a finite real number; true and false are not.

    Args:
        value: the value.

    Returns:
        Whether it is.
    """
    return isinstance(value, Real) and not isinstance(value, bool) and bool(np.isfinite(float(value)))


def positive(name: str, value: Any, remedy: str) -> float:
    """Check that an argument is a positive finite number.

    Args:
        name: name of the argument.
        value: its value.
        remedy: advice for the message.

    Returns:
        The value as a float.

    Raises:
        ShapeError: it is not.
    """
    if not number(value) or value <= 0.0:
        raise ShapeError(f"{name} = {value!r} must be a positive finite number; {remedy}.")
    return float(value)


def whole(name: str, value: Any, least: int, remedy: str) -> int:
    """Check that an argument is a whole number.

    Args:
        name: name of the argument.
        value: its value.
        least: smallest number that is allowed.
        remedy: advice for the message.

    Returns:
        The value as an integer.

    Raises:
        ShapeError: it is not, or it is below ``least``.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise ShapeError(f"{name} = {value!r} must be a whole number, at least {least}; {remedy}.")
    return int(value)


def sphero_radius(value: Any) -> float:
    """Check the radius that rounds a core.

    Args:
        value: its value (m).

    Returns:
        The radius (m).

    Raises:
        ShapeError: it is not a positive finite number.
    """
    return positive(
        "radius", value, "contacts act between rounded surfaces, so a sharp grain needs a small radius too, about a tenth of its shortest edge"
    )


def one_of(kind: str, **given: Any) -> str:
    """Find the one argument that is not None.

    Args:
        kind: kind of shape, for messages.
        **given: arguments by name.

    Returns:
        Its name.

    Raises:
        ShapeError: none or several are given.
    """
    names = [name for name, value in given.items() if value is not None]
    if len(names) != 1:
        raise ShapeError(f"Shape.{kind} needs exactly one of {', '.join(given)}, but {' and '.join(names) or 'none'} given.")
    return names[0]


def points_in_space(vertices: Any, kind: str, number: int | None) -> np.ndarray:
    """Convert vertices to an array of points in space.

    Args:
        vertices: list of points (m).
        kind: name of the constructor, for messages.
        number: required number of points; None for at least four.

    Returns:
        (n, 3) points (m).

    Raises:
        ShapeError: the vertices are not points with three finite coordinates, or there is another number of them.
    """
    try:
        points = np.array(vertices, dtype=float)
    except (TypeError, ValueError):
        points = np.empty(0)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ShapeError(f"The vertices of Shape.{kind} must be a list of points with three coordinates each (m).")
    if number is not None and len(points) != number:
        raise ShapeError(f"Shape.{kind} needs {number} vertices, but {len(points)} are given; use Shape.polyhedron for other numbers.")
    if len(points) < 3 or (number is None and len(points) < 4):
        raise ShapeError(f"Shape.{kind} needs at least four vertices, but {len(points)} are given; use Shape.spherotriangle for three.")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        raise ShapeError(f"Vertex {bad[0]} of Shape.{kind} = {points[bad[0]].tolist()} must have finite coordinates.")
    return points
