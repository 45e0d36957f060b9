"""Checksums that results, segments and the static part carry, written by those who write the data.

The group ``pardem/checksums`` of a file holds ``frames`` (T, F) uint32: CRC-32 of the clock and of each field of each frame, and as JSON
``observables`` and ``static``: CRC-32 by path. They are the same for every number of ranks.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import h5py
import numpy as np

from pardem.errors import FileError

from ..reading import FIRST_FIELD, FRAMES, get_json, json_bytes, put_json
from .agreement import reason

CHECKSUMS = "pardem/checksums"
TABLE = f"{CHECKSUMS}/frames"
CLOCK = "clock"  # first column of the table: step and time
PIECE = 1 << 26  # bytes read at a time
# what the library answers where the bytes of a file are not what was written
DAMAGE = (OSError, RuntimeError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, MemoryError, FileError)


def crc32_of_clock(step: int, time: float) -> int:
    """CRC-32 of the step and the time (s) of a frame."""
    return zlib.crc32(np.float64(time).tobytes(), zlib.crc32(np.int64(step).tobytes()))


def crc32_of_array(values: np.ndarray, crc: int = 0) -> int:
    """CRC-32 of the bytes of an array, behind data of which it is ``crc``."""
    return zlib.crc32(np.ascontiguousarray(values).reshape(-1).view(np.uint8).data, crc)


def crc32_of(item: h5py.Dataset | h5py.Group) -> int:
    """CRC-32 of the bytes of a data set, of the UTF-8 of a text, or of the attributes of a group as JSON."""
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


def _plain(value: Any) -> Any:
    values = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    return [v.decode() if isinstance(v, bytes) else v for v in values] if isinstance(values, list) else values


def create_table(file: h5py.File, fields: Mapping[str, tuple[int, np.dtype]], rows: int | None = None) -> None:
    """Make the table of a file's frames (fields: name -> width, type): of a given length, or one that grows."""
    width = len(fields) + 1
    options: dict[str, Any] = {} if rows is not None else {"maxshape": (None, width), "chunks": (max(1, 4096 // width), width)}
    table = file.create_dataset(TABLE, (rows or 0, width), np.uint32, **options)
    table.attrs["columns"] = ",".join([CLOCK, *(f"{name} {width} {kind.str}" for name, (width, kind) in fields.items())])


def read_table(file: h5py.File) -> tuple[list[str], np.ndarray] | None:
    """Columns and rows (T, F) of the table; None where there is none (format 1, or no frames).

    Raises:
        FileError: the fields are not of the widths and types that it notes.
    """
    table = file.get(TABLE)
    if table is None:
        return None
    columns = [text.split(" ") for text in str(table.attrs["columns"]).split(",")]
    for name, width, kind in columns[1:]:
        values = file[f"{FRAMES}/{name}/value"]
        if values.ndim != 3 or (str(values.shape[2]), values.dtype.str) != (width, kind):
            raise FileError(f"the frames of {name} are of another width or type than those that were written")
    return [column[0] for column in columns], table[()]


def put_sums(file: h5py.File, what: str, sums: Mapping[str, int]) -> None:
    """Write the checksums of ``observables`` or of the ``static`` part: path in the file -> CRC-32."""
    put_json(file, f"{CHECKSUMS}/{what}", dict(sums))


def get_sums(file: h5py.File, what: str) -> dict[str, int]:
    """What ``put_sums`` wrote; empty where there is nothing."""
    name = f"{CHECKSUMS}/{what}"
    return dict(get_json(file, name)) if name in file else {}


def root_of(file: h5py.File) -> int:
    """CRC-32 of everything that the file says of its rows: of all its checksums, of its base step and columns.

    With the manifest it stands for the contents: a file whose data match their checksums, and whose root is the one that was noted, is what was
    written.
    """
    root = zlib.crc32(json_bytes([int(file.attrs.get("base_step", -1))]))
    for name in sorted(file.get(CHECKSUMS, ())):
        item = file[f"{CHECKSUMS}/{name}"]
        columns = str(item.attrs.get("columns", ""))
        root = zlib.crc32(np.asarray(item[()]).tobytes(), zlib.crc32(f"{name} {item.shape} {columns}".encode(), root))
    return root


def wrong_sums(file: h5py.File, what: str) -> list[str]:
    """A sentence for each data set of the ``observables`` or the ``static`` part that is not what was written."""
    found = []
    try:
        sums = get_sums(file, what)
    except DAMAGE as error:
        return [f"the checksums of {what} cannot be read ({reason(error)})"]
    for name, expected in sums.items():
        if problem := _differs(file, name, expected):
            found.append(problem)
    return found


def _differs(file: h5py.File, name: str, expected: int) -> str:
    try:
        return "" if crc32_of(file[name]) == expected else f"the checksum of {name} is wrong"
    except DAMAGE as error:
        return f"{name} cannot be read ({reason(error)})"


def wrong_frames(file: h5py.File) -> Iterator[tuple[int, str]]:
    """Row and sentence for each frame that is not what was written; frames are read one field at a time."""
    found = read_table(file)
    if found is None:
        return
    columns, table = found
    clock = file[f"{FRAMES}/{FIRST_FIELD}"]
    steps, times = clock["step"][()], clock["time"][()]
    for row, sums in enumerate(table):
        wrong = []
        for name, expected in zip(columns, sums, strict=True):
            try:
                clocked = name == CLOCK
                crc = crc32_of_clock(steps[row], times[row]) if clocked else crc32_of_array(file[f"{FRAMES}/{name}/value"][row])
            except DAMAGE as error:
                wrong.append(f"{name} cannot be read ({reason(error)})")
                continue
            if crc != expected:
                wrong.append(f"the checksum of {name} is wrong")
        if wrong:
            yield row, f"frame {row}: {', '.join(wrong)}"
