"""Kinetic and gravity energy of grains."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from ..decomposition.exact import ExactSums
from ..shapes.catalogue import Catalogue
from ..state.arrays import Settings
from ..state.population import Population


def translational_energy(v: np.ndarray) -> np.ndarray:
    """Compute the translational kinetic energy m v^2 / 2 of grains.

    Args:
        v: (n, 4) velocity (m/s), mass (kg).

    Returns:
        (n,) energies (J).
    """
    return 0.5 * v[:, 3] * (v[:, 0] * v[:, 0] + v[:, 1] * v[:, 1] + v[:, 2] * v[:, 2])


def rotational_energy(w: np.ndarray, am: np.ndarray, sphere: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Compute the rotational energy of grains: I w^2 / 2 for spheres, L.w / 2 for others.

    Args:
        w: (n, 3 or more) angular velocity, world frame (rad/s).
        am: (n, 3 or more) angular momentum, world frame (kg m^2/s); unused for spheres.
        sphere: (n,) bool, which grains are spheres.
        inertia: (n,) moment of inertia of the spheres (kg m^2).

    Returns:
        (n,) energies (J).
    """
    spin = inertia * (w[:, 0] * w[:, 0] + w[:, 1] * w[:, 1] + w[:, 2] * w[:, 2])
    other = am[:, 0] * w[:, 0] + am[:, 1] * w[:, 1] + am[:, 2] * w[:, 2]
    return 0.5 * np.where(sphere, spin, other)


def gravity_energy(mass: np.ndarray, position: np.ndarray, gravity: tuple[float, float, float]) -> np.ndarray:
    """Compute the potential energy -m g.x of grains.

    Args:
        mass: (n,) masses (kg).
        position: (n, 3) unwrapped positions (m).
        gravity: acceleration of gravity (m/s^2).

    Returns:
        (n,) energies (J).
    """
    gx, gy, gz = gravity
    return -mass * (gx * position[:, 0] + gy * position[:, 1] + gz * position[:, 2])


def attraction_energy(mass: np.ndarray, position: np.ndarray, settings: Settings) -> np.ndarray:
    """Compute the potential energy m g (sqrt(r^2 + s^2) - s) of grains in the field towards a point (``fields.attraction``).

    Args:
        mass: (n,) masses (kg).
        position: (n, 3) positions (m).
        settings: constants of the run, with the strength g (m/s^2), the centre and the softening length s (m) of the field.

    Returns:
        (n,) energies (J); zeros if there is no field.
    """
    x, y, z = (position[:, c] - settings.centre[c] for c in range(3))
    r2, soft = x * x + y * y + z * z, settings.softening
    # r^2 / (sqrt(r^2 + s^2) + s) is the difference without cancellation
    return settings.attraction * mass * r2 / (np.sqrt(r2 + soft * soft) + soft) if settings.attraction > 0.0 else 0.0 * mass


def unwrapped(x: np.ndarray, image: np.ndarray, period: np.ndarray) -> np.ndarray:
    """Undo the periodic wraps of positions.

    Args:
        x: (n, 3 or more) wrapped positions (m).
        image: (n, 3) wraps.
        period: (3,) period of the domain (m), 0 where it is not periodic.

    Returns:
        (n, 3) positions (m).
    """
    return x[:, :3] + image * period


def kinetic_energy(comm: MPI.Comm, grains: Population, catalogue: Catalogue) -> tuple[float, float]:
    """Compute the kinetic energy of all grains, with the same bits on every rank. Collective.

    Args:
        comm: communicator.
        grains: grains of this rank.
        catalogue: shape catalogue.

    Returns:
        Translational and rotational energy (J).
    """
    sums = ExactSums(comm)
    add_kinetic_energy(sums, grains, catalogue)
    found = sums.reduce()
    return float(found["translational"]), float(found["rotational"])


def add_kinetic_energy(sums: ExactSums, grains: Population, catalogue: Catalogue) -> None:
    """Add the kinetic energies of grains to sums over ranks, as ``translational`` and ``rotational``.

    Args:
        sums: the sums.
        grains: grains of this rank.
        catalogue: shape catalogue.
    """
    inertia = catalogue.moments(grains.species, grains.scale)[:, 0]
    sums.add("translational", translational_energy(grains.v))
    sums.add("rotational", rotational_energy(grains.w, grains.am, catalogue.kind[grains.species] == 1, inertia))
