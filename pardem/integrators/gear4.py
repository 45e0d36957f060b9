"""Gear's fourth-order predictor-corrector for translation and rotation (C. W. Gear, Numerical Initial Value Problems in ODEs, Prentice-Hall 1971).

The usual form carries the scaled derivatives x, h v, h^2 a/2, h^3 a'/6, h^4 a''/24, predicts them by Taylor's expansion, and adds
(19/90, 3/4, 1, 1/2, 1/12) times the difference between the acceleration found and the one predicted, times h^2/2. The matrix that takes the
three highest from step to step is nilpotent: what they hold are exactly the accelerations of the last three steps. So those are kept instead, as
the integer forces and torques they come from, and the same scheme reads, with a0, a1, a2 the accelerations now and one and two steps ago and A
the one found at the predicted pose and velocity,

    predict   x + h v + h^2 (19 a0 - 10 a1 + 3 a2)/24,   v + h (23 a0 - 16 a1 + 5 a2)/12
    correct   x + 19/180 h^2 D,   v + 3/8 h D,   D = A - 3 a0 + 3 a1 - a2.

The angular momentum L (world frame) goes as the velocity does. The orientation follows the angular velocity that the predicted L(t) implies, by a
Runge-Kutta-Munthe-Kaas step of fourth order, and is then turned by 19/180 h^2 I^-1 D, D from torques: in a plane this is the scalar scheme.
A grain on which nothing acts moves freely to the last bit.
"""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel
from ..fixedpoint import COLUMNS, MOST, UNSPLIT, WIDE_MOST, total
from .poses import inverse_size, place_vertices, wrap
from .rotation import body_rate, exponential, normalised, product, to_world

PAST = 18  # integers per grain: forces (3) and torques (3) of one, two and three steps ago; as many upper limbs where sums are wide
POSITION, VELOCITY = 19.0 / 180.0, 3.0 / 8.0  # weights of the corrector
TWELFTH, SIXTH = 1.0 / 12.0, 1.0 / 6.0


@inlined
def _before(i, k, g, wide):
    """Column ``k`` of the past (quanta)."""
    if wide:
        return float(g.past[i, PAST + k]) * UNSPLIT + float(g.past[i, k])
    return float(g.past[i, k])


@inlined
def _difference(i, c, g, wide):
    """Force or torque found less the one predicted, in quanta; ``c``: column in ``ft``."""
    k = c if c < 3 else c - 1
    return total(g.ft, i, c, wide) - 3.0 * _before(i, k, g, wide) + 3.0 * _before(i, 6 + k, g, wide) - _before(i, 12 + k, g, wide)


@inlined
def _correct_one(i, round_body, jx, jy, jz, g, settings):
    """Correct pose, velocity and angular momentum of a grain with the forces found at its predicted pose."""
    h, wide = settings.dt, settings.wide
    scale = settings.force / g.v[i, 3]
    for c in range(3):
        d = scale * _difference(i, c, g, wide)
        g.x[i, c] += POSITION * h * h * d
        g.v[i, c] += VELOCITY * h * d
    if settings.periodic:
        wrap(i, g, settings)
    s = settings.torque
    dx, dy, dz = s * _difference(i, 4, g, wide), s * _difference(i, 5, g, wide), s * _difference(i, 6, g, wide)
    s = VELOCITY * h
    if round_body:
        s *= jx
        g.w[i, 0] += s * dx
        g.w[i, 1] += s * dy
        g.w[i, 2] += s * dz
        return
    g.am[i, 0] += s * dx
    g.am[i, 1] += s * dy
    g.am[i, 2] += s * dz
    q0, q1, q2, q3 = g.q[i, 0], g.q[i, 1], g.q[i, 2], g.q[i, 3]
    ux, uy, uz = body_rate(q0, q1, q2, q3, dx, dy, dz, jx, jy, jz)
    s = 0.5 * POSITION * h * h
    e0, e1, e2, e3 = exponential(s * ux, s * uy, s * uz)
    a, b, c, d = product(q0, q1, q2, q3, e0, e1, e2, e3)
    g.q[i, 0], g.q[i, 1], g.q[i, 2], g.q[i, 3] = normalised(a, b, c, d)


