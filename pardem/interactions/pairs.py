"""Contacts of all candidate pairs for grains of any shape: geometry by the narrow phase, one by one; forces by the law, in batches."""

from __future__ import annotations

import numpy as np

from .._jit import inlined, kernel
from ..laws.friction import WITH_ARM, end_contact, middle_normal
from ..state import ERROR_OVERLAP, ERROR_SOLVER, OBSERVE
from . import batch
from .accumulate import fault, tally_losses
from .batch import (
    ALIVE,
    BATCH,
    DELTA,
    DX,
    DY,
    DZ,
    EX,
    EY,
    EZ,
    IX,
    IY,
    IZ,
    LEVER,
    MEFF,
    MIDDLE,
    MX,
    MY,
    MZ,
    NX,
    NY,
    NZ,
    REFF,
    ROOM,
    SLOPE,
    TURN,
    TWIST,
    VX,
    VY,
    VZ,
    WX,
    WY,
    WZ,
    H,
    book,
    fill_pair,
)  # fmt: skip
from .dispatch import closest, hands_on, has_couples, zone
from .features import bodies_of
from .hardening import collapsed, harden_pair
from .inheritance import LEAVING, LIVING, hand_on
from .polytope_separation import MARGIN

SAFE = 1.0 - 1e-9
"""Share of a gap that counts, as the way that the two grains' points must go before they may touch: no point of a distance's minimiser moves faster
than the grains, and the penalties of the regularised one do not change with motion."""


@kernel
def _evaluate(count, owned, with_couples, pairs, g, law, settings, observe, control, tally):
    """Forces of the first ``count`` columns, added to the bodies."""
    s, counts = pairs.scratch, pairs.counts
    batch.forces(law, settings.dt, 0.0 if settings.gear else 0.5 * settings.dt, s)
    if with_couples:
        batch.couples(settings.dt, s)
    batch.quantise(with_couples, settings, s, counts)
    for n in range(count):
        p, i = np.uintp(pairs.near[n]), np.uintp(pairs.near_row[n])
        book(np.uintp(n), i, np.uintp(pairs.col[p]), p, owned, with_couples, pairs, g, settings, observe, control, tally)


@inlined
def _end(i, p, owned, vx, vy, vz, pairs, settings, tally):
    """Book the end of a contact."""
    pairs.touch[p] = 0
    if settings.budget and i < owned:
        lost_n, lost_t = end_contact(vx, vy, vz, pairs.hist, p, settings.dt, settings.gear)
        tally_losses(tally, lost_n, lost_t, 1.0 / settings.energy)


