"""How two grains of any shape meet, from the nearest points of their cores: one text for a pair, and for several pairs in ``lanes``."""

from __future__ import annotations

from ..compiled.choices import root
from ..compiled.jit import inlined
from ..compiled.lanes.arithmetic import seldom
from ..compiled.vectors import add, ahead, choose, cross, scale, subtract
from .nearest.polytope_separation import MARGIN

SAFE = 1.0 - 1e-9
"""Share of a gap that counts, as the way that the two grains' points must go before they may touch: no point of a distance's minimiser moves faster
than the grains, and the penalties of the regularised one do not change with motion."""
SHORTENED = 1.0 - 2.0**-22  # more than rounding to float32, in which such paths are kept, may lengthen one


@inlined
def free_path(path, f, reach, d):
    """The path of two grains together up to which they cannot touch (m), also once it, or less, is rounded to float32.

    Args:
        path: distance that both may have moved so far (m).
        f: squared distance of their cores (m^2).
        reach: distance at which they touch (m).
        d: vector from the first centre to the second (m).
    """
    rounding = MARGIN * (abs(d[0]) + abs(d[1]) + abs(d[2]) + reach)
    return SHORTENED * (path + SAFE * (root(f) - reach)) - rounding


@inlined
def contact_point(x, link, inv2, ri, rj):
    """The contact point relative to the first centre (m): on the radical plane of the two balls about the nearest points.

    Args:
        x: nearest point of the first core relative to its centre (m).
        link: vector from there to the nearest point of the second core (m).
        inv2: one over the square of its length (1/m^2).
        ri: first sphero-radius (m).
        rj: second one (m).
    """
    return ahead(x, 0.5 + 0.5 * (ri - rj) * (ri + rj) * inv2, link)


@inlined
def effective(ri, rj, mi, mj):
    """Effective mass (kg) and radius (m) of two bodies, by one division.

    Args:
        ri: first sphero-radius (m).
        rj: second one (m).
        mi: first mass (kg).
        mj: second one (kg).
    """
    reach, mass = ri + rj, mi + mj
    per = 1.0 / (reach * mass)
    return mi * mj * (reach * per), ri * rj * (mass * per)


@inlined
def contact_velocity(velocity, spins, d, arms, known, lag):
    """Velocity of the second body's material point relative to the first's at the contact point in the middle of the step (m/s).

    The middle lies halfway from the arm of the step before, where there was one; there the centres were lag times their velocity less apart.

    Args:
        velocity: velocity of the second centre relative to the first (m/s).
        spins: angular velocities of the two bodies (rad/s).
        d: vector from the first centre to the second (m).
        arms: vectors from the first centre to the contact point, in the step before and now (m).
        known: whether there was one in the step before.
        lag: time by which velocities lie before the end of the step (s).
    """
    before, arm = arms
    arm_i = scale(0.5, add(before, arm))
    arm_j = ahead(subtract(arm_i, d), lag, velocity)
    if seldom(not known):
        arm_i, arm_j = choose(known, arm_i, arm), choose(known, arm_j, subtract(arm, d))
    return add(velocity, subtract(cross(spins[1], arm_j), cross(spins[0], arm_i)))
