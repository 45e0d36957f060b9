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

from typing import NamedTuple

import numpy as np

from ..compiled.fixedpoint import COLUMNS, MOST, UNSPLIT, WIDE_MOST, total
from ..compiled.jit import inlined, kernel
from ..compiled.quaternions import body_rate, exponential, normalised, orientation, product, put_orientation, to_world
from ..compiled.vectors import add, ahead, cross, put_row, row, scale
from .poses import force_on, gravity, inverse_moments, place_vertices, torque_on, wrap
from .scheme import Scheme

PAST = 18  # integers per grain: forces (3) and torques (3) of one, two and three steps ago; as many upper limbs where sums are wide
POSITION, VELOCITY = 19.0 / 180.0, 3.0 / 8.0  # weights of the corrector
TWELFTH, SIXTH = 1.0 / 12.0, 1.0 / 6.0


@inlined
def _before(i, k, g, wide):
    """Column ``k`` of the past of grain ``i`` (quanta)."""
    if wide:
        return float(g.past[i, PAST + k]) * UNSPLIT + float(g.past[i, k])
    return float(g.past[i, k])


@inlined
def _past(i, k, g, wide):
    """Columns ``k`` to ``k`` + 2 of the past of grain ``i``: a force or a torque (quanta)."""
    return _before(i, k, g, wide), _before(i, k + 1, g, wide), _before(i, k + 2, g, wide)


@inlined
def _difference(i, c, g, wide):
    """Component of the force or torque found less that predicted (quanta); ``c``: column in ``ft``."""
    k = c if c < 3 else c - 1
    return total(g.ft, i, c, wide) - 3.0 * _before(i, k, g, wide) + 3.0 * _before(i, 6 + k, g, wide) - _before(i, 12 + k, g, wide)


@inlined
def _differences(i, c, g, wide):
    """Force (c = 0) or torque (c = 4) found less that predicted (quanta)."""
    return _difference(i, c, g, wide), _difference(i, c + 1, g, wide), _difference(i, c + 2, g, wide)


@inlined
def _correct_one(i, round_body, inverse, g, settings):
    """Correct pose, velocity and angular momentum of a grain with the forces found at its predicted pose.

    Args:
        i: row of ``g``.
        round_body: whether it is a sphere.
        inverse: one over each principal moment (1/(kg m^2)).
        g: `state.Grains`.
        settings: `state.Settings`.
    """
    h, wide = settings.dt, settings.wide
    d = scale(settings.force / g.v[i, 3], _differences(i, 0, g, wide))
    put_row(g.x, i, ahead(row(g.x, i), POSITION * h * h, d))
    put_row(g.v, i, ahead(row(g.v, i), VELOCITY * h, d))
    if settings.periodic:
        wrap(i, g, settings)
    d = scale(settings.torque, _differences(i, 4, g, wide))
    if round_body:
        put_row(g.w, i, ahead(row(g.w, i), VELOCITY * h * inverse[0], d))
        return
    put_row(g.am, i, ahead(row(g.am, i), VELOCITY * h, d))
    q = orientation(g.q, i)
    turn = scale(0.5 * POSITION * h * h, body_rate(q, d, inverse))
    put_orientation(g.q, i, normalised(product(q, exponential(turn))))


@inlined
def _end_one(l, a, b, c):
    return l + (23.0 * a - 16.0 * b + 5.0 * c) * TWELFTH


@inlined
def _end(l, a, b, c):
    """A velocity or momentum at the end of the step, from its increments a, b, c by the forces now, one and two steps ago."""
    return _end_one(l[0], a[0], b[0], c[0]), _end_one(l[1], a[1], b[1], c[1]), _end_one(l[2], a[2], b[2], c[2])


@inlined
def _middle_one(l, a, b, c):
    return l + (17.0 * a - 7.0 * b + 2.0 * c) / 24.0


