"""Pictures of frames, drawn off screen by VTK: grains as rounded surfaces, walls translucent, a legend."""

from __future__ import annotations

import ctypes
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from pardem.errors import FileError

from ..state.agreement import reason
from .surface import skeleton_surface
from .walls import View, wall_tables

COLOURS = "viridis"
SPECIES_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")


class Frame(NamedTuple):
    """Data of one frame that a picture shows.

    Attributes:
        position: (n, 3) wrapped centres (m).
        orientation: (n, 4) unit quaternions (w, x, y, z).
        species: (n,) rows of the catalogue.
        scale: (n,) size factors.
        catalogue: arrays of the shape catalogue, by name.
        case: tables of the case file.
        displacement: (3,) displacement of each wall (m), by name.
        time: time of the frame (s).
        turn: angle by which each rotating wall has turned (rad), by name.
        there: (n,) bool, whether a grain is still in the domain; only these are drawn.
    """

    position: np.ndarray
    orientation: np.ndarray
    species: np.ndarray
    scale: np.ndarray
    catalogue: dict[str, np.ndarray]
    case: dict[str, Any]
    displacement: dict[str, np.ndarray]
    time: float
    turn: dict[str, float]
    there: np.ndarray


class Poses(Protocol):
    """Where grains are and how large: attributes as of ``Frame``."""

    @property
    def position(self) -> np.ndarray: ...  # noqa: D102
    @property
    def orientation(self) -> np.ndarray: ...  # noqa: D102
    @property
    def scale(self) -> np.ndarray: ...  # noqa: D102


def angle_to_ground(orientation: np.ndarray, body: np.ndarray) -> np.ndarray:
    """Angle (degrees) of a body axis to the horizontal plane, for each orientation ((n, 4))."""
    w, xyz = orientation[:, :1], orientation[:, 1:]
    turn = 2.0 * np.cross(xyz, body)
    axis = body + w * turn + np.cross(xyz, turn)
    return np.degrees(np.arcsin(np.clip(np.abs(axis[:, 2]), 0.0, 1.0)))