@inlined
def _end(l, a, b, c):
    """A velocity or momentum at the end of the step, from its increments a, b, c by the forces now, one and two steps ago."""
    return l + (23.0 * a - 16.0 * b + 5.0 * c) * TWELFTH


@inlined
def _middle(l, a, b, c):
    """The same in the middle of the step."""
    return l + (17.0 * a - 7.0 * b + 2.0 * c) / 24.0


@inlined
def _rate(u, v, w, q0, q1, q2, q3, lx, ly, lz, jx, jy, jz):
    """How fast the rotation vector (u, v, w) (rad, body frame) since the orientation q grows: w_b + u x w_b / 2 + u x (u x w_b) / 12."""
    e0, e1, e2, e3 = exponential(0.5 * u, 0.5 * v, 0.5 * w)
    p0, p1, p2, p3 = product(q0, q1, q2, q3, e0, e1, e2, e3)
    x, y, z = body_rate(p0, p1, p2, p3, lx, ly, lz, jx, jy, jz)
    cx, cy, cz = v * z - w * y, w * x - u * z, u * y - v * x
    dx, dy, dz = v * cz - w * cy, w * cx - u * cz, u * cy - v * cx
    return x + 0.5 * cx + TWELFTH * dx, y + 0.5 * cy + TWELFTH * dy, z + 0.5 * cz + TWELFTH * dz


@inlined
def _turn(i, jx, jy, jz, g, settings):
    """Predict orientation, angular momentum and angular velocity of a non-sphere; its past is still that of the step before."""
    h, wide = settings.dt, settings.wide
    q0, q1, q2, q3 = g.q[i, 0], g.q[i, 1], g.q[i, 2], g.q[i, 3]
    lx, ly, lz = g.am[i, 0], g.am[i, 1], g.am[i, 2]
    c = settings.torque * h
    ax, ay, az = c * total(g.ft, i, 4, wide), c * total(g.ft, i, 5, wide), c * total(g.ft, i, 6, wide)
    bx, by, bz = c * _before(i, 3, g, wide), c * _before(i, 4, g, wide), c * _before(i, 5, g, wide)
    cx, cy, cz = c * _before(i, 9, g, wide), c * _before(i, 10, g, wide), c * _before(i, 11, g, wide)
    # L at the middle and the end of the step, by the parabola through the last three torques
    mx, my, mz = _middle(lx, ax, bx, cx), _middle(ly, ay, by, cy), _middle(lz, az, bz, cz)
    lx, ly, lz = _end(lx, ax, bx, cx), _end(ly, ay, by, cy), _end(lz, az, bz, cz)
    ax, ay, az = body_rate(q0, q1, q2, q3, g.am[i, 0], g.am[i, 1], g.am[i, 2], jx, jy, jz)
    u = 0.5 * h
    bx, by, bz = _rate(u * ax, u * ay, u * az, q0, q1, q2, q3, mx, my, mz, jx, jy, jz)
    cx, cy, cz = _rate(u * bx, u * by, u * bz, q0, q1, q2, q3, mx, my, mz, jx, jy, jz)
    dx, dy, dz = _rate(h * cx, h * cy, h * cz, q0, q1, q2, q3, lx, ly, lz, jx, jy, jz)
    u = 0.5 * h * SIXTH
    e0, e1, e2, e3 = exponential(u * (ax + 2.0 * (bx + cx) + dx), u * (ay + 2.0 * (by + cy) + dy), u * (az + 2.0 * (bz + cz) + dz))
    q0, q1, q2, q3 = product(q0, q1, q2, q3, e0, e1, e2, e3)
    q0, q1, q2, q3 = normalised(q0, q1, q2, q3)
    g.q[i, 0], g.q[i, 1], g.q[i, 2], g.q[i, 3] = q0, q1, q2, q3
    g.am[i, 0], g.am[i, 1], g.am[i, 2] = lx, ly, lz
    ax, ay, az = body_rate(q0, q1, q2, q3, lx, ly, lz, jx, jy, jz)
    g.w[i, 0], g.w[i, 1], g.w[i, 2] = to_world(q0, q1, q2, q3, ax, ay, az)


