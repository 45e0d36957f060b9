"""Work of walls that is counted with the forces of a step but done after it."""

from __future__ import annotations

import numpy as np

from ...state.arrays import Settings, Walls
from .driven import turns
from .rows import CENTRE, DIRECTION, MOVED


def work_to_come(walls: Walls, reaction: np.ndarray, settings: Settings) -> np.ndarray:
    """Work (J) of each wall on the grains in the half-step to come, which is counted already with the forces of this step, (W,).

    Args:
        walls: walls at this step.
        reaction: (W, 6) force and torque of the grains on each wall, over all ranks, in quanta (Python integers).
        settings: `Settings`.
    """
    work = np.zeros(len(walls.kind))
    for k, (row, pose, motion) in enumerate(zip(reaction, walls.pose, walls.motion, strict=True)):
        force = np.array([float(c) for c in row[:3]]) * settings.force
        # what a servo moves is counted when it moves
        before = settings.dt * pose[3:6] - motion[MOVED] * motion[DIRECTION : DIRECTION + 3]
        work[k] -= float((force * (pose[6:9] - 0.5 * before)).sum())
        if turns(walls.motion, k):
            torque = np.array([float(c) for c in row[3:]]) * settings.torque  # about the wall's point at the start
            torque += np.cross(walls.shape[k, :3] - motion[CENTRE : CENTRE + 3], force)
            work[k] -= float((torque * (pose[15:18] - 0.5 * settings.dt * pose[12:15])).sum())
    return work