def grain_mesh(catalogue: dict[str, np.ndarray], species: int, smoothness: int = 12) -> Any:
    """Surface of a rounded grain about its centre: of a convex one the convex hull of balls around the core's vertices."""
    import pyvista as pv
    from scipy.spatial import ConvexHull

    first, last = catalogue["vertex_start"][species : species + 2]
    if "convex" in catalogue and not catalogue["convex"][species]:
        points, triangles = _pieces(catalogue, species)
        return pv.PolyData(points, np.column_stack([np.full(len(triangles), 3), triangles]).ravel())
    ball = pv.Sphere(radius=float(catalogue["radius"][species]), theta_resolution=smoothness, phi_resolution=smoothness).points
    core = catalogue["vertices"][first:last] if last > first else np.zeros((1, 3))
    points = (core[:, None, :] + ball[None, :, :]).reshape(-1, 3)
    hull = ConvexHull(points)
    used, index = np.unique(hull.simplices, return_inverse=True)
    triangles = index.reshape(hull.simplices.shape)
    corner = points[used][triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    inward = (normal * hull.equations[:, :3]).sum(axis=1) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    return pv.PolyData(points[used], np.column_stack([np.full(len(triangles), 3), triangles]).ravel())


def _pieces(catalogue: dict[str, np.ndarray], species: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles of a grain that is not convex, feature by feature."""
    (v0, v1), (e0, e1), (f0, f1) = (catalogue[f"{what}_start"][species : species + 2] for what in ("vertex", "edge", "face"))
    starts = catalogue["face_vertex_start"][f0 : f1 + 1]
    faces = tuple(tuple(catalogue["face_vertices"][a:b].tolist()) for a, b in pairwise(starts))
    return skeleton_surface(catalogue["vertices"][v0:v1], catalogue["edges"][e0:e1], faces, float(catalogue["radius"][species]))


def placed(mesh: Any, frame: Poses, rows: np.ndarray, colour: np.ndarray) -> Any:
    """Copies of a mesh at the poses of some grains, as one mesh with their colours."""
    import pyvista as pv

    q, points = frame.orientation[rows], mesh.points
    w, xyz = q[:, None, :1], q[:, None, 1:]
    body = points[None] * frame.scale[rows][:, None, None]
    turn = 2.0 * np.cross(xyz, body)
    world = body + w * turn + np.cross(np.broadcast_to(xyz, body.shape), turn) + frame.position[rows][:, None, :]
    faces = mesh.faces.reshape(-1, 4)[None].repeat(len(rows), axis=0)
    faces[:, :, 1:] += (np.arange(len(rows)) * len(points))[:, None, None]
    out = pv.PolyData(world.reshape(-1, 3), faces.reshape(-1))
    out["colour"] = np.repeat(colour[rows], len(points))
    return out


def body_mesh(frame: Frame, wall: dict[str, Any], shift: np.ndarray) -> Any:
    """Build the surface of a wall that is a body, in world coordinates.

    Args:
        frame: frame to which the surface belongs.
        wall: the wall's table in the case.
        shift: (3,) displacement of its centre of mass (m).

    Returns:
        PyVista mesh.
    """
    s = [species["name"] for species in frame.case["species"]].index(wall["species"])
    mesh = grain_mesh(frame.catalogue, s)
    given = frame.catalogue["centre"][s] + mesh.points @ frame.catalogue["axes"][s].T
    q = np.array(wall.get("orientation") or (1.0, 0.0, 0.0, 0.0), dtype=float)
    q /= np.sqrt(q @ q)
    centre = _turned(q, frame.catalogue["centre"][s][None])
    world = _turned(q, given) - centre
    for motion in (wall.get("motion"), *(wall.get("then") or ())):
        if isinstance(motion, dict) and motion["kind"] == "rotation":
            half = 0.5 * frame.turn.get(wall["name"], 0.0)
            axis = np.array(motion.get("axis") or (0.0, 0.0, 1.0), dtype=float)
            world = _turned(np.array([np.cos(half), *(np.sin(half) * axis / np.linalg.norm(axis))]), world)
    world += centre
    mesh.points = wall.get("scale", 1.0) * world + (wall.get("position") or (0.0, 0.0, 0.0)) + shift
    return mesh


def _turned(q: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points ((n, 3)) turned by a unit quaternion (w, x, y, z)."""
    turn = 2.0 * np.cross(q[1:], points)
    return np.asarray(points + q[0] * turn + np.cross(q[1:], turn))


def load_vtk() -> Any:
    """pyvista, set to draw without a display where there is none.

    Raises:
        FileError: VTK or pyvista is not installed.
    """
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        # VTK itself tries X first and complains; it dies where it is told to take a library that is missing
        for library, window in (("libEGL.so.1", "vtkEGLRenderWindow"), ("libOSMesa.so.8", "vtkOSOpenGLRenderWindow")):
            if _loadable(library):
                os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", window)
                break
    try:
        import pyvista
    except ImportError:
        raise FileError("pictures need VTK: pip install 'pardem[render]'") from None
    return pyvista


def _loadable(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


class Painter:
    """Draw frames of one result, all from the same point of view.

    Args:
        bounds: (2, 3) lower and upper corner of all centres that will be shown (m).
        cut: whether to leave out the grains in front of the middle plane.
        size: width and height (pixels).
    """

    def __init__(self, bounds: np.ndarray, cut: bool, size: tuple[int, int]) -> None:
        self.pv = load_vtk()
        self.bounds, self.cut, self.size = bounds, cut, size

    def image(self, frame: Frame) -> np.ndarray:
        """The picture of a frame, (height, width, 3) uint8."""
        plotter = self._plotter(frame)
        try:
            return np.asarray(plotter.screenshot(None, return_img=True))
        finally:
            plotter.close()

    def save(self, frame: Frame, target: Path) -> None:
        """Write the picture of a frame.

        Raises:
            FileError: the file cannot be written, or its kind is unknown.
        """
        plotter = self._plotter(frame)
        try:
            plotter.screenshot(str(target))
        except (OSError, ValueError) as error:  # ValueError: no kind of picture has this ending
            why = reason(error) if isinstance(error, OSError) else "a picture's name ends in .png, .jpg, .bmp or .tif"
            raise FileError(f"{target} could not be written: {why}; name another file with -o") from None
        finally:
            plotter.close()

    def _plotter(self, frame: Frame) -> Any:
        plotter = self.pv.Plotter(off_screen=True, window_size=list(self.size))
        plotter.set_background("white")
        planar = frame.case.get("dimension") == 2
        by_angle = bool((frame.catalogue["kind"] > 1).any()) and not planar
        middle = self._middle(frame)
        shown = frame.there & (frame.position[:, 1] >= middle) if self.cut and not planar else frame.there
        self._grains(plotter, frame, shown, by_angle)
        self._legend(plotter, frame, by_angle)  # before the walls: the bar shows the colours of what was drawn last
        self._walls(plotter, frame, middle)
        if planar:
            self._from_above(plotter, frame)
            return plotter
        low, high = self.bounds
        extent = float((high - low).max()) + 2.0 * float((frame.catalogue["core_radius"] + frame.catalogue["radius"]).max())
        # the lower tenth is the legend's
        centre = 0.5 * (low + high) - np.array([0.0, 0.0, 0.06 * extent])
        plotter.camera_position = [tuple(centre + extent * np.array([0.0, -2.6, 0.5])), tuple(centre), (0.0, 0.0, 1.0)]
        plotter.enable_anti_aliasing("ssaa")
        return plotter

    def _from_above(self, plotter: Any, frame: Frame) -> None:
        """Looks along -z at the plane of a case in two dimensions, without perspective; walls and the sides of a periodic domain fit in."""
        reach = float((frame.catalogue["core_radius"] + frame.catalogue["radius"])[np.unique(frame.species)].max())
        corners = [self.bounds[0] - reach, self.bounds[1] + reach]
        for wall in wall_tables(frame.case):
            corners += wall.corners(self._view(plotter, frame))
        domain = frame.case.get("domain", {})
        for c, wraps in enumerate(domain.get("periodic", ())):
            for corner, end in zip(corners, ("lower", "upper"), strict=False):
                corner[c] = domain[end][c] if wraps else corner[c]
        low, high = np.min(corners, axis=0), np.max(corners, axis=0)
        centre, (width, height) = 0.5 * (low + high), (high - low)[:2]
        distance = 2.0 * float(max(width, height))
        plotter.camera_position = [(centre[0], centre[1], distance), (centre[0], centre[1], 0.0), (0.0, 1.0, 0.0)]
        plotter.enable_parallel_projection()
        plotter.camera.parallel_scale = 0.52 * max(height, width * self.size[1] / self.size[0])
        plotter.camera.clipping_range = (0.1 * distance, 3.0 * distance)
        plotter.enable_anti_aliasing("ssaa")

    def _middle(self, frame: Frame) -> float:
        """Coordinate along y of the plane that cuts: through the axis of the first tube or cone, else the middle of the grains."""
        wanted = [middle for wall in wall_tables(frame.case) if (middle := wall.middle()) is not None]
        return wanted[0] if wanted else float(self.bounds[:, 1].mean())

    def _grains(self, plotter: Any, frame: Frame, shown: np.ndarray, by_angle: bool) -> None:
        kinds = frame.catalogue["kind"]
        for s in range(len(kinds)):
            rows = np.nonzero((frame.species == s) & shown)[0]
            if not len(rows):
                continue
            body = np.array([0.0, 0.0, 1.0]) if kinds[s] == 2 else np.eye(3)[int(np.argmin(frame.catalogue["inertia"][s]))]
            colour = angle_to_ground(frame.orientation, body) if by_angle else frame.species
            mesh = placed(grain_mesh(frame.catalogue, s), frame, rows, colour)
            single = {"color": SPECIES_COLOURS[s % len(SPECIES_COLOURS)]}
            painted = {"scalars": "colour", "cmap": COLOURS, "clim": [0.0, 90.0]} if by_angle else single
            plotter.add_mesh(mesh, smooth_shading=True, split_sharp_edges=False, specular=0.3, show_scalar_bar=False, **painted)

    def _legend(self, plotter: Any, frame: Frame, by_angle: bool) -> None:
        font = max(10, min(self.size[0] // 38, self.size[1] // 42))
        if by_angle:
            plotter.add_scalar_bar(
                title="angle to the horizontal (degrees)\n", color="black", fmt="%.0f", n_labels=4, font_family="arial", title_font_size=font,
                label_font_size=font, width=0.7, height=0.085, position_x=0.15, position_y=0.015,
            )  # fmt: skip
        elif len(used := np.unique(frame.species)) > 1:
            names = [[frame.case["species"][k]["name"], SPECIES_COLOURS[k % len(SPECIES_COLOURS)]] for k in used]
            plotter.add_legend(names, bcolor=None, face="circle", loc="lower center", size=(0.3, 0.035 * len(names)))
        plotter.add_text(f"t = {frame.time:.4g} s", position="upper_left", color="black", font="arial", font_size=max(8, font // 2))

    def _view(self, plotter: Any, frame: Frame, cut: float | None = None) -> View:
        """What walls are drawn with; ``cut``: coordinate along y of the plane before which they are left out (m)."""
        radius = float(frame.catalogue["radius"].max())
        planar = frame.case.get("dimension") == 2
        return View(self.pv, plotter, self.bounds, radius, planar, cut, lambda wall, shift: body_mesh(frame, wall, shift))

    def _walls(self, plotter: Any, frame: Frame, middle: float) -> None:
        """Walls where they are at this time, and a periodic domain."""
        view = self._view(plotter, frame, middle if self.cut else None)
        for wall in wall_tables(frame.case):
            view.draw(wall, frame.displacement.get(wall.name, np.zeros(3)), frame.turn.get(wall.name, 0.0))
        domain = frame.case.get("domain")
        if domain and any(domain.get("periodic", ())):
            view.box(domain["lower"], domain["upper"])
