"""The automatic skin: the reach of the lists is moved up or down to where the counted work per step is least.

A larger skin means more candidates in every step, a smaller one more rebuilds. Work is counted, never timed, so all ranks agree and a run repeats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from mpi4py import MPI

from ..integrators.poses import greatest_speed
from ..state import arrays as st
from ..state.diagnosis import ERROR_FAST
from ..walls.motion.driven import top_speed

if TYPE_CHECKING:
    from ..setup.scene import Scene
    from ..state.population import Population

WINDOW = 4  # rebuilds between two changes
FACTOR = 1.25
SHORT_LIFE = 8  # steps


class SkinTuner:
    """Hill climber on the counted work per step.

    Attributes:
        skin: current skin (m).
    """

    def __init__(self, skin: float, lowest: float, highest: float, adapt: bool) -> None:
        self.skin = skin
        self.adapt = adapt
        self._range = (lowest, highest)
        self._up = True
        self._last = float("inf")
        self._steps, self._work, self._rebuilds = 0, 0.0, 0

    def note(self, steps: int, work: float, rebuild: float) -> None:
        """Book one life of the lists and change the skin when enough of them have been seen.

        Args:
            steps: how long the lists held.
            work: counted work of one of them.
            rebuild: counted work of making the lists (``work``).
        """
        if not self.adapt:
            return
        self._steps += steps
        self._work += steps * work + rebuild
        self._rebuilds += 1
        if self._rebuilds < WINDOW or self._steps == 0:
            return
        cost = self._work / self._steps
        if self._steps < SHORT_LIFE * self._rebuilds:
            self._up = True  # lists that hold for hardly a step: the cost is flat there and says nothing
        elif cost > self._last:
            self._up = not self._up
        self._last = cost
        self._steps, self._work, self._rebuilds = 0, 0.0, 0
        low, high = self._range
        self.skin = min(high, max(low, self.skin * FACTOR if self._up else self.skin / FACTOR))


def skin_tuner(comm: MPI.Comm, scene: Scene, grains: Population, skin: float | None) -> SkinTuner:
    """A skin that fits the sizes of the grains, the domain, and the detection. Collective, the same on every rank.

    Args:
        comm: communicator of the ranks.
        scene: constants of the run.
        grains: grains of this rank.
        skin: the skin that the user has chosen (m), or None for one that is adapted.
    """
    smallest = comm.allreduce(float(grains.x[:, 3].min()) if grains.count else np.inf, MPI.MIN)
    largest = comm.allreduce(float((scene.shapes.core_radius[grains.species] * grains.scale + grains.x[:, 3]).max(initial=0.0)), MPI.MAX)
    period = scene.settings.period
    highest = min([max(smallest, 0.3 * largest), *(0.5 * period[period > 0.0] - 2.0 * largest)])
    if scene.covering:
        highest = min(highest, scene.covering.skin)
    return SkinTuner(min(0.3 * smallest, highest) if skin is None else skin, 0.02 * smallest, highest, skin is None)


def fastest_point(grains: Population, reach: np.ndarray) -> float:
    """Speed of the fastest core point of the grains of a rank (m/s), 0 if there are none.

    Args:
        grains: the owned grains, with the velocities of the last drift.
        reach: (ns,) ``core_reach``.
    """
    return float(greatest_speed(grains.v, grains.w, grains.species, grains.scale, reach))


def note_fast(scene: Scene, own: Population, reach: np.ndarray, fastest: float, control: np.ndarray) -> None:
    """Note a fault if a grain of this rank is so fast that lists would reach across the whole domain, and over many of its periods.

    Args:
        scene: constants of the run.
        own: grains of this rank.
        reach: (ns,) ``core_reach``.
        fastest: what ``fastest_point`` finds of them (m/s).
        control: (CONTROL,) int64 of this rank.
    """
    settings = scene.settings
    sides = (settings.upper - settings.lower)[: 2 if settings.planar else 3]
    if not fastest * settings.dt > sides.min() or control[st.FAULT]:
        return
    v, w = (np.linalg.norm(rows[:, :3], axis=1) for rows in (own.v, own.w))
    one = int(np.argmax(v + reach[own.species] * own.scale * w))
    control[st.FAULT], control[st.FAULT_A], control[st.FAULT_STEP] = ERROR_FAST, own.gid[one], control[st.STEP]


def core_reach(scene: Scene) -> np.ndarray:
    """(ns,) distance from the centre at which a core point of a species may move (m).

    Args:
        scene: constants of the run.
    """
    return np.where(scene.shapes.kind > 1, scene.shapes.core_radius, 0.0)


def least_skin(scene: Scene, fastest: float) -> float:
    """The furthest (m) that two bodies which touched a step ago can have come apart.

    With a smaller skin, the lists would miss such pairs, and the energy budget would lack what their contacts still held.

    Args:
        scene: constants of the run.
        fastest: speed of the fastest core point of all ranks (m/s).
    """
    motion = scene.walls.motion
    wall = max((float(top_speed(motion, k)) for k in range(len(motion))), default=0.0)
    return 1.01 * scene.settings.dt * (fastest + max(fastest, wall))
