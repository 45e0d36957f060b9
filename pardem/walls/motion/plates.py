"""Servo walls: plates with a mass that a constant force or pressure pushes along a direction; across it they may move at a constant velocity.

Along the direction n a plate of mass m and damping c moves as m u' = F + n.R - c u, with R the force of the grains on it and F what is applied. As
for grains a kick of half a step precedes and follows the drift; the first is implicit in the damping, the second explicit, so that the middle of two
steps sees

    m (u(n+1/2) - u(n-1/2)) = dt F(n) - dt c (u(n+1/2) + u(n-1/2))/2.

R is the exact sum over all ranks of whole quanta, so every rank moves its copy of the plate alike. The work on the grains, - R.n ds, is counted half
a step before and half a step after R was found.
"""

from __future__ import annotations

from ...compiled.fixedpoint import LIMB, carry
from ...compiled.jit import inlined, kernel
from ...compiled.vectors import add, columns, dot, row, subtract
from ...contacts.accumulate import fault
from ...state.arrays import ERROR_SERVO
from ..surfaces.place import ABSENT
from .driven import displacement
from .rows import AREA, DAMPING, DIRECTION, FIRST, FORCE, LOAD, MASS, MOVED, PLACE, PRESSURE, REACH, SPAN, SPEED, WORK, is_pushed


@kernel
def along(limbs, direction, quantum):
    """Component of a force along a direction.

    Args:
        limbs: (3 or more, 2) int64 two-limb force in quanta, carried.
        direction: (3 or more,) unit vector.
        quantum: quantum of force (N).

    Returns:
        component (N).
    """
    total = 0.0
    for c in range(3):
        total += direction[c] * ((float(limbs[c, 1]) * float(1 << LIMB) + float(limbs[c, 0])) * quantum)
    return total


@kernel
def note_loads(walls, quantum):
    """Take up the sums of the reactions over ranks, ``walls.total``, and add up the work of the half-step that they end.

    Args:
        walls: `state.Walls`.
        quantum: quantum of force (N).
    """
    for k in range(walls.kind.shape[0]):
        if is_pushed(walls.motion, k):
            carry(walls.total[k])
            walls.motion[k, LOAD] = along(walls.total[k], walls.motion[k, DIRECTION:], quantum)
            walls.motion[k, WORK] -= 0.5 * walls.motion[k, LOAD] * walls.motion[k, MOVED]


@kernel
def pressed_area(walls, k, step, dt):
    """Area on which the pressure of a servo wall acts: given, or the distances of pairs of walls.

    Args:
        walls: `state.Walls`.
        k: the wall.
        step: number of the step.
        dt: time step (s).

    Returns:
        area (m^2).
    """
    motion, area = walls.motion, walls.motion[k, AREA]
    for pair in range(2):
        a, b = int(motion[k, SPAN + 2 * pair]), int(motion[k, SPAN + 2 * pair + 1])
        if a >= 0:
            there = add(row(walls.shape, b), displacement(motion, b, step, dt))
            apart = subtract(subtract(there, row(walls.shape, a)), displacement(motion, a, step, dt))
            area *= abs(dot(apart, columns(walls.shape, a, 3)))
    return area


@inlined
def _moves(walls, k):
    """Whether wall ``k`` is a servo wall that is there."""
    return is_pushed(walls.motion, k) and walls.there[k] != ABSENT


@kernel
def kick_servos(walls, step, dt, h, begins):
    """Advance the speeds of servo walls with the forces at hand.

    Args:
        walls: `state.Walls`.
        step: number of the step.
        dt: time step (s).
        h: time (s).
        begins: whether the kick begins the step to come; else it ends the last.
    """
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
    """Move servo walls by one step.

    Args:
        walls: `state.Walls`.
        dt: time step (s).
        control: (CONTROL,) int64, in which a wall that moves too far is noted.
    """
    motion = walls.motion
    for k in range(walls.kind.shape[0]):
        motion[k, MOVED] = 0.0
        if _moves(walls, k):
            motion[k, MOVED] = dt * motion[k, SPEED]
            motion[k, PLACE] += motion[k, MOVED]
            motion[k, WORK] -= 0.5 * motion[k, LOAD] * motion[k, MOVED]
            if not abs(motion[k, MOVED]) <= motion[k, REACH]:
                fault(control, ERROR_SERVO, -1 - k, 0)
