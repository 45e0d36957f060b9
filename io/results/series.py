"""What the segments of a run hold, as one series: which rows of which file make up the frames, and the observables."""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import h5py
import numpy as np

from pardem.errors import FileError

from ..layout import element_names, elements, observed
from ..reading import FIRST_FIELD, FRAMES, KINDS, base_of, opened
from ..state.coverage import gaps
from ..state.losses import Loss, get_losses, read_losses
from ..state.seals import CLOCK, DAMAGE, crc32_of_clock, read_table, wrong_sums
from ..state.shared_errors import UnreadableError, reason, unreadable
from .contact_series import ContactPiece, ContactSeries, contacts_of, sound_counts
from .h5md import stack
from .paths import STATIC, segment_path, segments

_Rows = tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]  # steps, times (s) and values of observables
UNKNOWN = 2**63 - 1  # base step of a segment that cannot be read: beyond all others


@dataclass
class Piece:
    """Frames of one segment.

    Attributes:
        path: file of the segment.
        rows: (k,) int64 rows that are valid; all others have been superseded.
        steps: (k,) int64 step numbers.
        times: (k,) float64 times (s).
        fields: width and type of each field, by name.
        total: number of frames in the segment.
        sums: (k,) uint32 CRC-32 of the frames of each field, by name; empty in segments of format 1.
        contacts: contacts of the frames; None where they show none.
    """

    path: Path
    rows: np.ndarray
    steps: np.ndarray
    times: np.ndarray
    fields: dict[str, tuple[int, np.dtype]]
    total: int
    sums: dict[str, np.ndarray] = field(default_factory=dict)
    contacts: ContactPiece | None = None

    def keep(self, rows: np.ndarray) -> None:
        """Restrict the piece to some of its rows.

        Args:
            rows: indices or mask.
        """
        self.rows, self.steps, self.times = self.rows[rows], self.steps[rows], self.times[rows]
        self.sums = {name: sums[rows] for name, sums in self.sums.items()}
        if self.contacts is not None:
            self.contacts.keep(rows)

    def between(self, base: int, last: int) -> Piece:
        """Return the frames from one step to another, each of which comes later than those before it.

        Args:
            base: the first step.
            last: the other one.
        """
        piece = replace(self, contacts=None if self.contacts is None else replace(self.contacts))
        piece.keep((piece.steps <= last) & (piece.steps >= base))
        piece.keep(np.diff(piece.steps, prepend=-2) > 0)
        return piece


@dataclass
class Series:
    """All segments of a run.

    Attributes:
        pieces: segments with frames, in order.
        steps: (T,) int64 steps of the observables.
        times: (T,) float64 times of the observables (s).
        values: (T, ...) array of each observable, by name.
        losses: parts that could not be read or that differ from what was written.
        refused: the first error of those that the system did not read, and which may be as they were written.
    """

    pieces: list[Piece] = field(default_factory=list)
    steps: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    times: np.ndarray = field(default_factory=lambda: np.zeros(0))
    values: dict[str, np.ndarray] = field(default_factory=dict)
    losses: list[Loss] = field(default_factory=list)
    refused: UnreadableError | None = None

    @property
    def frames(self) -> int:
        """Number of frames."""
        return sum(len(p.rows) for p in self.pieces)

    @property
    def fields(self) -> dict[str, tuple[int, np.dtype]]:
        """Name -> (width, type) of every field that a segment has; of its first segment."""
        return {name: kind for piece in reversed(self.pieces) for name, kind in piece.fields.items()}

    @property
    def contacts(self) -> ContactSeries:
        """The contacts of the frames."""
        return ContactSeries((piece.path, len(piece.rows), piece.contacts) for piece in self.pieces)

    def clock(self) -> tuple[np.ndarray, np.ndarray]:
        """Steps (T,) and times (T,) (s) of the frames."""
        if not self.pieces:
            return np.zeros(0, np.int64), np.zeros(0)
        return np.concatenate([p.steps for p in self.pieces]), np.concatenate([p.times for p in self.pieces])


