"""Rounded shapes as surfaces for ParaView: VTK PolyData, with an index of their times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pardem.errors import FileError

from ..analysis.frame import Frame
from ..analysis.mesh import attach, frame_mesh
from ..analysis.result import Result
from .drawn_walls import drawn_walls
from .offscreen import load_vtk
from .picture import bounds_of
from .rounded_surfaces import sides_for

LEFT_OUT = ("position", "image", "orientation", "outflow", "inflow")


def write_surfaces(result: Result, folder: Path) -> None:
    """Write the grains (``frame-<k>.vtp``) and walls (``walls-<k>.vtp``) of each frame, and ``frames.pvd`` and ``walls.pvd`` with their times.

    Points carry the id and species of their grain and its fields; walls carry the number of the wall in the case.

    Args:
        result: result of a run.
        folder: which exists.

    Raises:
        FileError: pyvista is not installed.
    """
    load_vtk()
    bounds = bounds_of(result, list(range(len(result))))
    grains, walls = [], []
    for frame in result:
        name = f"{frame.number:06d}.vtp"
        _save(grain_surfaces(frame), folder / f"frame-{name}")
        grains.append(_entry(frame, f"frame-{name}"))
        if (mesh := wall_surfaces(frame, bounds)) is not None:
            _save(mesh, folder / f"walls-{name}")
            walls.append(_entry(frame, f"walls-{name}"))
    _write_index(folder / "frames.pvd", grains)
    if walls:
        _write_index(folder / "walls.pvd", walls)


def grain_surfaces(frame: Frame) -> Any:
    """The grains of a frame as one mesh of pyvista with their fields.

    Args:
        frame: frame of a result.
    """
    mesh = frame_mesh(frame, min(12, sides_for(len(frame))))
    for field in frame.result.fields:
        if field not in LEFT_OUT:
            values = frame[field]
            attach(mesh, field, (values.reshape(-1, 9) if values.ndim == 3 else values)[mesh["id"]])
    return mesh


def wall_surfaces(frame: Frame, bounds: np.ndarray) -> Any:
    """The walls that are there as one mesh of pyvista with the number of each in the case; None where there are none.

    Args:
        frame: frame of a result.
        bounds: (2, 3) lower and upper corner of all centres that are shown (m), by which endless walls get their ends.
    """
    pyvista = load_vtk()
    names, parts = [wall.get("name") for wall in frame.result.case_tables.get("wall", [])], []
    for one in drawn_walls(frame, bounds):
        if not one.name or not one.mesh.n_points:
            continue
        part = pyvista.PolyData(np.asarray(one.mesh.points), one.mesh.faces) if len(one.mesh.faces) else one.mesh.copy()
        part.clear_data()
        part.cell_data["wall"] = np.full(part.n_cells, names.index(one.name), np.int32)
        parts.append(part)
    return pyvista.merge(parts) if parts else None


def _save(mesh: Any, path: Path) -> None:
    """Write a mesh by way of memory: VTK's writer crashes on a disk that is full."""
    from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter

    writer = vtkXMLPolyDataWriter()
    writer.SetInputData(mesh)
    writer.SetDataModeToBinary()
    writer.WriteToOutputStringOn()
    if not writer.Write():
        raise FileError(f"{path} could not be written: VTK gives no reason")
    path.write_text(writer.GetOutputString())


def _entry(frame: Frame, name: str) -> str:
    return f'    <DataSet timestep="{frame.time!r}" file="{name}"/>'


def _write_index(path: Path, entries: list[str]) -> None:
    head, tail = ['<?xml version="1.0"?>', '<VTKFile type="Collection" version="0.1">', "  <Collection>"], ["  </Collection>", "</VTKFile>", ""]
    path.write_text("\n".join(head + entries + tail))
