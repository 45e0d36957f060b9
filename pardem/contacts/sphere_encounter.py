"""How two spheres meet: what the general rule is for point cores. One text for a pair, and for several pairs in ``lanes``."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiled.choices import root, smaller
from ..compiled.jit import inlined
from ..compiled.vectors import add, ahead, behind, cross, dot, scale, square, subtract
from ..laws.quantities import Geometry, Motion
from .encounter import effective


class SphereBody(NamedTuple):
    """A sphere.

    Attributes:
        radius: (m).
        mass: (kg).
        spin: angular velocity (rad/s).
    """

    radius: Any
    mass: Any
    spin: Any


class Encounter(NamedTuple):
    """How two spheres meet.

    Attributes:
        reach: distance of the contact point from the first centre, along the normal (m).
        distance: of the centres (m).
        geometry: ``quantities.Geometry``.
        motion: ``quantities.Motion``.
        mass: effective mass (kg).
        radius: effective radius (m).
        depth_left: the smaller radius less the overlap (m).
    """

    reach: Any
    distance: Any
    geometry: Any
    motion: Any
    mass: Any
    radius: Any
    depth_left: Any


@inlined
def encounter(branch, velocity, first, second, dt, lag):
    """The contact lies on the radical plane, arm_i = (d^2 + R_i^2 - R_j^2) / (2 d) along the normal from i to j.

    Velocities are taken where they belong, ``lag`` before: there the centres were lag v less apart. With D_m = D - lag v the arms are parts of
    D_m, share_i = (1 + (R_i^2 - R_j^2)/D_m^2)/2 and the rest, and 1/D_m follows from 1/D by its series in e = D_m^2/D^2 - 1, to third order in the
    step. Divisions and the root do not wait for each other: 1/D = D/D^2, and the arms have a division of their own.

    Args:
        branch: vector from the first centre to the second (m).
        velocity: velocity of the second centre relative to the first (m/s).
        first: ``SphereBody``.
        second: ``SphereBody``.
        dt: time step (s).
        lag: time by which velocities lie before the end of the step (s).

    Returns:
        the ``Encounter``.
    """
    ri, rj, mi, mj = first.radius, second.radius, first.mass, second.mass
    reach = ri + rj
    d2 = square(branch)
    d, inv2 = root(d2), 1.0 / d2
    inv = d * inv2
    before = behind(branch, lag, velocity)
    before2, difference = square(before), (ri - rj) * reach
    share_i = 0.5 + 0.5 * difference / before2
    e = (before2 - d2) * inv2
    inv_before = inv * ((1.0 - 0.5 * e) + 0.375 * (e * e))
    # velocity of j's material point less that of i's: v_j - arm_j w_j x n - v_i - arm_i w_i x n
    velocity = subtract(velocity, cross(ahead(scale(share_i, first.spin), 1.0 - share_i, second.spin), before))
    middle, normal = scale(inv_before, before), scale(inv, branch)
    turn = 0.5 * dt * dot(add(first.spin, second.spin), middle)
    mass, radius = effective(ri, rj, mi, mj)
    return Encounter(
        0.5 * (d + difference * inv), d, Geometry(reach - d, normal, middle, 1.0), Motion(velocity, turn, dt, lag),
        mass, radius, smaller(ri, rj) - (reach - d),
    )  # fmt: skip


@inlined
def torques(reach, distance, normal, drag):
    """Torque of a contact about the first centre, and against that about the second one: what acts along the normal has no arm.

    Args:
        reach: distance of the contact point from the first centre, along the normal (m).
        distance: of the centres (m).
        normal: unit normal.
        drag: tangential force on the first body (N).
    """
    turning = cross(normal, drag)
    return scale(reach, turning), scale(reach - distance, turning)