@dataclass
class _Content:
    """What one segment holds, whatever was superseded later: its frames and observables, the step behind which it begins, and what it lacks."""

    base: int = UNKNOWN
    frames: Piece | None = None
    observed: _Rows | None = None
    losses: list[Loss] = field(default_factory=list)
    refused: UnreadableError | None = None


_Reader = Callable[[h5py.File, Path, int, _Content], None]


class SegmentReader:
    """Read the segments in the folder of a run. A closed segment does not change: it is read once, however often the run makes its index.

    Args:
        parts: the folder.
    """

    def __init__(self, parts: Path) -> None:
        self._parts = parts
        self._known: dict[tuple[str, int, int], _Content] = {}

    def series(self, names: Collection[str]) -> Series:
        """Return what segments hold; frames themselves are left where they are.

        Args:
            names: names of the segments that count.

        Raises:
            FileError: the static part cannot be read.
        """
        with opened(self._parts / STATIC) as file:
            count = int(file[f"{FRAMES}/id"].shape[0])
        series = Series()
        observed: list[_Rows] = []
        files = [(number, path) for number, path in segments(self._parts) if path.name in names]
        found = [self._content(path, count) for _, path in files]
        bases, numbers = np.array([content.base for content in found], dtype=np.int64), np.array([number for number, _ in files])
        for (number, _), content in zip(files, found, strict=True):
            later = bases[numbers > number]
            # rows beyond the checkpoint from which a later segment went on were superseded
            last = int(later.min()) if len(later) else UNKNOWN
            series.losses += content.losses
            series.refused = series.refused or content.refused
            if content.frames is not None and len((piece := content.frames.between(content.base, last)).rows):
                series.pieces.append(piece)
            if content.observed is not None:
                observed.append(_until(last, *content.observed))
        _join(series, observed)
        return series

    def _content(self, path: Path, grains: int) -> _Content:
        """What a segment holds, from memory where it is as it was; what could not be read is tried again."""
        state = path.stat()
        key = (path.name, state.st_size, state.st_mtime_ns)
        content = self._known.get(key) or _read(path, grains)
        if not content.losses:
            self._known[key] = content
        return content


def lost_of_result(path: Path, parts: Path) -> list[Loss]:
    """Find what of a result will be missing where its run goes on. All is read but the frames themselves, which are when they are copied.

    Args:
        path: path of the result, whose final state has been found whole.
        parts: folder in which it is a segment, or will be the first one.

    Returns:
        The losses, except for those given up before: as ``SegmentReader`` finds them in the segment, and of `STATIC` what does not change, which is
        written anew.

    Raises:
        UnreadableError: the system does not read it.
    """
    there = path.parent == parts
    name = path.name if there else segment_path(parts, 0, "result").name
    static: list[str] = []
    try:
        with opened(path) as file:
            if not (there and (parts / STATIC).exists()):
                lacking = gaps(file).get("static")
                static = [lacking] if lacking else wrong_sums(file, "static")
            grains = len(next(iter(file[f"{KINDS['result']}/grains"].values())))
            get_losses(file)
    except UnreadableError:
        raise
    except DAMAGE as error:
        return [Loss(name, f"is damaged: {reason(error)}")]
    content = _read(path, grains)
    if content.refused is not None:
        raise content.refused
    known = read_losses(parts) if there else []
    found = [replace(loss, part=name) for loss in content.losses]
    return [loss for loss in found if loss not in known] + [Loss(STATIC, f"is damaged: {text}") for text in static]


def _read(path: Path, grains: int) -> _Content:
    """Read one file of a segment: frames where they are sound, and observables where these are."""
    content = _Content()
    try:
        with opened(path) as file:
            content.base = base_of(file)
            lacking = gaps(file)
            for what, read in (("frames", _read_frames), ("observables", _read_observables)):
                error = FileError(lacking[what]) if what in lacking else _error_of(read, file, path, grains, content)
                if error is None:
                    continue
                found = error if isinstance(error, FileError) else unreadable(path, error)
                content.refused = content.refused or (found if isinstance(found, UnreadableError) else None)
                content.losses.append(Loss(path.name, f"is damaged: {reason(error)}", _count_of(file, what)))
    except DAMAGE as error:
        content.refused = error if isinstance(error, UnreadableError) else None
        content.losses.append(Loss(path.name, f"is damaged: {reason(error)}"))
    return content


