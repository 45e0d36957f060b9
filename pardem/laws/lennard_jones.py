"""Lennard-Jones law: repulsion and attraction with a range, from the gap between the surfaces of two grains; no damping.

With rho = gap + sigma (of balls with sigma for a diameter: the distance of their centres) and the cut-off rho_c

    U(rho) = 4 depth ((sigma/rho)^12 - (sigma/rho)^6),      F = -dU/drho
    force  = F(rho) - F(rho_c),      energy = U(rho) - U(rho_c) + (rho - rho_c) F(rho_c),      both 0 from rho_c on

(J. E. Lennard-Jones, Proc. Phys. Soc. 43, 1931, 461; shifted force: S. Toxvaerd and J. C. Dyre, J. Chem. Phys. 134, 2011, 081102). Grains are lent a
larger radius for their contacts, so that every pair within the cut-off is one that touches: ``start`` is the overlap that a gap of zero then has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.choices import select
from ..compiled.jit import inlined
from .quantities import NormalForce


class LennardJones(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material).

    Attributes:
        depth: of the potential (J). sigma: rho at which it is zero (m). limit: rho from which on there is no force (m).
        start: overlap of the lent radii where the surfaces just touch (m).
        force: F at the limit (N). energy: U there (J).
        friction, rocking, torsion: zero.
    """

    depth: np.ndarray
    sigma: np.ndarray
    limit: np.ndarray
    start: np.ndarray
    force: np.ndarray
    energy: np.ndarray
    friction: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray


@inlined
def coefficients(law, a, b):
    """The six numbers that ``normal_force`` needs for a pair of species: all tables before friction."""
    return law.depth[a, b], law.sigma[a, b], law.limit[a, b], law.start[a, b], law.force[a, b], law.energy[a, b]


@inlined
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact, negative where it attracts; arguments and result as of ``elastic.normal_force``."""
    depth, sigma, limit, start, force_there, energy_there = numbers
    rho = sigma + start - overlap
    near = rho < limit
    q = sigma / rho
    q2 = q * q
    q6 = q2 * q2 * q2
    force = 24.0 * depth * (2.0 * q6 * q6 - q6) / rho - force_there
    energy = 4.0 * depth * (q6 * q6 - q6) - energy_there + (rho - limit) * force_there
    force = select(rho > 0.0, force, np.inf)  # deeper than the law goes: out of range
    return NormalForce(select(near, force, 0.0), 0.0, 0.0, 0.0, 0.0, 0.0, select(near, energy, 0.0), memory)


@inlined
def lent(numbers):
    """Overlap (m) that the grains' lent radii give where their surfaces just touch."""
    return numbers[3]
