"""Rotations in numpy: unit quaternions (w, x, y, z) in rows, body frame to world; compiled code has its own in `compiled.quaternions`."""

from __future__ import annotations

import numpy as np


def matrices(q: np.ndarray) -> np.ndarray:
    """Rotation matrices of unit quaternions.

    Args:
        q: (n, 4).

    Returns:
        (n, 3, 3), columns are the body's axes.
    """
    w, x, y, z = q.T
    out = np.empty((len(q), 3, 3))
    out[:, 0] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], 1)
    out[:, 1] = np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], 1)
    out[:, 2] = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], 1)
    return out


def rotated(q: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A vector of the body frame in the world's.

    Args:
        q: (4,) unit quaternion.
        vector: (3,).

    Returns:
        (3,).
    """
    twice = 2.0 * np.cross(q[1:], vector)
    return np.asarray(vector + q[0] * twice + np.cross(q[1:], twice))


def into_body(q: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A vector of the world in several body frames.

    Args:
        q: (n, 4) unit quaternions.
        vector: (3,).

    Returns:
        (n, 3).
    """
    x, y, z = (float(c) for c in vector)
    w, a, b, c = q.T
    tx, ty, tz = 2.0 * (c * y - b * z), 2.0 * (a * z - c * x), 2.0 * (b * x - a * y)
    return np.stack([x + w * tx - b * tz + c * ty, y + w * ty - c * tx + a * tz, z + w * tz - a * ty + b * tx], axis=1)


def products(q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Products q p of quaternions, at length one: first the rotation p, then q.

    Args:
        q: (n, 4) unit quaternions.
        p: (4,) unit quaternion.

    Returns:
        (n, 4).
    """
    w = q[:, 0] * p[0] - q[:, 1:] @ p[1:]
    xyz = q[:, :1] * p[1:] + p[0] * q[:, 1:] + np.cross(q[:, 1:], p[1:])
    product = np.column_stack([w, xyz])
    return np.asarray(product / np.linalg.norm(product, axis=1, keepdims=True))


def from_matrix(rotation: np.ndarray) -> np.ndarray:
    """Unit quaternion with w >= 0 of a rotation matrix.

    Row i of 4 q q^T is known from the matrix for each i; the row with the largest diagonal element is normalised (Shepperd, 1978).

    Args:
        rotation: (3, 3).

    Returns:
        (4,).
    """
    m = rotation
    xx, yy, zz = m.diagonal()
    product = np.array(
        [
            [1 + xx + yy + zz, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [m[2, 1] - m[1, 2], 1 + xx - yy - zz, m[0, 1] + m[1, 0], m[0, 2] + m[2, 0]],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], 1 - xx + yy - zz, m[1, 2] + m[2, 1]],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], 1 - xx - yy + zz],
        ]
    )
    q = product[np.argmax(product.diagonal())]
    return np.asarray(q / np.copysign(np.linalg.norm(q), q[0]))
