"""Elastic law: the normal force is the gradient of k delta^2 / 2; no damping."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.choices import select
from ..compiled.jit import inlined
from . import linear
from . import parameters as p
from .kind import Form, LawInput, LawKind, Values
from .quantities import NormalForce


class Elastic(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material) of the elastic law.

    Attributes:
        kn: normal stiffness (N/m), or (1/s^2) per effective mass where ``mass_scaled``.
        kt: tangential stiffness, likewise.
        friction: Coulomb coefficient.
        rocking: 1 where the rocking damper acts, else 0.
        torsion: 1 where torsional friction acts, else 0.
        mass_scaled: 1 where stiffnesses are to be multiplied by the pair's effective mass.
    """

    kn: np.ndarray
    kt: np.ndarray
    friction: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray
    mass_scaled: np.ndarray


@inlined
def coefficients(law, a, b):
    """The six numbers of a pair of materials that `normal_force` needs.

    Args:
        law: tables of the law.
        a: row of the first material.
        b: row of the second material.
    """
    return law.kn[a, b], law.kt[a, b], law.mass_scaled[a, b], 0.0, 0.0, 0.0


@inlined
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact.

    Args:
        law: for its type only.
        numbers: see ``coefficients``.
        overlap: (m).
        rate: rate of the overlap (m/s).
        mass: effective mass (kg).
        radius: effective radius (m).
        memory: memory of the contact.

    Returns:
        the ``quantities.NormalForce``.
    """
    s = select(numbers[2] != 0.0, mass, 1.0)
    kn = numbers[0] * s
    return NormalForce(kn * overlap, numbers[1] * s, 0.0, 0.0, 0.0, 0.0, 0.5 * kn * overlap * overlap, memory)


def _stiffness(c: Values) -> float:
    return c.number("normal_stiffness") if c.form == "raw" else p.viscoelastic(1.0, c.number("contact_time"))[0]


def _fill(given: LawInput) -> Elastic:
    grid, tangential_mass = given.grid, p.tangential_mass(given.dimension)
    kt = grid(lambda c: c.number("tangential_stiffness") if c.form == "raw" else tangential_mass * _stiffness(c))
    return Elastic(grid(_stiffness), kt, grid(lambda c: c.number("friction")), given.rocking, given.torsion, grid(linear.per_mass))


def _spring_force(law, a, b, mass, radius, overlap):
    return linear.force(law.kn, law, a, b, mass, overlap)


KIND = LawKind(
    name="elastic",
    table=Elastic,
    keys={
        "contact_time": linear.CONTACT_TIME, "normal_stiffness": linear.NORMAL_STIFFNESS, "tangential_stiffness": linear.TANGENTIAL_STIFFNESS
    },
    forms=(
        Form("restitution", ("contact_time",), (), linear.complete_restitution),
        Form("raw", ("normal_stiffness",), ("tangential_stiffness",), linear.complete_raw),
    ),
    fill=_fill,
    durations=linear.durations,
    spring_force=_spring_force,
    power=linear.power,
    coefficients=coefficients,
    normal_force=normal_force,
    dissipative=False,
    usual={"contact_time": 1e-3},
)  # fmt: skip
