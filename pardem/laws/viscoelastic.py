"""Viscoelastic law (Cundall and Strack): phi = k delta + c d(delta)/dt, thesis eq 2.11-2.12 with parameters by eq 2.21 (corrected)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.choices import select
from ..compiled.jit import inlined
from . import linear
from . import parameters as p
from .kind import Form, LawInput, LawKind, Values
from .quantities import NormalForce


class Viscoelastic(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material) of the viscoelastic law.

    Attributes:
        kn: normal stiffness (N/m); per effective mass where ``mass_scaled``.
        cn: normal damping (N s/m), likewise.
        kt: tangential stiffness (N/m), likewise.
        ct: tangential damping (N s/m), likewise.
        friction: Coulomb coefficient.
        clamped: 1: the force never attracts; 0: the thesis' form, which attracts at the end of a collision.
        rocking: 1 where the rocking damper acts, else 0.
        torsion: 1 where torsional friction acts, else 0.
        mass_scaled: 1 where the four are to be multiplied by the pair's effective mass.
    """

    kn: np.ndarray
    cn: np.ndarray
    kt: np.ndarray
    ct: np.ndarray
    friction: np.ndarray
    clamped: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray
    mass_scaled: np.ndarray


@inlined
def coefficients(law, a, b):
    """The six numbers that ``normal_force`` needs for a pair of species: kn, cn, kt, ct, clamped, mass_scaled."""
    return law.kn[a, b], law.cn[a, b], law.kt[a, b], law.ct[a, b], law.clamped[a, b], law.mass_scaled[a, b]


@inlined
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact; arguments and result as of ``elastic.normal_force``."""
    s = select(numbers[5] != 0.0, mass, 1.0)
    cn = numbers[1] * s
    spring = numbers[0] * s * overlap
    damping = cn * rate
    damping = select((numbers[4] != 0.0) & (spring + damping < 0.0), -spring, damping)
    return NormalForce(spring + damping, numbers[2] * s, numbers[3] * s, cn, damping, 0.0, 0.5 * spring * overlap, memory)


def _normal(c: Values) -> tuple[float, float]:
    """Stiffness and damping of the normal motion."""
    if c.form == "raw":
        return c.number("normal_stiffness"), c.number("normal_damping")
    return (p.viscoelastic_clamped if c.number("clamped") else p.viscoelastic)(c.number("restitution"), c.number("contact_time"))


def _fill(given: LawInput) -> Viscoelastic:
    grid, dimension = given.grid, given.dimension
    return Viscoelastic(
        grid(lambda c: _normal(c)[0]), grid(lambda c: _normal(c)[1]),
        grid(lambda c: linear.tangential(c, dimension)[0]), grid(lambda c: linear.tangential(c, dimension)[1]),
        grid(lambda c: c.number("friction")), grid(lambda c: c.number("clamped")), given.rocking, given.torsion, grid(linear.per_mass),
    )  # fmt: skip


def _spring_force(law, a, b, mass, radius, overlap):
    return linear.force(law.kn, law, a, b, mass, overlap)


def _damping(law, a, b, mass):
    scaled = np.where(law.mass_scaled[a, b] != 0.0, mass, 1.0)
    return law.cn[a, b] * scaled / np.sqrt(law.kn[a, b] * scaled * mass)


KIND = LawKind(
    name="viscoelastic",
    table=Viscoelastic,
    keys=linear.BY_RESTITUTION | {"normal_stiffness": linear.NORMAL_STIFFNESS, "normal_damping": linear.NORMAL_DAMPING} | linear.TANGENTIAL,
    forms=(
        Form("restitution", ("restitution", "contact_time"), ("tangential_restitution",), linear.complete_restitution),
        Form("raw", ("normal_stiffness",), ("normal_damping", *linear.TANGENTIAL), linear.complete_raw),
    ),
    fill=_fill,
    durations=linear.durations,
    spring_force=_spring_force,
    damping=_damping,
    power=linear.power,
    coefficients=coefficients,
    normal_force=normal_force,
    usual={"restitution": 0.5, "contact_time": 1e-3},
)
