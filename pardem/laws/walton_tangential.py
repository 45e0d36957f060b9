"""Walton's law along the normal and along the tangent plane: loading softer than unloading in both (thesis eq 2.13 and 2.14).

With xi the tangential displacement, taken along with the tangent plane, the tangential force points against it and has the size phi(|xi|):

    d phi = kt2 d|xi|    within    0 <= phi <= kt1 |xi|,        kt1 <= kt2,

the closed form of eq 2.14, in which k_t and k_s are the same. A contact remembers the elastic force phi and the plastic part of xi, which is
collinear: p = kt2 |xi| - phi, in newtons, so that the bounds are (1 - kt1/kt2) kt2 |xi| <= p <= kt2 |xi|. Where phi exceeds mu times the normal
force the displacement is bounded (eq 2.9): to the smallest one at which the force is as large as the limit, p = max(p, limit (kt2/kt1 - 1)).
There is no damper.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..compiled.choices import larger, root, select, smaller
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import seldom
from ..compiled.vectors import add, ahead, choose, scale, square
from . import linear, walton
from . import parameters as p
from .kind import Form, Key, LawInput, LawKind, Values
from .quantities import Tangential
from .tangential import weight


class WaltonTangential(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material) of the law.

    Attributes:
        k1: loading stiffness along the normal (N/m); like the other three per effective mass where ``mass_scaled``.
        k2: unloading stiffness along the normal.
        kt1: tangential loading stiffness.
        kt2: tangential unloading stiffness.
        friction: Coulomb coefficient.
        rocking: 1: rocking damper on.
        torsion: 1: torsional friction on.
        mass_scaled: 1 where stiffnesses are to be multiplied by the pair's effective mass.
    """

    k1: np.ndarray
    k2: np.ndarray
    kt1: np.ndarray
    kt2: np.ndarray
    friction: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray
    mass_scaled: np.ndarray


@inlined
def coefficients(law, a, b):
    """The six numbers of a pair of species: k1, k2, kt2, kt1/kt2, mass_scaled."""
    kt1, kt2 = law.kt1[a, b], law.kt2[a, b]
    return law.k1[a, b], law.k2[a, b], kt2, select(kt2 > 0.0, kt1 / kt2, 1.0), law.mass_scaled[a, b], 0.0


@inlined
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact: that of ``walton``, with kt2 for the tangential stiffness."""
    return walton.normal_force(law, (numbers[0], numbers[1], numbers[2], 0.0, numbers[4], 0.0), overlap, rate, mass, radius, memory)


@inlined
def tangential(law, numbers, normal, pull):
    """Tangential force of one contact; ``pull.own`` is p with the direction of the displacement (N). See ``law.tangential``."""
    ratio = numbers[3]
    before = add(pull.own, pull.spring)  # kt2 xi of the step before
    moved = add(before, pull.more)
    size2 = square(moved)
    size, known = root(size2), root(square(pull.own))
    plastic = smaller(larger(known, (1.0 - ratio) * size), size)
    force = size - plastic
    slips = force > pull.limit
    if seldom(slips):
        plastic = select(slips, larger(known, pull.limit * (1.0 / ratio - 1.0)), plastic)
        force = select(slips, pull.limit, force)
        turns = slips & pull.in_the_middle
        moved = choose(turns, ahead(moved, weight(before, pull.more, plastic + force), pull.more), moved)
        size2 = square(moved)
        size = select(turns, root(size2), size)
    inv = select(size2 > 0.0, size * (1.0 / size2), 0.0)  # the division does not wait for the root
    spring = scale(force * inv, moved)
    return Tangential(spring, spring, scale(plastic * inv, moved))


def _tangential_stiffnesses(c: Values, dimension: int) -> tuple[float, float]:
    """Loading and unloading stiffness along the tangent plane (thesis eq 2.23)."""
    if c.form == "raw":
        return c.number("tangential_loading_stiffness"), c.number("tangential_unloading_stiffness")
    k1, k2 = p.walton(c.number("tangential_restitution"), c.number("contact_time"))
    return p.tangential_mass(dimension) * k1, p.tangential_mass(dimension) * k2


def _fill(given: LawInput) -> WaltonTangential:
    grid, dimension = given.grid, given.dimension
    return WaltonTangential(
        grid(lambda c: walton.normal_stiffnesses(c)[0]), grid(lambda c: walton.normal_stiffnesses(c)[1]),
        grid(lambda c: _tangential_stiffnesses(c, dimension)[0]), grid(lambda c: _tangential_stiffnesses(c, dimension)[1]),
        grid(lambda c: c.number("friction")), given.rocking, given.torsion, grid(linear.per_mass),
    )  # fmt: skip


def _complete_raw(values: dict[str, Any], where: str) -> None:
    given = [key for key in STIFFNESSES if values[key] is not None]
    if len(given) < 2 and (given or values["friction"]):
        missing = next(key for key in STIFFNESSES if key not in given)
        why = f"friction = {values['friction']!r} needs a tangential spring (N/m)" if not given else f"{given[0]} needs it beside it"
        raise ValueError(f"{where}.{missing} is missing: {why}")
    linear.require_stiffer(values, where, "unloading_stiffness", "loading_stiffness")
    if given:
        linear.require_stiffer(values, where, "tangential_unloading_stiffness", "tangential_loading_stiffness")


STIFFNESSES = {
    "tangential_loading_stiffness": Key(
        "law `walton_tangential`: tangential stiffness during loading (N/m); required with friction if stiffnesses are given directly"
    ),
    "tangential_unloading_stiffness": Key(
        "law `walton_tangential`: tangential stiffness during unloading, not smaller than that during loading (N/m); the tangential restitution of "
        "a sticking contact is the square root of the ratio of the two"
    ),
}  # fmt: skip
KIND = LawKind(
    name="walton_tangential",
    table=WaltonTangential,
    keys=linear.BY_RESTITUTION | walton.STIFFNESSES | STIFFNESSES,
    forms=(
        Form("restitution", ("restitution", "contact_time"), ("tangential_restitution",), linear.complete_restitution),
        Form("raw", tuple(walton.STIFFNESSES), tuple(STIFFNESSES), _complete_raw),
    ),
    fill=_fill,
    durations=walton.durations,
    spring_force=walton.spring_force,
    power=linear.power,
    coefficients=coefficients,
    normal_force=normal_force,
    tangential=tangential,
    carried="plastic part of the tangential displacement, times the unloading stiffness (N)",
)
