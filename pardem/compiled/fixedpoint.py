"""Fixed-point quanta: forces, torques and energies are summed as int64 counts of a power of two, so that no order of summation can show.

A contribution stays below 2^51 counts, those to one body below 2^11 in number (both are checked where it is made), so a sum stays below 2^62. Where
that is not enough, the sums of a run are *wide*: two limbs of 40 and more bits, for contributions below 2^80 counts and 2^22 in number. Every
contribution is rounded to the nearest count: rounded towards zero, contacts would be weaker by half a count, which grows with the run. What the
quanta are is chosen in ``setup/quanta.py``.
"""

from __future__ import annotations

import numpy as np

from .jit import inlined, kernel
from .lanes.conversions import truncated, whole

LIMIT, WIDE_LIMIT = float(2**51), float(2**80)  # counts; a larger contribution is an error that names the grain
MOST, WIDE_MOST = 2**11, 2**22  # contributions to one body in a step
LIMB = 32  # bits of the lower limb of sums over many bodies, which are carried
SPLIT, UNSPLIT = 2.0**-40, 2.0**40  # the limbs of the wide sum of a body, which are not
COLUMNS, WIDE_COLUMNS = 8, 16  # of the sums of a body: force (3), how many contributions, torque (3), spare; then the upper limbs


@inlined
def limit(wide):
    """The largest contribution that sums hold, in counts.

    Args:
        wide: whether sums have two limbs.
    """
    return WIDE_LIMIT if wide else LIMIT


@inlined
def split(value):
    """Upper and lower limb of a number of counts, rounded to the nearest whole one.

    Args:
        value: the number, or several in lanes.
    """
    high = truncated(value * SPLIT)
    return whole(high), whole(value - high * UNSPLIT)


@inlined
def total(ft, i, c, wide):
    """The sum of counts in one column of a body as float64: the same for the same integers.

    Args:
        ft: (N, COLUMNS or WIDE_COLUMNS) int64 sums of the bodies.
        i: row of the body.
        c: the column.
        wide: whether sums have two limbs.
    """
    if wide:
        return float(ft[i, COLUMNS + c]) * UNSPLIT + float(ft[i, c])
    return float(ft[i, c])


def totals(ft: np.ndarray, column: int) -> np.ndarray:
    """The sums of counts in three columns of all bodies, (n, 3) float64.

    Args:
        ft: (n, COLUMNS or WIDE_COLUMNS) int64 sums of the bodies.
        column: the first of the three.
    """
    low = ft[:, column : column + 3].astype(np.float64)
    return ft[:, COLUMNS + column : COLUMNS + column + 3] * UNSPLIT + low if ft.shape[1] > COLUMNS else low


@inlined
def deposit_nearest(limbs, row, value):
    """Add a number of counts to a two-limb sum, rounded to the nearest whole one.

    Args:
        limbs: (n, 2) int64 low and high limbs.
        row: row of the sum.
        value: the number.
    """
    high = int(value * 2.0**-LIMB)
    limbs[row, 1] += high
    limbs[row, 0] += int(np.rint(value - float(high) * 2.0**LIMB))


@kernel
def carry(limbs):
    """Move what exceeds the lower limb of each sum to its upper limb.

    Args:
        limbs: (n, 2) int64 low and high limbs.
    """
    for k in range(limbs.shape[0]):
        up = limbs[k, 0] >> LIMB
        limbs[k, 1] += up
        limbs[k, 0] -= up << LIMB
