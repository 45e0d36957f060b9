"""Coefficients of the laws from restitution and contact time (thesis eq 2.21 and 2.23, corrected; see docs/theory/laws.md)."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import scipy  # its parts are loaded where they are used: they take longer than the rest of the program


def tangential_mass(dimension: int) -> float:
    """m_t / m_eff with 1/m_t = 1/m_eff + r1^2/I1 + r2^2/I2 and solid spheres of equal volume (I = 2/5 m r^2), in 2D disks (I = m r^2/2): 2/7, 1/3.

    Args:
        dimension: dimension of space, 2 or 3.
    """
    return 1.0 / 3.0 if dimension == 2 else 2.0 / 7.0


def viscoelastic(restitution: float, contact_time: float) -> tuple[float, float]:
    """Stiffness and damping per effective mass (1/s^2, 1/s) of the unclamped linear law: the restitution is exact, and so is the contact time.

    Args:
        restitution: coefficient of restitution (1).
        contact_time: (s).
    """
    log = math.log(restitution)
    return (math.pi**2 + log**2) / contact_time**2, -2.0 * log / contact_time


def _clamped_end(ratio: float) -> tuple[float, float]:
    """Restitution and duration (in 1/omega_0) of the linear law that ends when its force does (Schwager and Poeschel 2007).

    Args:
        ratio: damping ratio c / (2 sqrt(k m)), below 1.
    """
    damped = math.sqrt(1.0 - ratio * ratio)
    # the force k x + c v of x = sin(damped t) exp(-ratio t) is first zero at this phase
    phase = math.pi - 2.0 * math.atan2(ratio, damped)
    time = phase / damped
    return math.exp(-ratio * time), time


def viscoelastic_clamped(restitution: float, contact_time: float) -> tuple[float, float]:
    """Stiffness and damping per effective mass (1/s^2, 1/s) of the linear law whose force never attracts: restitution and duration of the force are
    exact.

    Args:
        restitution: coefficient of restitution (1).
        contact_time: (s).
    """
    if restitution == 1.0:
        return viscoelastic(1.0, contact_time)
    lowest = _clamped_end(1.0 - 1e-12)[0]
    if restitution <= lowest:
        raise ValueError(f"a clamped viscoelastic contact cannot have a restitution below {lowest:.3f}; use clamped = false or law = 'walton'")
    below, above = 0.0, 1.0 - 1e-12  # halved to the last bit: a library of solvers takes a sixth of the time in which a small run begins
    while below < (ratio := 0.5 * (below + above)) < above:
        below, above = (ratio, above) if _clamped_end(ratio)[0] > restitution else (below, ratio)
    omega = _clamped_end(ratio)[1] / contact_time
    return omega**2, 2.0 * ratio * omega


def walton(restitution: float, contact_time: float) -> tuple[float, float]:
    """Loading and unloading stiffness per effective mass (1/s^2): k1 = (pi (1+e) / (2 t_c))^2, k2 = k1 / e^2.

    Args:
        restitution: coefficient of restitution (1).
        contact_time: (s).
    """
    k1 = (math.pi * (1.0 + restitution) / (2.0 * contact_time)) ** 2
    return k1, k1 / restitution**2


def hertz_ratio(restitution: float) -> float:
    """Damping ratio of the unclamped Hertzian law with exact restitution: beta = -ln e / sqrt(pi^2 + ln^2 e) (Antypov and Elliott 2011).

    Args:
        restitution: coefficient of restitution (1).
    """
    log = math.log(restitution)
    return -log / math.sqrt(math.pi**2 + log**2)


@lru_cache(maxsize=64)
def hertz_ratio_clamped(restitution: float) -> float:
    """Damping ratio of the clamped Hertzian law, found by integrating one collision in natural units.

    Args:
        restitution: coefficient of restitution (1).
    """
    if restitution == 1.0:
        return 0.0

    def outcome(beta: float) -> float:
        # x'' = -x^(3/2) - 2 beta sqrt(5/4) x^(1/4) x', with stiffness S = (3/2) x^(1/2)
        def force(x: float, v: float) -> float:
            x = max(x, 0.0)
            return x**1.5 + 2.0 * beta * math.sqrt(1.25) * x**0.25 * v

        def ended(t: float, y: list[float]) -> float:
            return force(y[0], y[1]) if t > 0.1 else 1.0

        ended.terminal = True  # type: ignore[attr-defined]
        ended.direction = -1.0  # type: ignore[attr-defined]
        run = scipy.integrate.solve_ivp(lambda _, y: [y[1], -force(y[0], y[1])], (0.0, 60.0), [0.0, 1.0], events=ended, rtol=1e-11, atol=1e-13)
        return float(-run.y[1, -1])

    return float(scipy.optimize.brentq(lambda b: outcome(b) - restitution, 0.0, 3.0, xtol=1e-10))


# Lennard-Jones: distance over sigma at the bottom of the potential, where the law of walls is cut off; at which the force is the largest that a run
# must bear
LOWEST, DEEPEST = 2.0 ** (1.0 / 6.0), 0.5


def lennard_jones(depth: np.ndarray, sigma: np.ndarray, distance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Potential (J) and force (N) without cut-off.

    Args:
        depth: depth of the potential (J).
        sigma: distance at which it is zero (m).
        distance: distance of the centres (m). All arrays have one shape.
    """
    q6 = (sigma / distance) ** 6
    return 4.0 * depth * (q6 * q6 - q6), 24.0 * depth * (2.0 * q6 * q6 - q6) / distance
