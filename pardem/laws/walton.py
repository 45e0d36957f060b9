"""Walton's law (Walton and Braun): softer loading than unloading, the difference is plastic work.

phi = max(0, min(k1 delta, k2 (delta - delta_p))), delta_p the largest value so far of (1 - k1/k2) delta (thesis eq 2.13 in closed form).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.choices import larger, root, select, smaller
from ..compiled.jit import inlined
from . import linear
from . import parameters as p
from .kind import Form, LawInput, LawKind, Values
from .quantities import NormalForce


class Walton(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material) of Walton's law.

    Attributes:
        k1: stiffness while loading (N/m); per effective mass where ``mass_scaled``.
        k2: stiffness while unloading and reloading, likewise.
        kt: tangential stiffness; ct: tangential damping.
        friction: Coulomb coefficient.
        rocking: 1 where the rocking damper acts, else 0.
        torsion: 1 where torsional friction acts, else 0.
        mass_scaled: 1 where they are to be multiplied by the pair's effective mass.
    """

    k1: np.ndarray
    k2: np.ndarray
    kt: np.ndarray
    ct: np.ndarray
    friction: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray
    mass_scaled: np.ndarray


@inlined
def coefficients(law, a, b):
    """The six numbers that ``normal_force`` needs for a pair of species: k1, k2, kt, ct, mass_scaled."""
    return law.k1[a, b], law.k2[a, b], law.kt[a, b], law.ct[a, b], law.mass_scaled[a, b], 0.0


@inlined
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact; ``memory`` is delta_p (m), the plastic overlap. Arguments and result as of ``elastic.normal_force``.

    The plastic work is a function of delta_p: k1 (k2 - k1)/(2 k2) delta_max^2.
    """
    s = select(numbers[4] != 0.0, mass, 1.0)
    k1, k2 = numbers[0] * s, numbers[1] * s
    ratio = 1.0 - k1 / k2  # zero where both are alike: a product with 1/k2 might not be
    plastic = larger(memory, ratio * overlap)
    force = larger(0.0, smaller(k1 * overlap, k2 * (overlap - plastic)))
    work = select(ratio > 0.0, 0.5 * k1 * k2 / (k2 - k1) * (plastic * plastic - memory * memory), 0.0)
    damping = 2.0 * root(k1 * mass) * ratio  # of the rocking damper only: the law itself has none
    return NormalForce(force, numbers[2] * s, numbers[3] * s, damping, 0.0, work, 0.5 * force * force / k2, plastic)


def normal_stiffnesses(c: Values) -> tuple[float, float]:
    """Loading and unloading stiffness along the normal (N/m); per effective mass (1/s^2) in the form with coefficients of restitution.

    Args:
        c: parameters of a pair of materials.
    """
    if c.form == "raw":
        return c.number("loading_stiffness"), c.number("unloading_stiffness")
    return p.walton(c.number("restitution"), c.number("contact_time"))


def durations(c: Values, mass: Any, radius: Any, multiplicity: Any) -> tuple[Any, Any]:
    """Duration of a collision, and twice that of its unloading (s).

    Args:
        c: parameters of a pair of materials.
        mass: effective mass (kg).
        radius: effective radius (m).
        multiplicity: number of contacts that can act at once between the two bodies.
    """
    if c.form == "raw":
        fastest = linear.spring_contact_time(mass, c.number("unloading_stiffness"), multiplicity)
        return 0.5 * (linear.spring_contact_time(mass, c.number("loading_stiffness"), multiplicity) + fastest), fastest
    seconds = linear.nominal_duration(c, multiplicity)
    # the unloading takes the share e/(1 + e) of the collision and is a quarter of its spring's period
    return seconds, seconds * (2.0 * c.number("restitution") / (1.0 + c.number("restitution")))


def spring_force(law, a, b, mass, radius, overlap):
    """Force while loading (N).

    Args:
        law: tables of the law.
        a: rows of the first materials.
        b: rows of the second materials.
        mass: effective masses (kg).
        radius: effective radii (m).
        overlap: (m).
    """
    return linear.force(law.k1, law, a, b, mass, overlap)


def _fill(given: LawInput) -> Walton:
    grid, dimension = given.grid, given.dimension
    return Walton(
        grid(lambda c: normal_stiffnesses(c)[0]), grid(lambda c: normal_stiffnesses(c)[1]),
        grid(lambda c: linear.tangential(c, dimension)[0]), grid(lambda c: linear.tangential(c, dimension)[1]),
        grid(lambda c: c.number("friction")), given.rocking, given.torsion, grid(linear.per_mass),
    )  # fmt: skip


def _complete_raw(values: dict[str, Any], where: str) -> None:
    linear.complete_raw(values, where)
    linear.require_stiffer(values, where, "unloading_stiffness", "loading_stiffness")


STIFFNESSES = {"loading_stiffness": linear.LOADING_STIFFNESS, "unloading_stiffness": linear.UNLOADING_STIFFNESS}
KIND = LawKind(
    name="walton",
    table=Walton,
    keys=linear.BY_RESTITUTION | linear.TANGENTIAL | STIFFNESSES,
    forms=(
        Form("restitution", ("restitution", "contact_time"), ("tangential_restitution",), linear.complete_restitution),
        Form("raw", tuple(STIFFNESSES), tuple(linear.TANGENTIAL), _complete_raw),
    ),
    fill=_fill,
    durations=durations,
    spring_force=spring_force,
    power=linear.power,
    coefficients=coefficients,
    normal_force=normal_force,
    usual={"restitution": 0.5, "contact_time": 1e-3},
)
