"""Elastic-plastic springs and dashpots against rolling and twisting (type C of Ai et al. 2011).

A spring grows by k w dt and is cut to the cap mu R F, where it yields; a dashpot acts while it does not yield. The sum of both is cut to the cap too.
The dashpot is no stronger than what ``constant`` allows a torque without memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.choices import larger, root, select, smaller
from ...compiled.jit import inlined
from ...compiled.vectors import ahead, scale, square
from .resistance_quantities import Resisting, Springs, Torques

SPRINGS = 4  # columns of the history


class ElasticPlastic(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material) of the springs and dashpots.

    Attributes:
        rolling: largest rolling torque over normal force and effective radius (1).
        twisting: the same for twisting (1).
        rolling_damping: rolling dashpot over the critical one (1).
        twisting_damping: the same for twisting (1).
        rolling_normal: stiffness of the rolling spring over normal stiffness and squared effective radius (1).
        twisting_normal: the same for twisting (1).
        tangential: stiffness of both over tangential stiffness and squared effective radius (1), which adds to the others.
        ball: moment of inertia of a solid ball (in 2D: a disk) over m r^2 (1).
        stop: the same as in ``constant.ConstantTorque`` (1/s).
    """

    rolling: np.ndarray
    twisting: np.ndarray
    rolling_damping: np.ndarray
    twisting_damping: np.ndarray
    rolling_normal: np.ndarray
    twisting_normal: np.ndarray
    tangential: np.ndarray
    ball: float
    stop: float


@inlined
def coefficients(resistance, a, b):
    """What ``torques`` needs to know of a pair of materials; arguments and result as of ``constant.coefficients``.

    Args:
        resistance: the model's tables.
        a: row of the first material.
        b: row of the second material.
    """
    tangential = resistance.tangential[a, b]
    rolling = Resisting(resistance.rolling[a, b], resistance.rolling_damping[a, b], resistance.rolling_normal[a, b], tangential)
    return rolling, Resisting(resistance.twisting[a, b], resistance.twisting_damping[a, b], resistance.twisting_normal[a, b], tangential)


@inlined
def _spring(numbers, load):
    """Stiffness of a spring (N m/rad) and what caps it (N m)."""
    stiffness = (numbers.normal * load.normal + numbers.tangential * load.tangential) * (load.radius * load.radius)
    return stiffness, numbers.cap * load.push * load.radius


@inlined
def _dashpot(damping, stiffness, inertia, most):
    """Coefficient of a dashpot (N m s/rad) with a share ``damping`` of the critical one, at most ``most``."""
    return smaller(most, 2.0 * damping * root(stiffness * inertia))


@inlined
def _energy(square_of_torque, stiffness):
    """What a spring holds (J)."""
    return select(stiffness > 0.0, 0.5 * square_of_torque / stiffness, 0.0)


@inlined
def torques(resistance, numbers, load, turning, springs):
    """Torques of one contact; arguments and result as of ``constant.torques``.

    The dashpot of rolling is measured against the inertia of rolling without slip, m r^2 + J, that of twisting against J.
    """
    dt, ball, most = turning.dt, resistance.ball, resistance.stop * load.inertia
    stiffness, cap = _spring(numbers[0], load)
    rolling = ahead(springs.rolling, stiffness * dt, turning.carried)
    size = root(square(rolling))
    yields = size > cap
    rolling = scale(select(yields, cap / size, 1.0), rolling)
    dashpot = select(yields, 0.0, _dashpot(numbers[0].damping, stiffness, (1.0 + ball) * load.inertia, most))
    moment = ahead(rolling, dashpot, turning.rolling)
    moment = scale(smaller(1.0, cap / root(square(moment))), moment)
    stored = _energy(square(rolling), stiffness)
    stiffness, cap = _spring(numbers[1], load)
    twisting = springs.twisting + stiffness * dt * turning.twisting
    yields = abs(twisting) > cap
    twisting = smaller(larger(twisting, -cap), cap)
    dashpot = select(yields, 0.0, _dashpot(numbers[1].damping, stiffness, ball * load.inertia, most))
    about = smaller(larger(twisting + dashpot * turning.twisting, -cap), cap)
    stored += _energy(twisting * twisting, stiffness)
    return Torques(moment, about, Springs(rolling, twisting), stored)
