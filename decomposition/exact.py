"""Sums of float64 without rounding: the same bits for any order and any distribution over ranks.

Every finite float64 is an integer multiple of 2^-1074 below 2^2098. The sum is kept as that integer in limbs of 32 bits (a superaccumulator, Kulisch,
*Computer Arithmetic and Validity*, 2008), added up over the ranks as int64, and rounded once, to nearest even. Not-a-number, or infinities of both
signs, give not-a-number; infinities of one sign give that infinity; an empty sum is 0.0; a sum beyond the largest float64 becomes infinite.
"""

from __future__ import annotations

import math

import numpy as np
from mpi4py import MPI

from ..compiled.jit import kernel

LIMBS = 67  # 66 for the bits of a float64, one for the carry and the sign
NAN, PLUS, MINUS = 67, 68, 69  # counters of what is not finite
WIDTH = 70
BETWEEN_CARRIES = 1 << 28  # a value adds less than 2^33 to a limb


@kernel
def deposit(limbs: np.ndarray, value: float) -> None:
    """Add a value to an accumulator.

    Args:
        limbs: (WIDTH,) int64 accumulator, to which at most ``BETWEEN_CARRIES`` values may be added before ``carry``.
        value: the value.
    """
    if not abs(value) < np.inf:
        limbs[NAN if value != value else (PLUS if value > 0.0 else MINUS)] += 1
        return
    mantissa, exponent = math.frexp(value)
    bits = int(math.ldexp(abs(mantissa), 53))
    shift = exponent + 1021
    if shift < 0:  # subnormal: the bits shifted out are zero
        bits >>= -shift
        shift = 0
    k, off = shift >> 5, shift & 31
    low = (bits & 0xFFFFFFFF) << off
    high = (bits >> 32) << off
    sign = -1 if mantissa < 0.0 else 1
    limbs[k] += sign * (low & 0xFFFFFFFF)
    limbs[k + 1] += sign * ((low >> 32) + (high & 0xFFFFFFFF))
    limbs[k + 2] += sign * (high >> 32)


@kernel
def carry(limbs: np.ndarray) -> None:
    """Carry the limbs of accumulators, so that all but the last lie in 0 ... 2^32 - 1.

    Args:
        limbs: (k, WIDTH) int64 accumulators.
    """
    for r in range(limbs.shape[0]):
        for k in range(LIMBS - 1):
            up = limbs[r, k] >> 32
            limbs[r, k + 1] += up
            limbs[r, k] -= up << 32


@kernel
def deposit_columns(limbs: np.ndarray, values: np.ndarray) -> None:
    """Add each column of an array to its accumulator.

    Args:
        limbs: (k, WIDTH) int64 accumulators.
        values: (n, k) float64 values.
    """
    for i in range(values.shape[0]):
        for c in range(values.shape[1]):
            deposit(limbs[c], values[i, c])
        if i % BETWEEN_CARRIES == BETWEEN_CARRIES - 1:
            carry(limbs)
    carry(limbs)


@kernel
def deposit_groups(limbs: np.ndarray, values: np.ndarray, group: np.ndarray) -> None:
    """Add values to the accumulators of their groups.

    Args:
        limbs: (k, WIDTH) int64 accumulators.
        values: (n,) float64 values.
        group: (n,) int64 row of the accumulator of each value; values with a negative one are left out.
    """
    for i in range(values.shape[0]):
        if group[i] >= 0:
            deposit(limbs[group[i]], values[i])
        if i % BETWEEN_CARRIES == BETWEEN_CARRIES - 1:
            carry(limbs)
    carry(limbs)


@kernel
def round_to_float(limbs: np.ndarray, out: np.ndarray) -> None:
    """Round accumulators to the nearest float64. Their contents are destroyed.

    Args:
        limbs: (k, WIDTH) int64 accumulators after ``carry``.
        out: (k,) float64, filled with the rounded values.
    """
    for r in range(limbs.shape[0]):
        row = limbs[r]
        negative = row[LIMBS - 1] < 0
        if negative:
            for k in range(LIMBS):
                row[k] = -row[k]
            carry(limbs[r : r + 1])
        top = LIMBS - 1
        while top > 0 and row[top] == 0:
            top -= 1
        if row[NAN] != 0 or (row[PLUS] != 0 and row[MINUS] != 0):
            out[r] = np.nan
        elif row[PLUS] != 0 or row[MINUS] != 0 or top == LIMBS - 1:
            out[r] = -np.inf if row[MINUS] != 0 or (negative and row[PLUS] == 0) else np.inf
        else:
            value = _leading_bits(row, top)
            out[r] = -value if negative else value


