"""Theory of the impact of a sphere: Hertz's formulas, rigid bodies that slide, and an integration of the equations of the Hertz-Mindlin law.

None of this uses pardem. The normal of the contact is z, tangential velocities are along x and spins about y. The slip is the velocity along x of the
first body at the contact relative to the second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

FINE = 20_000  # steps of the integration in the duration of an elastic impact
LONGEST = 4.0  # durations of an elastic impact after which bodies have parted


@dataclass(frozen=True)
class Elastic:
    """Constants of a material.

    Attributes:
        young: Young's modulus (Pa).
        poisson: Poisson's ratio (1).
        density: (kg/m^3).
    """

    young: float
    poisson: float
    density: float


@dataclass(frozen=True)
class Contact:
    """Two bodies that meet, as theory sees them.

    Attributes:
        e_star: effective Young's modulus (Pa).
        g_star: effective shear modulus (Pa).
        radius: effective radius (m).
        mass: effective mass (kg).
        speed: normal speed at which they meet (m/s).
        restitution: normal coefficient (1).
        friction: Coulomb coefficient (1).
    """

    e_star: float
    g_star: float
    radius: float
    mass: float
    speed: float
    restitution: float
    friction: float

    @property
    def largest_overlap(self) -> float:
        """Of an elastic impact (m): all energy is in the spring."""
        return float((15.0 * self.mass * self.speed**2 / (16.0 * math.sqrt(self.radius) * self.e_star)) ** 0.4)

    @property
    def largest_force(self) -> float:
        """Of an elastic impact (N)."""
        return self.force(self.largest_overlap)

    @property
    def duration(self) -> float:
        """Of an elastic impact (s): 2.94 times the largest overlap over the speed (Landau and Lifshitz, Theory of Elasticity, section 9)."""
        return 0.8 * math.sqrt(math.pi) * math.gamma(0.4) / math.gamma(0.9) * self.largest_overlap / self.speed

    @property
    def sliding(self) -> float:
        """Slip from which rigid bodies slide throughout the impact (m/s); solid spheres, or one on a plane."""
        return 3.5 * self.friction * (1.0 + self.restitution) * self.speed

    def force(self, overlap: float) -> float:
        """Hertz's force (N).

        Args:
            overlap: (m).
        """
        return 4.0 / 3.0 * self.e_star * math.sqrt(self.radius * overlap) * overlap


def effective_moduli(first: Elastic, second: Elastic) -> tuple[float, float]:
    """E* and G* of two materials (Pa).

    Args:
        first: material of the first body.
        second: of the second.
    """
    normal = sum((1.0 - m.poisson**2) / m.young for m in (first, second))
    shear = sum(2.0 * (2.0 - m.poisson) * (1.0 + m.poisson) / m.young for m in (first, second))
    return 1.0 / normal, 1.0 / shear


def slid(contact: Contact, slip: np.ndarray) -> np.ndarray:
    """Slip after the impact of bodies that slide throughout (m/s): the impulse of friction is that of the normal force times the coefficient.

    Args:
        contact: the bodies.
        slip: before the impact, positive (m/s).
    """
    return slip - contact.sliding


def integrated(contact: Contact, slip: np.ndarray) -> np.ndarray:
    """Slip after the impact (m/s), from the equations of the law, for any slip: bodies may stick, and slide back.

    Normal force: Hertz's spring with a damper in proportion to the root of the overlap's root, never attractive. Tangential force: its rate is
    8 G* sqrt(R delta) times the slip, and Coulomb's law limits it. The arm of the tangential force is the radius: overlaps are small.

    Args:
        contact: the bodies.
        slip: before the impact (m/s).
    """
    damping = 0.0 if contact.restitution == 1.0 else _damping(contact)
    return _impact(contact, damping, np.asarray(slip, float))[1]


def _damping(contact: Contact) -> float:
    """Damping ratio that gives the restitution, by bisection; the ratio of speeds does not depend on sizes or stiffness."""
    low, high = 0.0, 4.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        speed = _impact(contact, middle, np.zeros(0), FINE // 10)[0]
        low, high = (middle, high) if speed / contact.speed > contact.restitution else (low, middle)
    return 0.5 * (low + high)


def _impact(contact: Contact, ratio: float, slip: np.ndarray, fine: int = FINE) -> tuple[float, np.ndarray]:
    """Normal speed and slip after the impact (m/s); a step is explicit in the positions and takes forces in its middle."""
    dt = contact.duration / fine
    stiffness = 2.0 * contact.e_star * math.sqrt(contact.radius)
    damper = 2.0 * ratio * math.sqrt(5.0 / 6.0 * stiffness * contact.mass)
    shear = 8.0 * contact.g_star * math.sqrt(contact.radius)
    overlap, rate, slip, force = 0.0, contact.speed, slip.copy(), np.zeros_like(slip)
    for _ in range(int(LONGEST * fine)):
        middle = overlap + 0.5 * dt * rate
        if middle <= 0.0:
            break
        root = math.sqrt(middle)
        push = max(0.0, 2.0 / 3.0 * stiffness * root * middle + damper * math.sqrt(root) * rate)
        rate -= dt * push / contact.mass
        overlap = middle + 0.5 * dt * rate
        limit = contact.friction * push
        force = np.clip(force + dt * shear * root * slip, -limit, limit)
        slip -= dt * 3.5 * force / contact.mass
    return -rate, slip
