"""Surfaces of the grains of a frame: as arrays, and as one mesh of pyvista."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pardem.shapes import rotations

from ..views.offscreen import load_vtk
from ..views.rounded_surfaces import TriangleMesh, grain_surface

if TYPE_CHECKING:
    from .frame import Frame


def orientations(frame: Frame, rows: np.ndarray) -> np.ndarray:
    """Orientations of some grains; spheres have one also where the frame holds none.

    Args:
        frame: frame of a result.
        rows: rows of the grains.

    Returns:
        (len(rows), 4) unit quaternions (w, x, y, z).

    Raises:
        KeyError: the frame holds no orientations, and not all of these grains are spheres.
    """
    result = frame.result
    if "orientation" not in result.fields and (result.catalogue["kind"][result.species_rows[rows]] == 1).all():
        return np.tile([1.0, 0.0, 0.0, 0.0], (len(rows), 1))
    return np.asarray(frame["orientation"][rows])


def placed_surface(frame: Frame, species: int, rows: np.ndarray, sides: int) -> TriangleMesh:
    """The surfaces of some grains of one species where they are, grain after grain.

    Args:
        frame: frame of a result.
        species: row of the catalogue.
        rows: rows of the grains.
        sides: points around a ball, at least 4.
    """
    one = grain_surface(frame.result.catalogue, species, sides)
    turn = rotations.matrices(orientations(frame, rows))
    points = np.einsum("gab,pb->gpa", turn, one.points) * frame.scale[rows][:, None, None] + frame["position"][rows][:, None, :]
    normals = np.einsum("gab,pb->gpa", turn, one.normals)
    triangles = one.triangles[None] + (len(one.points) * np.arange(len(rows)))[:, None, None]
    return TriangleMesh(points.reshape(-1, 3), normals.reshape(-1, 3), triangles.reshape(-1, 3))


def polydata(surface: TriangleMesh) -> Any:
    """A surface as ``pyvista.PolyData`` with its normals."""
    pyvista = load_vtk()
    mesh = pyvista.PolyData(surface.points.astype(np.float32), np.column_stack([np.full(len(surface.triangles), 3), surface.triangles]).ravel())
    attach(mesh, "Normals", surface.normals.astype(np.float32))
    mesh.point_data.active_normals_name = "Normals"
    return mesh


def attach(mesh: Any, name: str, values: np.ndarray) -> None:
    """Give the points of a mesh some values.

    Args:
        mesh: a mesh of pyvista; it may have no points, for which pyvista by itself takes no vectors.
        name: of the array.
        values: a row for each point.
    """
    if mesh.n_points:
        mesh.point_data[name] = values
    else:
        mesh.GetPointData().AddArray(load_vtk().convert_array(values, name))


def frame_mesh(frame: Frame, sides: int, shown: np.ndarray | None = None) -> Any:
    """The rounded surfaces of the grains that are in the domain.

    Args:
        frame: frame of a result.
        sides: points around a ball, at least 4.
        shown: (n,) bool, the grains that are wanted; default: all.

    Returns:
        ``pyvista.PolyData`` whose points carry ``id`` and ``species`` (row in ``Result.species_names``).

    Raises:
        FileError: pyvista is not installed.
    """
    result, parts, ids, kinds = frame.result, [], [], []
    wanted = frame.present if shown is None else frame.present & shown
    for species in np.unique(result.species_rows[wanted]):
        rows = np.nonzero((result.species_rows == species) & wanted)[0]
        part = placed_surface(frame, int(species), rows, sides)
        each = len(part.points) // len(rows)
        parts.append(part)
        ids.append(np.repeat(result.ids[rows], each))
        kinds.append(np.full(len(part.points), species, np.int32))
    mesh = polydata(TriangleMesh.joined(parts))
    attach(mesh, "id", np.concatenate(ids or [np.empty(0, np.int64)]))
    attach(mesh, "species", np.concatenate(kinds or [np.empty(0, np.int32)]))
    return mesh
