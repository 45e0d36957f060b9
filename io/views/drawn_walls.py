"""Walls on a picture: what their tables (`pardem.case.walls`) draw with, and the surfaces that come of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import TypeAdapter

from pardem.case.walls import AnyWall, WallTable
from pardem.shapes import rotations
from pardem.walls.motion.rotation import RotationMotion

from ..analysis.mesh import polydata
from .offscreen import load_vtk
from .rounded_surfaces import TriangleMesh, grain_surface

if TYPE_CHECKING:
    from ..analysis.frame import Frame
    from ..analysis.result import Result

SIDES = 24  # points around a ball of a body
BEYOND = 0.03  # by how much planes reach beyond what they bound, relative to its diagonal

_READER: TypeAdapter[WallTable] = TypeAdapter(AnyWall)


class Drawn(NamedTuple):
    """A surface of a picture.

    Attributes:
        name: name of the wall; empty for the domain.
        mesh: pyvista mesh (m).
        style: how it is drawn, as ``pyvista.Plotter.add_mesh`` has it.
    """

    name: str
    mesh: Any
    style: dict[str, Any]


def wall_tables(result: Result) -> list[WallTable]:
    """The walls of the case of a result."""
    return [_READER.validate_python(wall) for wall in result.case_tables.get("wall", [])]


def walls_there(frame: Frame) -> list[WallTable]:
    """The walls that are there in the stage of a frame; all of them where the result does not tell the stage."""
    return [wall for wall in wall_tables(frame.result) if wall.stages is None or frame.stage is None or frame.stage in wall.stages]


def drawn_walls(frame: Frame, bounds: np.ndarray, cut: float | None = None) -> list[Drawn]:
    """The walls that are there at the time of a frame, where they are then, and the edges of a periodic domain.

    Args:
        frame: frame of a result.
        bounds: (2, 3) lower and upper corner of all centres that will be shown (m), by which endless walls get their ends.
        cut: coordinate along y of the plane in front of which walls are left out (m), or None if they are drawn whole.
    """
    view = View(frame, bounds, cut)
    for wall in walls_there(frame):
        view.draw(wall)
    view.draw_planes()
    box = frame.result.box
    if box.periodic.any():
        low, high = view.extent()
        view.wall = None
        view.box(np.where(box.periodic, box.lower, low), np.where(box.periodic, box.upper, high))
    return view.drawn


class View:
    """What a wall is drawn on; the tables of walls call ``show``, ``show_cut``, ``show_plane`` and ``box``.

    Args:
        frame: frame of a result.
        bounds: (2, 3) lower and upper corner of all centres that will be shown (m).
        cut: coordinate along y (m) of the plane before which walls are left out, or None.

    Attributes:
        pv: the module pyvista.
        bounds: bounds of the picture, as given.
        radius: largest reach of a grain from its centre (m).
        planar: whether the case has two dimensions.
        drawn: what has been drawn so far.
        shift: (3,) displacement of the wall that is drawn (m).
        turn: axis and angle (rad) by which it is turned.
    """

    def __init__(self, frame: Frame, bounds: np.ndarray, cut: float | None) -> None:
        self.pv = load_vtk()
        self.frame, self.bounds, self.cut = frame, bounds, cut
        self.radius, self.planar = float(reaches_of(frame.result).max(initial=0.0)), frame.result.dimension == 2
        self.displacements, self.turns = frame.walls("displacement"), frame.walls("turn")
        self.wall: WallTable | None = None
        self.drawn: list[Drawn] = []
        self.planes: list[tuple[WallTable, np.ndarray, np.ndarray]] = []
        self.shift, self.turn = np.zeros(3), (np.array([0.0, 0.0, 1.0]), 0.0)

    def draw(self, wall: WallTable) -> None:
        """Draw a wall where it is at the time of the frame."""
        axes = [motion.axis for motion in wall.motions if isinstance(motion, RotationMotion)]
        self.wall, self.shift = wall, _of_wall(self.displacements, wall.name, np.zeros(3))
        axis = np.array(axes[0] if axes else (0.0, 0.0, 1.0), dtype=float)
        self.turn = axis / np.linalg.norm(axis), float(_of_wall(self.turns, wall.name, np.zeros(())))
        wall.draw(self)

    def turned(self, direction: Any) -> np.ndarray:
        """A direction of the wall at the start, as it is turned now."""
        v, (axis, angle) = np.array(direction, dtype=float), self.turn
        return np.asarray(np.cos(angle) * v + np.sin(angle) * np.cross(axis, v) + (1.0 - np.cos(angle)) * (axis @ v) * axis)

    def body(self, wall: WallTable) -> Any:
        """TriangleMesh of a wall that is a body, where it is now: turned about its centre of mass, then displaced."""
        result, table = self.frame.result, wall.model_dump()
        s = result.species_names.index(table["species"])
        catalogue = result.catalogue
        centre, axes = catalogue["centre"][s], catalogue["axes"][s]
        q = np.array(table.get("orientation") or (1.0, 0.0, 0.0, 0.0), dtype=float)
        given = rotations.matrices((q / np.sqrt(q @ q))[None])[0]
        turn = np.array([self.turned(unit) for unit in np.eye(3)]).T
        one = grain_surface(catalogue, s, SIDES)
        scale, place = float(table.get("scale") or 1.0), np.array(table.get("position") or (0.0, 0.0, 0.0), dtype=float)
        whole = turn @ given @ axes
        middle = place + scale * (given @ centre) + self.shift
        return polydata(TriangleMesh(scale * one.points @ whole.T + middle, one.normals @ whole.T, one.triangles))

    def show(self, mesh: Any, **style: Any) -> None:
        """Add a surface to the picture."""
        self.drawn.append(Drawn(self.wall.name if self.wall is not None else "", mesh, style))

    def show_cut(self, mesh: Any, **style: Any) -> None:
        """Add a surface, without what lies before the plane that cuts, if one does."""
        self.show(mesh if self.cut is None else mesh.clip(normal=(0.0, -1.0, 0.0), origin=(0.0, self.cut, 0.0)), **style)

    def show_plane(self, point: Any, normal: Any) -> None:
        """Add an endless plane, which is given ends once all other walls are drawn.

        Args:
            point: point of the plane at the start (m).
            normal: normal at the start, of any length.
        """
        assert self.wall is not None
        across = self.turned(normal)
        self.planes.append((self.wall, np.add(point, self.shift), across / np.linalg.norm(across)))

    def box(self, lower: Any, upper: Any) -> None:
        """Add the edges of a box."""
        self.show(self.pv.Box(np.stack([lower, upper], axis=1).ravel()), style="wireframe", color="gray", line_width=3 if self.planar else 1.5)

    def extent(self) -> np.ndarray:
        """Lower and upper corner of the grains and of what has been drawn so far (m), (2, 3)."""
        corners = [self.bounds[0] - self.radius, self.bounds[1] + self.radius, *(c for one in self.drawn for c in corners_of(one.mesh))]
        return np.array([np.min(corners, axis=0), np.max(corners, axis=0)])

    def draw_planes(self) -> None:
        """Draw planes as far as they bound the grains, the other walls and each other."""
        if not self.planes:
            return
        corners = self.extent()
        middle = corners.mean(axis=0)
        corners = np.array([*corners, *(middle + ((point - middle) @ normal) * normal for _, point, normal in self.planes)])
        low, high = corners.min(axis=0), corners.max(axis=0)
        beyond = BEYOND * float(np.linalg.norm(high - low))
        low, high = low - beyond, high + beyond
        for wall, point, normal in self.planes:
            self.wall = wall
            if self.planar:
                ends = section(point, normal, low, high, (0, 1))
                if len(ends) == 2:
                    self.show(self.pv.Line(*ends), color="gray", line_width=3)
                continue
            outline = section(point, normal, low, high, (0, 1, 2))
            if len(outline) > 2:
                self.show_cut(self.pv.PolyData(outline, [len(outline), *range(len(outline))]).triangulate(), color="gray", opacity=0.25)


def reaches_of(result: Result) -> np.ndarray:
    """Furthest that a point of each grain lies from its centre (m), (n,)."""
    catalogue = result.catalogue
    return np.asarray((catalogue["core_radius"] + catalogue["radius"])[result.species_rows] * result.scale)


def corners_of(mesh: Any) -> np.ndarray:
    """Lower and upper corner of a mesh of pyvista, (2, 3) (m); (0, 3) of an empty one."""
    return np.array(mesh.bounds).reshape(3, 2).T if mesh.n_points else np.empty((0, 3))


def section(point: np.ndarray, normal: np.ndarray, low: np.ndarray, high: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Where a plane cuts the edges of a box, in order around the normal.

    Args:
        point: (3,) of the plane (m).
        normal: (3,) unit vector.
        low: (3,) lower corner of the box (m).
        high: (3,) upper corner (m).
        axes: axes of the box; with two of them it is a rectangle in the x-y plane.

    Returns:
        (k, 3) points (m).
    """
    found = []
    for axis in axes:
        others = [c for c in axes if c != axis]
        for corner in np.ndindex(*(2,) * len(others)):
            start = np.zeros(3)
            start[others] = np.where(corner, high[others], low[others])
            start[axis] = low[axis]
            slope = normal[axis] * (high[axis] - low[axis])
            share = (point - start) @ normal / slope if slope != 0.0 else np.inf
            if 0.0 <= share <= 1.0:
                found.append(start + share * (high[axis] - low[axis]) * np.eye(3)[axis])
    points = np.array(found).reshape(-1, 3)
    if len(points) < 3:
        return points
    across = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    from_middle = points - points.mean(axis=0)
    angle = np.arctan2(from_middle @ np.cross(normal, across), from_middle @ across)
    return points[np.argsort(angle)]


def _of_wall(found: Mapping[str, np.ndarray], name: str, default: np.ndarray) -> np.ndarray:
    """An observable of a wall; of a box, whose faces are surfaces of their own, that of the first face."""
    return next((np.asarray(value) for surface, value in found.items() if surface == name or surface.startswith(f"{name}:")), default)
