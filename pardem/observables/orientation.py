"""Directions of elongated grains: angle to a plane and nematic order."""

from __future__ import annotations

import math

import numpy as np

from .._jit import kernel
from ..shapes.catalogue import Catalogue

ALIKE = 1e-9  # relative difference below which two principal moments count as equal
ROUND = -1  # body axis of a grain without a longest direction


def longest_axes(catalogue: Catalogue) -> np.ndarray:
    """Body axis (0, 1, 2) of the smallest principal moment of each species, (ns,).

    ``ROUND`` where a second moment is as small: spheres, cubes, plates.
    """
    axes = np.full(len(catalogue.kind), ROUND)
    for k, moments in enumerate(catalogue.inertia):
        smallest, second, _ = np.sort(moments)
        if catalogue.kind[k] > 1 and second - smallest > ALIKE * second:
            axes[k] = int(np.argmin(moments))
    return axes


def directions(q: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """World directions, (n, 3), of a body axis of each grain.

    Args:
        q: (n, 4) orientations (w, x, y, z). axis: (n,) 0, 1 or 2.
    """
    w, v = q[:, 0], q[:, 1:]
    a, b, c = axis, (axis + 1) % 3, (axis + 2) % 3
    rows = np.arange(len(q))
    va, vb, vc = v[rows, a], v[rows, b], v[rows, c]
    out = np.empty((len(q), 3))
    out[rows, a] = 1.0 - 2.0 * (vb * vb + vc * vc)
    out[rows, b] = 2.0 * (va * vb + w * vc)
    out[rows, c] = 2.0 * (va * vc - w * vb)
    return out


def angles_to_plane(u: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Angle (degrees, 0 to 90) between directions and the plane with a unit normal, (n,); its isotropic mean is 32.70 degrees (pi/2 - 1 rad).

    Args:
        u: (n, 3) unit vectors. normal: (3,).
    """
    out = np.empty(len(u))
    _angles(np.ascontiguousarray(u), float(normal[0]), float(normal[1]), float(normal[2]), out)
    return out


@kernel
def _angles(u: np.ndarray, nx: float, ny: float, nz: float, out: np.ndarray) -> None:
    # one by one: vectors of numpy's arctan2 need not have the bits of its scalars
    for i in range(u.shape[0]):
        x, y, z = u[i, 0], u[i, 1], u[i, 2]
        cx, cy, cz = y * nz - z * ny, z * nx - x * nz, x * ny - y * nx
        out[i] = math.atan2(abs(x * nx + y * ny + z * nz), math.sqrt(cx * cx + cy * cy + cz * cz)) * (180.0 / math.pi)


def moment_columns(u: np.ndarray) -> np.ndarray:
    """xx, yy, zz, xy, xz, yz of each direction, (n, 6); their means make the nematic tensor."""
    x, y, z = u.T
    return np.stack([x * x, y * y, z * z, x * y, x * z, y * z], axis=1)


def nematic_order(moments: np.ndarray, count: int) -> tuple[float, np.ndarray]:
    """Order parameter and director from Q = (3 <u u> - 1) / 2 (de Gennes and Prost, *The Physics of Liquid Crystals*, 1993).

    Args:
        moments: (6,) sums of ``moment_columns``. count: number of directions.

    Returns:
        the largest eigenvalue of Q (0: isotropic, 1: aligned) and its unit eigenvector, (3,), with its largest component positive; not-a-number
        where there are no directions.
    """
    if count == 0 or not np.isfinite(moments).all():
        return math.nan, np.full(3, math.nan)
    xx, yy, zz, xy, xz, yz = moments / count
    q = 1.5 * np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - 0.5 * np.eye(3)
    values, vectors = np.linalg.eigh(q)
    director = vectors[:, 2]
    return float(values[2]), director * np.sign(director[np.argmax(np.abs(director))])