@inlined
def _predict_one(i, round_body, jx, jy, jz, g, settings):
    """Predict pose, velocity and angular momentum of a grain, and move its forces into the past."""
    h, wide = settings.dt, settings.wide
    scale = settings.force * h / g.v[i, 3]
    for c in range(3):
        gravity = h * (settings.gx if c == 0 else (settings.gy if c == 1 else settings.gz))
        a0, a1, a2 = scale * total(g.ft, i, c, wide), scale * _before(i, c, g, wide), scale * _before(i, 6 + c, g, wide)
        g.x[i, c] += h * (g.v[i, c] + 0.5 * gravity + (19.0 * a0 - 10.0 * a1 + 3.0 * a2) / 24.0)
        g.v[i, c] = _end(g.v[i, c], a0, a1, a2) + gravity
    if round_body:
        scale = settings.torque * h * jx
        for c in range(3):
            g.w[i, c] = _end(g.w[i, c], scale * total(g.ft, i, 4 + c, wide), scale * _before(i, 3 + c, g, wide), scale * _before(i, 9 + c, g, wide))
    else:
        _turn(i, jx, jy, jz, g, settings)
    for limb in range(2 if wide else 1):
        a, b = PAST * limb, COLUMNS * limb
        for c in range(6):
            g.past[i, a + 12 + c] = g.past[i, a + 6 + c]
            g.past[i, a + 6 + c] = g.past[i, a + c]
            g.past[i, a + c] = g.ft[i, b + (c if c < 3 else c + 1)]
    for c in range(g.ft.shape[1]):
        g.ft[i, c] = 0
    if settings.periodic:
        wrap(i, g, settings)


@kernel
def correct_and_predict(owned, g, shapes, settings, correct, predict):
    """End a step with the forces at hand, begin the next, or both in one pass; after a prediction vertices are placed and forces cleared.

    Returns:
        a grain that received more contributions than a sum holds, or -1.
    """
    crowded, most = -1, WIDE_MOST if settings.wide else MOST
    for i in range(owned):
        a = g.species[i]
        round_body = shapes.kind[a] == 1
        k = inverse_size(g.scale[i], settings.planar)
        jx, jy, jz = shapes.inverse[a, 0] * k, shapes.inverse[a, 1] * k, shapes.inverse[a, 2] * k
        if correct:
            _correct_one(i, round_body, jx, jy, jz, g, settings)
        if predict:
            if g.ft[i, 3] >= most:
                crowded = i
            _predict_one(i, round_body, jx, jy, jz, g, settings)
    if predict:
        place_vertices(0, owned, g, shapes)
    return crowded


@kernel
def wall_velocities(walls, dt):
    """Velocities of walls at the step itself, where the contacts of this scheme look, from the displacements around it."""
    for k in range(walls.kind.shape[0]):
        for c in range(3):
            walls.pose[k, 3 + c] = walls.pose[k, 6 + c] / dt
            walls.pose[k, 12 + c] = walls.pose[k, 15 + c] / dt


def begin(ft: np.ndarray) -> np.ndarray:
    """The past of grains whose forces have just been evaluated for the first time: they have always been so.

    Args:
        ft: (n, 8 or 16) int64 forces and torques.

    Returns:
        (n, PAST or twice as many) int64.
    """
    limbs = ft.reshape(len(ft), -1, COLUMNS)[:, :, [0, 1, 2, 4, 5, 6]]
    return np.tile(limbs, 3).reshape(len(ft), -1)
