"""Copying the frames of segments into a result, or only reading them, each rank its block of ids and of contacts, with a look at their checksums."""

from __future__ import annotations

from typing import NamedTuple

import h5py
import numpy as np
from mpi4py import MPI

from pardem.errors import FileError

from ..arrays import array_at
from ..layout import CONTACTS
from ..reading import FRAMES
from ..state.checksum import joined, part
from ..state.holders import Holders
from ..state.losses import Loss
from ..state.ordered_rows import Rows
from ..state.packing import make_readable, unit_of
from ..state.row_writer import RowWriter
from ..state.rowfile import RowFile
from ..state.seals import CLOCK, CONTACT_TABLE, COUNT, DAMAGE, TABLE, crc32_of_clock, crc32_of_counts
from ..state.shared_errors import UnreadableError, agree, reason, unreadable
from .contact_frames import shape_of
from .contact_series import ContactSeries
from .h5md import missing
from .series import Piece, Series

_Sums = tuple[list[int], list[int]]  # of the fields of a frame with its clock, of its contacts with their number


def copy_frames(file: RowFile, series: Series, count: int, compression: str = "none") -> list[Loss]:
    """Copy the frames of all segments one at a time, each rank its block of ids and of contacts, and compare them with their checksums.

    Args:
        file: the result.
        series: frames of the segments.
        count: number of grains.
        compression: how the fields of grains are compressed in the result, or none.

    Returns:
        The frames that are not what was written. If there are any, they are removed from the series, and the file must be written anew.
    """
    damaged, contacts, first = list[Loss](), series.contacts, 0  # the contacts before any frame is taken out
    holders = _holders(file.comm, series, count, compression)
    sums: list[_Sums] = []
    with file.rows(holders, compression, count) as writer:
        for piece in series.pieces:
            length = len(piece.rows)
            with _Source(holders, piece, series, count) as source:
                sums += _copy_piece(writer, source, contacts, first, damaged)
            first += length
    if sums and not damaged:
        with file.structure() as handle:
            if handle is not None:
                handle[TABLE][:] = np.array([of_fields for of_fields, _ in sums], dtype=np.uint32)
                if contacts.types:
                    handle[CONTACT_TABLE][:] = np.array([of_contacts for _, of_contacts in sums], dtype=np.uint32)
    return damaged


def leave_out_damaged(comm: MPI.Comm, series: Series, count: int, compression: str = "none") -> list[Loss]:
    """Read the frames of all segments one at a time, and take those out of the series that differ from what was written. Collective.

    Args:
        comm: communicator.
        series: frames of the segments; changed.
        count: number of grains.
        compression: how the fields of grains are compressed, or none.

    Returns:
        The frames that are not what was written.

    Raises:
        UnreadableError: the system does not read a segment; on every rank.
    """
    damaged, holders = list[Loss](), _holders(comm, series, count, compression)
    for piece in series.pieces:
        whole = np.ones(len(piece.rows), dtype=bool)
        with _Source(holders, piece, series, count) as source:
            for k in range(len(whole)):
                *_, problem = source.read(k)
                if problem:
                    whole[k] = False
                    damaged.append(_loss(piece, k, problem))
        piece.keep(whole)
    series.pieces = [piece for piece in series.pieces if len(piece.rows)]
    return damaged