@inlined
def _middle(l, a, b, c):
    """The same in the middle of the step."""
    return _middle_one(l[0], a[0], b[0], c[0]), _middle_one(l[1], a[1], b[1], c[1]), _middle_one(l[2], a[2], b[2], c[2])


@inlined
def _mean_one(v, fall, a, b, c):
    return v + 0.5 * fall + (19.0 * a - 10.0 * b + 3.0 * c) / 24.0


@inlined
def _mean(v, fall, a, b, c):
    """The mean velocity of the step, from that at its beginning and its increments by gravity and by the forces now, one and two steps ago."""
    return (
        _mean_one(v[0], fall[0], a[0], b[0], c[0]),
        _mean_one(v[1], fall[1], a[1], b[1], c[1]),
        _mean_one(v[2], fall[2], a[2], b[2], c[2]),
    )


@inlined
def _rate(u, q, momentum, inverse):
    """How fast the rotation vector u since the orientation q grows: w_b + u x w_b / 2 + u x (u x w_b) / 12 (rad/s).

    Args:
        u: rotation vector (rad, body frame).
        q: unit quaternion that it counts from.
        momentum: angular momentum at the time in question, world frame (kg m^2/s).
        inverse: one over each principal moment (1/(kg m^2)).
    """
    w = body_rate(product(q, exponential(scale(0.5, u))), momentum, inverse)
    c = cross(u, w)
    return ahead(ahead(w, 0.5, c), TWELFTH, cross(u, c))


@inlined
def _turn(i, inverse, g, settings):
    """Predict orientation, angular momentum and angular velocity of a non-sphere; its past is still that of the step before.

    Args:
        i: row of ``g``.
        inverse: one over each principal moment (1/(kg m^2)).
        g: `state.Grains`.
        settings: `state.Settings`.
    """
    h, wide = settings.dt, settings.wide
    q, begin = orientation(g.q, i), row(g.am, i)
    t = settings.torque * h
    now, one, two = scale(t, torque_on(g, i, wide)), scale(t, _past(i, 3, g, wide)), scale(t, _past(i, 9, g, wide))
    # L at the middle and the end of the step, by the parabola through the last three torques
    middle, end = _middle(begin, now, one, two), _end(begin, now, one, two)
    a = body_rate(q, begin, inverse)
    b = _rate(scale(0.5 * h, a), q, middle, inverse)
    c = _rate(scale(0.5 * h, b), q, middle, inverse)
    d = _rate(scale(h, c), q, end, inverse)
    half_turn = scale(0.5 * h * SIXTH, add(ahead(a, 2.0, add(b, c)), d))
    q = normalised(product(q, exponential(half_turn)))
    put_orientation(g.q, i, q)
    put_row(g.am, i, end)
    put_row(g.w, i, to_world(q, body_rate(q, end, inverse)))


@inlined
def _remember(i, g, wide):
    """Move the forces and torques of a grain into its past and clear them."""
    for limb in range(2 if wide else 1):
        a, b = PAST * limb, COLUMNS * limb
        for c in range(6):
            g.past[i, a + 12 + c] = g.past[i, a + 6 + c]
            g.past[i, a + 6 + c] = g.past[i, a + c]
            g.past[i, a + c] = g.ft[i, b + (c if c < 3 else c + 1)]
    for c in range(g.ft.shape[1]):
        g.ft[i, c] = 0