def _error_of(read: _Reader, file: h5py.File, path: Path, grains: int, content: _Content) -> Exception | None:
    """What goes wrong where a part is read; None where nothing does."""
    try:
        read(file, path, grains, content)
    except DAMAGE as error:
        return error
    return None


def _count_of(file: h5py.File, what: str) -> int:
    """Number of frames that cannot be used, as far as it is known: a clock has several names, one of which may be left."""
    if what == "frames":
        with suppress(*DAMAGE):
            return next((len(element["step"]) for element in elements(file, FRAMES).values() if "step" in element), 0)
    return 0


def _read_frames(file: h5py.File, path: Path, grains: int, content: _Content) -> None:
    if f"{FRAMES}/{FIRST_FIELD}/step" in file:
        content.frames = _frames(file, path, grains, content.losses)


def _read_observables(file: h5py.File, path: Path, grains: int, content: _Content) -> None:
    if element_names(file, "observables"):
        read: dict[str, np.ndarray] = {}
        if wrong := wrong_sums(file, "observables", read):
            raise FileError(wrong[0])
        content.observed = observed(file, read)


def _frames(file: h5py.File, path: Path, grains: int, losses: list[Loss]) -> Piece:
    """The frames of a segment that are as they were written."""
    group = file[FRAMES]
    values = {name: element["value"] for name, element in elements(file, FRAMES).items() if name != "box/edges"}
    table = read_table(file)
    if any(v.ndim != 3 or v.shape[1] != grains for v in values.values()) or (table and table[1].shape != (len(table[1]), len(values) + 1)):
        raise FileError("it holds arrays of other shapes than its run's")
    # the newest row of a segment that was cut short may not be there in all its data sets
    contacts = contacts_of(file)
    total = min(len(v) for v in [*values.values(), group[f"{FIRST_FIELD}/step"], group[f"{FIRST_FIELD}/time"], *([table[1]] if table else [])])
    if contacts is not None:
        total = min(total, len(contacts.known))
        contacts.keep(np.arange(total))
    steps, times = group[f"{FIRST_FIELD}/step"][:total], group[f"{FIRST_FIELD}/time"][:total]
    sums = {name: table[1][:total, k] for k, name in enumerate(table[0])} if table else {}
    piece = Piece(
        path, np.arange(total), steps, times, {n: (v.shape[2], v.dtype) for n, v in values.items()}, len(values[FIRST_FIELD]), sums, contacts
    )
    if contacts is not None and contacts.walls is None:
        losses.append(Loss(path.name, "is damaged: the checksum of the names of the walls is wrong"))
    if table:
        right = np.array([crc32_of_clock(step, time) for step, time in zip(steps, times, strict=True)], dtype=np.uint32) == sums[CLOCK]
        losses += [Loss(path.name, f"is damaged: the checksum of the clock of frame {row} is wrong", 1) for row in np.flatnonzero(~right)]
        piece.keep(right)
    if contacts is not None:
        right = sound_counts(contacts)
        losses += [Loss(path.name, f"is damaged: the number of contacts of frame {row} is wrong", 1) for row in piece.rows[~right]]
        piece.keep(right)
    return piece


def _until(last: int, steps: np.ndarray, times: np.ndarray, values: dict[str, np.ndarray]) -> _Rows:
    keep = steps <= last
    return steps[keep], times[keep], {name: rows[keep] for name, rows in values.items()}


def _join(series: Series, observed: list[_Rows]) -> None:
    if not observed:
        return
    series.steps = np.concatenate([o[0] for o in observed])
    series.times = np.concatenate([o[1] for o in observed])
    for name in dict.fromkeys(name for _, _, values in observed for name in values):
        # an observable that is measured in some segments only (the output keys may change where a run goes on) is NaN in the others
        shape = next(values[name].shape[1:] for _, _, values in observed if name in values)
        blocks = [values[name] if name in values else np.full((len(steps), *shape), np.nan) for steps, _, values in observed]
        if len({b.shape[1:] for b in blocks}) == 1:
            series.values[name] = np.concatenate(blocks)
        else:
            series.values[name] = stack([row for block in blocks for row in block])
