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
def turned(q0, q1, q2, q3, wx, wy, wz, half):
    """Normalised q (1 + half w) with w in the body frame and ``half`` half the time (s)."""
    a = q0 - half * (q1 * wx + q2 * wy + q3 * wz)
    b = q1 + half * (q0 * wx + q2 * wz - q3 * wy)
    c = q2 + half * (q0 * wy + q3 * wx - q1 * wz)
    d = q3 + half * (q0 * wz + q1 * wy - q2 * wx)
    n = 1.0 / np.sqrt(a * a + b * b + c * c + d * d)
    return a * n, b * n, c * n, d * n
