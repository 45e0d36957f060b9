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
    """The past of grains whose forces have just been evaluated for the first time, (n, columns) int64.

    Args:
        integrator: of the run.
        ft: (n, 8 or 16) int64 forces and torques.
    """
    return _SCHEME[type(integrator)].first_past(ft)


@static(lambda integrator: _SCHEME[integrator].begin_step)
def begin_step(integrator, owned, g, shapes, settings, due):
    """Begin a step: advance poses and velocities to where forces are wanted, wrap centres into the domain, place vertices, and clear the forces.

    Args:
        integrator: of the run.
        owned: number of rows of ``g`` that this rank owns.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
        due: whether the forces at hand still have to end the step before: one pass over the grains does both.

    Returns:
        a grain that received more contributions than a sum holds, or -1.
    """


@static(lambda integrator: _SCHEME[integrator].end_step)
def end_step(integrator, owned, g, shapes, settings):
    """End a step with the forces at hand; angular velocities of non-spheres follow by ``poses.update_spins``. Arguments as above."""


@static(lambda integrator: _SCHEME[integrator].kick_time)
def kick_time(integrator, dt):
    """For how long a single kick acts on servo walls (s), of a time step ``dt`` (s)."""


@static(lambda integrator: _SCHEME[integrator].wall_velocities)
def wall_velocities(integrator, walls, dt):
    """Set the velocities of walls that have just been placed where contacts look for them.

    Args:
        integrator: of the run.
        walls: `state.Walls`.
        dt: time step (s).
    """
