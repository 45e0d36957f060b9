"""The group /VTKHDF: the frames as a time series of points that vtk and ParaView (5.12 or later) read.

Its large arrays are virtual data sets over the H5MD arrays, so it costs no copy. See docs.vtk.org, "VTKHDF file format".
"""

from __future__ import annotations

import h5py
import numpy as np

from ..arrays import name_again, object_of, put
from ..reading import FIRST_FIELD, FRAMES

STATIC = ("id", "species", "scale", "mass", "radius")  # the same in every frame
OFFSETS = "vertex_offsets"  # 0, 1, ..., n, at the root until it gets its place in the group


def write_vtkhdf(file: h5py.File, fields: list[str], times: np.ndarray) -> None:
    """Add the VTKHDF group (PolyData, one vertex per grain) to a file that has its frames and ``OFFSETS``.

    Args:
        file: the file.
        fields: names of the fields.
        times: (T,) times (s).
    """
    frames, count = len(times), file[f"{FRAMES}/id"].shape[0]
    group = file.create_group("VTKHDF", track_order=True)
    group.attrs["Version"] = np.array([2, 0], dtype=np.int64)
    group.attrs.create("Type", np.bytes_("PolyData"), dtype=h5py.string_dtype("ascii", len("PolyData")))
    steps = group.create_group("Steps")
    steps.attrs["NSteps"] = frames
    first = np.arange(frames, dtype=np.int64) * count
    zero = np.zeros(frames, dtype=np.int64)
    put(steps, "Values", times)
    put(steps, "PointOffsets", first)
    put(steps, "PartOffsets", zero)
    put(steps, "NumberOfParts", zero + 1)
    # vertices, lines, polygons, strips: the same in every frame
    put(steps, "CellOffsets", np.zeros((frames, 4), dtype=np.int64))
    put(steps, "ConnectivityIdOffsets", np.zeros((frames, 4), dtype=np.int64))
    put(group, "NumberOfPoints", np.full(frames, count, dtype=np.int64))
    _cells(file, group, frames)
    group.create_virtual_dataset("Points", _flat(file, FIRST_FIELD))
    offsets = steps.create_group("PointDataOffsets")
    data = group.create_group("PointData")
    for name in fields:
        if name != FIRST_FIELD:
            data.create_virtual_dataset(name, _flat(file, name))
            put(offsets, name, first)
    for name in filter(file[FRAMES].__contains__, STATIC):  # earlier versions wrote no radii
        name_again(data, name, object_of(file, f"{FRAMES}/{name}"))
        put(offsets, name, zero)


def _flat(file: h5py.File, name: str) -> h5py.VirtualLayout:
    """The values (T, n, w) of a field as (T n, w)."""
    source = file[f"{FRAMES}/{name}/value"]
    frames, count, width = source.shape
    layout = h5py.VirtualLayout((frames * count, width), dtype=source.dtype)
    if frames * count:
        layout[:] = h5py.VirtualSource(".", source.name, shape=source.shape)
    return layout


def _cells(file: h5py.File, group: h5py.Group, frames: int) -> None:
    count = file[f"{FRAMES}/id"].shape[0]
    for name in ("Vertices", "Lines", "Polygons", "Strips"):
        n = count if name == "Vertices" else 0
        cells = group.create_group(name)
        put(cells, "NumberOfCells", np.full(frames, n, dtype=np.int64))
        put(cells, "NumberOfConnectivityIds", np.full(frames, n, dtype=np.int64))
        if n:
            name_again(cells, "Connectivity", object_of(file, f"{FRAMES}/id"))
            file.move(OFFSETS, f"{cells.name}/Offsets")
        else:
            put(cells, "Connectivity", np.zeros(0, np.int64))
            put(cells, "Offsets", np.zeros(1, np.int64))
