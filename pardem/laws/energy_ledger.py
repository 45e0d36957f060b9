"""Energy ledger of one contact: what its springs hold, and what it turned into heat."""

from __future__ import annotations

from ..compiled.jit import inlined
from ..compiled.vectors import behind, columns, dot, put_columns, square
from .history import LAST_DAMPING, LAST_FORCE, LAST_STORED, NORMAL
from .law import normal_force


@inlined
def tangential_energy(spring, kt):
    """Energy (J) of a linear tangential spring.

    Args:
        spring: its force (N).
        kt: its stiffness (N/m).
    """
    return 0.5 * square(spring) / kt if kt > 0.0 else 0.0


@inlined
def energy_lost(hist, p, alive, response, dt, full):
    """Account for the energy that a contact dissipates in one step, in its history.

    With half-step velocities work is done by the force of a step over half the step before it and half the one after: the leap-frog's own identity.
    With those of the step itself (``full``) powers are summed by the trapezoidal rule.

    Args:
        hist: (P, HISTORY_BUDGET or more) float64.
        p: the contact's row.
        alive: whether the history is alive.
        response: ``quantities.Response``.
        dt: time step (s).
        full: whether velocities are those of the step itself.

    Returns:
        normal work lost (J), tangential work lost (J), stored tangential energy (J).
    """
    drag, slip, damping = response.drag, response.slip, response.law.damping
    stored = tangential_energy(response.spring, response.law.kt)
    power_t, power_n = dot(drag, slip), damping * response.rate
    lost_t = 0.5 * dt * power_t - stored
    lost_n = response.law.plastic + 0.5 * power_n * dt
    if full:
        if alive:
            lost_n += 0.5 * hist[p, LAST_DAMPING] * dt
            lost_t += 0.5 * dt * hist[p, LAST_FORCE] + hist[p, LAST_STORED]
        hist[p, LAST_FORCE], hist[p, LAST_STORED], hist[p, LAST_DAMPING] = power_t, stored, power_n
        return lost_n, lost_t, stored
    if alive:
        lost_n += 0.5 * hist[p, LAST_DAMPING] * response.rate * dt
        lost_t += 0.5 * dt * dot(columns(hist, p, LAST_FORCE), slip) + hist[p, LAST_STORED]
    put_columns(hist, p, LAST_FORCE, drag)
    hist[p, LAST_STORED], hist[p, LAST_DAMPING] = stored, damping
    return lost_n, lost_t, stored


@inlined
def end_contact(velocity, hist, p, dt, full):
    """Energy lost in the last half-step of a contact that has just ended: what its springs still held and its damper did.

    Args:
        velocity: relative velocity as in ``quantities.Motion`` (m/s).
        hist: histories.
        p: the contact's row.
        dt: time step (s).
        full: as in ``energy_lost``.

    Returns:
        normal work lost (J), tangential work lost (J).
    """
    if full:
        return 0.5 * hist[p, LAST_DAMPING] * dt, 0.5 * dt * hist[p, LAST_FORCE] + hist[p, LAST_STORED]
    normal = columns(hist, p, NORMAL)
    closing = dot(normal, velocity)
    lost_t = 0.5 * dt * dot(columns(hist, p, LAST_FORCE), behind(velocity, closing, normal)) + hist[p, LAST_STORED]
    return -0.5 * hist[p, LAST_DAMPING] * closing * dt, lost_t


@inlined
def held_energy(law, material, overlap, rate, memory, dt):
    """Normal energy (J) that a contact would hold at this step less the work of half a step before it: what a wall that has vanished took away from
    the step before, or what one that has appeared puts in.

    Args:
        law: tables of the law.
        material: ``quantities.PairMaterial``.
        overlap: (m).
        rate: of the overlap (m/s).
        memory: of the normal law.
        dt: time step (s).
    """
    if not overlap > 0.0:
        return 0.0
    n = normal_force(law, material.numbers, overlap, rate, material.mass, material.radius, memory)
    return n.stored + n.plastic - 0.5 * (n.force - n.damping) * rate * dt
