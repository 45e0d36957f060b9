"""Constant torque: rolling and twisting are resisted by a given share of the normal force times the radius (type A of Ai et al. 2011).

The torque has no memory. One that reverses the relative spin w within a step would chatter, so the torque is at most the one that stops it:
M = min(mu R F, stop J |w|) w/|w| with stop = 1/(SHARE dt), so that SHARE contacts of a body stop it together. For bodies with n contacts each in this
regime, a step multiplies the modes of their spins by factors between 1 - n/SHARE and 1, since (w_i - w_j)^2 is at most
(1/J_i + 1/J_j)(J_i w_i^2 + J_j w_j^2): nothing overshoots up to SHARE contacts of a body, and nothing grows up to twice as many. J is that of a ball
with the mass and the sphero-radius of the body: no moment of inertia of a spheropolytope is smaller.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.choices import root, smaller
from ...compiled.jit import inlined
from ...compiled.vectors import scale, square
from .resistance_quantities import Resisting, Torques

SHARE = 8.0
SPRINGS = 0  # columns of the history


class ConstantTorque(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material) of the constant torque.

    Attributes:
        rolling: largest rolling torque over normal force and effective radius (1).
        twisting: the same for twisting (1).
        ball: moment of inertia of a solid ball (in 2D: a disk) over m r^2 (1).
        stop: ``ball`` over SHARE time steps (1/s).
    """

    rolling: np.ndarray
    twisting: np.ndarray
    ball: float
    stop: float


@inlined
def coefficients(resistance, a, b):
    """What ``torques`` needs to know of a pair of materials.

    Args:
        resistance: the model's tables.
        a: row of the first material.
        b: row of the second material.

    Returns:
        ``resistance_quantities.Resisting`` of rolling and of twisting.
    """
    return Resisting(resistance.rolling[a, b], 0.0, 0.0, 0.0), Resisting(resistance.twisting[a, b], 0.0, 0.0, 0.0)


@inlined
def torques(resistance, numbers, load, turning, springs):
    """Torques of one contact.

    Args:
        resistance: the model's tables.
        numbers: see ``coefficients``.
        load: ``resistance_quantities.Load``.
        turning: ``resistance_quantities.Turning``.
        springs: ``resistance_quantities.Springs`` of the step before, in the new tangent plane.

    Returns:
        the ``resistance_quantities.Torques``.
    """
    unit, most = load.push * load.radius, resistance.stop * load.inertia
    # without motion the quotient is infinite, or not a number
    rolling = smaller(most, numbers[0].cap * unit / root(square(turning.rolling)))
    twisting = smaller(most, numbers[1].cap * unit / abs(turning.twisting))
    return Torques(scale(rolling, turning.rolling), twisting * turning.twisting, springs, 0.0)
