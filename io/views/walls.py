"""Walls on a picture: what their tables (`pardem.case.walls`) draw with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from pardem.case.walls import AnyWall, WallTable
from pardem.walls.motion.rotation import RotationMotion

_READER: TypeAdapter[WallTable] = TypeAdapter(AnyWall)


def wall_tables(case: dict[str, Any]) -> list[WallTable]:
    """The walls of a case that was read from a file."""
    return [_READER.validate_python(wall) for wall in case.get("wall", [])]


@dataclass
class View:
    """A picture that a wall is drawn on, and where the wall is now.

    Attributes:
        pv: the module pyvista.
        plotter: its plotter.
        bounds: (2, 3) lower and upper corner of all centres that will be shown (m).
        radius: largest sphero-radius (m).
        planar: whether the case has two dimensions.
        cut: coordinate along y (m) of the plane before which walls are left out, or None.
        mesh: surface of a wall that is a body, from its table in the case and its displacement (m).
        shift: (3,) displacement of the wall (m).
        turn: axis and angle (rad) by which the wall is turned.
    """

    pv: Any
    plotter: Any
    bounds: np.ndarray
    radius: float
    planar: bool
    cut: float | None
    mesh: Callable[[dict[str, Any], np.ndarray], Any]
    shift: np.ndarray = field(default_factory=lambda: np.zeros(3))
    turn: tuple[np.ndarray, float] = (np.array([0.0, 0.0, 1.0]), 0.0)

    def draw(self, wall: WallTable, shift: np.ndarray, angle: float) -> None:
        """Draw a wall that is displaced by ``shift`` (m) and turned by an angle (rad)."""
        axes = [motion.axis for motion in wall.motions if isinstance(motion, RotationMotion)]
        self.shift, self.turn = shift, (np.array(axes[0] if axes else (0.0, 0.0, 1.0)), angle)
        wall.draw(self)

    def turned(self, direction: Any) -> np.ndarray:
        """A direction of the wall at the start, as it is turned now."""
        v, (axis, angle) = np.array(direction, dtype=float), self.turn
        return np.asarray(np.cos(angle) * v + np.sin(angle) * np.cross(axis, v) + (1.0 - np.cos(angle)) * (axis @ v) * axis)

    def body(self, wall: WallTable) -> Any:
        """Surface of a wall that is a body, where it is now."""
        return self.mesh(wall.model_dump(), self.shift)

    def show(self, mesh: Any, **style: Any) -> None:
        """Add a surface to the picture."""
        self.plotter.add_mesh(mesh, **style)

    def show_cut(self, mesh: Any, **style: Any) -> None:
        """Add a surface, without what lies before the plane that cuts, if one does."""
        self.show(mesh if self.cut is None else mesh.clip(normal=(0.0, -1.0, 0.0), origin=(0.0, self.cut, 0.0)), **style)

    def box(self, lower: Any, upper: Any) -> None:
        """Add the edges of a box."""
        self.show(self.pv.Box(np.stack([lower, upper], axis=1).ravel()), style="wireframe", color="gray")
