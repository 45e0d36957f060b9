"""Pictures of frames, drawn off screen by VTK: grains as rounded surfaces, contacts as tubes, walls translucent, a legend."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pardem.errors import FileError

from ..analysis.frame import Frame
from ..analysis.mesh import frame_mesh, polydata
from ..analysis.result import Result
from ..state.shared_errors import reason
from .camera import ANGLE, axes_of, fitted, fitted_size
from .chains import force_chains, strongest_of
from .colours import SCALE, colouring
from .drawn_walls import Drawn, corners_of, drawn_walls, reaches_of, walls_there
from .offscreen import load_vtk
from .rounded_surfaces import sides_for

FORCES = "inferno_r"
AMBIENT = 0.15  # share of the light that comes from everywhere
LOOKS = 16  # frames of a film, about, that room is made for moving walls in
FAINT = 0.12  # opacity of grains before which contacts are seen


@dataclass(frozen=True)
class Look:
    """How pictures show a result.

    Attributes:
        view: direction of view, by name or as ``AZIMUTH,ELEVATION`` in degrees; cases in two dimensions are seen from above.
        colour: quantity by which grains are coloured, or None for the one that suits their shapes.
        cut: whether to leave out the grains that lie wholly before the middle plane across y.
        contacts: whether to draw the contacts, and the grains faintly.
        size: width and height (pixels), or None for those that suit the scene.
    """

    view: str = "front"
    colour: str | None = None
    cut: bool = False
    contacts: bool = False
    size: tuple[int, int] | None = None


class Painter:
    """Draw frames of one result, all from the same point of view and in the same colours.

    Args:
        result: result of a run.
        look: how.
        frames: numbers of the frames that will be drawn.

    Attributes:
        size: width and height of the pictures (pixels).

    Raises:
        FileError: the result lacks what is to be shown, or VTK is not installed.
    """

    def __init__(self, result: Result, look: Look, frames: list[int]) -> None:
        self.pv = load_vtk()
        self.result, self.look = result, look
        self.planar = result.dimension == 2
        self.axes = np.eye(3) if self.planar else axes_of(look.view, result.up)
        require_poses(result)
        self.strongest = strongest_of(result, frames) if look.contacts else 0.0
        self.colouring = colouring(result, "species" if look.contacts and look.colour is None else look.colour, frames)
        self.bounds = bounds_of(result, frames)
        self.reaches = reaches_of(result)
        reach = self.reaches.max(initial=0.0)
        self.corners = np.array([self.bounds[0] - reach, self.bounds[1] + reach])
        for k in {*frames[:: max(1, len(frames) // LOOKS)], frames[-1]}:
            self._make_room(self.walls(result[k]))
        self.size = look.size or fitted_size(self.corners, self.axes)

    def walls(self, frame: Frame) -> list[Drawn]:
        """The walls on the picture of a frame."""
        return drawn_walls(frame, self.bounds, self._middle(frame) if self.look.cut else None)

    def shown(self, frame: Frame) -> np.ndarray:
        """Whether grains are on the picture of a frame, (n,) bool."""
        if not self.look.cut or self.planar:
            return frame.present
        return np.asarray(frame.present & (frame["position"][:, 1] + self.reaches >= self._middle(frame)))

    def image(self, frame: Frame) -> np.ndarray:
        """The picture of a frame, (height, width, 3) uint8."""
        plotter = self.plotter(frame)
        try:
            return np.asarray(plotter.screenshot(None, return_img=True))
        finally:
            plotter.close()

    def save(self, frame: Frame, target: Path) -> None:
        """Write the picture of a frame.

        Raises:
            FileError: the file cannot be written, or its kind is unknown.
        """
        plotter = self.plotter(frame)
        try:
            plotter.screenshot(str(target))
        except (OSError, ValueError) as error:  # ValueError: no kind of picture has this ending
            why = reason(error) if isinstance(error, OSError) else "a picture's name ends in .png, .jpg, .bmp or .tif"
            raise FileError(f"{target} could not be written: {why}; name another file with -o") from None
        finally:
            plotter.close()

    def plotter(self, frame: Frame) -> Any:
        """The scene of a frame, as pyvista draws it."""
        plotter = self.pv.Plotter(off_screen=True, window_size=list(self.size))
        plotter.set_background("white")
        shown = self.shown(frame)
        self._grains(plotter, frame, shown)
        if self.look.contacts:
            self._contacts(plotter, frame, shown)
        self._legend(plotter, frame)  # before the walls: the bar shows the colours of what was drawn last
        for one in self.walls(frame):
            if one.mesh.n_points:
                plotter.add_mesh(one.mesh, **one.style)
        self._aim(plotter)
        plotter.enable_anti_aliasing("ssaa")
        return plotter

    def _aim(self, plotter: Any) -> None:
        view = fitted(self.corners, self.axes, self.size[0] / self.size[1], self.planar)
        plotter.camera_position = [tuple(view.eye), tuple(view.target), tuple(view.up)]
        plotter.camera.view_angle = ANGLE
        if view.height is not None:
            plotter.enable_parallel_projection()
            plotter.camera.parallel_scale = 0.5 * view.height
        plotter.reset_camera_clipping_range()

    def _make_room(self, walls: list[Drawn]) -> None:
        """Let the corners of what is shown take in walls."""
        corners = [self.corners, *(corners_of(one.mesh) for one in walls)]
        every = np.concatenate(corners)
        self.corners = np.array([every.min(axis=0), every.max(axis=0)])

    def _middle(self, frame: Frame) -> float:
        """Coordinate along y of the plane that cuts: through the axis of the first tube or cone, else the middle of the grains."""
        wanted = [middle for wall in walls_there(frame) if (middle := wall.middle()) is not None]
        return wanted[0] if wanted else float(self.bounds[:, 1].mean())

    def _grains(self, plotter: Any, frame: Frame, shown: np.ndarray) -> None:
        if not shown.any():
            return
        mesh = frame_mesh(frame, sides_for(int(shown.sum())), shown)
        faint = {"opacity": FAINT} if self.look.contacts else {"specular": 0.3}
        painted: dict[str, Any] = {"scalars": "colour", "rgb": True}
        if self.colouring.limits is None:
            mesh["colour"] = np.rint(255.0 * self.colouring.colours(frame)).astype(np.uint8)[mesh["id"]]
        else:
            mesh["colour"] = self.colouring.values(frame)[mesh["id"]].astype(float)
            painted = {"scalars": "colour", "cmap": SCALE, "clim": self.colouring.limits, "nan_color": "lightgray"}
        _smooth(plotter.add_mesh(mesh, show_scalar_bar=False, ambient=AMBIENT, **painted, **faint))

    def _contacts(self, plotter: Any, frame: Frame, shown: np.ndarray) -> None:
        chains = force_chains(frame, shown, self.strongest)
        if not len(chains.surface.points):
            return
        mesh = polydata(chains.surface)
        mesh["force"] = chains.force
        span = (0.0, self.strongest or 1.0)
        _smooth(plotter.add_mesh(mesh, show_scalar_bar=False, ambient=AMBIENT, scalars="force", cmap=FORCES, clim=span))

    def _legend(self, plotter: Any, frame: Frame) -> None:
        font = max(10, min(self.size[0] // 38, self.size[1] // 42))
        title = "normal force (N)" if self.look.contacts else self.colouring.title if self.colouring.limits is not None else ""
        if title and plotter.mapper is not None:
            span = self.strongest if self.look.contacts else np.ptp(self.colouring.limits or (0.0, 1.0))
            plotter.add_scalar_bar(
                title=f"{title}\n", color="black", fmt="%.0f" if span > 30.0 else "%.2g", n_labels=4, font_family="arial", title_font_size=font,
                label_font_size=font, width=0.7, height=0.085, position_x=0.15, position_y=0.015,
            )  # fmt: skip
        elif names := self.colouring.legend(frame):
            high = min(0.028 * len(names), 0.2)
            plotter.add_legend([list(one) for one in names], bcolor=None, face="circle", loc="lower center", size=(0.3, high))
        plotter.add_text(f"t = {frame.time:.4g} s", position="upper_left", color="black", font="arial", font_size=max(8, font // 2))


def _smooth(actor: Any) -> None:
    """Shade a surface by its own normals; pyvista would compute others."""
    actor.prop.SetInterpolationToPhong()


def require_poses(result: Result) -> None:
    """Raise FileError unless frames hold where grains are and how they are turned.

    Args:
        result: result of a run.
    """
    round_ones = (result.catalogue["kind"][result.species_rows] == 1).all()
    for field in ("position",) if round_ones else ("position", "orientation"):
        if field not in result.fields:
            raise FileError(
                f"{result.path} holds no frames with the field '{field}': name a result, and in its case put the field into output.fields"
            )


def bounds_of(result: Result, frames: list[int]) -> np.ndarray:
    """Lower and upper corner of the centres of all grains that are in the domain in some frames (m), (2, 3); of none the origin.

    Args:
        result: result of a run.
        frames: numbers of the frames.
    """
    found = []
    for k in frames:
        frame = result[k]
        inside = frame["position"][frame.present]
        found += [inside.min(axis=0), inside.max(axis=0)] if len(inside) else []
    return np.array([np.min(found, axis=0), np.max(found, axis=0)]) if found else np.zeros((2, 3))
