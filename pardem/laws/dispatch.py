"""Static choice of the law: kernels call ``normal_force(law, ...)`` and are compiled for the type of ``law``, so no branch is left at run time."""

from __future__ import annotations

from typing import Any

from numba.extending import overload

from .._jit import INLINED
from . import elastic, hertz, user, viscoelastic, walton

Law = elastic.Elastic | viscoelastic.Viscoelastic | walton.Walton | hertz.Hertz | user.UserLaw

_IMPLEMENTATION: dict[type, Any] = {
    elastic.Elastic: elastic.normal_force,
    viscoelastic.Viscoelastic: viscoelastic.normal_force,
    walton.Walton: walton.normal_force,
    hertz.Hertz: hertz.normal_force,
    user.UserLaw: user.normal_force,
}


def normal_force(law: Law, a: int, b: int, delta: float, rate: float, m_eff: float, r_eff: float, memory: float) -> Any:
    """Normal force of one contact by the law's own ``normal_force`` (see ``elastic.normal_force`` for what comes back)."""
    return _IMPLEMENTATION[type(law)](law, a, b, delta, rate, m_eff, r_eff, memory)


@overload(normal_force, jit_options=INLINED)
def _normal_force(law, a, b, delta, rate, m_eff, r_eff, memory):  # type: ignore[no-untyped-def]
    implementation = _IMPLEMENTATION[law.instance_class]

    def call(law, a, b, delta, rate, m_eff, r_eff, memory):  # type: ignore[no-untyped-def]
        return implementation(law, a, b, delta, rate, m_eff, r_eff, memory)

    return call
