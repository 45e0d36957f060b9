"""Surfaces of the grains of a frame as one mesh of pyvista."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..views.picture import grain_mesh, load_vtk, placed

if TYPE_CHECKING:
    from .frame import Frame


def frame_mesh(frame: Frame, smoothness: int) -> Any:
    """The rounded surfaces of the grains that are in the domain.

    Args:
        frame: of a result.
        smoothness: points around a ball.

    Returns:
        ``pyvista.PolyData`` whose points carry ``id`` and ``species`` (row in ``Result.species_names``).

    Raises:
        FileError: pyvista is not installed.
    """
    pyvista = load_vtk()
    result = frame.result
    parts = []
    for species in range(len(result.catalogue["kind"])):
        rows = np.nonzero((result.species_rows == species) & frame.present)[0]
        if not len(rows):
            continue
        mesh = placed(grain_mesh(result.catalogue, species, smoothness), frame, rows, result.species_rows)
        mesh["species"] = mesh["colour"].astype(np.int32)
        mesh["id"] = np.repeat(result.ids[rows], mesh.n_points // len(rows))
        del mesh.point_data["colour"]
        parts.append(mesh)
    return pyvista.merge(parts) if parts else pyvista.PolyData()
