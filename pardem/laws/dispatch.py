"""Static choice of the law: kernels call ``normal_force(law, ...)`` and are compiled for the type of ``law``, so no branch is left at run time."""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from .._jit import INLINED
from . import elastic, hertz, lennard_jones, user, viscoelastic, walton

Law = elastic.Elastic | viscoelastic.Viscoelastic | walton.Walton | hertz.Hertz | lennard_jones.LennardJones | user.UserLaw

_MODULE: dict[type, Any] = {
    elastic.Elastic: elastic,
    viscoelastic.Viscoelastic: viscoelastic,
    walton.Walton: walton,
    hertz.Hertz: hertz,
    lennard_jones.LennardJones: lennard_jones,
    user.UserLaw: user,
}


def coefficients(law: Law, a: int, b: int) -> Any:
    """The numbers of a pair of species that the law's ``normal_force`` needs."""
    return _MODULE[type(law)].coefficients(law, a, b)


@overload(coefficients, jit_options=INLINED)
def _coefficients(law, a, b):  # type: ignore[no-untyped-def]
    implementation = _MODULE[law.instance_class].coefficients

    def call(law, a, b):  # type: ignore[no-untyped-def]
        return implementation(law, a, b)

    return call


def normal_force(law, c0, c1, c2, c3, c4, c5, delta, rate, m_eff, r_eff, memory):  # type: ignore[no-untyped-def]
    """Normal force of one contact by the law's own ``normal_force`` (see ``elastic.normal_force`` for what comes back)."""
    return _MODULE[type(law)].normal_force(law, c0, c1, c2, c3, c4, c5, delta, rate, m_eff, r_eff, memory)


@overload(normal_force, jit_options=INLINED)
def _normal_force(law, c0, c1, c2, c3, c4, c5, delta, rate, m_eff, r_eff, memory):  # type: ignore[no-untyped-def]
    implementation = _MODULE[law.instance_class].normal_force

    def call(law, c0, c1, c2, c3, c4, c5, delta, rate, m_eff, r_eff, memory):  # type: ignore[no-untyped-def]
        return implementation(law, c0, c1, c2, c3, c4, c5, delta, rate, m_eff, r_eff, memory)

    return call


def secant_stiffness(law, a, b, reach, m_eff, r_eff):  # type: ignore[no-untyped-def]
    """Force of a pair of materials at rest, over overlap, at full overlap ``reach`` (N/m); 0 for a law that has a range and hardens by itself."""
    if isinstance(law, lennard_jones.LennardJones):
        return 0.0
    return normal_force(law, *coefficients(law, a, b), reach, 0.0, m_eff, r_eff, 0.0)[0] / reach


@overload(secant_stiffness, jit_options=INLINED)
def _secant_stiffness(law, a, b, reach, m_eff, r_eff):  # type: ignore[no-untyped-def]
    if law.instance_class is lennard_jones.LennardJones:
        return lambda law, a, b, reach, m_eff, r_eff: 0.0

    def call(law, a, b, reach, m_eff, r_eff):  # type: ignore[no-untyped-def]
        c0, c1, c2, c3, c4, c5 = coefficients(law, a, b)
        return normal_force(law, c0, c1, c2, c3, c4, c5, reach, 0.0, m_eff, r_eff, 0.0)[0] / reach

    return call


def room(law, left, start):  # type: ignore[no-untyped-def]
    """How much deeper a contact may go (m): ``left`` by the radii, more where the law lends grains a larger radius (``start``: by how much)."""
    return left + 0.5 * start if isinstance(law, lennard_jones.LennardJones) else left


@overload(room, jit_options=INLINED)
def _room(law, left, start):  # type: ignore[no-untyped-def]
    if law.instance_class is lennard_jones.LennardJones:
        return lambda law, left, start: left + 0.5 * start
    return lambda law, left, start: left


def growth(law, delta, before):  # type: ignore[no-untyped-def]
    """Mean tangential stiffness between the overlaps ``before`` and ``delta`` (m), over that at ``delta``."""
    return hertz.growth(delta, before) if isinstance(law, hertz.Hertz) else 1.0


@overload(growth, jit_options=INLINED)
def _growth(law, delta, before):  # type: ignore[no-untyped-def]
    if law.instance_class is not hertz.Hertz:
        return lambda law, delta, before: 1.0
    implementation = hertz.growth

    def call(law, delta, before):  # type: ignore[no-untyped-def]
        return implementation(delta, before)

    return call
