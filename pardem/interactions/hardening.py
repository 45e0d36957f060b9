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

from .._jit import inlined, kernel
from ..fixedpoint import LIMIT, WIDE_LIMIT, deposit_nearest
from ..laws.dispatch import secant_stiffness
from ..state import ERROR_RANGE, ERROR_SOLVER, STORED
from .accumulate import add, fault, tally_stress
from .dispatch import weighted

HEAVIER = 1.5  # of the penalties in the second minimum; below GUARD, so that the rule begins before the force has peaked
LIGHTER = 0.125  # in the third one
GUARD = 1.728  # 1.2^3: d^3 over D beta^2 below which a contact is near its peak
STEEPEST = 16.0  # bound of kappa
CLOSEST = 1.0 / 16.0  # tau over sigma_0 below which the cores count as overlapping: sideways the force changes over a length tau
MET = 0.35  # tau over sigma, likewise: it is sqrt(LIGHTER/HEAVIER) where a corner has gone into the other core


@inlined
def collapsed(d, beta2, reach):
    """Whether a regularised contact is near the distance (D beta^2)^(1/3) where its force peaks (beta^2 = d^2 less the true distance squared)."""
    return d * d * d < GUARD * reach * beta2


@inlined
def potential(f, heavier, lighter, reach, stiffness):
    """V and its derivatives.

    Args:
        f: minimum of the regularised distance function (m^2). heavier, lighter: the same with penalties HEAVIER and LIGHTER times as heavy.
        reach: D (m). stiffness: k (N/m).

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
    """Whether a force and a torque (squared, N^2, N^2 m^2) can be summed; false for NaN."""
    limit = WIDE_LIMIT if settings.wide else LIMIT
    return force2 < (limit * settings.force) ** 2 and torque2 < (limit * settings.torque) ** 2


@kernel
def harden_pair(
    i, j, p, a, b, wx, wy, wz, f, x0, x1, x2, y0, y1, y2, reach, m_eff, r_eff, owned, pairs, g, interaction, law, settings, observe, control, tally
):  # fmt: skip
    """Add what the hardening gives to both bodies, and book it: three forces, along the vectors between the points of the
    three minimisers.

    Args:
        i, j, p: the bodies and the candidate. a, b: their materials. wx, wy, wz: centre of i less that of j (m).
        f, x0 ... y2: minimum (m^2) and minimiser, relative to the centres (m). reach: D (m). m_eff, r_eff: effective mass (kg) and radius (m).

    Returns:
        whether there is such a rule, and the cores are as far apart as it needs.
    """
    heavier, u0, u1, u2, v0, v1, v2, failed = weighted(interaction, g, i, j, wx, wy, wz, pairs, p, HEAVIER)
    lighter, r0, r1, r2, s0, s1, s2, status = weighted(interaction, g, i, j, wx, wy, wz, pairs, p, LIGHTER)
    if failed != 0 or status != 0:
        fault(control, ERROR_SOLVER, g.gid[i], g.gid[j])
    held, c1, c2, c3, apart = potential(f, heavier, lighter, reach, secant_stiffness(law, a, b, reach, m_eff, r_eff))
    if held == 0.0:
        return apart
    c1, c2, c3 = -2.0 * c1, -2.0 * c2, -2.0 * c3
    px, py, pz = c1 * (wx + x0 - y0), c1 * (wy + x1 - y1), c1 * (wz + x2 - y2)
    qx, qy, qz = c2 * (wx + u0 - v0), c2 * (wy + u1 - v1), c2 * (wz + u2 - v2)
    tx, ty, tz = c3 * (wx + r0 - s0), c3 * (wy + r1 - s1), c3 * (wz + r2 - s2)
    fx, fy, fz = px + qx + tx, py + qy + ty, pz + qz + tz
    ix = x1 * pz - x2 * py + u1 * qz - u2 * qy + r1 * tz - r2 * ty
    iy = x2 * px - x0 * pz + u2 * qx - u0 * qz + r2 * tx - r0 * tz
    iz = x0 * py - x1 * px + u0 * qy - u1 * qx + r0 * ty - r1 * tx
    jx = y2 * py - y1 * pz + v2 * qy - v1 * qz + s2 * ty - s1 * tz
    jy = y0 * pz - y2 * px + v0 * qz - v2 * qx + s0 * tz - s2 * tx
    jz = y1 * px - y0 * py + v1 * qx - v0 * qy + s1 * tx - s0 * ty
    if not in_range(fx * fx + fy * fy + fz * fz, max(ix * ix + iy * iy + iz * iz, jx * jx + jy * jy + jz * jz), settings):
        fault(control, ERROR_RANGE, g.gid[i], g.gid[j])
        return True
    add(g.ft, i, (fx, fy, fz), (ix, iy, iz), settings)
    add(g.ft, j, (-fx, -fy, -fz), (jx, jy, jz), settings)
    if observe and i < owned:
        deposit_nearest(tally, STORED, held / settings.energy)
        tally_stress(tally, (-wx, -wy, -wz), (fx, fy, fz), 1.0 / settings.energy)
    return True
