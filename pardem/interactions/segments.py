"""Closed forms for spheres and segments (cores with one or two vertices), in the regularised and the nearest-points form.

A core is {s u: -1 <= s <= 1} about its centre; u = 0 for a sphere. W = c_A - c_B.
"""

from __future__ import annotations

from .._jit import inlined

PARALLEL = 1e-14  # relative determinant below which two segments count as parallel


@inlined
def _clamp(value):
    return min(1.0, max(-1.0, value))


@inlined
def regularised_segments(wx, wy, wz, ux, uy, uz, vx, vy, vz, eps2_a, eps2_b):
    """Minimiser of |W + s u - t v|^2 + eps_A^2 s^2 |u|^2 + eps_B^2 t^2 |v|^2 over the square [-1, 1]^2.

    Returns:
        s, t.
    """
    a = (1.0 + eps2_a) * (ux * ux + uy * uy + uz * uz)
    c = (1.0 + eps2_b) * (vx * vx + vy * vy + vz * vz)
    b = ux * vx + uy * vy + uz * vz
    p = -(wx * ux + wy * uy + wz * uz)
    q = wx * vx + wy * vy + wz * vz
    if a == 0.0:
        return 0.0, _clamp(q / c) if c > 0.0 else 0.0
    if c == 0.0:
        return _clamp(p / a), 0.0
    det = a * c - b * b
    s = _clamp((c * p + b * q) / det) if det > PARALLEL * a * c else 0.0
    t = (q + b * s) / c
    if t > 1.0 or t < -1.0:
        t = _clamp(t)
        s = _clamp((p + b * t) / a)
    return s, t


@inlined
def nearest_segments(wx, wy, wz, ux, uy, uz, vx, vy, vz):
    """Nearest points of two segments; parallel ones give the middle of the stretch where they face each other (the barycentre rule).

    Returns:
        s, t.
    """
    a = ux * ux + uy * uy + uz * uz
    c = vx * vx + vy * vy + vz * vz
    b = ux * vx + uy * vy + uz * vz
    p = -(wx * ux + wy * uy + wz * uz)
    q = wx * vx + wy * vy + wz * vz
    if a == 0.0:
        return 0.0, _clamp(q / c) if c > 0.0 else 0.0
    if c == 0.0:
        return _clamp(p / a), 0.0
    det = a * c - b * b
    if det > PARALLEL * a * c:
        s = _clamp((c * p + b * q) / det)
        t = (q + b * s) / c
        if t > 1.0 or t < -1.0:
            t = _clamp(t)
            s = _clamp((p + b * t) / a)
        return s, t
    # along u: A covers s in [-1, 1]; B covers the image of t in [-1, 1], centred at p / a with half-length |b| / a
    centre, reach = p / a, abs(b) / a
    low, high = max(-1.0, centre - reach), min(1.0, centre + reach)
    s = 0.5 * (low + high)
    if low > high:
        s = 1.0 if centre > 0.0 else -1.0
    return s, _clamp((q + b * s) / c)
