"""Volume of a grain below a plane, in closed form for spheres and spherocylinders."""

from __future__ import annotations

import math

from ..compiled.jit import kernel

FLAT = 1e-6  # rise of a rod's axis, relative to its radius, below which the difference quotient would lose digits


@kernel
def ball_below(x: float, r: float) -> float:
    """Compute the volume of a ball below a horizontal plane.

    Args:
        x: height of the plane above the centre (m).
        r: radius (m).

    Returns:
        The volume (m^3).
    """
    x = min(max(x, -r), r)
    return math.pi * ((2.0 / 3.0) * r * r * r + r * r * x - x * x * x / 3.0)


@kernel
def half_ball_excess(x: float, c: float, s: float, r: float) -> float:
    """Compute by how much the volume of a half-ball below a plane exceeds half of that of the ball.

    At height z the slice of the half-ball is the disc of radius (r^2 - z^2)^(1/2) cut by a chord; this is integrated over z by parts. The result is
    even in ``x``.

    Args:
        x: height of the plane above the centre (m).
        c: upward component of the unit normal of the flat face.
        s: horizontal component of that normal.
        r: radius (m).

    Returns:
        The excess (m^3).
    """
    x = abs(x)
    if x >= s * r:
        return -0.5 * (ball_below(r, r) - ball_below(x, r))
    q = math.sqrt(r * r - (x / s) * (x / s))
    y = min(1.0, c * x / (s * math.sqrt(r * r - x * x)))
    slices = (r * r * x - x * x * x / 3.0) * math.asin(y)
    return slices - math.pi * r * r * r / 3.0 + (2.0 / 3.0) * r * r * r * math.atan2(s * q, c * r) + c * q * x * x / (3.0 * s)


@kernel
def _disc_integral(x: float, a: float) -> float:
    """Integral from minus infinity to ``x`` of the share of a disc of radius ``a`` below a chord (m)."""
    if x >= a:
        return x
    if x <= -a:
        return 0.0
    y = x / a
    root = math.sqrt(1.0 - y * y)
    return a * (0.5 * y + (y * math.asin(y) + root - root * root * root / 3.0) / math.pi)


@kernel
def rod_below(z: float, c: float, length: float, r: float) -> float:
    """Compute the volume of a spherocylinder below a horizontal plane.

    The cylinder consists of discs of half-width r s spread evenly over the rise of the axis, the ends are two half-balls.

    Args:
        z: height of the plane above the centre (m).
        c: cosine of the angle between the axis and the vertical, 0 to 1.
        length: length of the axis (m).
        r: radius (m).

    Returns:
        The volume (m^3).
    """
    s = math.sqrt(max(0.0, 1.0 - c * c))
    if length == 0.0:
        return ball_below(z, r)
    rise = 0.5 * c * length
    up, down = z - rise, z + rise
    ends = 0.5 * (ball_below(up, r) + ball_below(down, r)) + half_ball_excess(up, c, s, r) - half_ball_excess(down, c, s, r)
    w = max(rise, FLAT * r)
    return ends + math.pi * r * r * length * (_disc_integral(z + w, s * r) - _disc_integral(z - w, s * r)) / (2.0 * w)
