"""Energy ledger of one contact: what its springs hold, and what it turned into heat."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiled.choices import select
from ..compiled.jit import inlined
from ..compiled.vectors import add, behind, choose, columns, dot, put_columns, square
from .history import LAST_DAMPING, LAST_FORCE, LAST_STORED, NORMAL
from .law import normal_force


class LastStep(NamedTuple):
    """What the ledger remembers of the step before; numbers, or several in lanes.

    Attributes:
        force: tangential force (N).
        stored: tangential energy (J).
        damping: part of the normal force that damps (N).
    """

    force: Any
    stored: Any
    damping: Any


@inlined
def tangential_energy(spring, kt):
    """Energy (J) of a linear tangential spring.

    Args:
        spring: its force (N).
        kt: its stiffness (N/m).
    """
    return select(kt > 0.0, 0.5 * square(spring) / kt, 0.0)


@inlined
def losses(before, alive, response, dt):
    """Energy that a contact dissipates in one step, with half-step velocities; one text for a contact and for several in ``lanes``.

    Work is done by the force of a step over half the step before it and half the one after: the leap-frog's own identity.

    Args:
        before: ``LastStep``.
        alive: whether the contact was alive in the step before.
        response: ``quantities.Response``.
        dt: time step (s).

    Returns:
        normal work lost (J), tangential work lost (J), the ``LastStep`` of this step.
    """
    drag, slip, damping = response.drag, response.slip, response.law.damping
    stored = tangential_energy(response.spring, response.law.kt)
    half = 0.5 * dt
    acting, damped = choose(alive, add(drag, before.force), drag), select(alive, damping + before.damping, damping)
    lost_t = half * dot(acting, slip) + (select(alive, before.stored, 0.0) - stored)
    return response.law.plastic + half * (damped * response.rate), lost_t, LastStep(drag, stored, damping)


@inlined
def losses_at_end(before, normal, velocity, dt):
    """Energy lost in the last half-step of a contact that has just ended: what its springs still held and its damper did.

    Args:
        before: ``LastStep``.
        normal: unit normal of the step before.
        velocity: relative velocity as in ``quantities.Motion`` (m/s).
        dt: time step (s).

    Returns:
        normal work lost (J), tangential work lost (J).
    """
    closing = dot(normal, velocity)
    lost_t = 0.5 * dt * dot(before.force, behind(velocity, closing, normal)) + before.stored
    return -0.5 * before.damping * closing * dt, lost_t


@inlined
def energy_lost(hist, p, alive, response, dt, full):
    """Account for the energy that a contact dissipates in one step, in its history.

    With velocities of the step itself (``full``) powers are summed by the trapezoidal rule; otherwise see ``losses``.

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
    if full:
        stored = tangential_energy(response.spring, response.law.kt)
        power_t, power_n = dot(response.drag, response.slip), response.law.damping * response.rate
        lost_t = 0.5 * dt * power_t - stored
        lost_n = response.law.plastic + 0.5 * power_n * dt
        if alive:
            lost_n += 0.5 * hist[p, LAST_DAMPING] * dt
            lost_t += 0.5 * dt * hist[p, LAST_FORCE] + hist[p, LAST_STORED]
        hist[p, LAST_FORCE], hist[p, LAST_STORED], hist[p, LAST_DAMPING] = power_t, stored, power_n
        return lost_n, lost_t, stored
    lost_n, lost_t, now = losses(_last_step(hist, p), alive, response, dt)
    put_columns(hist, p, LAST_FORCE, now.force)
    hist[p, LAST_STORED], hist[p, LAST_DAMPING] = now.stored, now.damping
    return lost_n, lost_t, now.stored


@inlined
def _last_step(hist, p):
    return LastStep(columns(hist, p, LAST_FORCE), hist[p, LAST_STORED], hist[p, LAST_DAMPING])


@inlined
def end_contact(velocity, hist, p, dt, full):
    """Energy lost in the last half-step of a contact that has just ended: what its springs still held and its damper did.

    Args:
        velocity: relative velocity as in ``quantities.Motion`` (m/s).
        hist: histories.
        p: the contact's row.
        dt: time step (s).
        full: whether velocities are those of the step itself, see ``energy_lost``.

    Returns:
        normal work lost (J), tangential work lost (J).
    """
    if full:
        return 0.5 * hist[p, LAST_DAMPING] * dt, 0.5 * dt * hist[p, LAST_FORCE] + hist[p, LAST_STORED]
    return losses_at_end(_last_step(hist, p), columns(hist, p, NORMAL), velocity, dt)


@inlined
def held_energy(law, material, overlap, rate, memory, dt):
    """Normal energy (J) that a contact would hold at this step less the work of half a step before it: what a wall that has vanished took away from
    the step before, or what one that has appeared puts in.

    Args:
        law: tables of the law.
        material: ``quantities.PairMaterial``.
        overlap: (m).
        rate: rate of the overlap (m/s).
        memory: memory of the normal law.
        dt: time step (s).
    """
    if not overlap > 0.0:
        return 0.0
    n = normal_force(law, material.numbers, overlap, rate, material.mass, material.radius, memory)
    return n.stored + n.plastic - 0.5 * (n.force - n.damping) * rate * dt
