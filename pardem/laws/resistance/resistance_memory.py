"""What a contact remembers of its resistance to rolling and twisting, and the energies that go with it.

The columns follow those of ``laws.history`` in a row of ``Contacts.hist``, before a law's own and those of ``WITH_ARM``: the springs of models that
have them (3: rolling torque on the first body in the tangent plane; 1: twisting torque about the normal; N m); with the energy budget the whole
torque of the step before (3, N m; gear4: its power in the first of them) and the energy that the springs held (1, J).
"""

from __future__ import annotations

from ...compiled.jit import inlined
from ...compiled.vectors import columns, dot, put_columns
from ..history import HISTORY, HISTORY_BUDGET
from .resistance_model import springs_of, switched

ENERGY_COLUMNS = 4  # columns with the energy budget


@switched(lambda resistance, budget: 0)
def resistance_width(resistance, budget):
    """Floats that a contact keeps of its resistance.

    Args:
        resistance: the model's tables.
        budget: whether there is an energy budget.
    """
    return springs_of(resistance) + (ENERGY_COLUMNS if budget else 0)


@inlined
def first_spring(budget):
    """Column of the first spring in a contact's history.

    Args:
        budget: whether there is an energy budget.
    """
    return HISTORY_BUDGET if budget else HISTORY


@inlined
def torque_lost(resistance, hist, p, alive, step, settings):
    """Energy (J) that the torque of one step turned into heat, accounted for like that of friction (``laws.energy_ledger.energy_lost``).

    Args:
        resistance: the model's tables.
        hist: histories.
        p: the contact's row.
        alive: whether the history is alive.
        step: ``resistance_quantities.Resisted``.
        settings: `Settings`.
    """
    first, dt = first_spring(settings.budget) + springs_of(resistance), settings.dt
    torque, spin, stored = step
    power = dot(torque, spin)
    lost = 0.5 * dt * power - stored
    if alive:
        lost += torque_lost_at_end(resistance, spin, hist, p, settings)
    if not settings.midstep:
        hist[p, first] = power
    else:
        put_columns(hist, p, first, torque)
    hist[p, first + 3] = stored
    return lost


@switched(lambda resistance, spin, hist, p, settings: 0.0)
def torque_lost_at_end(resistance, spin, hist, p, settings):
    """What the step before has not accounted for yet: the work of its torque in the half-step after it, and what the springs held (J).

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
        spin: angular velocity of the second body relative to the first (rad/s).
        hist: histories.
        p: the contact's row.
        settings: `Settings`.
    """
    first, half = first_spring(settings.budget) + springs_of(resistance), 0.5 * settings.dt
    if not settings.midstep:
        return half * hist[p, first] + hist[p, first + 3]
    return half * dot(columns(hist, p, first), spin) + hist[p, first + 3]
