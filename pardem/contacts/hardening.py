"""What a regularised contact gives on top of its law where the law's own force would collapse; docs/theory/contacts.md, "Hardening".

The force of a law acts along R with the size phi s/d, s = |R|, d^2 = f = s^2 + beta^2. It peaks at d^3 = D beta^2, D the sum of the sphero-radii, and
vanishes where the cores meet, as the gradient of any smooth function of f does. beta^2 has no gradient that is as simple, but f(q), the minimum with
all penalties times q, has one (envelope theorem), and as it is concave in q

    B = (f(HEAVIER) - f)/(HEAVIER - 1) <= beta^2,      sigma^2 = f - B,      tau^2 = (f(LIGHTER) - LIGHTER f)/(1 - LIGHTER) <= sigma^2,

sigma = tau = s where the minimisers are clamped to a corner; tau goes on falling where heavier penalties draw theirs away from a tip that has all but
met the other core. With y = B/D^2 and the distance D t at which it begins, which is below that of ``collapsed`` and below D,

    t^3 = y (GUARD - (GUARD - 1) y),     sigma_0^2 = D^2 (t^2 - y),     kappa = 1/sqrt(y + 1/STEEPEST^2)
    x = 1 - sigma/sigma_0,     sigma' = sigma - x (2 - x) (sigma - tau)

the contact holds V = k kappa (sigma_0 - sigma')^2/2 more where sigma < sigma_0, k the law's force at the overlap D over D.
"""

from __future__ import annotations

import numpy as np

from ..compiled.fixedpoint import deposit_nearest, limit
from ..compiled.jit import inlined, kernel
from ..compiled.vectors import add, cross, negative, scale, square, subtract
from ..laws.law import secant_stiffness
from ..state.arrays import ERROR_RANGE, ERROR_SOLVER, OBSERVE, RECORDED, STORED
from .accumulate import add as add_force
from .accumulate import fault, tally_stress
from .dispatch import weighted
from .record import record_hardening

HEAVIER = 1.5  # of the penalties in the second minimum; below GUARD, so that the rule begins before the force has peaked
LIGHTER = 0.125  # in the third one
GUARD = 1.728  # 1.2^3: d^3 over D beta^2 below which a contact is near its peak
STEEPEST = 16.0  # bound of kappa
CLOSEST = 1.0 / 16.0  # tau over sigma_0 below which the cores count as overlapping: sideways the force changes over a length tau
MET = 0.35  # tau over sigma, likewise: it is sqrt(LIGHTER/HEAVIER) where a corner has gone into the other core


@inlined
def collapsed(d, beta2, reach):
    """Whether a regularised contact is near the distance (D beta^2)^(1/3) where its force peaks.

    Args:
        d: regularised distance (m).
        beta2: its square less the squared distance of the points (m^2).
        reach: sum of the sphero-radii D (m).
    """
    return d * d * d < GUARD * reach * beta2


@inlined
def potential(f, heavier, lighter, reach, stiffness):
    """V and its derivatives.

    Args:
        f: minimum of the regularised distance function (m^2).
        heavier: the same with penalties HEAVIER times as heavy.
        lighter: the same with penalties LIGHTER times as heavy.
        reach: D (m).
        stiffness: k (N/m).

    Returns:
        V (J), its derivatives with respect to f, heavier, lighter (N/m), whether the cores are as far apart as the rule needs.
    """
    b = (heavier - f) / (HEAVIER - 1.0)
    y = b / (reach * reach)
    if not (y > 0.0 and f > b and 0.0 < stiffness < np.inf):
        return 0.0, 0.0, 0.0, 0.0, False
    t = np.cbrt(y * (GUARD - (GUARD - 1.0) * y))
    start = reach * np.sqrt(max(0.0, t * t - y))
    sigma = np.sqrt(f - b)
    if not sigma < start:
        return 0.0, 0.0, 0.0, 0.0, True
    tau = np.sqrt(max(0.0, (lighter - LIGHTER * f) / (1.0 - LIGHTER)))
    if not tau > max(CLOSEST * start, MET * sigma):
        return 0.0, 0.0, 0.0, 0.0, False
    x, gap = 1.0 - sigma / start, sigma - tau
    share, slope = x * (2.0 - x), 2.0 * (1.0 - x) * gap / start
    left = start - sigma + share * gap
    kappa = 1.0 / np.sqrt(y + 1.0 / (STEEPEST * STEEPEST))
    k = stiffness * kappa
    push = k * left
    rise = ((2.0 / 3.0) * (GUARD - 2.0 * (GUARD - 1.0) * y) / t - 1.0) / (2.0 * start)  # d sigma_0 / dB
    by_sigma2 = -0.5 * push * (1.0 - share + slope) / sigma
    by_lighter = -0.5 * push * share / (tau * (1.0 - LIGHTER))
    by_b = push * rise * (1.0 + slope * sigma / start) - by_sigma2 - 0.25 * k * kappa * kappa * (left / reach) ** 2
    by_heavier = by_b / (HEAVIER - 1.0)
    return 0.5 * push * left, by_sigma2 - by_heavier - LIGHTER * by_lighter, by_heavier, by_lighter, True