@kernel
def pair_contacts(first, last, owned, pairs, g, interaction, law, settings, control, tally):
    """Forces of the candidate pairs in rows ``first`` to ``last``; each pair has its lower global id first."""
    row, ptr, col, touch, free, hist, s = pairs.row, pairs.ptr, pairs.col, pairs.touch, pairs.free, pairs.hist, pairs.scratch
    x, v, w, material = g.x, g.v, g.w, g.material
    px, py, pz = settings.period
    hx, hy, hz = settings.half
    dt, lag, periodic, arm = settings.dt, 0.0 if settings.gear else 0.5 * settings.dt, settings.periodic, hist.shape[1] - WITH_ARM
    observe, with_couples = control[OBSERVE] != 0, has_couples(interaction)
    k = np.uintp(0)
    legs = 2 if hands_on(interaction) else 1  # where contacts may leave for other features: first those that live, then those that are born
    for r in range(first, last):
        i = np.uintp(row[r])
        a, path_i = np.uintp(material[i]), g.path[i]
        leaving = 0
        for leg in range(legs):
            if leg == 1 and leaving > 0:
                hand_on(ptr[r], ptr[r + 1], i, pairs, g, interaction, settings)
            for q in range(ptr[r], ptr[r + 1]):
                p = np.uintp(q)  # unsigned indices spare the check for negative ones
                j = np.uintp(col[p])
                path = path_i + g.path[j]
                if path < free[p] and touch[p] == 0:
                    continue
                touching = touch[p] != 0
                if legs == 2 and (touch[p] == LIVING) != (leg == 0):
                    continue
                b = np.uintp(material[j])
                dx = x[j, 0] - x[i, 0]
                dy = x[j, 1] - x[i, 1]
                dz = x[j, 2] - x[i, 2]
                if periodic:
                    dx = dx - px if dx > hx else (dx + px if dx < -hx else dx)
                    dy = dy - py if dy > hy else (dy + py if dy < -hy else dy)
                    dz = dz - pz if dz > hz else (dz + pz if dz < -hz else dz)
                ri, rj = x[i, 3], x[j, 3]
                reach = ri + rj
                bodies = bodies_of(i, j, (-dx, -dy, -dz))
                nearest = closest(interaction, g, bodies, pairs, p, touching, reach)
                near, f, (x0, x1, x2), (y0, y1, y2), status = nearest
                if status != 0:
                    fault(control, ERROR_SOLVER, g.gid[i], g.gid[j])
                if not near and not touching:
                    rounding = MARGIN * (abs(dx) + abs(dy) + abs(dz) + reach)
                    free[p] = path + SAFE * (np.sqrt(f) - reach) - rounding
                    continue
                if legs == 2 and leg == 0 and not near and f < reach * reach:
                    touch[p] = LEAVING
                    leaving += 1
                    continue
                # from the point on i to the point on j; its length is below the regularised distance d
                lx, ly, lz = dx + y0 - x0, dy + y1 - x1, dz + y2 - x2
                length = np.sqrt(lx * lx + ly * ly + lz * lz)
                if length == 0.0:
                    fault(control, ERROR_OVERLAP, g.gid[i], g.gid[j])
                    continue
                inv = 1.0 / length
                part = 0.5 + 0.5 * (ri - rj) * reach * (inv * inv)
                ix, iy, iz = x0 + part * lx, x1 + part * ly, x2 + part * lz
                nx, ny, nz = lx * inv, ly * inv, lz * inv
                wxi, wyi, wzi = w[i, 0], w[i, 1], w[i, 2]
                wxj, wyj, wzj = w[j, 0], w[j, 1], w[j, 2]
                vx, vy, vz = v[j, 0] - v[i, 0], v[j, 1] - v[i, 1], v[j, 2] - v[i, 2]
                # in the middle of the step, where velocities belong: halfway from the normal and the arm of the step before
                known = touching and lag > 0.0
                mx, my, mz = middle_normal(hist[p, 4], hist[p, 5], hist[p, 6], nx, ny, nz, known)
                ax = 0.5 * (hist[p, arm] + ix) if known else ix
                ay = 0.5 * (hist[p, arm + 1] + iy) if known else iy
                az = 0.5 * (hist[p, arm + 2] + iz) if known else iz
                bx, by, bz = ax - dx, ay - dy, az - dz
                if known:
                    bx, by, bz = bx + lag * vx, by + lag * vy, bz + lag * vz
                vx += (wyj * bz - wzj * by) - (wyi * az - wzi * ay)
                vy += (wzj * bx - wxj * bz) - (wzi * ax - wxi * az)
                vz += (wxj * by - wyj * bx) - (wxi * ay - wyi * ax)
                if not near:
                    _end(i, p, owned, vx, vy, vz, pairs, settings, tally)
                    continue
                d = np.sqrt(f)
                delta = reach - d
                r_eff = ri * rj / reach
                lever, ex, ey, ez = 0.0, 0.0, 0.0, 0.0
                if with_couples and law.torsion[a, b] + law.rocking[a, b] != 0.0:
                    lever, (ex, ey, ez) = zone(interaction, g, bodies, (nx, ny, nz), r_eff, delta, pairs, p)
                mi, mj = v[i, 3], v[j, 3]
                room = min(ri, rj) - delta
                if collapsed(d, f - length * length, reach) and not harden_pair(
                    bodies, p, nearest, owned, pairs, g, interaction, law, settings, control, tally
                ):
                    room = -np.inf
                s[DX + k], s[DY + k], s[DZ + k], s[IX + k], s[IY + k], s[IZ + k] = dx, dy, dz, ix, iy, iz
                s[NX + k], s[NY + k], s[NZ + k], s[DELTA + k], s[SLOPE + k] = nx, ny, nz, delta, length / d
                s[ROOM + k] = room
                s[VX + k], s[VY + k], s[VZ + k], s[WX + k], s[WY + k], s[WZ + k] = vx, vy, vz, wxj - wxi, wyj - wyi, wzj - wzi
                s[MX + k], s[MY + k], s[MZ + k] = mx, my, mz
                s[TURN + k] = 0.5 * dt * ((wxi + wxj) * mx + (wyi + wyj) * my + (wzi + wzj) * mz)
                s[MEFF + k], s[REFF + k] = mi * mj / (mi + mj), r_eff
                s[LEVER + k], s[EX + k], s[EY + k], s[EZ + k] = lever, ex, ey, ez
                s[MIDDLE + k] = 0.5 * (hist[p, arm + 3] + lever) if known else lever
                hist[p, arm], hist[p, arm + 1], hist[p, arm + 2], hist[p, arm + 3] = ix, iy, iz, lever
                s[ALIVE + k], s[TWIST + k] = touch[p], hist[p, 7]
                for c in range(7):
                    s[H + np.uintp(c * BATCH) + k] = hist[p, c]
                fill_pair(k, a, b, law, s, pairs.counts)
                pairs.near[k], pairs.near_row[k] = p, i
                k += np.uintp(1)
                if k == BATCH:
                    _evaluate(BATCH, owned, with_couples, pairs, g, law, settings, observe, control, tally)
                    k = np.uintp(0)
    if k > 0:
        _evaluate(np.int64(k), owned, with_couples, pairs, g, law, settings, observe, control, tally)
