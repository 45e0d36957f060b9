"""What walls bear and how far they have moved."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..walls.motion.driven import turn_angle
from .observable import Instant, Observable, Quantity, Subject, Values


class WallLoads(Observable):
    """Force of the grains on each surface, its torque about the point that defines the surface, and displacement and rotation of the surface."""

    quantities = (
        Quantity("wall_force/<surface>", "N", shape=(3,), of_contacts=True),
        Quantity("wall_torque/<surface>", "N m", shape=(3,), of_contacts=True),
        Quantity("wall_displacement/<surface>", "m", shape=(3,)),
        Quantity("wall_turn/<surface>", "rad"),
    )

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        turning = {wall.name for wall in subject.case.wall if any(motion.kind == "rotation" for motion in wall.motions)}
        self.turning = [k for k, name in enumerate(subject.scene.wall_names) if name in turning]

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Collect the loads and displacements of all surfaces. The faces of a box are separate surfaces.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            Values of each surface by name.
        """
        values: Values = {}
        settings, walls = self.subject.scene.settings, self.subject.scene.walls
        for k, name in enumerate(self.subject.scene.wall_names):
            values[f"wall_force/{name}"] = np.array([float(v) for v in now.reaction[k, :3]]) * settings.force
            values[f"wall_torque/{name}"] = np.array([float(v) for v in now.reaction[k, 3:]]) * settings.torque
            values[f"wall_displacement/{name}"] = walls.pose[k, :3].copy()
            if k in self.turning:
                values[f"wall_turn/{name}"] = float(turn_angle(walls.motion, k, now.step, settings.dt))
        return values
