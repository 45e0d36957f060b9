"""Rotations as values: unit quaternions (w, x, y, z) in a tuple, body principal frame to world."""

from __future__ import annotations

from .choices import root, select
from .jit import inlined
from .vectors import dot, square


@inlined
def orientation(array, i):
    """The quaternion in row ``i`` of an array."""
    return array[i, 0], array[i, 1], array[i, 2], array[i, 3]


@inlined
def put_orientation(array, i, q):
    """Write a quaternion to row ``i`` of an array."""
    array[i, 0], array[i, 1], array[i, 2], array[i, 3] = q[0], q[1], q[2], q[3]


@inlined
def matrix(q):
    """The three rows of the rotation matrix of a unit quaternion."""
    xx, yy, zz = 2.0 * q[1] * q[1], 2.0 * q[2] * q[2], 2.0 * q[3] * q[3]
    xy, xz, yz = 2.0 * q[1] * q[2], 2.0 * q[1] * q[3], 2.0 * q[2] * q[3]
    wx, wy, wz = 2.0 * q[0] * q[1], 2.0 * q[0] * q[2], 2.0 * q[0] * q[3]
    return (1.0 - yy - zz, xy - wz, xz + wy), (xy + wz, 1.0 - xx - zz, yz - wx), (xz - wy, yz + wx, 1.0 - xx - yy)


@inlined
def transposed(rows):
    """The transpose of a matrix given by rows: of a rotation, the axes of the world in the body frame."""
    return (rows[0][0], rows[1][0], rows[2][0]), (rows[0][1], rows[1][1], rows[2][1]), (rows[0][2], rows[1][2], rows[2][2])


@inlined
def times(rows, a):
    """A matrix, by rows, times a vector."""
    return dot(rows[0], a), dot(rows[1], a), dot(rows[2], a)


@inlined
def to_world(q, a):
    """R(q) a: a vector of the body frame in the world's."""
    tx, ty, tz = 2.0 * (q[2] * a[2] - q[3] * a[1]), 2.0 * (q[3] * a[0] - q[1] * a[2]), 2.0 * (q[1] * a[1] - q[2] * a[0])
    return a[0] + q[0] * tx + q[2] * tz - q[3] * ty, a[1] + q[0] * ty + q[3] * tx - q[1] * tz, a[2] + q[0] * tz + q[1] * ty - q[2] * tx


@inlined
def body_rate(q, momentum, inverse):
    """Angular velocity in the body frame, I^-1 R(q)^T L.

    Args:
        q: unit quaternion.
        momentum: angular momentum L, world frame (kg m^2/s).
        inverse: one over each principal moment (1/(kg m^2)).
    """
    r = matrix(q)
    return (
        (r[0][0] * momentum[0] + r[1][0] * momentum[1] + r[2][0] * momentum[2]) * inverse[0],
        (r[0][1] * momentum[0] + r[1][1] * momentum[1] + r[2][1] * momentum[2]) * inverse[1],
        (r[0][2] * momentum[0] + r[1][2] * momentum[1] + r[2][2] * momentum[2]) * inverse[2],
    )


@inlined
def product(a, b):
    """Product a b of two quaternions: first the rotation b, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@inlined
def half_angle_cosine(a, b):
    """Cosine of half the angle between two orientations."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@inlined
def circular(x2):
    """cos(x) and sin(x)/x from x^2: series that are exact to rounding up to x = 0.1, that is turns by 0.2 rad, and to 1e-7 up to x = 1."""
    c = 1.0 + x2 * (-1.0 / 2.0 + x2 * (1.0 / 24.0 + x2 * (-1.0 / 720.0 + x2 * (1.0 / 40320.0))))
    s = 1.0 + x2 * (-1.0 / 6.0 + x2 * (1.0 / 120.0 + x2 * (-1.0 / 5040.0 + x2 * (1.0 / 362880.0))))
    return c, s


@inlined
def exponential(a):
    """Quaternion of the rotation by the vector 2 a (rad): its argument is half the rotation vector."""
    c, s = circular(square(a))
    return c, s * a[0], s * a[1], s * a[2]


@inlined
def choose_orientation(condition, a, b):
    """The quaternion ``a`` where the condition holds, else ``b``; both are computed."""
    return select(condition, a[0], b[0]), select(condition, a[1], b[1]), select(condition, a[2], b[2]), select(condition, a[3], b[3])


@inlined
def normalised(q):
    """A quaternion at length one."""
    n = 1.0 / root(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * n, q[1] * n, q[2] * n, q[3] * n
