"""Static choice of the law: kernels call ``normal_force(law, ...)`` and are compiled for the type of ``law``, so no branch is left at run time."""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from ..compiled.jit import INLINED
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


def normal_force(law, numbers, overlap, rate, mass, radius, memory):  # type: ignore[no-untyped-def]
    """Normal force of one contact by the law's own ``normal_force`` (see ``elastic.normal_force``)."""
    return _MODULE[type(law)].normal_force(law, numbers, overlap, rate, mass, radius, memory)


@overload(normal_force, jit_options=INLINED)
def _normal_force(law, numbers, overlap, rate, mass, radius, memory):  # type: ignore[no-untyped-def]
    implementation = _MODULE[law.instance_class].normal_force

    def call(law, numbers, overlap, rate, mass, radius, memory):  # type: ignore[no-untyped-def]
        return implementation(law, numbers, overlap, rate, mass, radius, memory)

    return call


def lent(law, numbers):  # type: ignore[no-untyped-def]
    """Overlap (m) at which two surfaces just touch: of the larger radii that a law with a range lends to grains (its own ``lent``), else 0."""
    own = getattr(_MODULE[type(law)], "lent", None)
    return 0.0 if own is None else own(numbers)


@overload(lent, jit_options=INLINED)
def _lent(law, numbers):  # type: ignore[no-untyped-def]
    own = getattr(_MODULE[law.instance_class], "lent", None)
    if own is None:
        return lambda law, numbers: 0.0
    return lambda law, numbers: own(numbers)


def growth(law, overlap, before):  # type: ignore[no-untyped-def]
    """Mean tangential stiffness between the overlaps ``before`` and ``overlap`` (m), over that at ``overlap``: the law's own ``growth``, else 1."""
    own = getattr(_MODULE[type(law)], "growth", None)
    return 1.0 if own is None else own(overlap, before)


@overload(growth, jit_options=INLINED)
def _growth(law, overlap, before):  # type: ignore[no-untyped-def]
    own = getattr(_MODULE[law.instance_class], "growth", None)
    if own is None:
        return lambda law, overlap, before: 1.0
    return lambda law, overlap, before: own(overlap, before)


def secant_stiffness(law, a, b, reach, mass, radius):  # type: ignore[no-untyped-def]
    """Force over overlap (N/m) at an overlap ``reach`` (m) without motion; 0 for a law with a range, which diverges by itself."""
    numbers = coefficients(law, a, b)
    own = getattr(_MODULE[type(law)], "lent", None)
    return 0.0 if own is not None else normal_force(law, numbers, reach, 0.0, mass, radius, 0.0).force / reach


@overload(secant_stiffness, jit_options=INLINED)
def _secant_stiffness(law, a, b, reach, mass, radius):  # type: ignore[no-untyped-def]
    if hasattr(_MODULE[law.instance_class], "lent"):
        return lambda law, a, b, reach, mass, radius: 0.0

    def call(law, a, b, reach, mass, radius):  # type: ignore[no-untyped-def]
        return normal_force(law, coefficients(law, a, b), reach, 0.0, mass, radius, 0.0).force / reach

    return call
