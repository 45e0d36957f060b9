"""Where the bed of grains is: the upward direction, the base, and the container's cross-section, from a case and its walls."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..errors import CaseError
from ..state.arrays import Walls
from ..walls.surfaces.kinds import CYLINDER, DISC, PIERCED, PLANE

if TYPE_CHECKING:
    from ..case import Case

UPRIGHT = math.cos(math.radians(10.0))  # a plane faces up if its normal is within 10 degrees of it
ALONG = 1.0 - 1e-9  # cosine above which directions count as the same


@dataclass
class BedGeometry:
    """Attributes: see the module.

    Attributes:
        up: (3,) unit normal of the base; without base against gravity; without gravity along z (in 2D y).
        base: row of the base among the walls, or None.
        section: area of the container's cross-section (m^2), or None where it is not known.
        space: volume inside the container (m^3), or None where it is endless or not known.
    """

    up: np.ndarray
    base: int | None
    section: float | None
    space: float | None

    def base_height(self, walls: Walls) -> float:
        """Height of the base along ``up`` now (m)."""
        assert self.base is not None
        return _dot(self.up, walls.shape[self.base, :3] + walls.pose[self.base, :3])


def rows_of_wall(name: str, wall_names: list[str]) -> list[int]:
    """Rows of the surfaces of a wall of the case: one, or the six faces of a box."""
    return [k for k, found in enumerate(wall_names) if found == name or found.startswith(f"{name}:")]


def find_bed(case: Case, walls: Walls, wall_names: list[str]) -> BedGeometry:
    """The bed of a case.

    Args:
        case: validated case.
        walls: its surfaces.
        wall_names: of the surfaces; a face of a box reads ``box:lower-z``.

    Raises:
        CaseError: the container that the case names cannot give a density.
    """
    size = math.sqrt(sum(c * c for c in case.gravity))
    up = np.array([-c / size for c in case.gravity]) if size > 0.0 else np.eye(3)[case.dimension - 1]
    up += 0.0  # no negative zeros
    base = _base(case.output.observables.base, walls, wall_names, up)
    if base is not None:
        up = walls.shape[base, 3:6].copy()
        if walls.kind[base] in (DISC, PIERCED) and size > 0.0 and _dot(up, np.array(case.gravity)) > 0.0:
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
        if walls.kind[k] in (DISC, PIERCED, PLANE):
            facing.append((cosine, k))
    if name == "auto":
        return next((k for cosine, k in facing if cosine > UPRIGHT), None)
    return max(facing, key=lambda found: found[0])[1]  # of a box, the face that faces up best


def _container(case: Case, up: np.ndarray, has_base: bool) -> tuple[float | None, float | None]:
    name = case.output.observables.container
    for wall in case.wall:
        if wall.kind == "cylinder" and name in ("auto", wall.name):
            if case.dimension == 2:
                return None, math.pi * wall.radius * wall.radius
            axis = np.array(wall.axis)
            if abs(_dot(axis, up)) / math.sqrt(_dot(axis, axis)) > ALONG and has_base:
                return math.pi * wall.radius * wall.radius, None
            if name != "auto":
                raise CaseError(
                    f"output.observables.container = '{name}' gives no density: a cylinder needs a base across its axis; give "
                    "output.observables.base, or leave container at 'auto'"
                )
        if wall.kind == "box" and name in ("auto", wall.name):
            return _of_box(wall.lower, wall.upper, up)
    if case.domain is None:
        return None, None
    return _of_box(case.domain.lower, case.domain.upper, up)


def _of_box(lower: tuple[float, ...], upper: tuple[float, ...], up: np.ndarray) -> tuple[float | None, float | None]:
    sides = [b - a for a, b in zip(lower, upper, strict=True)]
    space = sides[0] * sides[1] * sides[2]
    axis = int(np.argmax(np.abs(up)))
    return (space / sides[axis] if abs(up[axis]) > ALONG else None), space


def wall_distance(x: np.ndarray, walls: Walls, row: int) -> np.ndarray:
    """Distance (m) of points from the surface of a wall, (n,); negative beyond a plane or cylinder.

    Args:
        x: (n, 3 or more) points (m).
        walls: surfaces.
        row: which one.
    """
    shape, pose = walls.shape[row], walls.pose[row]
    nx, ny, nz = (float(c) for c in pose[9:12])
    hx, hy, hz = (x[:, c] - (shape[c] + pose[c]) for c in range(3))
    height = hx * nx + hy * ny + hz * nz
    if walls.kind[row] == PLANE:
        return height
    ax, ay, az = hx - height * nx, hy - height * ny, hz - height * nz
    radial = np.sqrt(ax * ax + ay * ay + az * az)
    if walls.kind[row] == CYLINDER:
        return shape[6] - radial
    beyond = np.maximum(np.maximum(radial - shape[6], shape[7] - radial), 0.0)
    return np.sqrt(height * height + beyond * beyond)
