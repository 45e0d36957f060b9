"""Semi-implicit Euler: one kick of a whole step, then the drift. These are the kernels of ``verlet`` without the kick that ends a step."""

from __future__ import annotations

from .scheme import Scheme
from .verlet import Verlet, begin_step, end_step, follow, follows, kick_time


def _build(rotation: str) -> Verlet:
    return Verlet(False, rotation == "fincham")


SCHEME = Scheme(
    integrator=Verlet, build=_build, begin_step=begin_step, end_step=end_step, kick_time=kick_time, follows=follows, follow=follow,
)  # fmt: skip
