"""Closed forms for spheres and segments (cores with one or two vertices), in the regularised and the nearest-points form.

A core is {s u: -1 <= s <= 1} about its centre; u = 0 for a sphere. W = c_A - c_B.
"""

from __future__ import annotations

from ...compiled.choices import larger, select, smaller
from ...compiled.jit import inlined
from ...compiled.lanes.arithmetic import all_of
from ...compiled.vectors import dot, square

PARALLEL = 1e-14  # relative determinant below which two segments count as parallel


@inlined
def _clamp(value):
    return smaller(1.0, larger(-1.0, value))


@inlined
def regularised_segments(w, u, v, eps2_a, eps2_b):
    """Minimiser of |W + s u - t v|^2 + eps_A^2 s^2 |u|^2 + eps_B^2 t^2 |v|^2 over the square [-1, 1]^2.

    One text for a pair and for several in ``lanes``: there is no branch.

    Args:
        w: W, centre of A less centre of B (m).
        u: half-axis of A (m).
        v: half-axis of B (m).
        eps2_a: squared regularisation of A (1).
        eps2_b: squared regularisation of B (1).

    Returns:
        s, t.
    """
    a = (1.0 + eps2_a) * square(u)
    c = (1.0 + eps2_b) * square(v)
    b = dot(u, v)
    p = -dot(w, u)
    q = dot(w, v)
    det, inv_a, inv_c = a * c - b * b, 1.0 / a, 1.0 / c
    s = select(det > PARALLEL * a * c, _clamp((c * p + b * q) / det), 0.0)
    t = (q + b * s) * inv_c
    beyond = (t > 1.0) | (t < -1.0)
    t = _clamp(t)
    s = select(beyond, _clamp((p + b * t) * inv_a), s)
    return select(a > 0.0, select(c > 0.0, s, _clamp(p * inv_a)), 0.0), select(c > 0.0, t, 0.0)


@inlined
def nearest_segments(w, u, v):
    """Nearest points of two segments; parallel ones give the middle of the stretch where they face each other (the barycentre rule).

    One text for a pair and for several in ``lanes``.

    Args:
        w: middle of A less middle of B (m).
        u: half-axis of A (m).
        v: half-axis of B (m).

    Returns:
        s, t.
    """
    a = square(u)
    c = square(v)
    b = dot(u, v)
    p = -dot(w, u)
    q = dot(w, v)
    det = a * c - b * b
    skew = det > PARALLEL * a * c
    s = _clamp((c * p + b * q) / det)
    t = (q + b * s) / c
    beyond = (t > 1.0) | (t < -1.0)
    t = _clamp(t)
    s = select(beyond, _clamp((p + b * t) / a), s)
    if not all_of(skew):
        along_s, along_t = _along(a, b, c, p, q)
        s, t = select(skew, s, along_s), select(skew, t, along_t)
    return s, t


@inlined
def _along(a, b, c, p, q):
    """Nearest points of two parallel segments, or of points: |u|^2, u.v, |v|^2, -w.u, w.v.

    Along u, A covers s from -1 to 1, and B the image of t from -1 to 1, centred at p / a with half-length |b| / a.
    """
    centre, reach = p / a, abs(b) / a
    low, high = larger(-1.0, centre - reach), smaller(1.0, centre + reach)
    s = select(low > high, select(centre > 0.0, 1.0, -1.0), 0.5 * (low + high))
    s = select(a > 0.0, select(c > 0.0, s, _clamp(centre)), 0.0)
    return s, select(c > 0.0, _clamp((q + b * s) / c), 0.0)
