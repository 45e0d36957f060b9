"""Static choice of the integrator: the phases of a step are compiled for the type of ``integrator``, so no branch is left at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled.static import static
from . import euler, gear4, verlet
from .scheme import Scheme

Integrator = Any  # the named tuple of one of the schemes

SCHEMES: dict[str, Scheme] = {"verlet": verlet.SCHEME, "euler": euler.SCHEME, "gear4": gear4.SCHEME}
"""All schemes, by ``time.integrator`` of the case."""

_SCHEME = {scheme.integrator: scheme for scheme in SCHEMES.values()}


def first_past(integrator: Integrator, ft: np.ndarray) -> np.ndarray:
    """Make the past of grains whose forces have just been evaluated for the first time.

    Args:
        integrator: integrator of the run.
        ft: (n, 8 or 16) int64 forces and torques (quanta).

    Returns:
        (n, columns) int64 forces and torques of earlier steps (quanta).
    """
    return _SCHEME[type(integrator)].first_past(ft)


def follows(integrator: Integrator, spheres: bool) -> bool:
    """Tell whether the poses of ghosts follow from what else is sent of them.

    Args:
        integrator: integrator of the run.
        spheres: whether all grains are spheres.
    """
    return _SCHEME[type(integrator)].follows(integrator, spheres)


@static(lambda integrator: _SCHEME[integrator].begin_step)
def begin_step(integrator, owned, g, shapes, settings, due):
    """Begin a step: advance poses and velocities to where forces are evaluated, wrap centres into the domain, place vertices, and clear the forces.

    Args:
        integrator: integrator of the run.
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
        due: whether the forces at hand must first end the step before; one pass over the grains does both.

    Returns:
        A grain on which more forces act than a sum can hold; -1: there is none.
    """


@static(lambda integrator: _SCHEME[integrator].end_step)
def end_step(integrator, owned, g, shapes, settings):
    """End a step with the forces at hand. The angular velocities of non-spheres follow by ``poses.update_spins``.

    Args:
        integrator: integrator of the run.
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
    """


@static(lambda integrator: _SCHEME[integrator].follow)
def follow(integrator, first, last, g, shapes, settings):
    """Move ghosts to the poses that their owners have found in this step, from their poses in the step before and from what has been received.

    Args:
        integrator: integrator of the run, of which ghosts can follow (`follows`).
        first: row of the first ghost.
        last: one past the row of the last ghost.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
    """


@static(lambda integrator: _SCHEME[integrator].kick_time)
def kick_time(integrator, dt):
    """Determine for how long a single kick acts on servo walls.

    Args:
        integrator: integrator of the run.
        dt: time step (s).

    Returns:
        The time (s).
    """


@static(lambda integrator: _SCHEME[integrator].wall_velocities)
def wall_velocities(integrator, walls, dt):
    """Set the velocities of walls, which have just been placed, as contacts are to see them.

    Args:
        integrator: integrator of the run.
        walls: `state.Walls`.
        dt: time step (s).
    """
