"""Checksums that results, segments and the static part carry, written by those who write the data.

The group ``pardem/checksums`` of a file holds ``frames`` (T, F) uint32: CRC-32 of the clock and of each field of each frame, where frames show
contacts ``contacts`` (T, C) uint32: of the number of contacts and of each of their arrays in each frame, and as JSON ``observables`` and ``static``:
CRC-32 by path. They are the same for every number of ranks.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from pardem.errors import FileError

from ..arrays import Array, object_of
from ..layout import CONTACTS, fixed, text
from ..reading import FIRST_FIELD, FRAMES, base_of, get_json, json_bytes, put_json
from .shared_errors import UnreadableError, reason, unreadable
from .zlib_calls import crc32

CHECKSUMS = "pardem/checksums"
TABLE = f"{CHECKSUMS}/frames"
CONTACT_TABLE = f"{CHECKSUMS}/contacts"
CLOCK = "clock"  # first column of the table: step and time
COUNT = "count"  # first column of the table of contacts: how many a frame has, and whether they are known
PIECE = 1 << 26  # bytes read at a time
# what the library answers where the bytes of a file are not what was written
DAMAGE = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, MemoryError, FileError)


def crc32_of_clock(step: int, time: float) -> int:
    """Compute the CRC-32 of the step and the time of a frame.

    Args:
        step: the step.
        time: the time (s).

    Returns:
        The CRC-32.
    """
    return zlib.crc32(np.float64(time).tobytes(), zlib.crc32(np.int64(step).tobytes()))


def crc32_of_counts(count: int, known: bool) -> int:
    """Compute the CRC-32 of the number of contacts of a frame and of whether they are known.

    Args:
        count: number of contacts.
        known: whether they are known.

    Returns:
        The CRC-32.
    """
    return zlib.crc32(np.array([count, known], dtype=np.int64).tobytes())


def crc32_of_array(values: np.ndarray, crc: int = 0) -> int:
    """Compute the CRC-32 of the bytes of an array.

    Args:
        values: the array.
        crc: CRC-32 of data that precede it.

    Returns:
        The CRC-32 of both.
    """
    return crc32(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data, crc)


def crc32_of(item: h5py.Dataset | h5py.Group) -> int:
    """Compute the CRC-32 of the bytes of a data set, of the UTF-8 of a text, or of the attributes of a group as JSON.

    Args:
        item: the data set or group.

    Returns:
        The CRC-32.
    """
    if isinstance(item, h5py.Group):
        return zlib.crc32(json_bytes({name: _plain(value) for name, value in item.attrs.items()}))
    if h5py.check_string_dtype(item.dtype) is not None and item.shape == ():
        return zlib.crc32(item.asstr()[()].encode())
    if item.shape == ():
        return crc32_of_array(item[()])
    crc, width = 0, max(1, item.dtype.itemsize * int(np.prod(item.shape[1:], dtype=np.int64)))
    step = max(1, PIECE // width)
    for first in range(0, item.shape[0], step):
        crc = crc32_of_array(item[first : first + step], crc)
    return crc


def crc32_at(file: h5py.File, path: str, kept: dict[str, np.ndarray]) -> int:
    """Compute ``crc32_of`` of what is at a path.

    Args:
        file: the file.
        path: the path.
        kept: takes up the array, by its path, if it is read as a whole.

    Returns:
        The CRC-32.
    """
    found = object_of(file, path)
    if isinstance(found, h5py.h5d.DatasetID) and (array := Array(found)).shape and array.dtype.kind in "iufb" and array.nbytes <= PIECE:
        kept[path] = array.read()
        return crc32_of_array(kept[path])
    return crc32_of(file[path])


def _plain(value: Any) -> Any:
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.decode() if isinstance(value, bytes) else value


def create_table(file: h5py.File, fields: Mapping[str, tuple[int, np.dtype]], rows: int | None = None) -> None:
    """Create the table of checksums of a file's frames.

    Args:
        file: the file.
        fields: width and type of each field by name.
        rows: number of frames, or None if the table grows.
    """
    _create(file, TABLE, CLOCK, fields, rows)


def create_contact_table(file: h5py.File, types: Mapping[str, tuple[int, np.dtype]], rows: int | None = None) -> None:
    """Create the table of checksums of the contacts of a file's frames.

    Args:
        file: the file.
        types: width and type of each array of contacts by name.
        rows: number of frames, or None if the table grows.
    """
    _create(file, CONTACT_TABLE, COUNT, types, rows)


def _create(file: h5py.File, name: str, first: str, fields: Mapping[str, tuple[int, np.dtype]], rows: int | None) -> None:
    width = len(fields) + 1
    options: dict[str, Any] = {} if rows is not None else {"maxshape": (None, width), "chunks": (max(1, 4096 // width), width)}
    table = file.create_dataset(name, (rows or 0, width), np.uint32, **options)
    table.attrs["columns"] = fixed(",".join([first, *(f"{name} {width} {kind.str}" for name, (width, kind) in fields.items())]))


def read_table(file: h5py.File) -> tuple[list[str], np.ndarray] | None:
    """Read the table of checksums of a file's frames.

    Args:
        file: the file.

    Returns:
        Names of the columns and rows (T, F); None if there is no table (format 1, or no frames).

    Raises:
        FileError: the fields do not have the widths and types that it records.
    """
    table = file.get(TABLE)
    if table is None:
        return None
    columns = _columns(table)
    for name, width, kind in columns[1:]:
        values = file[f"{FRAMES}/{name}/value"]
        if values.ndim != 3 or (values.shape[2], values.dtype) != (width, kind):
            raise FileError(f"the frames of {name} are of another width or type than those that were written")
    return [column[0] for column in columns], table[()]


def read_contact_table(file: h5py.File) -> tuple[dict[str, tuple[int, np.dtype]], np.ndarray] | None:
    """Read the table of checksums of the contacts of a file's frames.

    Args:
        file: the file.

    Returns:
        Width and type of each array of contacts by name, and the rows (T, C) of the table; None if frames show no contacts.

    Raises:
        FileError: the arrays do not have the widths and types that it records.
    """
    table = file.get(CONTACT_TABLE)
    if table is None:
        return None
    types = {name: (width, kind) for name, width, kind in _columns(table)[1:]}
    for name, (width, kind) in types.items():
        values = file[f"{CONTACTS}/{name}"]
        if values.shape[1:] != (() if width == 1 else (width,)) or values.dtype != kind:
            raise FileError(f"{CONTACTS}/{name} is of another width or type than what was written")
    return types, table[()]


def columns_of(table: h5py.Dataset) -> list[str]:
    """Read which fields or arrays a table has checksums of, besides its first column.

    Args:
        table: the table.

    Returns:
        Their names.
    """
    return [name for name, _, _ in _columns(table)[1:]]


def _columns(table: h5py.Dataset) -> list[tuple[str, int, np.dtype]]:
    """Name, width and type of the columns of a table; of the first the name alone counts."""
    first, *others = (column.split(" ") for column in text(table.attrs["columns"]).split(","))
    return [(first[0], 0, np.dtype(np.uint8)), *((name, int(width), np.dtype(kind)) for name, width, kind in others)]


def put_sums(file: h5py.File, what: str, sums: Mapping[str, int]) -> None:
    """Write the checksums of the ``observables`` or of the ``static`` part.

    Args:
        file: the file.
        what: ``observables`` or ``static``.
        sums: CRC-32 by path in the file.
    """
    put_json(file, f"{CHECKSUMS}/{what}", dict(sums))


def get_sums(file: h5py.File, what: str) -> dict[str, int]:
    """Read the checksums that ``put_sums`` wrote.

    Args:
        file: the file.
        what: ``observables`` or ``static``.

    Returns:
        CRC-32 by path in the file; empty if there are none.
    """
    name = f"{CHECKSUMS}/{what}"
    return dict(get_json(file, name)) if name in file else {}


def root_of(file: h5py.File) -> int:
    """Compute the CRC-32 of everything that the file records of its rows: all its checksums, its base step and its columns.

    Together with the manifest it stands for the contents: a file whose data match their checksums, and whose root is the recorded one, is what was
    written.

    Args:
        file: the file.

    Returns:
        The CRC-32.
    """
    root = zlib.crc32(json_bytes([base_of(file)]))
    group = file.get(CHECKSUMS)
    for name, item in sorted(group.items()) if isinstance(group, h5py.Group) else ():
        columns = str(item.attrs.get("columns", ""))
        root = zlib.crc32(np.asarray(item[()]).tobytes(), zlib.crc32(f"{name} {item.shape} {columns}".encode(), root))
    return root


def wrong_sums(file: h5py.File, what: str, kept: dict[str, np.ndarray] | None = None) -> list[str]:
    """Compare the data sets of the ``observables`` or the ``static`` part with their checksums.

    Args:
        file: the file.
        what: ``observables`` or ``static``.
        kept: takes up arrays that were read for that, by their paths.

    Returns:
        A sentence for each data set that is not what was written.
    """
    found = []
    try:
        sums = get_sums(file, what)
    except DAMAGE as error:
        return [f"the checksums of {what} cannot be read ({reason(error)})"]
    for name, expected in sums.items():
        if problem := _differs(file, name, expected, {} if kept is None else kept):
            found.append(problem)
    return found


def _differs(file: h5py.File, name: str, expected: int, kept: dict[str, np.ndarray]) -> str:
    try:
        return "" if crc32_at(file, name, kept) == expected else f"the checksum of {name} is wrong"
    except DAMAGE as error:
        if isinstance(found := unreadable(Path(file.filename), error, name), UnreadableError):
            raise found from None
        return f"{name} cannot be read ({reason(error)})"


def wrong_frames(file: h5py.File) -> Iterator[tuple[int, str]]:
    """Compare the frames of a file with their checksums. Frames are read one field at a time.

    Args:
        file: the file.

    Yields:
        Row and sentence of each frame that is not what was written.
    """
    found = read_table(file)
    if found is None:
        return
    columns, table = found
    clock = file[f"{FRAMES}/{FIRST_FIELD}"]
    steps, times = clock["step"][()], clock["time"][()]
    contacts = read_contact_table(file)
    for row, sums in enumerate(table):
        crcs = {name: partial(_crc_of_field, file, name, row) for name in columns[1:]}
        wrong = _wrong({CLOCK: partial(crc32_of_clock, steps[row], times[row]), **crcs}, sums)
        if contacts is not None:
            wrong += _wrong_contacts(file, contacts[0], contacts[1][row], row)
        if wrong:
            yield row, f"frame {row}: {', '.join(wrong)}"


def _crc_of_field(file: h5py.File, name: str, row: int) -> int:
    return crc32_of_array(file[f"{FRAMES}/{name}/value"][row])


def _wrong_contacts(file: h5py.File, types: Mapping[str, Any], sums: np.ndarray, row: int) -> list[str]:
    """What is wrong with the contacts of a frame."""
    group = file[CONTACTS]
    first, last = (int(k) for k in group["first"][row : row + 2])
    crcs = {f"{CONTACTS}/{name}": partial(_crc_of_contacts, group, name, first, last) for name in types}
    known = bool(group["known"][row])
    return _wrong({f"{CONTACTS}/{COUNT}": partial(crc32_of_counts, last - first, known), **crcs}, sums)


def _crc_of_contacts(group: h5py.Group, name: str, first: int, last: int) -> int:
    if not 0 <= first <= last <= len(group[name]):
        raise ValueError("there are no such rows")
    return crc32_of_array(group[name][first:last])


def _wrong(crcs: Mapping[str, Callable[[], int]], expected: np.ndarray) -> list[str]:
    """What is wrong with data whose checksums are computed by name, one after the other."""
    wrong = []
    for (name, crc), value in zip(crcs.items(), expected, strict=True):
        try:
            if crc() != value:
                wrong.append(f"the checksum of {name} is wrong")
        except DAMAGE as error:
            wrong.append(f"{name} cannot be read ({reason(error)})")
    return wrong
