"""The explicit leap-frog for rotation: D. Fincham, Mol. Simul. 8 (1992) 165; the scheme of the collider of paper 003."""

from __future__ import annotations

from .._jit import inlined
from .rotation import body_rate, normalised, product, to_world


@inlined
def rotate(q0, q1, q2, q3, nx, ny, nz, lx, ly, lz, jx, jy, jz, dt):
    """Turn a body by one step.

    The orientation in the middle of the step is predicted with the angular velocity at its beginning, q_h = |q + dt/4 q w(q, L(n))|, and
    q <- |q + dt/2 q_h w(q_h, L(n+1/2))| with the one there; w is the body-frame angular velocity I^-1 R^T L as a quaternion.

    Args:
        q0 ... q3: unit quaternion, body to world. nx, ny, nz: angular momentum at the beginning, lx, ly, lz: in the middle of the step, world frame.
        jx, jy, jz: inverse principal moments. dt: time step (s).

    Returns:
        quaternion after the step; angular velocity in the middle of it, world frame (rad/s).
    """
    wx, wy, wz = body_rate(q0, q1, q2, q3, nx, ny, nz, jx, jy, jz)
    r0, r1, r2, r3 = product(q0, q1, q2, q3, 0.0, wx, wy, wz)
    h = 0.25 * dt
    h0, h1, h2, h3 = normalised(q0 + h * r0, q1 + h * r1, q2 + h * r2, q3 + h * r3)
    wx, wy, wz = body_rate(h0, h1, h2, h3, lx, ly, lz, jx, jy, jz)
    r0, r1, r2, r3 = product(h0, h1, h2, h3, 0.0, wx, wy, wz)
    h = 0.5 * dt
    q0, q1, q2, q3 = normalised(q0 + h * r0, q1 + h * r1, q2 + h * r2, q3 + h * r3)
    wx, wy, wz = to_world(h0, h1, h2, h3, wx, wy, wz)
    return q0, q1, q2, q3, wx, wy, wz
