"""How grains fill space and how they are turned: density, layers, angles, nematic order."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from ..population import Population
from ..shapes.catalogue import Catalogue
from .exact import exact_sum

SLICES = 64  # points along a grain's long axis over which its volume is spread


def long_axes(grains: Population, catalogue: Catalogue) -> tuple[np.ndarray, np.ndarray]:
    """World direction of each grain's long axis ((n, 3), that of the smallest principal moment) and whether it has one ((n,) bool: no sphere)."""
    column = np.argmin(catalogue.inertia, axis=1)
    # a spherocylinder's axis is body z by construction
    column = np.where(catalogue.kind == 2, 2, column)[grains.species]
    body = np.eye(3)[column]
    w, xyz = grains.q[:, :1], grains.q[:, 1:]
    turn = 2.0 * np.cross(xyz, body)
    return body + w * turn + np.cross(xyz, turn), catalogue.kind[grains.species] > 1


def angles_to_plane(axes: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Angle (degrees, 0 to 90) of each axis to the plane with the given unit normal. Isotropic axes have a mean of 32.704 degrees (1 rad less than 90)."""
    return np.degrees(np.arcsin(np.clip(np.abs(axes @ normal), 0.0, 1.0)))


def nematic_order(comm: MPI.Comm, axes: np.ndarray) -> tuple[float, np.ndarray]:
    """Largest eigenvalue of Q = <3 u u - 1>/2 and its direction. Collective."""
    products = (axes[:, :, None] * axes[:, None, :]).reshape(-1, 9)
    sums = exact_sum(comm, np.concatenate([products, np.ones((len(axes), 1))], axis=1))
    if sums[9] == 0.0:
        return 0.0, np.zeros(3)
    values, vectors = np.linalg.eigh(1.5 * sums[:9].reshape(3, 3) / sums[9] - 0.5 * np.eye(3))
    return float(values[-1]), vectors[:, -1] * np.sign(vectors[np.argmax(np.abs(vectors[:, -1])), -1])


def volume_parts(grains: Population, catalogue: Catalogue, normal: np.ndarray, base: float) -> tuple[np.ndarray, np.ndarray]:
    """Heights above the base ((n, SLICES), m) at which each grain's volume lies, in equal parts (volume of one part: (n,), m^3).

    A grain's volume is spread along the normal as that of its core's extent: exact in the mean, and smooth where a grain crosses a boundary.
    """
    axes, long = long_axes(grains, catalogue)
    reach = np.where(long, catalogue.core_radius[grains.species] * grains.scale * np.abs(axes @ normal), 0.0) + 0.6 * grains.x[:, 3]
    part = (np.arange(SLICES) + 0.5) / SLICES * 2.0 - 1.0
    height = (grains.x[:, :3] @ normal - base)[:, None] + reach[:, None] * part
    return height, catalogue.volume[grains.species] * grains.scale**3 / SLICES


def fill_height(comm: MPI.Comm, height: np.ndarray, volume: np.ndarray, share: float = 0.99) -> float:
    """Height (m) below which ``share`` of the grains' volume lies: outliers above do not count. Collective; exact over ranks.

    Args:
        height: (n, SLICES) heights of the parts. volume: (n,) volume of a part.
    """
    low, high = float(comm.allreduce(height.min(initial=np.inf), MPI.MIN)), float(comm.allreduce(height.max(initial=-np.inf), MPI.MAX))
    total = float(exact_sum(comm, volume * SLICES))
    for _ in range(48):
        middle = 0.5 * (low + high)
        below = float(exact_sum(comm, volume * (height <= middle).sum(axis=1)))
        low, high = (low, middle) if below >= share * total else (middle, high)
    return high


def volume_in_layers(comm: MPI.Comm, height: np.ndarray, volume: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Volume of grains (m^3) between consecutive heights ``edges``. Collective."""
    inside = np.stack([((height >= a) & (height < b)).sum(axis=1) for a, b in zip(edges[:-1], edges[1:], strict=True)], axis=1)
    return np.asarray(exact_sum(comm, inside * volume[:, None]))


def mean_by_group(comm: MPI.Comm, values: np.ndarray, group: np.ndarray, groups: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean of values and number of members by group ((groups,) each; not-a-number for an empty one). Collective."""
    member = group[:, None] == np.arange(groups)
    sums = np.asarray(exact_sum(comm, np.concatenate([member * values[:, None], member.astype(float)], axis=1)))
    with np.errstate(invalid="ignore"):
        return sums[:groups] / sums[groups:], sums[groups:]


__all__ = ["angles_to_plane", "fill_height", "long_axes", "mean_by_group", "nematic_order", "volume_in_layers"]
