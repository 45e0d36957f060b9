"""Whether what a result or segment holds has the form that pardem gives it: kinds, types and numbers of rows, not the values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import h5py
import numpy as np

from .arrays import Array, addresses, array_at

FRAMES = "particles/grains"
CONTACTS = "contacts"
CONTACT_WIDTHS = {"bodies": 2, "sub": 1, "point": 3, "normal": 3, "overlap": 1, "force": 3, "couple": 3}
STATES = ("pardem/final", "pardem/state")
WIDTHS = {"position": 3, "image": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3, "force": 3, "torque": 3, "stress": 9}
PER_GRAIN = {"id": "iu", "species": "iu", "scale": "f", "mass": "f", "radius": "f"}
CATALOGUE = "parameters/pardem/catalogue"
PER_SPECIES = ("kind", "radius", "core_radius", "inertia", "centre", "axes")
LAYERED = "_layers"  # ends the names of observables with a number for each layer
ROWS = {"vertices": "vertex_start", "edges": "edge_start", "face_vertex_start": "face_start"}  # rows, and where those of each species begin


class LayoutError(ValueError):
    """What is wrong, as the end of a sentence."""


def check_layout(file: h5py.File, growing: bool) -> None:
    """Check the groups and arrays of a file that its readers rely on.

    Args:
        file: open HDF5 file.
        growing: whether the file may still be written to, in which case some arrays may already have rows that others lack.

    Raises:
        LayoutError: the file differs from what pardem writes.
    """
    for where in (FRAMES, "observables", "parameters/pardem", CATALOGUE, f"{FRAMES}/box", CONTACTS):
        if where in file and not isinstance(file[where], h5py.Group):
            raise LayoutError(f"{where} is no group")
    for where in STATES:
        _state(file, where)
    grains = _grains(file)
    for where in (FRAMES, "observables"):
        if where in file:
            grains = _rows(file, where, grains, growing)
    if CONTACTS in file:
        _contacts(file, growing)
    _catalogue(file)


def array(group: h5py.Group, name: str, kinds: str) -> Array:
    """The data set of a name, which must be an array of numbers of some kinds (as in ``dtype.kind``).

    Raises:
        LayoutError: it is missing or something else.
    """
    try:
        found: Array | None = array_at(group, name)
    except KeyError:
        found = None
    if found is None or found.shape is None or found.dtype.kind not in kinds:
        missing = found is None and group.get(name) is None
        raise LayoutError(f"{group.name.strip('/')}/{name} is {'missing' if missing else 'no array of numbers'}")
    return found


def fixed(value: str) -> np.ndarray:
    """A text as files hold it, of fixed length: those of variable length lie in a heap of the file, which the library reads for ever if it is broken.

    Args:
        value: the text.
    """
    data = value.encode()
    return np.array(data, dtype=h5py.string_dtype("utf-8", max(1, len(data))))


def text(item: Any) -> str:
    """A text that a data set or attribute holds.

    Raises:
        LayoutError: it holds something else.
    """
    value = item[()] if isinstance(item, h5py.Dataset) and item.shape == () else item
    try:
        if isinstance(value, bytes):
            return value.decode()
    except UnicodeDecodeError:
        value = None  # said below
    if isinstance(value, str):
        return value
    raise LayoutError(f"{getattr(item, 'name', None) or 'an attribute'} is no text")


def element_names(file: h5py.File, where: str) -> list[str]:
    """Names, relative to a group, of the time-dependent elements of H5MD (step, time, value) below it; none where there is no such group."""
    return _with_value(addresses(file[where])) if where in file else []


def elements(file: h5py.File, where: str) -> dict[str, h5py.Group]:
    """The time-dependent elements below a group by their names, see ``element_names``."""
    names = element_names(file, where)
    group = file[where] if names else {}
    return {name: group[name] for name in names}


def observed(
    file: h5py.File, known: Mapping[str, np.ndarray] | None = None, only: str | None = None
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]] | None:
    """Steps (T,), times (T,) (s) and values (T, ...) by name of the observables of a file; None where it has none.

    Args:
        file: the file.
        known: arrays that have been read before, by their paths.
        only: name of the only observable that is wanted.
    """
    names, known = [only] if only is not None else element_names(file, "observables"), known or {}
    if not names or (only is not None and f"observables/{only}/value" not in file):
        return None

    def read(path: str) -> np.ndarray:
        return known[path] if path in known else array_at(file, path).read()

    steps, times = (read(f"observables/{names[0]}/{key}") for key in ("step", "time"))
    return steps, times, {name: read(f"observables/{name}/value") for name in names}


def _with_value(paths: Iterable[str]) -> list[str]:
    """Of the paths below a group, the groups that hold a value."""
    return [path.removesuffix("/value") for path in paths if path.endswith("/value")]


def corners(box: h5py.Group) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner of a box (m).

    Raises:
        LayoutError: they are something else than three numbers each.
    """
    lower, upper = (np.asarray(box.attrs.get(corner)) for corner in ("lower", "upper"))
    if any(corner.shape != (3,) or corner.dtype.kind != "f" for corner in (lower, upper)):
        raise LayoutError(f"{FRAMES}/box has no three numbers for each corner")
    return lower, upper


