"""What a contact remembers of its resistance to rolling and twisting, and the energies that go with it.

The columns follow those of ``laws.history`` in a row of ``Contacts.hist``, before a law's own and those of ``WITH_ARM``: the springs of models that
have them (3: rolling torque on the first body in the tangent plane; 1: twisting torque about the normal; N m); with the energy budget the whole
torque of the step before (3, N m; gear4: its power in the first of them) and the energy that the springs held (1, J).
"""

from __future__ import annotations

from ...compiled.choices import select
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
def first_torque(resistance, budget):
    """Column of the torque of the step before in a contact's history.

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
        budget: whether there is an energy budget.
    """
    return first_spring(budget) + springs_of(resistance)


@inlined
def rest_of_torque(torque, stored, spin, dt):
    """What the step before has not accounted for yet, with half-step velocities (J): the work of its torque in the half-step after it, and what the
    springs held. One text for a contact and for several in lanes.

    Args:
        torque: that of the step before (N m).
        stored: energy of the springs then (J).
        spin: angular velocity of the second body relative to the first (rad/s).
        dt: time step (s).
    """
    return 0.5 * dt * dot(torque, spin) + stored


@inlined
def lost_by_torque(step, alive, rest, dt):
    """Energy (J) that the torque of one step turned into heat. One text for a contact and for several in lanes.

    Args:
        step: ``resistance_quantities.Resisted``.
        alive: whether the history is alive.
        rest: what the step before has not accounted for yet (J).
        dt: time step (s).
    """
    lost = 0.5 * dt * dot(step.torque, step.spin) - step.stored
    return select(alive, lost + rest, lost)


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
    first = first_torque(resistance, settings.budget)
    lost = lost_by_torque(step, alive, torque_lost_at_end(resistance, step.spin, hist, p, settings), settings.dt)
    if not settings.midstep:
        hist[p, first] = dot(step.torque, step.spin)
    else:
        put_columns(hist, p, first, step.torque)
    hist[p, first + 3] = step.stored
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
    first = first_torque(resistance, settings.budget)
    if not settings.midstep:
        return 0.5 * settings.dt * hist[p, first] + hist[p, first + 3]
    return rest_of_torque(columns(hist, p, first), hist[p, first + 3], spin, settings.dt)
