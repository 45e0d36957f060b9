"""Rotations by unit quaternions (w, x, y, z), body principal frame to world."""

from __future__ import annotations

import numpy as np

from .._jit import inlined


@inlined
def matrix(q0, q1, q2, q3):
    """Rotation matrix of a unit quaternion, row by row."""
    xx, yy, zz = 2.0 * q1 * q1, 2.0 * q2 * q2, 2.0 * q3 * q3
    xy, xz, yz = 2.0 * q1 * q2, 2.0 * q1 * q3, 2.0 * q2 * q3
    wx, wy, wz = 2.0 * q0 * q1, 2.0 * q0 * q2, 2.0 * q0 * q3
    return 1.0 - yy - zz, xy - wz, xz + wy, xy + wz, 1.0 - xx - zz, yz - wx, xz - wy, yz + wx, 1.0 - xx - yy


@inlined
def to_world(q0, q1, q2, q3, x, y, z):
    """R(q) applied to a body-frame vector."""
    tx, ty, tz = 2.0 * (q2 * z - q3 * y), 2.0 * (q3 * x - q1 * z), 2.0 * (q1 * y - q2 * x)
    return x + q0 * tx + q2 * tz - q3 * ty, y + q0 * ty + q3 * tx - q1 * tz, z + q0 * tz + q1 * ty - q2 * tx


@inlined
def body_rate(q0, q1, q2, q3, lx, ly, lz, jx, jy, jz):
    """Angular velocity in the body frame, I^-1 R(q)^T L, from the inverse principal moments."""
    r00, r01, r02, r10, r11, r12, r20, r21, r22 = matrix(q0, q1, q2, q3)
    return (r00 * lx + r10 * ly + r20 * lz) * jx, (r01 * lx + r11 * ly + r21 * lz) * jy, (r02 * lx + r12 * ly + r22 * lz) * jz


@inlined
def product(a0, a1, a2, a3, b0, b1, b2, b3):
    """Product a b of two quaternions."""
    return (
        a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
        a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2,
        a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1,
        a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0,
    )


@inlined
def circular(x2):
    """cos(x) and sin(x)/x from x^2: series that are exact to rounding up to x = 0.1, that is turns by 0.2 rad, and to 1e-7 up to x = 1."""
    c = 1.0 + x2 * (-1.0 / 2.0 + x2 * (1.0 / 24.0 + x2 * (-1.0 / 720.0 + x2 * (1.0 / 40320.0))))
    s = 1.0 + x2 * (-1.0 / 6.0 + x2 * (1.0 / 120.0 + x2 * (-1.0 / 5040.0 + x2 * (1.0 / 362880.0))))
    return c, s


@inlined
def exponential(x, y, z):
    """Quaternion of the rotation by the vector 2 (x, y, z) (rad): its argument is half the rotation vector."""
    c, s = circular(x * x + y * y + z * z)
    return c, s * x, s * y, s * z


@inlined
def normalised(a, b, c, d):
    """A quaternion at length one."""
    n = 1.0 / np.sqrt(a * a + b * b + c * c + d * d)
    return a * n, b * n, c * n, d * n
