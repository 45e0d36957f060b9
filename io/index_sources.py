"""Whether the parts that an index shows hold its data: HDF5 shows fill values in the place of sources that it does not find, without an error."""

from __future__ import annotations

from pathlib import Path

import h5py
from h5py import h5d

from pardem.errors import FileError

from .arrays import addresses, array_at, object_of
from .layout import CONTACTS, FRAMES
from .state.shared_errors import reason

Sources = dict[str, dict[str, tuple[int, ...]]]


def check_sources(file: h5py.File, path: Path) -> None:
    """Open all sources of the virtual data sets of an index.

    A source of another number of axes crashes HDF5 1.10.

    Args:
        file: the index, open.
        path: its path.

    Raises:
        FileError: a part cannot be opened, or lacks a source, or has one of another shape.
    """
    for shown, sources in _sources(file).items():
        wrong = _wrong(path.parent / shown, sources)
        if wrong:
            raise FileError(f"{path} is an index, and {shown} is damaged: {wrong}; copy it again, or go on without it by --resume --accept-loss")


def _sources(file: h5py.File) -> Sources:
    """Shapes of the sources, by their names in each part, by the paths of the parts relative to the index; not of `VTKHDF`, which repeats others."""
    found: Sources = {}
    names = [(f"{where}/{name}", address) for where in (FRAMES, CONTACTS) if where in file for name, address in addresses(file[where]).items()]
    for name in {address: name for name, address in names if address >= 0}.values():
        item = object_of(file, name)
        plan = item.get_create_plist() if isinstance(item, h5d.DatasetID) else None
        if plan is None or plan.get_layout() != h5d.VIRTUAL:
            continue
        count = plan.get_virtual_count()
        for k in range(count):
            shown = plan.get_virtual_filename(k).replace("%%", "%")
            if shown != ".":  # the index itself
                selected = plan.get_virtual_srcspace(k).shape  # () where a source is shown as a whole
                shape = selected or (item.shape if count == 1 else (0, *item.shape[1:]))
                found.setdefault(shown, {})[plan.get_virtual_dsetname(k)] = shape
    return found


def _wrong(part: Path, sources: dict[str, tuple[int, ...]]) -> str:
    """What is wrong with the sources in a part, as the end of a sentence; it may have got more rows since."""
    try:
        with h5py.File(part, "r", locking=False) as file:
            for name, shape in sources.items():
                values = array_at(file, name)
                if values.shape is None or len(values.shape) != len(shape) or any(a < b for a, b in zip(values.shape, shape, strict=True)):
                    return f"{name} is of shape {values.shape} in place of {shape}"
    except KeyError:
        return f"{name} is missing"
    except (OSError, RuntimeError) as error:
        return f"it cannot be read ({reason(error)})"
    return ""
