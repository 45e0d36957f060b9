"""Fixed-point quanta: forces, torques and energies are summed as int64 counts of a power of two, so that no order of summation can show.

A contribution stays below 2^51 counts, those to one body below 2^11 in number (both are checked where it is made), so a sum stays below 2^62. Where
that is not enough, the sums of a run are *wide*: two limbs of 40 and more bits, for contributions below 2^80 counts and 2^22 in number.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ._jit import inlined, kernel
from .errors import CaseError

LIMIT, WIDE_LIMIT = float(2**51), float(2**80)  # counts; a larger contribution is an error that names the grain
MOST, WIDE_MOST = 2**11, 2**22  # contributions to one body in a step
LIMB = 32  # bits of the lower limb of sums over many bodies, which are carried
SPLIT, UNSPLIT = 2.0**-40, 2.0**40  # the limbs of the wide sum of a body, which are not
COLUMNS, WIDE_COLUMNS = 8, 16  # of the sums of a body: force (3), how many contributions, torque (3), spare; then the upper limbs
RESOLVED = 2.0**30  # quanta that the lightest weight should have, at the least


class Quanta(NamedTuple):
    """The quanta of a run.

    Attributes:
        force: N per count.
        torque: N m per count.
        energy: J per count.
        wide: whether the sums of bodies have two limbs.
    """

    force: float
    torque: float
    energy: float
    wide: bool


def power_of_two_above(value: float) -> float:
    """The smallest power of two that is not below ``value`` (> 0)."""
    mantissa, exponent = math.frexp(value)
    return math.ldexp(1.0, exponent - 1 if mantissa == 0.5 else exponent)


def choose_quanta(force_scale: float, longest: float, shortest: float, lightest_weight: float, contributions: float) -> Quanta:
    """Quanta from the largest force and lever of a run.

    The range covers the force at full overlap. Where the lightest grain's weight would then fall below 2^30 quanta (be resolved worse than 1e-9), as
    with Hertz contacts of real moduli or grains of very different size, the quanta follow that weight instead and sums are wide; so they are where a
    body may receive more contributions than one limb holds.

    Args:
        force_scale: the largest contact force that the overlap guard allows (N).
        longest, shortest: the longest and shortest lever arm, bounding radii of the largest and smallest grain (m).
        lightest_weight: smallest weight of a grain (N); 0 without gravity.
        contributions: how many forces may act on one body at once, an estimate.

    Raises:
        CaseError: the largest force is not a positive number, or even wide sums do not reach from the lightest weight to it.
    """
    if not (force_scale > 0.0 and math.isfinite(force_scale)):
        raise CaseError(f"The largest contact force comes out as {force_scale} N; check the stiffnesses and radii in [contact] and [[species]].")
    force = power_of_two_above(force_scale) / 2.0**50
    lever = power_of_two_above(longest)
    if not 0.0 < lightest_weight < RESOLVED * force:
        return Quanta(force, force * lever, force * lever, contributions >= MOST)
    force = 0.5 * power_of_two_above(lightest_weight) / RESOLVED
    widest = 2.0 * force_scale / (force * WIDE_LIMIT)
    if widest >= 1.0:
        raise CaseError(
            f"The lightest grain weighs {lightest_weight:.3g} N, contacts bear up to {force_scale:.3g} N: too far apart to be summed exactly; "
            "lower the stiffness or narrow the range of sizes."
        )
    lever = power_of_two_above(max(shortest, longest * widest))  # torques of the largest grain must fit, too
    return Quanta(force, force * lever, force * lever, True)


@inlined
def split(value):
    """Upper and lower limb of ``value`` (counts, whole or not), rounded towards zero."""
    high = int(value * SPLIT)
    return high, int(value - float(high) * UNSPLIT)


@inlined
def total(ft, i, c, wide):
    """The sum in column ``c`` of body ``i`` (counts), as float64: the same for the same integers."""
    if wide:
        return float(ft[i, COLUMNS + c]) * UNSPLIT + float(ft[i, c])
    return float(ft[i, c])


def totals(ft: np.ndarray, column: int) -> np.ndarray:
    """The sums in three columns of all bodies (counts): (n, 3) float64."""
    low = ft[:, column : column + 3].astype(np.float64)
    return ft[:, COLUMNS + column : COLUMNS + column + 3] * UNSPLIT + low if ft.shape[1] > COLUMNS else low


@inlined
def deposit(limbs, row, value):
    """Add ``value`` (counts; rounded towards zero) to a two-limb sum."""
    high = int(value * 2.0**-LIMB)
    limbs[row, 1] += high
    limbs[row, 0] += int(value - float(high) * 2.0**LIMB)


@inlined
def deposit_nearest(limbs, row, value):
    """Add ``value`` (counts; rounded to the nearest one) to a two-limb sum: for books, where a bias would grow with the run."""
    high = int(value * 2.0**-LIMB)
    limbs[row, 1] += high
    limbs[row, 0] += int(np.rint(value - float(high) * 2.0**LIMB))


@kernel
def carry(limbs):
    """Move what exceeds the lower limb of each row of ``limbs`` ((n, 2) int64: low, high) to its upper limb."""
    for k in range(limbs.shape[0]):
        up = limbs[k, 0] >> LIMB
        limbs[k, 1] += up
        limbs[k, 0] -= up << LIMB
