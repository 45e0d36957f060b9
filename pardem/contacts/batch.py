"""Contacts in batches: one column a contact, so that the law is evaluated for many contacts at once with vector instructions.

A narrow phase fills the columns of a batch (geometry, velocities, history, the pair's numbers); ``batch_forces`` computes the forces of all columns,
and ``batch_results`` adds those of one column to the bodies and stores its history. Every contact sees the same operations in the same order as one
computed alone, so batches cannot show in the result. Here is the layout of the columns, and how they are filled and read.
"""

from __future__ import annotations

import numpy as np

from ..compiled.jit import inlined
from ..compiled.vectors import ZERO, columns, put_columns
from ..laws.history import HISTORY, HISTORY_BUDGET, MEMORY
from ..laws.law import carries, coefficients
from ..laws.quantities import NormalForce, Response
from ..laws.resistance.resistance_memory import resistance_width

BATCH = 32
BLOCK = 512  # candidates of spheres that are looked at before their contacts are computed
# Columns that a narrow phase fills; a vector takes three.
# From the first body's centre to the second's, to the contact point; the normal, at the end and in the middle of the step
BRANCH, ARM, NORMALS, MIDDLES = 0 * BATCH, 3 * BATCH, 6 * BATCH, 9 * BATCH
# Overlap; smallest radius less overlap (negative: too deep); d(overlap)/dt over -n . v
OVERLAP, DEPTH_LEFT, SLOPE = 12 * BATCH, 13 * BATCH, 14 * BATCH
# Relative velocity in the middle of the step, relative spin, turn about the normal; effective mass and radius
VELOCITY, SPIN, TURN, MASS, RADIUS = 15 * BATCH, 18 * BATCH, 21 * BATCH, 22 * BATCH, 23 * BATCH
# Contact zone: half-length, the same in the middle of the step, rocking axis
LEVER, LEVER_MIDDLE, AXIS = 24 * BATCH, 25 * BATCH, 26 * BATCH
# Whether the history is alive, and its first eight numbers; the numbers of the pair of materials
ALIVE, PAST, NUMBERS = 29 * BATCH, 30 * BATCH, 38 * BATCH
FRICTION, TORSION, ROCKING = 44 * BATCH, 45 * BATCH, 46 * BATCH
# What comes out: force and couple on the first body, response of law and slider, work of the couple
FORCE, MOMENT, PUSH, DRAG, SLIP = 47 * BATCH, 50 * BATCH, 53 * BATCH, 54 * BATCH, 57 * BATCH
RATE, GROW, KT, CT, CN, DAMPING, PLASTIC, STORED, WORK = (k * BATCH for k in range(60, 69))
SHIFT = 69 * BATCH  # filled for contacts with walls: mean displacement of the wall's point
OWN = 72 * BATCH  # tangential vector that the law carries, before and after
RESISTANCE = 75 * BATCH  # filled where contacts resist rolling and twisting (``resistance``)
SCRATCH = 92 * BATCH
# Columns of the integer scratch array: force, torque on the first and second body (quanta), fault, which pair's numbers a column holds; then the
# upper limbs of the first nine, where sums are wide
QF, QI, QJ, FAULTY, PAIR, UPPER = 0, 3 * BATCH, 6 * BATCH, 9 * BATCH, 10 * BATCH, 11 * BATCH
COUNTS = 20 * BATCH


@inlined
def vector(s, column, k):
    """The vector in one column of a batch.

    Args:
        s: (SCRATCH,) float64.
        column: first of the three places of the vector.
        k: the column.
    """
    c = np.uintp(column) + k
    return s[c], s[c + np.uintp(BATCH)], s[c + np.uintp(2 * BATCH)]


@inlined
def put_vector(s, column, k, a):
    """Write a vector to one column of a batch.

    Args:
        s: (SCRATCH,) float64.
        column: first of the three places of the vector.
        k: the column.
        a: the vector.
    """
    c = np.uintp(column) + k
    s[c], s[c + np.uintp(BATCH)], s[c + np.uintp(2 * BATCH)] = a[0], a[1], a[2]


@inlined
def fill_pair(k, a, b, law, s, q):
    """Put the law's numbers of a pair of materials into a column, unless it holds them already.

    Args:
        k: the column.
        a: row of the first material.
        b: row of the second material.
        law: tables of the law.
        s: (SCRATCH,) float64.
        q: (COUNTS,) int64.
    """
    code = np.int64(a) * 65536 + np.int64(b)
    if q[PAIR + k] == code:
        return
    q[PAIR + k] = code
    numbers = coefficients(law, a, b)
    put_vector(s, NUMBERS, k, numbers[:3])
    put_vector(s, NUMBERS + 3 * BATCH, k, numbers[3:])
    s[FRICTION + k], s[TORSION + k], s[ROCKING + k] = law.friction[a, b], law.torsion[a, b], law.rocking[a, b]


@inlined
def own_column(settings):
    """First column of a history that holds the law's own vector.

    Args:
        settings: `Settings`.
    """
    return (HISTORY_BUDGET if settings.budget else HISTORY) + resistance_width(settings.resistance, settings.budget)


@inlined
def fill_past(k, alive, row, law, pairs, settings):
    """Put the history of a contact into a column.

    Args:
        k: the column.
        alive: whether it is alive.
        row: its row.
        law: tables of the law.
        pairs: `Contacts`, the list of candidates.
        settings: `Settings`.
    """
    s, hist = pairs.scratch, pairs.hist
    s[ALIVE + k] = alive
    for c in range(HISTORY):
        s[np.uintp(PAST + c * BATCH) + k] = hist[row, c]
    if carries(law):
        put_vector(s, OWN, k, columns(hist, row, own_column(settings)))


@inlined
def keep_own(k, row, law, pairs, settings):
    """Store the vector that the law carries for a contact in its history.

    Args:
        k: the column of the contact.
        row: row of its history.
        law: tables of the law.
        pairs: `Contacts`, the list of candidates.
        settings: `Settings`.
    """
    if carries(law):
        put_columns(pairs.hist, row, own_column(settings), vector(pairs.scratch, OWN, k))


@inlined
def numbers_of(s, k):
    """The six numbers of the normal law in one column.

    Args:
        s: (SCRATCH,) float64.
        k: the column.
    """
    c = np.uintp(NUMBERS) + k
    one, two = np.uintp(BATCH), np.uintp(2 * BATCH)
    d = c + np.uintp(3 * BATCH)
    return s[c], s[c + one], s[c + two], s[d], s[d + one], s[d + two]


@inlined
def response(s, k):
    """What ``batch_forces.forces`` left in one column.

    Args:
        s: (SCRATCH,) float64.
        k: the column.

    Returns:
        the ``quantities.Response``.
    """
    law = NormalForce(s[PUSH + k], s[KT + k], s[CT + k], s[CN + k], s[DAMPING + k], s[PLASTIC + k], s[STORED + k], s[PAST + MEMORY * BATCH + k])
    return Response(s[PUSH + k], vector(s, DRAG, k), vector(s, PAST, k), vector(s, SLIP, k), s[RATE + k], s[GROW + k], law, ZERO)
