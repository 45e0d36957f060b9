"""Compiled: exact sums and products of float64 numbers as expansions.

An expansion is a sum of floats that do not overlap, ordered by growing magnitude, without zeros: ``e[:n]``; its sign is that of ``e[n - 1]``. Sums
and products by one float are exact as long as nothing overflows or underflows (J. R. Shewchuk, Discrete Comput. Geom. 18, 305, 1997).
"""

from __future__ import annotations

from ..compiled.jit import inlined, kernel

SPLITTER = 134217729.0  # 2^27 + 1: cuts 53 bits into two halves of 26


@inlined
def two_sum(a, b):
    """Add two floats exactly.

    Args:
        a: first term.
        b: second term.

    Returns:
        The rounded sum and its error.
    """
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


@inlined
def split(a):
    """Split a float into two of half its length.

    Args:
        a: the float.

    Returns:
        Its high and its low half.
    """
    c = SPLITTER * a
    high = c - (c - a)
    return high, a - high


@inlined
def two_product(a, b):
    """Multiply two floats exactly.

    Args:
        a: first factor.
        b: second factor.

    Returns:
        The rounded product and its error.
    """
    p = a * b
    ah, al = split(a)
    bh, bl = split(b)
    return p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)


@inlined
def copy(e, n, out):
    """Copy an expansion.

    Args:
        e: the expansion.
        n: its length.
        out: (n or more,) array, filled.
    """
    for i in range(n):
        out[i] = e[i]


@inlined
def append(e, n, value):
    """Append a float to an expansion unless it is zero.

    Args:
        e: the expansion, changed.
        n: its length.
        value: the float.

    Returns:
        The new length.
    """
    if value != 0.0:
        e[n] = value
        return n + 1
    return n


@kernel
def add(e, n, f, m, out):
    """Add two expansions.

    Args:
        e: first expansion.
        n: its length.
        f: second expansion.
        m: its length.
        out: (n + m or more,) array, filled with the sum; it must not be one of the operands.

    Returns:
        Length of the sum.
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
    """Multiply an expansion by a float.

    Args:
        e: the expansion.
        n: its length.
        b: the float.
        out: (2 n or more,) array, filled with the product; it must not be the operand.

    Returns:
        Length of the product.
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
