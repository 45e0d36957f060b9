"""What is measured of the hopper of paper 003: the grains outside, and when the last of them came out."""

from __future__ import annotations

import numpy as np

import pardem


def out_at_12(result: pardem.Result) -> int:
    """Number of grains outside at 12 s, or at the end of a shorter run (1)."""
    return int(outside(result)[min(int(np.searchsorted(result.times, 12.0 - 1e-9)), len(result) - 1)])


def out(result: pardem.Result) -> int:
    """Number of grains outside at the end (1)."""
    return int(outside(result)[-1])


def last(result: pardem.Result) -> float:
    """Time from which on that number has not risen any more (s)."""
    count = outside(result)
    return float(result.times[int(np.argmax(count == count.max()))])


def outside(result: pardem.Result) -> np.ndarray:
    """Number of centres that lie below the outlet or outside the faces of the hopper, frame by frame."""
    hopper = next(species for species in result.case.species if species.name == "hopper")
    corners = np.array(hopper.vertices)  # of outlet, rim and top, four each about the z axis
    return np.array([np.count_nonzero(is_outside(frame.position, corners)) for frame in result])


def is_outside(position: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """Find the centres that lie below the outlet or outside the faces of the hopper.

    Args:
        position: (n, 3) centres (m).
        corners: (12, 3) corners of outlet, rim and top (four each) about the z axis (m).

    Returns:
        (n,) bool, whether a centre lies outside.
    """
    heights, widths = corners[::4, 2], np.abs(corners[::4, 0])
    across = np.abs(position[:, :2]).max(axis=1)
    return np.asarray((position[:, 2] < heights[0]) | (across > np.interp(position[:, 2], heights, widths)))