@inlined
def in_range(force2, torque2, settings):
    """Whether a force and a torque can be added to the sums; false for NaN.

    Args:
        force2: squared force (N^2).
        torque2: squared torque (N^2 m^2).
        settings: `Settings`.
    """
    largest = limit(settings.wide)
    return force2 < (largest * settings.force) ** 2 and torque2 < (largest * settings.torque) ** 2


@inlined
def _plus_cross(start, a, b):
    """Start + a x b, each component added up from left to right."""
    return start[0] + a[1] * b[2] - a[2] * b[1], start[1] + a[2] * b[0] - a[0] * b[2], start[2] + a[0] * b[1] - a[1] * b[0]


@kernel
def harden_pair(bodies, p, nearest, loop):
    """Add what the hardening gives to both bodies, and account for its energy: three forces, along the vectors between the points of the
    three minimisers.

    Args:
        bodies: the two ``features.Bodies``.
        p: the candidate.
        nearest: its ``rods.Nearest``: minimum and minimiser.
        loop: `PairLoop`.

    Returns:
        whether there is such a rule, and the cores are as far apart as it needs.
    """
    pairs, g, interaction, settings, control, tally = loop.pairs, loop.g, loop.interaction, loop.settings, loop.control, loop.tally
    i, j, w = bodies
    _, f, x, y, _ = nearest
    heavier, u, v, failed = weighted(interaction, g, bodies, pairs, p, HEAVIER)
    lighter, r, s, status = weighted(interaction, g, bodies, pairs, p, LIGHTER)
    if failed != 0 or status != 0:
        fault(control, ERROR_SOLVER, g.gid[i], g.gid[j])
    ri, rj, mi, mj = g.x[i, 3], g.x[j, 3], g.v[i, 3], g.v[j, 3]
    reach = ri + rj
    stiffness = secant_stiffness(loop.law, np.uintp(g.material[i]), np.uintp(g.material[j]), reach, mi * mj / (mi + mj), ri * rj / reach)
    held, c1, c2, c3, apart = potential(f, heavier, lighter, reach, stiffness)
    if held == 0.0:
        return apart
    first = scale(-2.0 * c1, subtract(add(w, x), y))
    second = scale(-2.0 * c2, subtract(add(w, u), v))
    third = scale(-2.0 * c3, subtract(add(w, r), s))
    force = add(add(first, second), third)
    on_i = _plus_cross(_plus_cross(cross(x, first), u, second), r, third)
    on_j = _plus_cross(_plus_cross(cross(first, y), second, v), third, s)
    if not in_range(square(force), max(square(on_i), square(on_j)), settings):
        fault(control, ERROR_RANGE, g.gid[i], g.gid[j])
        return True
    add_force(g.ft, i, force, on_i, settings)
    add_force(g.ft, j, negative(force), on_j, settings)
    if control[OBSERVE] != 0 and i < loop.owned:
        deposit_nearest(tally, STORED, held / settings.energy)
        tally_stress(tally, negative(w), force, 1.0 / settings.energy)
        if control[OBSERVE] == RECORDED:
            record_hardening(pairs.record, p, force, on_i)
    return True
