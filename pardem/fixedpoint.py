"""Fixed-point quanta: forces, torques and energies are summed as int64 counts of a power of two, so that no order of summation can show.

A contribution stays below 2^51 counts (checked where it is made), the contributions to one body below 2^11, so a sum stays below 2^62.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ._jit import kernel
from .errors import CaseError

LIMIT = float(2**51)  # counts; a larger contribution is an error that names the grain
LIMB = 32  # bits of the lower limb of a two-limb sum


class Quanta(NamedTuple):
    """The quanta of a run.

    Attributes:
        force: N per count.
        torque: N m per count.
        energy: J per count.
    """

    force: float
    torque: float
    energy: float


def power_of_two_above(value: float) -> float:
    """The smallest power of two that is not below ``value`` (> 0)."""
    mantissa, exponent = math.frexp(value)
    return math.ldexp(1.0, exponent - 1 if mantissa == 0.5 else exponent)


def choose_quanta(force_scale: float, length_scale: float, lightest_weight: float) -> Quanta:
    """Quanta from the largest force and lever of a run.

    Args:
        force_scale: the largest contact force that the overlap guard allows (N).
        length_scale: the largest lever arm, the bounding radius of the largest grain (m).
        lightest_weight: the smallest weight (or inertial force) that must be resolved (N); 0 if there is none.

    Raises:
        CaseError: the lightest grain's weight is below 2^30 quanta, that is not resolved to 1e-9.
    """
    if not (force_scale > 0.0 and math.isfinite(force_scale)):
        raise CaseError(f"The largest contact force comes out as {force_scale} N; check the stiffnesses and radii in [contact] and [[species]].")
    force = power_of_two_above(force_scale) / 2.0**50
    if lightest_weight > 0.0 and lightest_weight < force * 2.0**30:
        raise CaseError(
            f"The lightest grain weighs {lightest_weight:.3g} N, less than 1e-6 of the force at full overlap, {force_scale:.3g} N, and would not be "
            "resolved to 1e-9; lower the stiffness or narrow the range of grain sizes."
        )
    torque = force * power_of_two_above(length_scale)
    return Quanta(force, torque, torque)


@kernel
def carry(limbs):
    """Move what exceeds the lower limb of each row of ``limbs`` ((n, 2) int64: low, high) to its upper limb."""
    for k in range(limbs.shape[0]):
        up = limbs[k, 0] >> LIMB
        limbs[k, 1] += up
        limbs[k, 0] -= up << LIMB


def limbs_to_int(low: int, high: int) -> int:
    """The exact integer that a two-limb sum stands for."""
    return (int(high) << LIMB) + int(low)
