"""From where a picture is seen, so that all there is to see just fits."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np

from pardem.errors import FileError

NAMES = {"front": (0.0, 11.0), "right": (90.0, 11.0), "back": (180.0, 11.0), "left": (270.0, 11.0), "corner": (35.0, 25.0), "top": (0.0, 90.0),
         "bottom": (0.0, -90.0)}  # fmt: skip
"""Views by name: azimuth from the front, counter-clockwise seen from above, and elevation (degrees)."""
ANGLE = 25.0  # of the view, from its lower to its upper side (degrees)
MARGIN = 1.04  # share of the picture left around
LEGEND = 0.13  # lower share of the picture, for the legend
TITLE = 0.05  # upper share, for the time
PIXELS = 1_080_000  # of a picture that is given no size
LONGEST = 1600  # side of it


class Camera(NamedTuple):
    """A camera.

    Attributes:
        eye: (3,) where it is (m).
        target: (3,) what it looks at (m).
        up: (3,) unit vector that points upwards on the picture.
        height: height of what is shown without perspective (m), or None for a picture with perspective.
    """

    eye: np.ndarray
    target: np.ndarray
    up: np.ndarray
    height: float | None


def angles_of(view: str) -> tuple[float, float]:
    """Azimuth and elevation (degrees) of a view by name or as ``AZIMUTH,ELEVATION``.

    Args:
        view: direction of view as given on the command line.

    Raises:
        FileError: it is neither.
    """
    if view in NAMES:
        return NAMES[view]
    if re.fullmatch(r"[-+]?\d{1,3}(\.\d*)?,[-+]?\d{1,2}(\.\d*)?", view, re.ASCII):
        azimuth, elevation = map(float, view.split(","))
        if abs(elevation) <= 90.0:
            return azimuth, elevation
    raise FileError(f"--view {view} is unknown: give {', '.join(NAMES)}, or AZIMUTH,ELEVATION in degrees, for instance 30,20")


def axes_of(view: str, up: np.ndarray) -> np.ndarray:
    """Directions of a picture in the world.

    Args:
        view: name, or ``AZIMUTH,ELEVATION`` in degrees.
        up: (3,) unit vector against gravity; the axis next to it is upright.

    Returns:
        (3, 3) orthonormal rows: to the right, upwards, towards the camera.

    Raises:
        FileError: there is no such view.
    """
    azimuth, elevation = np.radians(angles_of(view))
    c = int(np.argmax(np.abs(up)))
    upright = np.sign(up[c]) * np.eye(3)[c]
    right = np.eye(3)[0 if c else 1]
    front = np.cross(right, upright)
    ahead = np.cos(azimuth) * front + np.sin(azimuth) * right
    toward = np.cos(elevation) * ahead + np.sin(elevation) * upright
    above = np.cos(elevation) * upright - np.sin(elevation) * ahead
    return np.array([np.cross(above, toward), above, toward])


def fitted_size(corners: np.ndarray, axes: np.ndarray) -> tuple[int, int]:
    """Width and height (pixels, even) of a picture that box fills well.

    Args:
        corners: (2, 3) lower and upper corner of what is shown (m).
        axes: (3, 3) see ``axes_of``.
    """
    width, height = np.ptp(_all_corners(corners) @ axes[:2].T, axis=0)
    aspect = float(np.clip((1.0 - LEGEND - TITLE) * width / max(height, 1e-3 * width, 1e-300), 0.4, 2.5))
    sides = math.sqrt(PIXELS * aspect), math.sqrt(PIXELS / aspect)
    shrink = min(1.0, LONGEST / max(sides))
    return 2 * int(0.5 * shrink * sides[0]), 2 * int(0.5 * shrink * sides[1])


def fitted(corners: np.ndarray, axes: np.ndarray, aspect: float, flat: bool) -> Camera:
    """The nearest camera that shows a box, between the shares of the picture that the legend and the time have.

    Args:
        corners: (2, 3) lower and upper corner of what is shown (m).
        axes: (3, 3) see ``axes_of``.
        aspect: width of the picture over its height.
        flat: whether to see it without perspective.
    """
    middle = corners.mean(axis=0)
    u, v, w = axes @ (_all_corners(corners) - middle).T
    free, raised = 1.0 - LEGEND - TITLE, LEGEND - TITLE
    if flat:
        height = MARGIN * max(float(np.ptp(v)) / free, float(np.ptp(u)) / aspect, 1e-300)
        distance = height + float(np.ptp(w))
        target = middle - 0.5 * raised * height * axes[1]
        return Camera(target + distance * axes[2], target, axes[1], height)
    slope = math.tan(math.radians(0.5 * ANGLE))
    # the middle of the box is seen `raised` of half the height above that of the picture; points (u, v, w) lie between 2 LEGEND - 1 and 1 - 2 TITLE
    across = w + np.abs(u) / (slope * aspect)
    above, below = ((1.0 - 2.0 * TITLE) * w + v / slope) / free, ((1.0 - 2.0 * LEGEND) * w - v / slope) / free
    distance = MARGIN * max(float(np.max([across, above, below])), 1e-300)
    target = middle - raised * slope * distance * axes[1]
    return Camera(target + distance * axes[2], target, axes[1], None)


def _all_corners(corners: np.ndarray) -> np.ndarray:
    """The eight corners ((8, 3)) of a box."""
    return np.array([[corners[k, 0], corners[m, 1], corners[n, 2]] for k in (0, 1) for m in (0, 1) for n in (0, 1)])
