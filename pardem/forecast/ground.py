"""The walls of a case as a forecast sees them: on which side points are, and how far a grain falls until it meets one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..setup.preparation import Setup
from ..setup.wall_tables import body_vertices
from ..walls.surfaces.place import SIZES
from ..walls.surfaces.registry import SURFACES

if TYPE_CHECKING:
    from ..case import Case
    from ..walls.surfaces.wall_table import WallTable

SAMPLES = 400  # points of a ray at which the distance from a cone is looked at


@dataclass(frozen=True)
class Face:
    """One of the surfaces of a wall, where it is at the start.

    Attributes:
        wall: its table.
        label: name of the wall, and of the face where it has several.
        kind: name of the surface.
        point: a point of the face (m).
        normal: unit normal or axis.
        sizes: sizes of its surface (m).
        vertices: vertices of a body's core (m).
        radius: radius of a body (m).
    """

    wall: WallTable
    label: str
    kind: str
    point: np.ndarray
    normal: np.ndarray
    sizes: np.ndarray
    vertices: np.ndarray | None = None
    radius: float = 0.0

    def there(self, stage: str) -> bool:
        """Whether it is there in a stage."""
        return self.wall.stages is None or stage in self.wall.stages

    @property
    def one_sided(self) -> bool:
        """Whether grains can be on one side only: planes, and the inside of a cylinder."""
        return self.kind in ("plane", "cylinder")

    def depth(self, points: np.ndarray) -> np.ndarray:
        """How far points ((n, 3) m) are in front of a plane or within a cylinder (m), negative behind it."""
        height, radial = self._around(points)
        return np.asarray(SURFACES[[s.name for s in SURFACES].index(self.kind)].distance(height, radial, self.sizes))

    def side(self, points: np.ndarray) -> np.ndarray:
        """On which side of a disc or cone points ((n, 3) m) are, by the sign of a length (m); NaN beside it, and for all points of other surfaces."""
        height, radial = self._around(points)
        if self.kind == "cone":
            first, second, tall = self.sizes[:3]
            return np.where((height >= 0.0) & (height <= tall), first + height / tall * (second - first) - radial, np.nan)
        if self.kind not in ("disc", "pierced disc"):
            return np.full(len(points), np.nan)
        hole = 0.0 if self.kind == "disc" else self.sizes[1]
        return np.where((radial >= hole) & (radial <= self.sizes[0]), height, np.nan)

    def meets(self, start: np.ndarray, along: np.ndarray, longest: float) -> float:
        """Length of a ray until it meets the surface (m); infinite if it does not, or only beyond ``longest``.

        Args:
            start: (3,) where it begins (m).
            along: (3,) unit vector.
            longest: (m).
        """
        slope, height = float(along @ self.normal), float((start - self.point) @ self.normal)
        if self.kind in ("plane", "disc", "pierced disc"):
            if slope == 0.0 or (length := -height / slope) < 0.0:
                return math.inf
            if self.kind == "plane":
                return length
            off = float(self._around((start + length * along)[None])[1][0])
            inner = self.sizes[1] if self.kind != "disc" else 0.0
            return length if inner <= off <= self.sizes[0] else math.inf
        if self.kind == "cylinder":
            return self._through_cylinder(start, along)
        if self.vertices is not None:
            return self._onto_body(start, along)
        lengths = np.linspace(0.0, longest, SAMPLES)
        near = self.depth(start + lengths[:, None] * along) < longest / SAMPLES
        return float(lengths[np.argmax(near)]) if near.any() else math.inf

    def _around(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Heights of points along the normal or axis, and their distances from that line (m)."""
        apart = points - self.point
        height = apart @ self.normal
        return height, np.linalg.norm(apart - height[:, None] * self.normal, axis=1)

    def _through_cylinder(self, start: np.ndarray, along: np.ndarray) -> float:
        """Where a ray leaves the cylinder; infinite along its axis, or from outside."""
        apart = start - self.point
        p, u = apart - (apart @ self.normal) * self.normal, along - (along @ self.normal) * self.normal
        square, cross, rest = float(u @ u), float(u @ p), float(p @ p) - float(self.sizes[0]) ** 2
        if square < 1e-12 or rest > 0.0:
            return math.inf
        return (math.sqrt(cross * cross - square * rest) - cross) / square

    def _onto_body(self, start: np.ndarray, along: np.ndarray) -> float:
        """As if a body reached across as a box: where the ray passes beside it there is nothing, else its furthest vertex counts."""
        assert self.vertices is not None
        apart = self.vertices - start
        ahead = apart @ along
        aside = apart - ahead[:, None] * along
        beside = (aside.min(axis=0) > self.radius + 1e-12) | (aside.max(axis=0) < -self.radius - 1e-12)
        furthest = float(ahead.max())
        return math.inf if beside.any() or furthest < 0.0 else furthest


def faces_of(case: Case, setup: Setup) -> list[Face]:
    """The surfaces of all walls of a case, where they are at the start.

    Args:
        case: validated case.
        setup: the same case prepared.
    """
    walls, scene = setup.scene.walls, setup.scene
    tables = {wall.name: wall for wall in case.wall}
    owner = {row: tables[name] for name, rows in setup.walls.items() for row in rows}
    corners = iter(zip(body_vertices(setup.catalogue, scene.bodies), scene.bodies.x[:, 3], strict=True))
    out = []
    for k, code in enumerate(walls.kind):
        vertices, radius = next(corners) if walls.body[k] else (None, 0.0)
        shape = walls.shape[k]
        out.append(
            Face(owner[k], scene.wall_names[k], SURFACES[code].name, shape[:3], shape[3:6], shape[SIZES:], vertices, float(radius))
        )  # fmt: skip
    return out
