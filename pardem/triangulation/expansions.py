"""Compiled: exact sums and products of float64 numbers as expansions.

An expansion is a sum of floats that do not overlap, ordered by growing magnitude, without zeros: ``e[:n]``; its sign is that of ``e[n - 1]``. Sums
and products by one float are exact as long as nothing overflows or underflows (J. R. Shewchuk, Discrete Comput. Geom. 18, 305, 1997).
"""

from __future__ import annotations

from ..compiled.jit import inlined, kernel

SPLITTER = 134217729.0  # 2^27 + 1: cuts 53 bits into two halves of 26


@inlined
def two_sum(a, b):
    """Rounded sum and its error, exactly."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@inlined
def split(a):
    """High and low half of a float."""
    c = SPLITTER * a
    high = c - (c - a)
    return high, a - high


@inlined
def two_product(a, b):
    """Rounded product and its error, exactly."""
    p = a * b
    ah, al = split(a)
    bh, bl = split(b)
    return p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)


@inlined
def copy(e, n, out):
    """The first n floats of an array into another."""
    for i in range(n):
        out[i] = e[i]


@inlined
def append(e, n, value):
    """Put a float at the end of an expansion unless it is zero; returns the new length."""
    if value != 0.0:
        e[n] = value
        return n + 1
    return n


@kernel
def add(e, n, f, m, out):
    """Sum of two expansions into ``out`` (room for n + m floats, not one of the operands).

    Returns:
        its length.
    """
    i, j, k = 0, 0, 0
    q = 0.0
    while i < n or j < m:
        if j == m or (i < n and abs(e[i]) < abs(f[j])):
            g = e[i]
            i += 1
        else:
            g = f[j]
            j += 1
        q, low = two_sum(q, g)
        k = append(out, k, low)
    k = append(out, k, q)
    return k


@kernel
def scale(e, n, b, out):
    """Product of an expansion and a float into ``out`` (room for 2 n floats, not the operand).

    Returns:
        its length.
    """
    if n == 0 or b == 0.0:
        return 0
    k = 0
    q, low = two_product(e[0], b)
    k = append(out, k, low)
    for i in range(1, n):
        high, rest = two_product(e[i], b)
        q, low = two_sum(q, rest)
        k = append(out, k, low)
        q, low = two_sum(high, q)
        k = append(out, k, low)
    k = append(out, k, q)
    return k
