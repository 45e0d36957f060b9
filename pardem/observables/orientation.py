"""Directions of elongated grains: angle to a plane and nematic order."""

from __future__ import annotations

import math

import numpy as np

from ..compiled.jit import kernel
from ..compiled.vectors import cross, dot, length, row
from ..shapes.rotations import matrices


def directions(q: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Rotate a vector of each grain's body frame into the world.

    Args:
        q: (n, 4) orientations (w, x, y, z).
        axis: (n, 3) vectors in the body frames.

    Returns:
        (n, 3) vectors in the world frame.
    """
    m = matrices(q)
    a, b, c = axis.T[:, :, None]
    return np.asarray(m[:, :, 0] * a + m[:, :, 1] * b + m[:, :, 2] * c)


def angles_to_plane(u: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Compute the angles between directions and a plane.

    For isotropic directions the mean is 32.70 degrees (pi/2 - 1 rad); for directions in a plane perpendicular to the given one it is 45 degrees.

    Args:
        u: (n, 3) unit vectors.
        normal: (3,) unit normal of the plane.

    Returns:
        (n,) angles (degrees, 0 to 90).
    """
    out = np.empty(len(u))
    _angles(np.ascontiguousarray(u), (float(normal[0]), float(normal[1]), float(normal[2])), out)
    return out


@kernel
def _angles(u: np.ndarray, normal: tuple[float, float, float], out: np.ndarray) -> None:
    # one by one: vectors of numpy's arctan2 need not have the bits of its scalars
    for i in range(u.shape[0]):
        a = row(u, i)
        out[i] = math.atan2(abs(dot(a, normal)), length(cross(a, normal))) * (180.0 / math.pi)


def moment_columns(u: np.ndarray) -> np.ndarray:
    """Compute the products of the components of directions, whose means make the nematic tensor.

    Args:
        u: (n, 3) unit vectors.

    Returns:
        (n, 6) products xx, yy, zz, xy, xz, yz.
    """
    x, y, z = u.T
    return np.stack([x * x, y * y, z * z, x * y, x * z, y * z], axis=1)


def nematic_order(moments: np.ndarray, count: int, dimension: int) -> tuple[float, np.ndarray]:
    """Compute the order parameter and the director from Q = (d <u u> - 1) / (d - 1) in d dimensions.

    The definition is that of de Gennes and Prost, *The Physics of Liquid Crystals*, 1993. In the plane the order is the mean of
    cos 2(theta - theta_director).

    Args:
        moments: (6,) sums of ``moment_columns``.
        count: number of directions.
        dimension: 3, or 2 for directions in the plane x-y.

    Returns:
        The largest eigenvalue of Q (0: isotropic, 1: aligned) and its unit eigenvector, (3,), whose largest component is positive. Both are
        not-a-number if there are no directions.
    """
    if count == 0 or not np.isfinite(moments).all():
        return math.nan, np.full(3, math.nan)
    xx, yy, zz, xy, xz, yz = moments / count
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])[:dimension, :dimension]
    values, vectors = np.linalg.eigh((dimension * tensor - np.eye(dimension)) / (dimension - 1))
    director = np.zeros(3)
    director[:dimension] = vectors[:, -1]
    return float(values[-1]), director * np.sign(director[np.argmax(np.abs(director))])
