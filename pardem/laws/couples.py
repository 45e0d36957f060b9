"""Torsional friction and the rocking damper of contacts that are more than a point (docs/theory/laws.md)."""

from __future__ import annotations

from ..compiled.choices import inverse_root, larger, select, smaller
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import seldom
from ..compiled.vectors import ahead, behind, choose, dot, scale, square
from .quantities import Couple


@inlined
def couple(response, geometry, zone, spin, friction, twist, dt):
    """Couple of one contact, without a branch that matters.

    Args:
        response: ``quantities.Response`` of the slider.
        geometry: ``quantities.Geometry``.
        zone: ``quantities.Zone``.
        spin: angular velocity of the second body relative to the first (rad/s).
        friction: ``quantities.PairFriction``.
        twist: elastic torque of the step before (N m), 0 at birth.
        dt: time step (s).

    Returns:
        the ``quantities.Couple``.
    """
    coulomb, torsion, rocking = friction
    ct, cn, lever = response.law.ct, response.law.cn, zone.lever
    push = larger(response.push * geometry.slope, 0.0)
    cap = (2.0 / 3.0) * coulomb * push * lever * torsion
    turned = dot(geometry.middle, spin)
    rolled = 0.5 * zone.middle * zone.middle * turned
    drag = ct * rolled * torsion
    torque = smaller(larger(twist + response.grow * rolled * dt + drag, -cap), cap)
    elastic = torque - drag
    about = dot(geometry.normal, spin)
    tilt = behind(spin, about, geometry.normal)
    tilt = choose(square(zone.axis) > 0.0, scale(dot(zone.axis, tilt), zone.axis), tilt)
    rock = cn * lever * lever * rocking
    tilt2 = square(tilt)
    cap = 0.1 * lever * push
    limited = tilt2 * (rock * rock) > cap * cap
    if seldom(limited):
        rock = select(limited, cap * inverse_root(tilt2), rock)
    work = dt * (0.5 * (twist + elastic) * turned + drag * about + rock * tilt2)  # the spring's along the normal in the middle of the step
    return Couple(ahead(scale(torque, geometry.normal), rock, tilt), elastic, work)