@kernel
def _leading_bits(row: np.ndarray, top: int) -> float:
    """The magnitude of an accumulator whose highest limb is ``top``, rounded to nearest even."""
    lead, length = row[top], 0
    while lead >> length != 0:
        length += 1
    # 53 bits and the one after them from up to three limbs; whether anything follows
    second = row[top - 1] if top > 0 else 0
    third = row[top - 2] if top > 1 else 0
    from_second = min(32, 54 - length)
    from_third = 54 - length - from_second
    rest = (second & ((1 << (32 - from_second)) - 1)) | (third & ((1 << (32 - from_third)) - 1))
    for k in range(top - 2):
        rest |= row[k]
    bits = (lead << from_second) | (second >> (32 - from_second))
    bits = (bits << from_third) | (third >> (32 - from_third))
    mantissa = bits >> 1
    if bits & 1 and (rest != 0 or mantissa & 1):
        mantissa += 1
    return math.ldexp(float(mantissa), 32 * top + length - 53 - 1074)


class ExactSums:
    """Several sums over all ranks with one message.

    Example:
        >>> sums = ExactSums(MPI.COMM_WORLD)                  # doctest: +SKIP
        >>> sums.add("mass", grains.v[:, 3])                  # doctest: +SKIP
        >>> sums.reduce()["mass"]                             # doctest: +SKIP
    """

    def __init__(self, comm: MPI.Comm) -> None:
        self.comm = comm
        self._parts: dict[str, tuple[np.ndarray, tuple[int, ...]]] = {}

    def accumulators(self, name: str, *shape: int) -> np.ndarray:
        """Make empty accumulators for a kernel that deposits and carries.

        Args:
            name: name of the sum.
            *shape: shape of a row of the values.

        Returns:
            (product of ``shape``, WIDTH) int64 accumulators.
        """
        limbs = np.zeros((math.prod(shape), WIDTH), np.int64)
        self._parts[name] = limbs, shape
        return limbs

    def add(self, name: str, values: np.ndarray) -> None:
        """Add values, to be summed over rows and ranks.

        Args:
            name: name of the sum.
            values: (n, ...) float64 values; n may differ between ranks.
        """
        values = np.asarray(values, dtype=np.float64)
        limbs = self.accumulators(name, *values.shape[1:])
        deposit_columns(limbs, np.ascontiguousarray(values.reshape(len(values), len(limbs))))

    def add_groups(self, name: str, values: np.ndarray, group: np.ndarray, groups: int) -> None:
        """Add values, to be summed by group over rows and ranks.

        Args:
            name: name of the sum.
            values: (n,) float64 values; n may differ between ranks.
            group: (n,) integer group of each value, below ``groups``; values with a negative one are left out.
            groups: number of groups.
        """
        deposit_groups(self.accumulators(name, groups), np.ascontiguousarray(values, dtype=np.float64), np.ascontiguousarray(group, dtype=np.int64))

    def reduce(self) -> dict[str, float | np.ndarray]:
        """Sum over all ranks. Collective.

        Returns:
            The sums by name, with the same bits on every rank: each a float, or an array of the shape of a row.
        """
        if not self._parts:
            return {}
        limbs = np.concatenate([part for part, _ in self._parts.values()])
        self.comm.Allreduce(MPI.IN_PLACE, limbs, MPI.SUM)
        carry(limbs)
        values = np.empty(len(limbs))
        round_to_float(limbs, values)
        found: dict[str, float | np.ndarray] = {}
        first = 0
        for name, (part, shape) in self._parts.items():
            block = values[first : first + len(part)]
            found[name] = block.reshape(shape) if shape else float(block[0])
            first += len(part)
        return found


def exact_sum(comm: MPI.Comm, values: np.ndarray) -> float | np.ndarray:
    """Correctly rounded sum over the rows of all ranks. Collective.

    Args:
        comm: communicator.
        values: (n,) or (n, k) float64; n may be 0 and differ between ranks, k may not.

    Returns:
        a float, or (k,) float64; the same bits for any distribution of the rows, on every rank.
    """
    sums = ExactSums(comm)
    sums.add("sum", values)
    return sums.reduce()["sum"]


def exact_totals(comm: MPI.Comm, limbs: np.ndarray) -> list[int]:
    """Totals over ranks of two-limb integers (see ``pardem.compiled.fixedpoint``). Collective.

    Args:
        comm: communicator.
        limbs: (n, 2) int64 low and high limbs, the same n on every rank.

    Returns:
        n exact Python integers, the same on every rank.
    """
    low, high = limbs[:, 0], limbs[:, 1]
    total = np.stack([low & 0xFFFFFFFF, high + (low >> 32)], axis=1)
    comm.Allreduce(MPI.IN_PLACE, total, MPI.SUM)
    return [int(a) + (int(b) << 32) for a, b in total]
