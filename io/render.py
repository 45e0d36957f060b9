"""``pardem render``: a picture of a frame, whole or cut open by a vertical plane, drawn off screen by VTK."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import h5py
import numpy as np

from pardem.errors import FileError

from .reading import opened

GRAINS = "particles/grains"
COLOURS = "viridis"


class Frame(NamedTuple):
    """What a picture needs of a frame.

    Attributes:
        position: (n, 3) wrapped centres (m). orientation: (n, 4) quaternions (w, x, y, z). species: (n,). scale: (n,).
        catalogue: arrays of the shapes. case: tables of the case file. displacement: name -> (3,) of each wall (m). time: (s).
    """

    position: np.ndarray
    orientation: np.ndarray
    species: np.ndarray
    scale: np.ndarray
    catalogue: dict[str, np.ndarray]
    case: dict[str, Any]
    displacement: dict[str, np.ndarray]
    time: float


def main(
    file: Path, out: Path | None = None, frame: int = -1, cut: bool = False, size: tuple[int, int] = (900, 1200)
) -> int:
    """Draw a frame of a result into a PNG file (default: beside the result).

    Raises:
        FileError: the file cannot be read, has no such frame, or VTK is not installed.
    """
    target = Path(out) if out is not None else Path(file).with_suffix(".cut.png" if cut else ".png")
    draw(read_frame(Path(file), frame), target, cut, size)
    print(target)
    return 0


def read_frame(path: Path, number: int) -> Frame:
    """Read a frame; negative numbers count from the last."""
    with opened(path) as file:
        position = file[f"{GRAINS}/position/value"]
        count = len(position)
        if not -count <= number < count:
            raise FileError(f"{path} has {count} frames: --frame {number} is not among them")
        k = number % count
        step = file[f"{GRAINS}/position/step"][k]
        text = file["parameters/pardem/case"][()]
        return Frame(
            position[k], file[f"{GRAINS}/orientation/value"][k], file[f"{GRAINS}/species"][()], file[f"{GRAINS}/scale"][()],
            {name: array[()] for name, array in file["parameters/pardem/catalogue"].items()},
            tomllib.loads(text.decode() if isinstance(text, bytes) else str(text)), _displacements(file, step),
            float(file[f"{GRAINS}/position/time"][k]),
        )  # fmt: skip


def _displacements(file: h5py.File, step: int) -> dict[str, np.ndarray]:
    out = {}
    for name, group in file.get("observables/wall_displacement", {}).items():
        row = np.searchsorted(group["step"][()], step)
        out[name] = np.array(group["value"][min(row, len(group["value"]) - 1)], dtype=float)
    return out


def angle_to_ground(orientation: np.ndarray, body: np.ndarray) -> np.ndarray:
    """Angle (degrees) of a body axis to the horizontal plane, for each orientation ((n, 4))."""
    w, xyz = orientation[:, :1], orientation[:, 1:]
    turn = 2.0 * np.cross(xyz, body)
    axis = body + w * turn + np.cross(xyz, turn)
    return np.degrees(np.arcsin(np.clip(np.abs(axis[:, 2]), 0.0, 1.0)))


def grain_mesh(catalogue: dict[str, np.ndarray], species: int, smoothness: int = 12) -> Any:
    """Surface of a rounded grain about its centre: the convex hull of balls around the core's vertices."""
    import pyvista as pv
    from scipy.spatial import ConvexHull

    first, last = catalogue["vertex_start"][species : species + 2]
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


def placed(mesh: Any, frame: Frame, rows: np.ndarray, colour: np.ndarray) -> Any:
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


def draw(frame: Frame, target: Path, cut: bool, size: tuple[int, int]) -> None:
    """Draw a frame off screen."""
    try:
        import pyvista as pv
    except ImportError:
        raise FileError("pictures need VTK: pip install 'pardem[render]'") from None
    plotter = pv.Plotter(off_screen=True, window_size=list(size))
    plotter.set_background("white")
    kinds = frame.catalogue["kind"]
    by_angle = bool((kinds > 1).any())
    shown = frame.position[:, 1] >= 0.0 if cut else np.ones(len(frame.position), bool)
    for s in range(len(kinds)):
        rows = np.nonzero((frame.species == s) & shown)[0]
        if not len(rows):
            continue
        body = np.array([0.0, 0.0, 1.0]) if kinds[s] == 2 else np.eye(3)[int(np.argmin(frame.catalogue["inertia"][s]))]
        colour = angle_to_ground(frame.orientation, body) if by_angle else frame.species.astype(float)
        mesh = placed(grain_mesh(frame.catalogue, s), frame, rows, colour)
        plotter.add_mesh(
            mesh, scalars="colour", cmap=COLOURS, clim=[0.0, 90.0] if by_angle else [0.0, max(1.0, len(kinds) - 1.0)], smooth_shading=True,
            split_sharp_edges=False, specular=0.3, show_scalar_bar=False,
        )  # fmt: skip
    if by_angle:
        plotter.add_scalar_bar(title="angle to the horizontal (degrees)", color="black", fmt="%.0f", n_labels=4)
    _walls(plotter, frame, cut)
    top = frame.position[:, 2]
    centre = np.array([*(0.5 * (frame.position.min(axis=0) + frame.position.max(axis=0)))[:2], 0.5 * (top.min() + top.max())])
    extent = float(np.ptp(frame.position, axis=0).max())
    plotter.camera_position = [tuple(centre + extent * np.array([0.0, -2.6, 0.5])), tuple(centre), (0.0, 0.0, 1.0)]
    plotter.enable_anti_aliasing("ssaa")
    try:
        plotter.screenshot(str(target))
    except OSError as error:
        raise FileError(f"{target} could not be written ({error}); name another file with -o") from None
    plotter.close()


def _walls(plotter: Any, frame: Frame, cut: bool) -> None:
    """The cylinder, translucent, and the discs, where they are at this time."""
    import pyvista as pv

    low, high = frame.position[:, 2].min(), frame.position[:, 2].max()
    for wall in frame.case.get("wall", []):
        shift = frame.displacement.get(wall["name"], np.zeros(3))
        if wall["kind"] == "cylinder":
            height = 1.1 * (high - low) + 2.0 * float(frame.catalogue["radius"].max())
            centre = np.array(wall.get("center", (0.0, 0.0, 0.0)), dtype=float)
            axis = np.array(wall.get("axis", (0.0, 0.0, 1.0)), dtype=float)
            middle = centre + axis * (0.5 * (low + high) - centre @ axis) + shift
            tube = pv.Cylinder(center=middle, direction=axis, radius=wall["radius"], height=height, resolution=96, capping=False)
            if cut:
                tube = tube.clip(normal=(0.0, -1.0, 0.0), origin=(0.0, 0.0, 0.0))
            plotter.add_mesh(tube, color="lightsteelblue", opacity=0.15, smooth_shading=True)
        elif wall["kind"] == "disc":
            centre = np.array(wall["center"], dtype=float) + shift
            disc = pv.Disc(center=centre, inner=0.0, outer=wall["radius"], normal=wall["normal"], c_res=96)
            plotter.add_mesh(disc, color="gray", opacity=0.6)
