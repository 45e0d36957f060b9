"""Impacts of a sphere on a plane or on another sphere with pardem: any number of them side by side in one run."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from impact_theory import Contact, Elastic, effective_moduli
from mpi4py import MPI

import pardem

RIGID = 1e6
"""Young's modulus of rigid planes over that of the sphere."""
STEPS = 400
"""Steps in the duration of an elastic impact."""
LAST = 4.0
"""Duration of a run, in that of an elastic impact."""


@dataclass(frozen=True)
class Target:
    """A sphere that is hit.

    Attributes:
        radius: (m).
        material: its constants.
        velocity: along z, upwards (m/s).
        spin: its spin about y over that of the first sphere (1).
    """

    radius: float
    material: Elastic
    velocity: float = 0.0
    spin: float = 0.0


@dataclass(frozen=True)
class Impacts:
    """Impacts that differ in the velocity along x and the spin of the sphere.

    Attributes:
        radius: of the sphere (m).
        material: of the sphere.
        normal: speeds at which the sphere comes down (m/s), (n,).
        along: velocities along x (m/s), (n,).
        spin: angular velocities about y (rad/s), (n,).
        restitution: normal coefficient (1).
        friction: Coulomb coefficient (1).
        target: what the sphere hits; None: a rigid plane.
    """

    radius: float
    material: Elastic
    normal: np.ndarray
    along: np.ndarray
    spin: np.ndarray
    restitution: float = 1.0
    friction: float = 0.0
    target: Target | None = None

    @property
    def slip(self) -> np.ndarray:
        """Velocities along x of the spheres at the contact relative to what they hit (m/s), (n,)."""
        below = 0.0 if self.target is None else self.target.spin * self.target.radius
        return self.along - (self.radius + below) * self.spin

    def contact(self, k: int) -> Contact:
        """The bodies of an impact, as theory sees them.

        Args:
            k: number of the impact.
        """
        mass, radius, other, speed = _mass(self.radius, self.material), self.radius, _plane(self.material), float(self.normal[k])
        if self.target is not None:
            heavy = _mass(self.target.radius, self.target.material)
            mass, radius = mass * heavy / (mass + heavy), radius * self.target.radius / (radius + self.target.radius)
            other, speed = self.target.material, speed + self.target.velocity
        moduli = effective_moduli(self.material, other)
        return Contact(*moduli, radius, mass, speed, self.restitution, self.friction)


@dataclass(frozen=True)
class Outcome:
    """The spheres after their impacts, (n,) each.

    Attributes:
        normal: velocities along z (m/s).
        along: velocities along x (m/s).
        spin: angular velocities about y (rad/s).
        slip: velocities along x at the contact relative to what was hit (m/s).
    """

    normal: np.ndarray
    along: np.ndarray
    spin: np.ndarray
    slip: np.ndarray


def _mass(radius: float, material: Elastic) -> float:
    return 4.0 / 3.0 * math.pi * radius**3 * material.density


def _plane(material: Elastic) -> Elastic:
    return Elastic(RIGID * material.young, material.poisson, material.density)


def simulation(impacts: Impacts, steps: int = STEPS) -> pardem.Simulation:
    """Make the simulation of impacts; the first contact begins within its first step.

    Args:
        impacts: the impacts.
        steps: in the duration of the shortest one.
    """
    n, target = len(impacts.normal), impacts.target
    contacts = [impacts.contact(k) for k in range(n)]
    dt = min(c.duration for c in contacts) / steps
    longest = LAST * max(c.duration for c in contacts)
    below = 0.0 if target is None else target.radius
    apart = 4.0 * (impacts.radius + below)
    species = [{"name": "sphere", "shape": "sphere", "radius": impacts.radius, "material": "sphere"}]
    grains, walls = [], []
    for k, contact in enumerate(contacts):
        gap = 0.37 * dt * contact.speed
        grains.append({
            "species": "sphere", "position": [0.0, k * apart, impacts.radius + below + gap],
            "velocity": [float(impacts.along[k]), 0.0, -float(impacts.normal[k])], "angular_velocity": [0.0, float(impacts.spin[k]), 0.0],
        })  # fmt: skip
    if target is None:
        walls.append({"name": "other", "kind": "plane", "point": [0.0, 0.0, 0.0], "normal": [0.0, 0.0, 1.0]})
    else:
        species.append({"name": "target", "shape": "sphere", "radius": target.radius, "material": "other"})
        grains += [{
            "species": "target", "position": [0.0, k * apart, 0.0], "velocity": [0.0, 0.0, target.velocity],
            "angular_velocity": [0.0, target.spin * float(impacts.spin[k]), 0.0],
        } for k in range(n)]  # fmt: skip
    other = _plane(impacts.material) if target is None else target.material
    reach = 4.0 * apart + longest * float(np.abs(impacts.along).max() + impacts.normal.max())
    tables: dict[str, Any] = {
        "gravity": (0.0, 0.0, 0.0), "time": {"step": dt}, "species": species, "grain": grains, "wall": walls,
        "domain": {"lower": (-reach, -reach, -reach), "upper": (reach, reach + n * apart, reach)},
        "material": [{"name": "sphere", **vars(impacts.material)}, {"name": "other", **vars(other)}],
        "contact": {
            "law": "hertz", "reference_speed": max(c.speed for c in contacts), "restitution": impacts.restitution,
            "tangential_restitution": 1.0, "friction": impacts.friction,
        },
        "stage": [{"name": "go", "kind": "run", "steps": math.ceil(longest / dt)}],
        "output": {"observables": {"energy_budget": False}},
    }  # fmt: skip
    return pardem.Simulation(pardem.Case(**tables), MPI.COMM_SELF)


def outcome(impacts: Impacts, steps: int = STEPS) -> Outcome:
    """Run impacts to their end.

    Args:
        impacts: the impacts.
        steps: in the duration of the shortest one.
    """
    sim = simulation(impacts, steps)
    while sim.proceed:
        sim.step(100_000)
    grains = sim.grains.gathered()
    n = len(impacts.normal)
    velocity, spin = grains.velocity[:n], grains.angular_velocity[:n, 1]
    slip = velocity[:, 0] - impacts.radius * spin
    if impacts.target is not None:
        slip = slip - grains.velocity[n:, 0] - impacts.target.radius * grains.angular_velocity[n:, 1]
    return Outcome(velocity[:, 2], velocity[:, 0], spin, slip)


def followed(impacts: Impacts, steps: int = STEPS) -> np.ndarray:
    """Time, overlap and normal force (s, m, N) at the steps at which the first sphere is in contact, (m, 3).

    Args:
        impacts: the impacts.
        steps: in the duration of the shortest one.
    """
    sim = simulation(impacts, steps)
    rows = []
    while sim.proceed:
        sim.step(1, observe=True)
        contacts = sim.contacts
        mine = np.flatnonzero((contacts.first == 0) | (contacts.second == 0))
        if len(mine):
            rows.append((sim.time, float(contacts.overlap[mine[0]]), float(contacts.normal_force[mine[0]])))
        elif rows:
            break
    return np.array(rows)
