"""The impacts of the eight benchmark tests of Chung and Ooi (Granular Matter 13 (2011) 643) with their analytic curves.

Parameters are those with which the examples of YADE (tests 1 to 4), Kratos (velocities, restitution and friction of tests 4 to 8) and PySPH
(materials of tests 5 to 8) repeat the paper; the paper itself was not at hand. Chosen here: planes have 10^6 times the Young's modulus of the sphere,
which makes them rigid; the tangential coefficient of restitution is 1, so that tangential forces are the elastic spring and Coulomb friction alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from impact_theory import Contact, Elastic, integrated, slid
from impacts import STEPS, Impacts, Outcome, Target, followed, outcome

GLASS, LIMESTONE = Elastic(4.8e10, 0.20, 2800.0), Elastic(2.0e10, 0.25, 2500.0)
ALLOY_2, MAGNESIUM = Elastic(7.0e10, 0.30, 2699.0), Elastic(4.0e10, 0.35, 1800.0)
OXIDE, IRON, ALLOY = Elastic(3.8e11, 0.23, 4000.0), Elastic(1.0e11, 0.25, 7000.0), Elastic(7.0e10, 0.33, 2700.0)
STEEL, POLYETHYLENE = Elastic(2.08e11, 0.30, 7850.0), Elastic(1.0e9, 0.40, 1400.0)
NYLON, COPPER = Elastic(2.5e9, 0.40, 1000.0), Elastic(1.2e11, 0.35, 8900.0)
RESTITUTIONS = (0.2, 0.4, 0.6, 0.8, 1.0)
ANGLES = np.radians(np.arange(5.0, 86.0, 5.0))
SPINS = np.array([0.175, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 15.0, 18.0, 21.0])  # rad/s
HEAVY = 1000.0
"""Density of the target of test 8 over that of the sphere."""


def level(value: float, n: int) -> np.ndarray:
    """The same value for all impacts."""
    return np.full(n, value)


def normal_pair(material: Elastic) -> Impacts:
    """Test 1: two spheres of 20 mm, each at 10 m/s."""
    return Impacts(0.01, material, level(10.0, 1), level(0.0, 1), level(0.0, 1), target=Target(0.01, material, 10.0))


def normal_plane(material: Elastic) -> Impacts:
    """Test 2: a sphere of 200 mm at 0.2 m/s."""
    return Impacts(0.1, material, level(0.2, 1), level(0.0, 1), level(0.0, 1))


def damped(material: Elastic, restitution: float) -> Impacts:
    """Test 3: a sphere of 5 mm at 3.9 m/s."""
    return Impacts(2.5e-3, material, level(3.9, 1), level(0.0, 1), level(0.0, 1), restitution)


def oblique(material: Elastic) -> Impacts:
    """Test 4: a sphere of 5 mm at 3.9 m/s under angles from the normal."""
    return Impacts(2.5e-3, material, 3.9 * np.cos(ANGLES), 3.9 * np.sin(ANGLES), 0.0 * ANGLES, 0.98, 0.092)


def elastic_oblique(material: Elastic) -> Impacts:
    """Test 5: a sphere of 20 micrometres, 5 m/s along the normal, various velocities along the plane."""
    along = 0.3 * 5.0 * np.array([0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 6.5, 7.0, 8.0, 9.0, 10.0, 12.0, 14.0])
    return Impacts(1e-5, material, level(5.0, len(along)), along, 0.0 * along, 1.0, 0.3)


def spinning(material: Elastic) -> Impacts:
    """Test 6: a sphere of 200 mm at 0.2 m/s with spins."""
    return Impacts(0.1, material, level(0.2, len(SPINS)), 0.0 * SPINS, -SPINS, 0.5, 0.4)


def opposite_spins(material: Elastic) -> Impacts:
    """Test 7: two spheres of 200 mm, each at 0.2 m/s, with opposite spins: surfaces do not slip."""
    return spinning_pair(material, Target(0.1, material, 0.2, -1.0))


def equal_spins(material: Elastic) -> Impacts:
    """The spheres of test 7 with equal spins, which is not part of the paper: surfaces slip."""
    return spinning_pair(material, Target(0.1, material, 0.2, 1.0))


def spinning_pair(material: Elastic, target: Target) -> Impacts:
    """A sphere of 200 mm with spins meets another one."""
    return Impacts(0.1, material, level(0.2, len(SPINS)), 0.0 * SPINS, -SPINS, 0.5, 0.4, target)


def on_large(material: Elastic, stiffer: float) -> Impacts:
    """Test 8: the sphere of test 6 hits one at rest that is five times as large, a thousand times as dense, and stiffer by a factor."""
    return spinning_pair(material, Target(0.5, Elastic(stiffer * material.young, material.poisson, HEAVY * material.density)))


@dataclass(frozen=True)
class Slipping:
    """One of tests 4 to 8 for one material, done and compared.

    Attributes:
        test: its number and what it is.
        material: name of the material.
        impacts: the impacts.
        found: what pardem makes of them.
        expected: slips that follow from the equations of the law (m/s), (n,).
        slides: which impacts slide throughout by the theory of rigid bodies, (n,).
    """

    test: str
    material: str
    impacts: Impacts
    found: Outcome
    expected: np.ndarray
    slides: np.ndarray

    @property
    def contacts(self) -> list[Contact]:
        """What theory sees."""
        return [self.impacts.contact(k) for k in range(len(self.slides))]

    @property
    def scale(self) -> np.ndarray:
        """The change of slip where bodies slide throughout (m/s), (n,)."""
        return np.array([c.sliding for c in self.contacts])

    @property
    def sliding_error(self) -> float:
        """Largest deviation from the analytic formula of rigid bodies that slide, over the change of slip; NaN: none slides."""
        wanted = np.array([float(slid(c, s)) for c, s in zip(self.contacts, self.impacts.slip, strict=True)])
        away = np.abs(self.found.slip - wanted) / self.scale
        return float(away[self.slides].max()) if self.slides.any() else math.nan

    @property
    def error(self) -> float:
        """Largest deviation from the integrated equations over the change of slip of bodies that slide."""
        return float(np.max(np.abs(self.found.slip - self.expected) / self.scale))

    @property
    def depth(self) -> float:
        """Largest overlap over the radius of the sphere."""
        return max(c.largest_overlap for c in self.contacts) / self.impacts.radius

    @property
    def restitution_error(self) -> float:
        """Largest deviation of the normal coefficient of restitution from the one that was asked for."""
        target = self.impacts.target
        mine = self.impacts.normal + (0.0 if target is None else target.velocity)
        share = 0.5 if target is not None and target.velocity > 0.0 else 1.0  # two alike part symmetrically; a heavy one stays at rest
        return float(np.max(np.abs(self.found.normal / (share * mine) - self.impacts.restitution)))


SLIPPING: tuple[tuple[str, str, Callable[[], Impacts]], ...] = (
    ("4 oblique, angles", "Al oxide", lambda: oblique(OXIDE)),
    ("4 oblique, angles", "Al alloy", lambda: oblique(ALLOY)),
    ("5 oblique, elastic", "steel", lambda: elastic_oblique(STEEL)),
    ("5 oblique, elastic", "polyethylene", lambda: elastic_oblique(POLYETHYLENE)),
    ("6 spin, plane", "Al alloy", lambda: spinning(ALLOY)),
    ("6 spin, plane", "nylon", lambda: spinning(NYLON)),
    ("7 opposite spins", "Al alloy", lambda: opposite_spins(ALLOY)),
    ("7 opposite spins", "copper", lambda: opposite_spins(COPPER)),
    ("7a equal spins", "Al alloy", lambda: equal_spins(ALLOY)),
    ("7a equal spins", "copper", lambda: equal_spins(COPPER)),
    ("8 large sphere, stiff", "Al alloy", lambda: on_large(ALLOY, 1000.0)),
    ("8 large sphere, stiff", "nylon", lambda: on_large(NYLON, 1000.0)),
    ("8 large sphere, alike", "Al alloy", lambda: on_large(ALLOY, 1.0)),
    ("8 large sphere, alike", "nylon", lambda: on_large(NYLON, 1.0)),
)  # fmt: skip
NORMAL: tuple[tuple[str, str, Callable[[], Impacts]], ...] = (
    ("1 two spheres", "glass", lambda: normal_pair(GLASS)),
    ("1 two spheres", "limestone", lambda: normal_pair(LIMESTONE)),
    ("2 sphere on plane", "Al alloy", lambda: normal_plane(ALLOY_2)),
    ("2 sphere on plane", "Mg alloy", lambda: normal_plane(MAGNESIUM)),
)  # fmt: skip
DAMPED = (("Al oxide", OXIDE), ("cast iron", IRON))


def slipping(test: str, material: str, impacts: Impacts, steps: int = STEPS) -> Slipping:
    """Do one of tests 4 to 8 and compare it.

    Args:
        test: its number and what it is.
        material: name of the material.
        impacts: the impacts.
        steps: in the duration of the shortest one.
    """
    contacts = [impacts.contact(k) for k in range(len(impacts.normal))]
    if np.ptp(impacts.normal) == 0.0:
        expected = integrated(contacts[0], impacts.slip)
    else:
        expected = np.array([integrated(c, impacts.slip[k : k + 1])[0] for k, c in enumerate(contacts)])
    slides = np.array([s >= c.sliding for c, s in zip(contacts, impacts.slip, strict=True)])
    return Slipping(test, material, impacts, outcome(impacts, steps), expected, slides)


@dataclass(frozen=True)
class Normal:
    """Test 1 or 2 for one material, done and compared.

    Attributes:
        test: its number and what it is.
        material: name of the material.
        contact: the bodies.
        path: time, overlap and force by steps (s, m, N), (m, 3).
    """

    test: str
    material: str
    contact: Contact
    path: np.ndarray

    @property
    def curve_error(self) -> float:
        """Largest deviation of the force from Hertz's at the same overlap, over the largest force."""
        wanted = np.array([self.contact.force(float(overlap)) for overlap in self.path[:, 1]])
        return float(np.abs(self.path[:, 2] - wanted).max() / self.contact.largest_force)

    @property
    def peak_error(self) -> float:
        """Deviation of the largest force from the analytic one (1)."""
        return float(self.path[:, 2].max() / self.contact.largest_force - 1.0)

    @property
    def duration_error(self) -> float:
        """Deviation of the duration from the analytic one (1)."""
        step = self.path[1, 0] - self.path[0, 0]
        return float((len(self.path) * step) / self.contact.duration - 1.0)


def normal(test: str, material: str, impacts: Impacts, steps: int = STEPS) -> Normal:
    """Do test 1 or 2 and compare it; arguments are as for `slipping`."""
    return Normal(test, material, impacts.contact(0), followed(impacts, steps))


def restitutions(material: Elastic, steps: int = STEPS) -> np.ndarray:
    """Test 3: coefficients of restitution that come out, in the order of `RESTITUTIONS`.

    Args:
        material: of the sphere.
        steps: in the duration of an elastic impact.
    """
    return np.array([float(outcome(damped(material, e), steps).normal[0]) / 3.9 for e in RESTITUTIONS])
