"""What an integrator declares: what it is to the rest of the program, and the kernels of its phases.

Each integrator has a file of its own that ends in a `Scheme`; ``integrators.phases`` lists them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..compiled.jit import inlined


@inlined
def half_a_step(integrator, dt):
    """Return half a time step: the duration of the kicks of most integrators.

    Args:
        integrator: integrator of the run.
        dt: time step (s).

    Returns:
        The duration of a kick (s).
    """
    return 0.5 * dt


@inlined
def as_placed(integrator, walls, dt):
    """Leave the velocities of walls as they are, those of the middle of the step.

    Args:
        integrator: integrator of the run.
        walls: `state.Walls`.
        dt: time step (s).
    """


@inlined
def stay(integrator, first, last, g, shapes, settings):
    """Leave the poses of ghosts as they are: they are sent.

    Args:
        integrator: integrator of the run.
        first: row of the first ghost.
        last: one past the row of the last ghost.
        g: `state.Grains`.
        shapes: `state.Shapes`.
        settings: `state.Settings`.
    """


def nothing_before(ft: np.ndarray) -> np.ndarray:
    """Make the past of grains for an integrator that needs none.

    Args:
        ft: (n, 8 or 16) int64 forces and torques (quanta).

    Returns:
        (n, 0) int64.
    """
    return np.zeros((len(ft), 0), np.int64)


@dataclass(frozen=True, kw_only=True)
class Scheme:
    """A way to take a time step. The kernels' arguments and results are described in ``integrators.phases``.

    Attributes:
        integrator: class of the named tuple for which kernels are compiled. It has a field ``closes``: whether the forces found in a step still have
            to end that step; without, the next step begins with all that they do.
        build: makes the named tuple; takes ``time.rotation`` of the case.
        midstep: whether contacts see the velocities of the middle of the step, by which grains move throughout it; else those of its end.
        past: integers that each grain keeps of the steps before, twice as many where sums are wide.
        rotations: whether ``time.rotation`` may be chosen.
        servo: whether servo walls may be there.
        begin_step: ends the step before, where that is due, and begins the next one in the same pass over the grains.
        end_step: ends a step.
        kick_time: for how long a single kick acts on servo walls (s).
        wall_velocities: sets the velocities of walls where contacts look for them.
        first_past: the past of grains whose forces have just been evaluated for the first time.
        follows: whether the poses of ghosts follow from their velocities, spins and angular momenta; takes the integrator and whether all grains are
            spheres.
        follow: moves ghosts, whose velocities, spins and angular momenta have come, to the bits of the poses that their owners have found.
    """

    integrator: type
    build: Callable[[str], Any]
    midstep: bool = True
    past: int = 0
    rotations: bool = True
    servo: bool = True
    begin_step: Any
    end_step: Any
    kick_time: Any = half_a_step
    wall_velocities: Any = as_placed
    first_past: Callable[[np.ndarray], np.ndarray] = nothing_before
    follows: Callable[[Any, bool], bool] = lambda integrator, spheres: False
    follow: Any = stay
