"""Vectors as values: three numbers in a tuple, with operations that are merged into their callers.

A component is a float64 or whatever else has arithmetic (``lanes``). Every operation rounds as its formula reads from left to right, so that code
written with them has the bits of the same code written out in components.
"""

from __future__ import annotations

from .choices import root, select
from .jit import inlined

ZERO = (0.0, 0.0, 0.0)


@inlined
def add(a, b):
    """A + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inlined
def subtract(a, b):
    """A - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def negative(a):
    """-a."""
    return -a[0], -a[1], -a[2]


@inlined
def scale(factor, a):
    """A number times a vector."""
    return factor * a[0], factor * a[1], factor * a[2]


@inlined
def over(a, divisor):
    """A / divisor: a vector divided by a number."""
    return a[0] / divisor, a[1] / divisor, a[2] / divisor


@inlined
def ahead(a, factor, b):
    """A + factor b: the point ``factor`` steps of b from a."""
    return a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]


@inlined
def behind(a, factor, b):
    """A - factor b."""
    return a[0] - factor * b[0], a[1] - factor * b[1], a[2] - factor * b[2]


@inlined
def dot(a, b):
    """Scalar product a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def dot_from(start, a, b):
    """Start + a . b, added up from left to right."""
    return start + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross(a, b):
    """Vector product a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def square(a):
    """|a|^2."""
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]


@inlined
def length(a):
    """|a|."""
    return root(square(a))


@inlined
def magnitudes(a):
    """The magnitudes of the three components."""
    return abs(a[0]), abs(a[1]), abs(a[2])


@inlined
def choose(condition, a, b):
    """``a`` where the condition holds, else ``b``; both are computed."""
    return select(condition, a[0], b[0]), select(condition, a[1], b[1]), select(condition, a[2], b[2])


@inlined
def component(a, axis):
    """The component of ``a`` along axis 0, 1 or 2."""
    return a[0] if axis == 0 else (a[1] if axis == 1 else a[2])


@inlined
def row(array, i):
    """The first three columns of row ``i`` of an array."""
    return array[i, 0], array[i, 1], array[i, 2]


@inlined
def put_row(array, i, a):
    """Write a vector to the first three columns of row ``i`` of an array."""
    array[i, 0], array[i, 1], array[i, 2] = a[0], a[1], a[2]


@inlined
def columns(array, i, first):
    """Three columns of row ``i`` of an array, from column ``first`` on."""
    return array[i, first], array[i, first + 1], array[i, first + 2]


@inlined
def put_columns(array, i, first, a):
    """Write a vector to three columns of row ``i`` of an array, from column ``first`` on."""
    array[i, first], array[i, first + 1], array[i, first + 2] = a[0], a[1], a[2]


@inlined
def _nearest(d, period, half):
    return select(d > half, d - period, select(d < -half, d + period, d))


@inlined
def nearest_image(d, settings):
    """The shortest of the periodic images of a difference of two wrapped places.

    Args:
        d: difference (m).
        settings: `Settings`, of which are used: ``periodic``, whether any axis is periodic; ``period`` (m), 0 where open; ``half``, half of it,
            infinite where open.
    """
    if settings.periodic:
        period, half = settings.period, settings.half
        return _nearest(d[0], period[0], half[0]), _nearest(d[1], period[1], half[1]), _nearest(d[2], period[2], half[2])
    return d