def _rows(file: h5py.File, where: str, grains: int | None, growing: bool) -> int | None:
    """The elements of a group: as many rows of each, with steps and times. Returns the number of grains, if it is known by now."""
    group, there, clocks = file[where], addresses(file[where]), dict[int, Array]()
    rows = layers = None
    for name in _with_value(there):
        value = array(group, f"{name}/value", "iufb")
        if not value.ndim:
            raise LayoutError(f"{where}/{name}/value has no rows")
        if where == FRAMES and name != "box/edges":
            grains = value.shape[1] if grains is None and value.ndim > 1 else grains
            _fits(f"{where}/{name}/value", value, (len(value), grains or 0, WIDTHS.get(name, 1)))
        if where == "observables" and name.endswith(LAYERED):
            layers = value.shape[1:2] if layers is None else layers
            _fits(f"{where}/{name}/value", value, (len(value), *layers))
        if any(f"{name}/{key}" in there for key in ("step", "time")):
            for key, kinds in (("step", "iu"), ("time", "f")):
                _clock(group, f"{name}/{key}", there.get(f"{name}/{key}", -1), kinds, None if growing else len(value), clocks)
        if growing:
            continue
        if rows is not None and rows != len(value):
            raise LayoutError(f"{where}/{name} has {len(value)} rows, others have {rows}")
        rows = len(value)
    return grains


def _clock(group: h5py.Group, path: str, address: int, kinds: str, rows: int | None, known: dict[int, Array]) -> None:
    """Steps or times of an element; those that several share are opened once."""
    values = known.get(address)
    if values is None or values.dtype.kind not in kinds:
        values = array(group, path, kinds)
        if address >= 0:
            known[address] = values
    if values.ndim != 1 or rows not in (None, len(values)):
        name, key = path.rsplit("/", 1)
        raise LayoutError(f"{group.name.strip('/')}/{name} has {rows} rows, but its {key} is of shape {values.shape}")


def _grains(file: h5py.File) -> int | None:
    """Number of grains by the tables of constants; None where there is none."""
    counts = set()
    for name, kinds in PER_GRAIN.items():
        if f"{FRAMES}/{name}" in file:
            values = array(file[FRAMES], name, kinds)
            _fits(f"{FRAMES}/{name}", values, (len(values) if values.ndim else 0,))
            counts.add(len(values))
    if len(counts) > 1:
        raise LayoutError(f"{FRAMES} has tables of {' and '.join(map(str, sorted(counts)))} grains")
    return counts.pop() if counts else None


def _state(file: h5py.File, where: str) -> None:
    """A full state, as far as it is there: tables of grains and of contacts, each of one length."""
    state = file.get(where)
    if state is not None and not isinstance(state, h5py.Group):
        raise LayoutError(f"{where} is no group")
    if state is None:
        return
    for part in ("grains", "contacts", "small"):
        tables = state.get(part, {})
        if not isinstance(tables, h5py.Group | dict):
            raise LayoutError(f"{where}/{part} is no group")
        counts = {name: array(tables, name, "iufb").shape for name in tables}
        if part != "small" and len({shape[:1] for shape in counts.values()}) > 1:
            raise LayoutError(f"{where}/{part} has tables of different lengths ({', '.join(f'{name} {shape}' for name, shape in counts.items())})")


def contact_arrays(file: h5py.File) -> dict[str, h5py.Dataset]:
    """What a file holds of the contacts of its frames, by name; nothing where frames show none."""
    return {name: file[CONTACTS][name] for name in CONTACT_WIDTHS if name in file.get(CONTACTS, ())}


def _contacts(file: h5py.File, growing: bool) -> None:
    """Contacts of frames: arrays of as many rows as the frames have together."""
    group = file[CONTACTS]
    first, known = array(group, "first", "iu"), array(group, "known", "iu")
    for name in {"bodies", "sub", *contact_arrays(file)}:
        values, width = array(group, name, "iuf"), CONTACT_WIDTHS[name]
        _fits(f"{CONTACTS}/{name}", values, ((len(values) if values.ndim else 0), *((width,) if width > 1 else ())))
    if growing:
        return
    frames = len(array(group, "step", "iu"))
    _fits(f"{CONTACTS}/first", first, (frames + 1,))
    _fits(f"{CONTACTS}/known", known, (frames,))
    starts = first.read()
    rows = {name: len(values) for name, values in contact_arrays(file).items()}
    if starts[0] != 0 or (starts[1:] < starts[:-1]).any() or set(rows.values()) != {int(starts[-1])}:
        raise LayoutError(f"{CONTACTS}/first does not fit its arrays of {', '.join(f'{count} ({name})' for name, count in rows.items())} rows")


def _fits(name: str, values: Array, shape: tuple[int, ...]) -> None:
    """Raise unless an array's first axes have a shape."""
    if values.ndim < len(shape) or values.shape[: len(shape)] != shape:
        raise LayoutError(f"{name} is of shape {values.shape} in place of {shape}")


def _catalogue(file: h5py.File) -> None:
    if f"{CATALOGUE}/kind" not in file:
        return
    tables = file[CATALOGUE]
    count = array(tables, "kind", "iu").size
    array(tables, "radius", "f")  # there since the first format, and asked for by whoever reads frames
    for name in PER_SPECIES:
        if name in tables:
            _fits(f"{CATALOGUE}/{name}", array(tables, name, "iuf"), (count,))
    for name, starts in ROWS.items():
        if name not in tables and starts not in tables:
            continue
        values, begin = array(tables, name, "iuf"), array(tables, starts, "iu")
        first = begin.read()
        _fits(f"{CATALOGUE}/{starts}", begin, (count + 1,))
        rows = len(values) - int(name.endswith("_start")) if values.ndim else -1
        if rows < 0 or (first[1:] < first[:-1]).any() or first[0] != 0 or first[-1] != rows:
            raise LayoutError(f"{CATALOGUE}/{starts} does not fit {name}")
