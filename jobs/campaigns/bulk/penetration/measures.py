"""What is measured of the beds and of the ball of the penetration test."""

from __future__ import annotations

import numpy as np

import pardem

FLOOR = -0.090243
"""Height of the floor of the box (m)."""


def heights(result: pardem.Result) -> tuple[np.ndarray, np.ndarray]:
    """Times of the rows (s), and the z coordinate of the centre of the ball (m)."""
    return np.asarray(result.series.times), np.asarray(result.series.values["height/ball"]) + FLOOR


def speeds(result: pardem.Result) -> tuple[np.ndarray, np.ndarray]:
    """Times halfway between the rows (s), and the velocity of the ball along z (m/s)."""
    times, z = heights(result)
    return 0.5 * (times[1:] + times[:-1]), np.diff(z) / np.diff(times)


def deepest(result: pardem.Result) -> float:
    """Lowest height of the centre of the ball (m)."""
    return float(heights(result)[1].min())


def deepest_time(result: pardem.Result) -> float:
    """Time at which the ball is deepest (s)."""
    times, z = heights(result)
    return float(times[z.argmin()])


def rebound(result: pardem.Result) -> float:
    """Largest upward speed of the ball after its deepest point (m/s); 0 if it comes to rest there."""
    times, speed = speeds(result)
    return float(speed[times > deepest_time(result)].max(initial=0.0))


def last(result: pardem.Result) -> float:
    """Height of the centre of the ball at the end (m)."""
    return float(heights(result)[1][-1])


def surface(result: pardem.Result) -> float:
    """Height below which 99 % of the volume of the beads lies (m)."""
    return float(result.series.values["fill_height"][-1]) + FLOOR
