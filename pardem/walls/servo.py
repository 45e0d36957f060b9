"""Servo walls: plates with a mass that a constant force or pressure pushes along a direction; across it they may move at a constant velocity.

Along the direction n a plate of mass m and damping c moves as m u' = F + n.R - c u, with R the force of the grains on it and F what is applied. As
for grains a kick of half a step precedes and follows the drift; the first is implicit in the damping, the second explicit, so that the middle of two
steps sees

    m (u(n+1/2) - u(n-1/2)) = dt F(n) - dt c (u(n+1/2) + u(n-1/2))/2.

R is the exact sum over all ranks of whole quanta, so every rank moves its copy of the plate alike. The work on the grains, - R.n ds, is booked half a
step before and half a step after R was found.
"""

from __future__ import annotations

from .._jit import inlined, kernel
from ..fixedpoint import LIMB, carry
from ..interactions.accumulate import fault
from ..state import ERROR_SERVO
from .kinds import ABSENT
from .motion import AREA, DAMPING, DIRECTION, FIRST, FORCE, KIND, LOAD, MASS, MOVED, PLACE, PRESSURE, REACH, SERVO, SPAN, SPEED, WORK, displacement


@kernel
def along(limbs, direction, quantum):
    """Component (N) along a direction ((3 or more,)) of a force in two-limb quanta ((3 or more, 2), carried)."""
    total = 0.0
    for c in range(3):
        total += direction[c] * ((float(limbs[c, 1]) * float(1 << LIMB) + float(limbs[c, 0])) * quantum)
    return total


@kernel
def note_loads(walls, quantum):
    """Take up the sums of the reactions over ranks, ``walls.total``, and book the work of the half-step that they end."""
    for k in range(walls.kind.shape[0]):
        if walls.motion[k, KIND] == SERVO:
            carry(walls.total[k])
            walls.motion[k, LOAD] = along(walls.total[k], walls.motion[k, DIRECTION:], quantum)
            walls.motion[k, WORK] -= 0.5 * walls.motion[k, LOAD] * walls.motion[k, MOVED]


@kernel
def pressed_area(walls, k, step, dt):
    """Area (m^2) on which the pressure of servo wall ``k`` acts: given, or the distances of pairs of walls."""
    motion, area = walls.motion, walls.motion[k, AREA]
    for pair in range(2):
        a, b = int(motion[k, SPAN + 2 * pair]), int(motion[k, SPAN + 2 * pair + 1])
        if a >= 0:
            x0, y0, z0 = displacement(motion, a, step, dt)
            x1, y1, z1 = displacement(motion, b, step, dt)
            p, q = walls.shape[a], walls.shape[b]
            area *= abs((q[0] + x1 - p[0] - x0) * p[3] + (q[1] + y1 - p[1] - y0) * p[4] + (q[2] + z1 - p[2] - z0) * p[5])
    return area


@inlined
def _moves(walls, k):
    """Whether wall ``k`` is a servo wall that is there."""
    return walls.motion[k, KIND] == SERVO and walls.there[k] != ABSENT


@kernel
def kick_servos(walls, step, dt, h, begins):
    """Advance the speeds of servo walls by ``h`` (s) with the forces at hand; ``begins``: the kick begins the step to come, else it ends the last."""
    motion = walls.motion
    for k in range(walls.kind.shape[0]):
        if not _moves(walls, k) or step - (0 if begins else 1) < motion[k, FIRST]:
            continue
        force = motion[k, FORCE] + motion[k, LOAD]
        if motion[k, PRESSURE] != 0.0:
            force += motion[k, PRESSURE] * pressed_area(walls, k, step, dt)
        gain, drag = h * force / motion[k, MASS], h * motion[k, DAMPING] / motion[k, MASS]
        if begins:
            motion[k, SPEED] = (motion[k, SPEED] + gain) / (1.0 + drag)
        else:
            motion[k, SPEED] = motion[k, SPEED] * (1.0 - drag) + gain


@kernel
def drift_servos(walls, dt, control):
    """Move servo walls by one step."""
    motion = walls.motion
    for k in range(walls.kind.shape[0]):
        motion[k, MOVED] = 0.0
        if _moves(walls, k):
            motion[k, MOVED] = dt * motion[k, SPEED]
            motion[k, PLACE] += motion[k, MOVED]
            motion[k, WORK] -= 0.5 * motion[k, LOAD] * motion[k, MOVED]
            if not abs(motion[k, MOVED]) <= motion[k, REACH]:
                fault(control, ERROR_SERVO, -1 - k, 0)
