"""The contacts of frames in the segments of a run, and as one series in its result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np

from ..layout import CONTACTS
from ..reading import FIRST_FIELD, FRAMES, get_json, put_json
from ..state.rowfile import create_for_rows
from ..state.seals import COUNT, crc32_of, crc32_of_counts, create_contact_table, get_sums, read_contact_table
from .contact_frames import WALLS, put_walls, shape_of
from .h5md import missing


@dataclass
class ContactPiece:
    """Contacts of the frames of one segment.

    Attributes:
        start: (k,) int64 first row of each frame that counts. stop: (k,) the row after its last.
        known: (k,) uint8 whether contacts were looked at.
        types: name -> (width, type) of the arrays.
        rows: length of the arrays.
        sums: name -> (k,) uint32 CRC-32 of an array's rows of each frame.
        walls: names of the walls; None where they are damaged.
    """

    start: np.ndarray
    stop: np.ndarray
    known: np.ndarray
    types: dict[str, tuple[int, np.dtype]]
    rows: int
    sums: dict[str, np.ndarray]
    walls: tuple[str, ...] | None

    def keep(self, frames: np.ndarray) -> None:
        """Restrict the piece to some of its frames.

        Args:
            frames: indices or mask.
        """
        self.start, self.stop, self.known = self.start[frames], self.stop[frames], self.known[frames]
        self.sums = {name: sums[frames] for name, sums in self.sums.items()}


def contacts_of(file: h5py.File) -> ContactPiece | None:
    """Find the contacts in a segment, for its complete frames.

    Args:
        file: the segment.

    Returns:
        The contacts; None if its frames show none.

    Raises:
        FileError: arrays are not what was written.
    """
    found = read_contact_table(file)
    if found is None:
        return None
    types, table = found
    group = file[CONTACTS]
    first, known = group["first"][()], group["known"][()]
    rows = min(len(group[name]) for name in types)
    frames = min(len(first) - 1, len(known), len(table))
    sums = {name: table[:frames, c] for c, name in enumerate([COUNT, *types])}
    named = crc32_of(file[WALLS]) == get_sums(file, "static").get(WALLS)
    walls = tuple(get_json(file, WALLS)) if named else None
    return ContactPiece(first[:frames], first[1 : frames + 1], known[:frames], types, rows, sums, walls)


def sound_counts(piece: ContactPiece) -> np.ndarray:
    """Determine for which frames the number of contacts is what was written and their rows exist.

    Args:
        piece: contacts of a segment.

    Returns:
        (k,) bool, one for each frame.
    """
    counts = zip(piece.start, piece.stop, piece.known, strict=True)
    right = np.array([crc32_of_counts(stop - start, known) for start, stop, known in counts], dtype=np.uint32) == piece.sums[COUNT]
    return np.asarray(right & (piece.start >= 0) & (piece.start <= piece.stop) & (piece.stop <= piece.rows))


class ContactSeries:
    """Contacts of all frames that count of a run.

    Args:
        pieces: for each segment with frames its path, its number of frames, and its contacts, if it has any.

    Attributes:
        types: name -> (width, type) of every array that a segment has; of its first segment. Nothing: frames show no contacts.
        walls: names of the walls.
        first: (T + 1,) int64 row at which the contacts of each frame begin.
        known: (T,) uint8 whether contacts were looked at in a frame.
    """

    def __init__(self, pieces: Iterable[tuple[Path, int, ContactPiece | None]]) -> None:
        self.pieces = list(pieces)
        there = [piece for _, _, piece in self.pieces if piece is not None]
        self.types = {name: kind for piece in reversed(there) for name, kind in piece.types.items()}
        self.walls = next((piece.walls for piece in there if piece.walls is not None), ())
        nothing = [np.zeros(0, np.int64)]
        counts = np.concatenate(nothing + [np.zeros(k, np.int64) if p is None else p.stop - p.start for _, k, p in self.pieces])
        self.first = np.concatenate([[0], np.cumsum(counts)])
        self.known = np.concatenate(nothing + [np.zeros(k, np.int64) if p is None else p.known for _, k, p in self.pieces]).astype(np.uint8)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return int(self.first[-1]) * sum(width * kind.itemsize for width, kind in self.types.values())

    def write_skeleton(self, file: h5py.File, parts: Path | None) -> None:
        """Write everything but the values of the arrays, which are virtual data sets or written later.

        Args:
            file: the result.
            parts: folder of the segments to which virtual data sets refer, or None if values are written later.
        """
        if not self.types:
            return
        group, clock = file.create_group(CONTACTS), file[f"{FRAMES}/{FIRST_FIELD}"]
        group["step"], group["time"] = clock["step"], clock["time"]
        group["first"], group["known"] = self.first, self.known
        if parts is None:
            put_walls(file, self.walls)
            create_contact_table(file, self.types, len(self.known))
        else:
            put_json(file, WALLS, list(self.walls))
        for name, (width, kind) in self.types.items():
            shape = shape_of(int(self.first[-1]), width)
            if parts is None or not shape[0]:
                create_for_rows(file, f"{CONTACTS}/{name}", shape, kind)
            else:
                group.create_virtual_dataset(name, self._layout(name, shape, kind, parts), fillvalue=missing(kind))

    def _layout(self, name: str, shape: tuple[int, ...], kind: np.dtype, parts: Path) -> h5py.VirtualLayout:
        layout = h5py.VirtualLayout(shape, dtype=kind)
        row = 0
        for path, _, piece in self.pieces:
            if piece is None:
                continue
            if name not in piece.types:
                row += int((piece.stop - piece.start).sum())
                continue
            # HDF5 looks for the source beside the file that names it; % would begin a format
            width, source_kind = piece.types[name]
            where = f"{parts.name}/{path.name}".replace("%", "%%")
            source = h5py.VirtualSource(where, f"{CONTACTS}/{name}", shape=shape_of(piece.rows, width), dtype=source_kind)
            for start, stop in _runs(piece):
                layout[row : row + stop - start] = source[start:stop]
                row += stop - start
        return layout


def _runs(piece: ContactPiece) -> Iterator[tuple[int, int]]:
    """Stretches of rows that hold the frames that count, without empty ones."""
    begin = end = 0
    for start, stop in zip(piece.start.tolist(), piece.stop.tolist(), strict=True):
        if start != end:
            if end > begin:
                yield begin, end
            begin = start
        end = stop
    if end > begin:
        yield begin, end
