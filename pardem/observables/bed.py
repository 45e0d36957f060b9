"""Where the bed of grains is: the upward direction, the base, and the container's cross-section, from a case and its walls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import CaseError
from ..state.arrays import Walls
from ..walls.surfaces.place import NORMAL, SIZES
from ..walls.surfaces.plane import space_of_box
from ..walls.surfaces.registry import SURFACES

if TYPE_CHECKING:
    from ..case import Case

UPRIGHT = math.cos(math.radians(10.0))  # a plane faces up if its normal is within 10 degrees of it


@dataclass
class BedGeometry:
    """Position of the bed of grains.

    Attributes:
        up: (3,) unit normal of the base; without a base, opposite to gravity; without gravity, along z (in 2D along y).
        base: row of the base among the walls, or None.
        section: cross-section area of the container (m^2), or None if it is not known.
        space: volume inside the container (m^3), or None if it is infinite or not known.
    """

    up: np.ndarray
    base: int | None
    section: float | None
    space: float | None

    def base_height(self, walls: Walls) -> float:
        """Compute the present height of the base along ``up``.

        Args:
            walls: walls of the run.

        Returns:
            The height (m).
        """
        assert self.base is not None
        return _dot(self.up, walls.shape[self.base, :3] + walls.pose[self.base, :3])


def rows_of_wall(name: str, wall_names: list[str]) -> list[int]:
    """Find the surfaces of a wall of the case.

    Args:
        name: name of the wall.
        wall_names: names of all surfaces; a face of a box is called ``box:lower-z`` and the like.

    Returns:
        Their rows: one, or six for a box.
    """
    return [k for k, found in enumerate(wall_names) if found == name or found.startswith(f"{name}:")]


def find_bed(case: Case, walls: Walls, wall_names: list[str]) -> BedGeometry:
    """Determine the bed of a case.

    Args:
        case: validated case.
        walls: surfaces of its walls.
        wall_names: names of the surfaces; a face of a box is called ``box:lower-z`` and the like.

    Returns:
        The bed.

    Raises:
        CaseError: the container that the case names cannot give a density.
    """
    size = math.sqrt(sum(c * c for c in case.gravity))
    up = np.array([-c / size for c in case.gravity]) if size > 0.0 else np.eye(3)[case.dimension - 1]
    up += 0.0  # no negative zeros
    base = _base(case.output.observables.base, walls, wall_names, up)
    if base is not None:
        up = walls.shape[base, 3:6].copy()
        if SURFACES[walls.kind[base]].faces == 2 and size > 0.0 and _dot(up, np.array(case.gravity)) > 0.0:
            up = 0.0 - up  # a disc has two sides
    section, space = _container(case, up, base is not None)
    return BedGeometry(up, base, section, space)


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


def _base(name: str, walls: Walls, wall_names: list[str], up: np.ndarray) -> int | None:
    rows = range(len(wall_names)) if name == "auto" else rows_of_wall(name, wall_names)
    facing = []
    for k in rows:
        cosine = _dot(walls.shape[k, 3:6], up)
        if SURFACES[walls.kind[k]].faces:
            facing.append((cosine, k))
    if name == "auto":
        return next((k for cosine, k in facing if cosine > UPRIGHT), None)
    return max(facing, key=lambda found: found[0])[1]  # of a box, the face that faces up best


def _container(case: Case, up: np.ndarray, has_base: bool) -> tuple[float | None, float | None]:
    name = case.output.observables.container
    for wall in case.wall:
        if not wall.contains or name not in ("auto", wall.name):
            continue
        sizes = wall.enclosed(up, has_base, case.dimension)
        if sizes is not None:
            return sizes
        if name != "auto":
            raise CaseError(
                f"output.observables.container = '{name}' gives no density: a {wall.kind} needs a base across its axis; give "
                "output.observables.base, or leave container at 'auto'"
            )
    if case.domain is None:
        return None, None
    return space_of_box(case.domain.lower, case.domain.upper, up)


def wall_distance(x: np.ndarray, walls: Walls, row: int) -> np.ndarray:
    """Compute the distances of points from the surface of a wall.

    Args:
        x: (n, 3 or more) points (m).
        walls: surfaces.
        row: row of the surface.

    Returns:
        (n,) distances (m), negative beyond a plane or cylinder.
    """
    shape, pose = walls.shape[row], walls.pose[row]
    nx, ny, nz = (float(c) for c in pose[NORMAL : NORMAL + 3])
    hx, hy, hz = (x[:, c] - (shape[c] + pose[c]) for c in range(3))
    height = hx * nx + hy * ny + hz * nz
    ax, ay, az = hx - height * nx, hy - height * ny, hz - height * nz
    return SURFACES[walls.kind[row]].distance(height, np.sqrt(ax * ax + ay * ay + az * az), shape[SIZES:])
