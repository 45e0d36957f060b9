"""The layout of results: H5MD 1.1 (de Buyl, Colberg and Hoefling, Comput. Phys. Commun. 185, 2014, 1546; nongnu.org/h5md)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import h5py
import numpy as np

import pardem
from pardem.version import FORMAT

from ..arrays import name_again, put
from ..layout import LayoutError, corners, fixed, text
from ..reading import FIRST_FIELD, FRAMES, PARAMETERS
from ..state.seals import crc32_of, crc32_of_array, get_sums, put_sums


def label(file: h5py.File, kind: str, base_step: int = -1) -> None:
    """Write the kind of a file.

    Args:
        file: the file.
        kind: its kind.
        base_step: step of the checkpoint after which it begins; -1: there is none.
    """
    attributes = file.attrs
    attributes["pardem_kind"] = fixed(kind)
    attributes["pardem_format"] = FORMAT
    attributes["base_step"] = base_step


def write_metadata(file: h5py.File, case_text: str, case_hash: str, catalogue: Mapping[str, np.ndarray], author: str = "unknown") -> None:
    """Write the groups /h5md and /parameters/pardem.

    Args:
        file: the file.
        case_text: effective case.
        case_hash: hash of the trajectory.
        catalogue: arrays of the shape catalogue by name.
        author: author of the file.
    """
    meta = file.create_group("h5md")
    meta.attrs["version"] = np.array([1, 1], dtype=np.int32)
    meta.create_group("author").attrs["name"] = fixed(author)
    creator = meta.create_group("creator")
    creator.attrs["name"] = fixed("pardem")
    creator.attrs["version"] = fixed(pardem.__version__)
    parameters = file.create_group(PARAMETERS)
    parameters.attrs["units"] = fixed("SI")
    parameters.attrs["case_hash"] = fixed(case_hash)
    parameters["case"] = fixed(case_text)
    for name, values in catalogue.items():
        put(parameters, f"catalogue/{name}", values)


def write_box(file: h5py.File, lower: np.ndarray, upper: np.ndarray, periodic: Any) -> None:
    """Write the constant part of the box; ``write_edges`` follows when the frames are known.

    Args:
        file: the file.
        lower: (3,) lower corner (m).
        upper: (3,) upper corner (m).
        periodic: (3,) bool, which axes are periodic.
    """
    box = file.require_group(FRAMES).create_group("box")
    box.attrs["dimension"] = 3
    box.attrs.create("boundary", np.array([b"periodic" if p else b"none" for p in periodic], dtype=h5py.string_dtype("ascii", len("periodic"))))
    box.attrs["lower"] = np.asarray(lower, dtype=float)
    box.attrs["upper"] = np.asarray(upper, dtype=float)


def read_box(file: h5py.File) -> tuple[np.ndarray, np.ndarray, list[bool]]:
    """Read what ``write_box`` wrote.

    Args:
        file: the file.

    Returns:
        Lower and upper corner (m) and whether each axis is periodic.

    Raises:
        LayoutError: it is something else, or its checksum, where the file has one, is wrong.
    """
    name = f"{FRAMES}/box"
    box, known = file[name], get_sums(file, "static")
    lower, upper = corners(box)
    kinds = [text(kind) for kind in np.atleast_1d(box.attrs["boundary"])]
    if len(kinds) != 3:
        raise LayoutError(f"{name} has not three kinds of boundaries")
    if name in known and crc32_of(box) != known[name]:
        raise LayoutError(f"the checksum of {name} is wrong")
    return lower, upper, [kind == "periodic" for kind in kinds]


def write_edges(file: h5py.File) -> None:
    """Write the edge lengths of the box for each frame.

    Args:
        file: the file.
    """
    box = file[f"{FRAMES}/box"]
    edges = box.create_group("edges")
    times = file[f"{FRAMES}/{FIRST_FIELD}"]
    edges["step"], edges["time"] = times["step"], times["time"]
    edges["value"] = np.tile(box.attrs["upper"] - box.attrs["lower"], (len(times["step"]), 1))


def write_steps(file: h5py.File, fields: list[str], steps: np.ndarray, times: np.ndarray) -> None:
    """Write step and time of the frames, which all fields share through hard links.

    Args:
        file: the file.
        fields: names of the fields.
        steps: (T,) steps.
        times: (T,) times (s).
    """
    for key, ticks in (("step", steps), ("time", times)):
        shared = put(file, f"{FRAMES}/{FIRST_FIELD}/{key}", ticks)
        for name in fields:
            if name != FIRST_FIELD:
                name_again(file, f"{FRAMES}/{name}/{key}", shared)


def write_observables(file: h5py.File, steps: np.ndarray, times: np.ndarray, values: Mapping[str, np.ndarray]) -> None:
    """Write /observables with checksums. Each observable has a ``value`` of shape (T, ...); ``step`` and ``time`` are shared through hard links.

    Args:
        file: the file.
        steps: (T,) steps.
        times: (T,) times (s).
        values: values by name.
    """
    clock = {"step": steps, "time": times}
    shared: dict[str, Any] = {}
    sums: dict[str, int] = {}
    for name, rows in values.items():
        for key, ticks in clock.items():
            path = f"observables/{name}/{key}"
            if key in shared:
                name_again(file, path, shared[key])
            else:
                shared[key], sums[path] = put(file, path, ticks), crc32_of_array(ticks)
        put(file, f"observables/{name}/value", rows)
        sums[f"observables/{name}/value"] = crc32_of_array(rows)
    put_sums(file, "observables", sums)


def missing(kind: np.dtype) -> float:
    """Return the value that stands for a field, or an array of contacts, in the frames of segments that lack it.

    Args:
        kind: type of the field.

    Returns:
        The value.
    """
    return np.nan if kind.kind == "f" else 0


def stack(rows: list[np.ndarray]) -> np.ndarray:
    """Stack the rows of one observable. Rows of floats that are shorter than others are filled with NaN.

    Args:
        rows: the rows.

    Returns:
        (T, ...) array.
    """
    shapes = {r.shape for r in rows}
    if len(shapes) == 1:
        return np.stack(rows)
    most = tuple(max(extents) for extents in zip(*shapes, strict=True))
    out = np.full((len(rows), *most), np.nan)
    for target, row in zip(out, rows, strict=True):
        target[tuple(slice(0, k) for k in row.shape)] = row
    return out