def _holders(comm: MPI.Comm, series: Series, count: int, compression: str) -> Holders:
    """Who reads the frames of a series."""
    frame = count * sum(width * kind.itemsize for width, kind in series.fields.values())
    return Holders.of(comm, frame + series.contacts.nbytes // max(1, series.frames), unit_of(compression))


def _loss(piece: Piece, k: int, problem: str) -> Loss:
    """Frame ``k`` of those of a segment that count, which is damaged."""
    step = int(piece.steps[k])
    return Loss(piece.path.name, f"is damaged: {problem}", 1, (step, step))


def _copy_piece(writer: RowWriter, source: _Source, contacts: ContactSeries, first: int, damaged: list[Loss]) -> list[_Sums]:
    """Copy the frames of a segment as long as none is damaged; take those that are out of it. Collective.

    Args:
        writer: what writes into the result.
        source: the segment.
        contacts: where the contacts of each frame of the result are.
        first: number of the segment's first frame in the result.
        damaged: what is lost so far; lengthened.

    Returns:
        Checksums of the frames that were copied.
    """
    found: list[_Sums] = []
    piece, whole = source.piece, np.ones(len(source.piece.rows), dtype=bool)
    for k in range(len(whole)):
        columns, blocks, sums, problem = source.read(k)
        if problem:
            whole[k] = False
            damaged.append(_loss(piece, k, problem))
        if damaged:
            continue
        begin = int(contacts.first[first + k])
        for column, rows in zip(columns, blocks, strict=True):
            if column.place.of_contacts:
                writer.write(column.place.path, Rows(rows, column.start), begin)
            else:
                writer.write(column.place.path, Rows(rows, column.start), frame=first + k)
        found.append(_sums(source, contacts, (first + k, k), sums))
    piece.keep(whole)
    return found


def _sums(source: _Source, contacts: ContactSeries, frame: tuple[int, int], sums: list[int]) -> _Sums:
    """Checksums of a frame, as the result holds them.

    Args:
        source: the segment that holds the frame.
        contacts: where the contacts of each frame of the result are.
        frame: its number in the result and in the segment.
        sums: CRC-32 of its fields, then of its arrays of contacts.
    """
    (t, k), fields = frame, len(source.fields)
    clock = crc32_of_clock(source.piece.steps[k], source.piece.times[k])
    number = crc32_of_counts(int(contacts.first[t + 1] - contacts.first[t]), bool(contacts.known[t])) if contacts.types else 0
    return [clock, *sums[:fields]], [number, *sums[fields:]]


class _Place(NamedTuple):
    """Where an array of a frame is.

    Attributes:
        name: name for messages.
        path: path in the file.
        of_contacts: whether it is an array of contacts.
        there: whether the segment has it.
        begin: row of the frame, or of its first contact, in the segment.
        total: number of rows on all ranks.
    """

    name: str
    path: str
    of_contacts: bool
    there: bool
    begin: int
    total: int


class _Column(NamedTuple):
    """An array of a frame, of which each rank copies some rows.

    Attributes:
        place: where it is.
        start: first row of this rank.
        stop: one past its last row.
        width: width of a row.
        kind: type in the result.
        expected: CRC-32; None if none was noted.
    """

    place: _Place
    start: int
    stop: int
    width: int
    kind: np.dtype
    expected: int | None

    def read(self, file: h5py.File) -> np.ndarray:
        """The rows of this rank."""
        data, begin = array_at(file, self.place.path), self.place.begin
        if self.place.of_contacts:
            return data.rows(begin + self.start, begin + self.stop)
        return data.rows(self.start, self.stop, (begin,))


class _Source:
    """A segment whose frames the holders read, each its block of ids and of contacts. Every method is collective."""

    def __init__(self, holders: Holders, piece: Piece, series: Series, count: int) -> None:
        self.holders, self.comm, self.piece, self.count = holders, holders.comm, piece, count
        self.fields, self.arrays = series.fields, series.contacts.types
        self.file: h5py.File | None = None
        self.unopened: str | FileError | None = None

    def __enter__(self) -> _Source:
        if self.holders.mine:
            try:
                self.file = h5py.File(self.piece.path, "r", locking=False)
                for name in self.fields:
                    make_readable(self.file, f"{FRAMES}/{name}/value")
            except OSError as error:  # it could be opened a moment ago; if it is damaged, each of its frames will be said to be
                found = unreadable(self.piece.path, error)
                self.unopened = found if isinstance(found, UnreadableError) else "it cannot be opened"
        return self

    def __exit__(self, *_: object) -> None:
        if self.file is not None:
            self.file.close()

    def read(self, k: int) -> tuple[list[_Column], list[np.ndarray], list[int], str]:
        """Frame ``k`` of those that count.

        Returns:
            the fields of the result, then its arrays of contacts; this rank's rows of each, as the result holds them; CRC-32 of each; what is wrong,
            or "".
        """
        columns, blocks = self._columns(k), list[np.ndarray]()
        raw, new = list[int](), list[int]()
        message = self.unopened
        for column in columns:
            shape = shape_of(column.stop - column.start, column.width) if column.place.of_contacts else (column.stop - column.start, column.width)
            block = there = np.full(shape, missing(column.kind), column.kind)
            try:
                if column.place.there and self.file is not None:
                    there = column.read(self.file)
                    block[:] = there
            except DAMAGE as error:
                refused = unreadable(self.piece.path, error, column.place.path)
                message = message or (refused if isinstance(refused, UnreadableError) else f"{column.place.name} cannot be read ({reason(error)})")
            behind = (column.place.total - column.stop) * column.width
            raw.append(part(there, behind * there.itemsize))
            new.append(raw[-1] if there.dtype == column.kind else part(block, behind * column.kind.itemsize))
            blocks.append(block)
        sums = joined(self.comm, raw + new)
        try:
            agree(self.comm, message)
        except UnreadableError:  # what it holds may be as good as ever: no frame is given up for that
            raise
        except FileError as error:
            return columns, blocks, [], str(error)
        wrong = [c.place.name for c, found in zip(columns, sums, strict=False) if c.place.there and c.expected is not None and c.expected != found]
        return columns, blocks, sums[len(raw) :], f"the checksum of {', '.join(wrong)} is wrong" if wrong else ""

    def _columns(self, k: int) -> list[_Column]:
        """What is copied of frame ``k``."""
        piece, contacts = self.piece, self.piece.contacts
        first, total = (0, 0) if contacts is None else (int(contacts.start[k]), int(contacts.stop[k] - contacts.start[k]))
        noted = {name: int(sums[k]) for name, sums in piece.sums.items() if name != CLOCK}
        of_contacts = {} if contacts is None else {name: int(sums[k]) for name, sums in contacts.sums.items() if name != COUNT}
        there = () if contacts is None else contacts.types
        count = self.count
        fields = [_Place(name, f"{FRAMES}/{name}/value", False, name in piece.fields, int(piece.rows[k]), count) for name in self.fields]
        arrays = [_Place(f"{CONTACTS}/{name}", f"{CONTACTS}/{name}", True, name in there, first, total) for name in self.arrays]
        return [
            *(self._column(place, kind, noted.get(name)) for place, (name, kind) in zip(fields, self.fields.items(), strict=True)),
            *(self._column(place, kind, of_contacts.get(name)) for place, (name, kind) in zip(arrays, self.arrays.items(), strict=True)),
        ]

    def _column(self, place: _Place, kind: tuple[int, np.dtype], expected: int | None) -> _Column:
        """What this rank copies of an array with rows of a width and type, and with a checksum that was noted."""
        return _Column(place, *self.holders.span(place.total), *kind, expected)
