"""A frame as one page that turns in the browser: shapes, poses and colours in numbers, drawn there by WebGL; nothing is loaded from elsewhere."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import Any

import numpy as np

from pardem.errors import FileError

from ..analysis.frame import Frame
from ..analysis.mesh import orientations
from ..state.shared_errors import reason
from .camera import ANGLE
from .chains import force_chains
from .colours import SCALE
from .drawn_walls import Drawn
from .page_script import PAGE
from .picture import FAINT, FORCES, Painter
from .rounded_surfaces import FINEST, TriangleMesh, grain_surface, sides_for

INSTANCE = 11  # numbers of a grain: centre, quaternion, size factor, colour


def write_page(painter: Painter, frame: Frame, target: Path) -> None:
    """Write the page of a frame.

    Args:
        painter: which would draw the frame as a picture.
        frame: frame of a result.
        target: file to write (.html).

    Raises:
        FileError: the file cannot be written.
    """
    scene = json.dumps(scene_of(painter, frame), separators=(",", ":"))
    title = str(frame.result.case_tables.get("title") or frame.result.path.stem)
    text = PAGE.replace("@TITLE@", html.escape(title)).replace("@LEGEND@", _legend(painter, frame)).replace("@SCENE@", scene.replace("<", "\\u003c"))
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(f"{target} could not be written: {reason(error)}; name another file with -o") from None


def scene_of(painter: Painter, frame: Frame) -> dict[str, Any]:
    """What the script draws, in values that JSON can represent; lengths are relative to ``size`` about ``middle``.

    Args:
        painter: which would draw the frame as a picture.
        frame: frame of a result.
    """
    middle, size = painter.corners.mean(axis=0), float(np.linalg.norm(np.ptp(painter.corners, axis=0))) or 1.0
    shown = painter.shown(frame)
    upright = np.sign(frame.result.up[np.argmax(np.abs(frame.result.up))]) * np.eye(3)[np.argmax(np.abs(frame.result.up))]
    solids = [_walls(one, middle, size) for one in painter.walls(frame) if one.mesh.n_points]
    if painter.look.contacts:
        solids.append(_contacts(painter, frame, middle, size))
    return {
        "grains": [_grains(painter, frame, int(s), shown, middle, size) for s in np.unique(frame.result.species_rows[shown])],
        "opacity": FAINT if painter.look.contacts else 1.0,
        "solids": solids,
        "toward": painter.axes[2].tolist(),
        "up": (painter.axes[1] if painter.planar else upright).tolist(),
        "half": (0.5 * np.ptp(painter.corners, axis=0) / size).tolist(),
        "angle": ANGLE,
    }


def _grains(painter: Painter, frame: Frame, species: int, shown: np.ndarray, middle: np.ndarray, size: float) -> dict[str, Any]:
    """One shape, and where the grains that have it are."""
    rows = np.nonzero((frame.result.species_rows == species) & shown)[0]
    one = grain_surface(frame.result.catalogue, species, min(FINEST, sides_for(len(rows))))
    instances = np.empty((len(rows), INSTANCE))
    instances[:, :3] = (frame["position"][rows] - middle) / size
    instances[:, 3:7] = orientations(frame, rows)
    instances[:, 7] = frame.scale[rows]
    instances[:, 8:] = painter.colouring.colours(frame)[rows]
    return _numbers(TriangleMesh(one.points / size, one.normals, one.triangles)) | {"instances": _packed(instances, np.float32)}


def _walls(one: Drawn, middle: np.ndarray, size: float) -> dict[str, Any]:
    """A wall as triangles, or as lines where it is drawn by its edges."""
    from matplotlib.colors import to_rgb

    colour, opacity = to_rgb(one.style.get("color", "gray")), float(one.style.get("opacity", 1.0))
    mesh = one.mesh.extract_surface(algorithm=None) if not hasattr(one.mesh, "faces") else one.mesh
    if one.style.get("style") == "wireframe" or not len(mesh.faces):
        edges = mesh.extract_all_edges() if len(mesh.faces) else mesh
        lines = _segments(np.asarray(edges.lines))
        return {"points": _packed((np.asarray(edges.points) - middle) / size, np.float32), "lines": _packed(lines, np.uint32), "colour": colour}
    mesh = mesh.triangulate().compute_normals(cell_normals=False, split_vertices=False, consistent_normals=True)
    triangles = np.asarray(mesh.faces).reshape(-1, 4)[:, 1:]
    surface = TriangleMesh((np.asarray(mesh.points) - middle) / size, np.asarray(mesh.point_data["Normals"]), triangles)
    return _numbers(surface) | {"colour": colour, "opacity": opacity}


def _contacts(painter: Painter, frame: Frame, middle: np.ndarray, size: float) -> dict[str, Any]:
    from matplotlib import colormaps

    chains = force_chains(frame, painter.shown(frame), painter.strongest)
    surface = TriangleMesh((chains.surface.points - middle) / size, chains.surface.normals, chains.surface.triangles)
    colours = colormaps[FORCES](chains.force / (painter.strongest or 1.0))[:, :3]
    return _numbers(surface) | {"colours": _packed(colours, np.float32), "opacity": 1.0}


def _segments(lines: np.ndarray) -> np.ndarray:
    """Pairs of points ((m, 2)) of VTK's polylines: the number of points, then the points."""
    pairs, k = [], 0
    while k < len(lines):
        points = lines[k + 1 : k + 1 + lines[k]]
        pairs.append(np.column_stack([points[:-1], points[1:]]))
        k += 1 + int(lines[k])
    return np.concatenate(pairs or [np.empty((0, 2), np.int64)])


def _numbers(surface: TriangleMesh) -> dict[str, Any]:
    return {
        "points": _packed(surface.points, np.float32), "normals": _packed(surface.normals, np.float32),
        "triangles": _packed(surface.triangles, np.uint32),
    }  # fmt: skip


def _packed(values: np.ndarray, kind: type) -> str:
    """Numbers as base64 text, little-endian."""
    return base64.b64encode(np.ascontiguousarray(values).astype(np.dtype(kind).newbyteorder("<")).tobytes()).decode()


def _legend(painter: Painter, frame: Frame) -> str:
    """What is beside the scene: the time, and species or a scale with their colours."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    lines = [f"t = {frame.time:.4g} s"]
    limits = (0.0, painter.strongest) if painter.look.contacts else painter.colouring.limits
    if limits is not None:
        title, scale = ("normal force (N)", FORCES) if painter.look.contacts else (painter.colouring.title, SCALE)
        stops = ",".join(to_hex(colormaps[scale](share)) for share in np.linspace(0.0, 1.0, 9))
        bar = f'<span class="bar" style="background:linear-gradient(to right,{stops})"></span>'
        lines.append(f"{html.escape(title)}<br>{limits[0]:.3g} {bar} {limits[1]:.3g}")
    lines += [f'<span class="dot" style="background:{colour}"></span> {html.escape(name)}' for name, colour in painter.colouring.legend(frame)]
    return "<br>".join(lines)
