"""How deep bodies press into each other: the largest overlap of an impact, and the overlap under a load, for every law with a known spring.

A spring with the force F(x) ~ x^p stops a mass M that arrives with the speed v after the distance

    x = x0 ((p + 1) M v^2 / (2 F(x0) x0))^(1/(p+1)),

which is v t_c/pi for an elastic linear spring and Hertz's closed form for p = 3/2. A dashpot with the damping ratio z multiplies this by g^(2/(p+1)),
g = exp(-z acos(z)/sqrt(1 - z^2)): exact for p = 1, and for Hertz's law with a damper proportional to x^(1/4) as well, since y = x^((p+1)/2) then
moves as a damped linear oscillator in a time of its own (Antypov and Elliott, EPL 94 (2011) 50004).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..laws.kind import LawTables, Numbers
from ..laws.registry import kind_of


class PossibleContact(NamedTuple):
    """Two bodies that may touch, or several such pairs, with arrays.

    Attributes:
        rows: their rows in the tables of the law.
        mass: effective mass (kg).
        radius: effective radius (m).
        depth: smaller of the two sphero-radii (m); a run stops at a larger overlap.
    """

    rows: tuple[Numbers, Numbers]
    mass: Numbers
    radius: Numbers
    depth: Numbers


class Spring(NamedTuple):
    """The spring of a contact and its damper, or those of several contacts, with arrays; NaN where they are not known.

    Attributes:
        force: force at an overlap of ``depth`` (N).
        power: exponent with which the force grows with the overlap.
        damping: damping ratio of a free collision.
    """

    force: Numbers
    power: Numbers
    damping: Numbers


def spring_of(law: LawTables, contact: PossibleContact) -> Spring | None:
    """The spring of contacts while they are loaded; None where the law does not say how its force grows (laws with a range, laws of users).

    Args:
        law: tables of the law.
        contact: the bodies.
    """
    kind = kind_of(law)
    if kind.bound is not None or kind.reach is not None:
        return None
    a, b, mass, radius, depth = np.broadcast_arrays(*map(np.atleast_1d, (*contact.rows, contact.mass, contact.radius, contact.depth)))
    with np.errstate(all="ignore"):
        full, half = (np.asarray(kind.spring_force(law, a, b, mass, radius, overlap), float) for overlap in (depth, 0.5 * depth))
        known = (half > 0.0) & (half < full) & (full < np.inf)
        values = full, np.log2(full / half), 0.5 * np.asarray(kind.damping(law, a, b, mass), float)
    spring = Spring(*(np.where(known, value, np.nan) for value in values))
    return spring if np.ndim(contact.mass) else Spring(*(float(value[0]) for value in spring))


ROUNDS = 6  # of the search for the overlap of an impact under a pull: each brings a digit or more


def impact_overlap(contact: PossibleContact, spring: Spring, speed: float, mass: Numbers | None = None, pull: float = 0.0) -> Numbers:
    """Largest overlap of an impact (m); NaN where the spring is not known.

    Args:
        contact: the two bodies.
        spring: spring of their contact.
        speed: with which they approach each other (m/s).
        mass: that the contact must stop (kg); the effective mass of the contact by default, more where one of the two is supported from behind.
        pull: acceleration that goes on during the impact (m/s^2).
    """
    moved = contact.mass if mass is None else mass
    order = spring.power + 1.0
    share = _damped(spring.damping * np.sqrt(contact.mass / moved)) ** (2.0 / order)
    deepest: Numbers = 0.0
    with np.errstate(over="ignore"):
        for _ in range(ROUNDS if pull > 0.0 else 1):
            squared = np.square(speed) + 2.0 * pull * deepest
            deepest = share * contact.depth * (0.5 * order * moved * squared / (spring.force * contact.depth)) ** (1.0 / order)
    return deepest


def loaded_overlap(contact: PossibleContact, spring: Spring, load: float) -> float:
    """Overlap (m) at which the spring bears a force (N)."""
    borne: float = contact.depth * (load / spring.force) ** (1.0 / spring.power)
    return borne


def energy_held(contact: PossibleContact, spring: Spring, overlap: float) -> float:
    """Energy of the spring (J) at an overlap (m)."""
    held: float = spring.force * contact.depth * (overlap / contact.depth) ** (spring.power + 1.0) / (spring.power + 1.0)
    return held


def _damped(ratio: Numbers) -> Numbers:
    """Largest elongation of a damped oscillator that starts from its rest position, over that without damping; ``ratio``: damping ratio."""
    below, above = np.minimum(ratio, 1.0 - 1e-6), np.maximum(ratio, 1.0 + 1e-6)
    weak = np.exp(-below * np.arccos(below) / np.sqrt(1.0 - below * below))
    strong = np.exp(-above * np.arccosh(above) / np.sqrt(above * above - 1.0))
    return np.where(ratio < 1.0 - 1e-6, weak, np.where(ratio < 1.0 + 1e-6, math.exp(-1.0), strong))
