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


def choose_quanta(force_scale: float, length_scale: float, lightest_weight: float, heaviest_weight: float) -> Quanta:
    """Quanta from the largest force and lever of a run.

    The range covers the force at full overlap, unless the lightest grain's weight would then fall below 2^30 quanta (be resolved worse than
    1e-9): stiff contacts, such as Hertz contacts with moduli of real materials, get a range of 2^20 times the lightest weight instead, and a
    force beyond it is an error that names the grains.

    Args:
        force_scale: the largest contact force that the overlap guard allows (N).
        length_scale: the largest lever arm, the bounding radius of the largest grain (m).
        lightest_weight, heaviest_weight: smallest and largest weight of a grain (N); 0 without gravity.

    Raises:
        CaseError: the range would be below 2^10 times the heaviest grain's weight.
    """
    if not (force_scale > 0.0 and math.isfinite(force_scale)):
        raise CaseError(f"The largest contact force comes out as {force_scale} N; check the stiffnesses and radii in [contact] and [[species]].")
    if lightest_weight > 0.0 and lightest_weight < power_of_two_above(force_scale) * 2.0**-20:
        force_scale = 0.5 * 2.0**20 * lightest_weight
        if force_scale < 2.0**10 * heaviest_weight:
            raise CaseError(
                f"The grains weigh from {lightest_weight:.3g} N to {heaviest_weight:.3g} N, too far apart for contacts as stiff as these: "
                "forces up to a thousand times the heaviest weight could not be summed at 1e-9 of the lightest; lower the stiffness or narrow the "
                "range of sizes."
            )
    force = power_of_two_above(force_scale) / 2.0**50
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