@inlined
def _predict_one(i, round_body, inverse, g, settings):
    """Predict pose, velocity and angular momentum of a grain, and move its forces into the past.

    Args:
        i: row of ``g``.
        round_body: whether it is a sphere.
        inverse: one over each principal moment (1/(kg m^2)).
        g: `state.Grains`.
        settings: `state.Settings`.
    """
    h, wide = settings.dt, settings.wide
    c = settings.force * h / g.v[i, 3]
    fall, v = scale(h, gravity(settings)), row(g.v, i)
    now, one, two = scale(c, force_on(g, i, wide)), scale(c, _past(i, 0, g, wide)), scale(c, _past(i, 6, g, wide))
    put_row(g.x, i, ahead(row(g.x, i), h, _mean(v, fall, now, one, two)))
    put_row(g.v, i, add(_end(v, now, one, two), fall))
    if round_body:
        c = settings.torque * h * inverse[0]
        now, one, two = scale(c, torque_on(g, i, wide)), scale(c, _past(i, 3, g, wide)), scale(c, _past(i, 9, g, wide))
        put_row(g.w, i, _end(row(g.w, i), now, one, two))
    else:
        _turn(i, inverse, g, settings)
    _remember(i, g, wide)
    if settings.periodic:
        wrap(i, g, settings)


@kernel
def correct_and_predict(owned, g, shapes, settings, correct, predict):
    """End a step with the forces at hand, begin the next, or do both in one pass. After a prediction vertices are placed and forces cleared.

    Args:
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
        correct: whether to end a step.
        predict: whether to begin one.

    Returns:
        A grain on which more forces act than a sum can hold; -1: there is none.
    """
    crowded, most = -1, WIDE_MOST if settings.wide else MOST
    for i in range(owned):
        round_body = shapes.kind[g.species[i]] == 1
        inverse = inverse_moments(g, i, shapes, settings.planar)
        if correct:
            _correct_one(i, round_body, inverse, g, settings)
        if predict:
            if g.ft[i, 3] >= most:
                crowded = i
            _predict_one(i, round_body, inverse, g, settings)
    if predict:
        place_vertices(0, owned, g, shapes)
    return crowded


class Gear4(NamedTuple):
    """Gear's scheme.

    Attributes:
        closes: whether a step ends with a correction.
    """

    closes: bool


@inlined
def begin_step(integrator, owned, g, shapes, settings, due):
    """Correct if that is due, and predict (see ``phases.begin_step``).

    Args:
        integrator: `Gear4`.
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
        due: whether the forces at hand must first end the step before.

    Returns:
        A grain on which more forces act than a sum can hold; -1: there is none.
    """
    return correct_and_predict(owned, g, shapes, settings, due, True)


@inlined
def end_step(integrator, owned, g, shapes, settings):
    """Correct (see ``phases.end_step``).

    Args:
        integrator: `Gear4`.
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
    """
    correct_and_predict(owned, g, shapes, settings, True, False)


@kernel
def wall_velocities(integrator, walls, dt):
    """Compute the velocities of walls at the end of the step, where the contacts of this scheme see them, from the displacements around it.

    Args:
        integrator: `Gear4`.
        walls: `state.Walls`.
        dt: time step (s).
    """
    for k in range(walls.kind.shape[0]):
        for c in range(3):
            walls.pose[k, 3 + c] = walls.pose[k, 6 + c] / dt
            walls.pose[k, 12 + c] = walls.pose[k, 15 + c] / dt


def first_past(ft: np.ndarray) -> np.ndarray:
    """Make the past of grains whose forces have just been evaluated for the first time: the same forces at all earlier steps.

    Args:
        ft: (n, 8 or 16) int64 forces and torques (quanta).

    Returns:
        (n, PAST or twice as many) int64 forces and torques of earlier steps (quanta).
    """
    count, width = ft.shape  # a rank may have no grains
    limbs = ft.reshape(count, width // COLUMNS, COLUMNS)[:, :, [0, 1, 2, 4, 5, 6]]
    return np.tile(limbs, 3).reshape(count, width // COLUMNS * PAST)


def _build(rotation: str) -> Gear4:
    return Gear4(True)


SCHEME = Scheme(
    integrator=Gear4, build=_build, midstep=False, past=PAST, rotations=False, servo=False,
    begin_step=begin_step, end_step=end_step, wall_velocities=wall_velocities, first_past=first_past,
)  # fmt: skip
