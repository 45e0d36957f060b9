"""The explicit leap-frog for rotation: D. Fincham, Mol. Simul. 8 (1992) 165; the scheme of the collider of paper 003."""

from __future__ import annotations

from ..compiled.jit import inlined
from ..compiled.quaternions import body_rate, normalised, product, to_world


@inlined
def _turned(q, h, q_rate, rate):
    """|q + h q_rate w|: the orientation ``q`` turned at the body-frame angular velocity w = ``rate`` (rad/s) of the orientation ``q_rate``."""
    d = product(q_rate, (0.0, rate[0], rate[1], rate[2]))
    return normalised((q[0] + h * d[0], q[1] + h * d[1], q[2] + h * d[2], q[3] + h * d[3]))


@inlined
def rotate(q, before, middle, inverse, dt):
    """Turn a body by one step.

    The orientation in the middle of the step is predicted with the angular velocity at its beginning, q_h = |q + dt/4 q w(q, L(n))|, and
    q <- |q + dt/2 q_h w(q_h, L(n+1/2))| with the one there; w is the body-frame angular velocity I^-1 R^T L as a quaternion. The factors are half of
    dt/2 and of dt, since the rate of a quaternion is half the product with the angular velocity.

    Args:
        q: unit quaternion, body to world.
        before: angular momentum at the beginning of the step, world frame (kg m^2/s).
        middle: angular momentum in the middle of the step, world frame (kg m^2/s).
        inverse: one over each principal moment (1/(kg m^2)).
        dt: time step (s).

    Returns:
        quaternion after the step; angular velocity in the middle of it, world frame (rad/s).
    """
    half = _turned(q, 0.25 * dt, q, body_rate(q, before, inverse))
    rate = body_rate(half, middle, inverse)
    return _turned(q, 0.5 * dt, half, rate), to_world(half, rate)
