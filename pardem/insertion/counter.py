"""Random numbers that depend on (seed, global id, purpose, trial) only: Philox4x64-10 (Salmon, Moraes, Dror and Shaw, 2011).

The same for any number of ranks and in whatever order grains are treated, and, with no function but the square root, on any machine.
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined, kernel

ORIENTATION, POSITION, SIZE = 0, 1, 2
"""Purposes: independent numbers for each."""

_M0, _M1 = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
_W0, _W1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
_UNIT_SHIFT, _UNIT = np.uint64(11), 2.0**-53


@inlined
def _high(a, b):
    """High 64 bits of the 128-bit product."""
    a0, a1, b0, b1 = a & _LOW, a >> _HALF, b & _LOW, b >> _HALF
    middle = a1 * b0 + ((a0 * b0) >> _HALF)
    other = a0 * b1 + (middle & _LOW)
    return a1 * b1 + (middle >> _HALF) + (other >> _HALF)


@inlined
def philox(k0, k1, c0, c1, c2, c3):
    """Compute four random numbers from a key and a counter.

    Args:
        k0: lower half of the key (uint64).
        k1: upper half of the key (uint64).
        c0: first word of the counter (uint64).
        c1: second word of the counter (uint64).
        c2: third word of the counter (uint64).
        c3: fourth word of the counter (uint64).

    Returns:
        Four random uint64.
    """
    for _ in range(10):
        h0, l0 = _high(_M0, c0), _M0 * c0
        h1, l1 = _high(_M1, c2), _M1 * c2
        c0, c1, c2, c3 = h1 ^ c1 ^ k0, l1, h0 ^ c3 ^ k1, l0
        k0 += _W0
        k1 += _W1
    return c0, c1, c2, c3


@inlined
def uniforms(seed, gid, purpose, trial):
    """Draw four independent numbers uniform in [0, 1).

    Args:
        seed: seed of the run.
        gid: id of the grain.
        purpose: what the numbers are used for.
        trial: number of the attempt.

    Returns:
        The four numbers.
    """
    a, b, c, d = philox(np.uint64(seed), np.uint64(gid), np.uint64(trial), np.uint64(0), np.uint64(0), np.uint64(purpose))
    return (
        np.float64(a >> _UNIT_SHIFT) * _UNIT,
        np.float64(b >> _UNIT_SHIFT) * _UNIT,
        np.float64(c >> _UNIT_SHIFT) * _UNIT,
        np.float64(d >> _UNIT_SHIFT) * _UNIT,
    )


@inlined
def random_orientation(seed, gid):
    """Draw an orientation, such that any body axis is uniform on the sphere (Marsaglia, 1972).

    Args:
        seed: seed of the run.
        gid: id of the grain.

    Returns:
        Unit quaternion (w, x, y, z), uniform over all orientations.
    """
    trial = 0
    while True:
        a, b, c, d = uniforms(seed, gid, ORIENTATION, trial)
        a, b, c, d = 2.0 * a - 1.0, 2.0 * b - 1.0, 2.0 * c - 1.0, 2.0 * d - 1.0
        s, t = a * a + b * b, c * c + d * d
        if s < 1.0 and 0.0 < t < 1.0:
            f = np.sqrt((1.0 - s) / t)
            c, d = c * f, d * f
            n = 1.0 / np.sqrt(a * a + b * b + c * c + d * d)
            return a * n, b * n, c * n, d * n
        trial += 1


@inlined
def random_angle(seed, gid):
    """Draw a rotation about z: a point uniform in a disk, projected on its rim.

    Args:
        seed: seed of the run.
        gid: id of the grain.

    Returns:
        First and last component of a unit quaternion about z, uniform over all angles.
    """
    trial = 0
    while True:
        a, b, _, _ = uniforms(seed, gid, ORIENTATION, trial)
        a, b = 2.0 * a - 1.0, 2.0 * b - 1.0
        s = a * a + b * b
        if 0.0 < s < 1.0:
            n = 1.0 / np.sqrt(s)
            return a * n, b * n
        trial += 1


@kernel
def random_sizes(seed, first_id, low, high, scale):
    """Draw size factors by seed and id, uniform between two bounds.

    Args:
        seed: seed of the run.
        first_id: id of the first grain; the others follow.
        low: lower bound.
        high: upper bound.
        scale: (n,), filled with the size factors.
    """
    for k in range(scale.shape[0]):
        scale[k] = low + (high - low) * uniforms(seed, first_id + k, SIZE, 0)[0]
