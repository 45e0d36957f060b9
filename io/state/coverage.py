"""What a file of the present format must hold, with a checksum of each part: where a checksum is gone with its data, comparing them finds nothing."""

from __future__ import annotations

from collections.abc import Collection

import h5py
import numpy as np

from ..layout import CATALOGUE, CONTACTS, PER_GRAIN, LayoutError, contact_arrays, corners, element_names
from ..reading import FIRST_FIELD, FRAMES, KINDS, PARAMETERS, SEALED, is_index, kind_of
from .seals import CONTACT_TABLE, TABLE, columns_of, get_sums

EDGES = "box/edges"  # repeats the box for each frame
MAY_BE_EMPTY = {"vertices": ("f", 2), "edges": ("i", 2), "face_vertices": ("i", 1)}  # tables of shapes, whose checksum then does not show their type


def gaps(file: h5py.File) -> dict[str, str]:
    """Find what a result, segment or checkpoint lacks of what every such file holds.

    Args:
        file: the file, whose layout has been checked.

    Returns:
        The end of a sentence each for ``frames``, ``observables``, what does not change (``static``), the full ``state`` and the ``start``; only for
        those that lack something, and for none in a file of an earlier format.
    """
    if int(file.attrs["pardem_format"]) < SEALED:
        return {}
    kind = kind_of(file)
    rows = {FRAMES: [name for name in element_names(file, FRAMES) if name != EDGES], "observables": element_names(file, "observables")}
    found = {"start": _start(file, kind), "frames": _frames(file, kind, rows[FRAMES]), "observables": _observables(file, rows["observables"])}
    if kind == "segment" and not any(rows.values()) and not any(found.values()):
        found["frames"] = "it holds neither frames nor observables"
    if kind == "result" and not is_index(file):
        found["static"] = _static(file)
    if kind == "checkpoint" or (kind == "result" and ("assembled" in file.attrs or any(rows.values())) and not is_index(file)):
        found["state"] = _state(file, KINDS[kind])
    return {what: said for what, said in found.items() if said}


def _start(file: h5py.File, kind: str) -> str:
    """The step behind which a file begins: a whole number, of results always the same."""
    step = file.attrs.get("base_step", -1)
    if isinstance(step, int | np.integer) and (kind != "result" or step == -1):
        return ""
    return "its base_step is not what was written"


def _frames(file: h5py.File, kind: str, fields: Collection[str]) -> str:
    """Frames, with a checksum of each field and each array of contacts; those of an index have theirs in its parts."""
    if is_index(file):
        return ""
    table = _data(file, TABLE)
    if table is None:
        return f"there are no checksums of its frames ({TABLE})" if fields else ""
    names = [name for name in columns_of(table) if name != EDGES]
    if said := _unlike(names, fields, "frames"):
        return said
    clock = [_data(file, f"{FRAMES}/{FIRST_FIELD}/{name}") for name in ("step", "time")]
    if any(data is None for data in clock):
        return "its frames lack their steps or times"
    counts = [len(data) for data in clock if data is not None]
    if table.ndim != 2 or table.shape[1] != len(names) + 1 or (kind == "result" and {len(table)} != set(counts)):
        return f"the checksums of its frames are of shape {table.shape} for {counts[0]} frames of {len(names)} fields"
    if kind == "result" and (said := _edges(file)):
        return said
    sums = _data(file, CONTACT_TABLE)
    if sums is None:
        return f"there are no checksums of the contacts of its frames ({CONTACT_TABLE})" if CONTACTS in file else ""
    return _unlike(columns_of(sums), contact_arrays(file), "contacts of frames")


def _edges(file: h5py.File) -> str:
    """The edges of the box, which have no checksum, since they repeat the box and the times of the frames."""
    box, clock = file.get(f"{FRAMES}/box"), file[f"{FRAMES}/{FIRST_FIELD}"]
    known = {name: _data(file, f"{FRAMES}/{EDGES}/{name}") for name in ("step", "time", "value")}
    if not isinstance(box, h5py.Group) or None in known.values():
        return f"it lacks its box, or the edges of it ({FRAMES}/{EDGES})"
    try:
        lower, upper = corners(box)
    except LayoutError as error:
        return str(error)
    steps, edges = clock["step"][()], upper - lower
    expected = {"step": steps, "time": clock["time"][()], "value": np.tile(edges, (len(steps), 1))}
    alike = (np.array_equal(expected[name], data[()]) for name, data in known.items() if data is not None)
    return "" if all(alike) else f"{FRAMES}/{EDGES} is not what its box and the times of its frames say"


def _observables(file: h5py.File, names: Collection[str]) -> str:
    sums = get_sums(file, "observables")
    if not sums:
        return "there are no checksums of its observables" if names else ""
    ends = {end: [name for name in sums if name.endswith(f"/{end}")] for end in ("step", "time", "value")}
    if not all(ends.values()):
        return "the checksums of its observables are not complete"
    return _unlike([name.removeprefix("observables/").removesuffix("/value") for name in ends["value"]], names, "observables")


def _static(file: h5py.File) -> str:
    sums = get_sums(file, "static")
    if not sums:
        return "there are no checksums of grains, case and catalogue"
    grains = [f"{FRAMES}/{name}" for name in PER_GRAIN if name == "id" or f"{FRAMES}/{name}" in file]
    needed = [PARAMETERS, f"{PARAMETERS}/case", f"{FRAMES}/box", *grains, *(f"{CATALOGUE}/{name}" for name in file.get(CATALOGUE, ()))]
    for name, form in MAY_BE_EMPTY.items():
        table = _data(file, f"{CATALOGUE}/{name}")
        if table is not None and not table.size and (table.dtype.kind, table.ndim) != form:
            return f"{CATALOGUE}/{name} is of another shape or type than what pardem writes ({table.shape}, {table.dtype})"
    return next((f"there is no checksum of {name}" for name in needed if name not in sums), "")


def _state(file: h5py.File, where: str) -> str:
    state = file.get(where)
    if not isinstance(state, h5py.Group):
        return f"it lacks the full state ({where})"
    return next((f"its full state lacks {name}" for name in ("header", "grains", "contacts", "checksums") if name not in state), "")


def _data(file: h5py.File, name: str) -> h5py.Dataset | None:
    item = file.get(name)
    return item if isinstance(item, h5py.Dataset) else None


def _unlike(noted: Collection[str], there: Collection[str], what: str) -> str:
    """What is missing of the parts that have checksums, or of the checksums of the parts that are there."""
    if gone := [name for name in noted if name not in there]:
        return f"its {what} lack {', '.join(gone[:3])}{' and others' if len(gone) > 3 else ''}"
    return next((f"there is no checksum of {name} of its {what}" for name in there if name not in noted), "")
