"""Making OUT.h5 as an index of the parts of a run, and what any result holds besides its rows."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from pardem.errors import FileError

from ..arrays import array_at
from ..heaps import prepare_seal, seal_sources
from ..layout import fixed
from ..reading import FRAMES, KINDS, PARAMETERS, get_json, opened, put_json
from ..state.checkpoint import checkpoints, step_of
from ..state.disk import sync_path, take_on_trial
from ..state.losses import Loss, put_losses
from ..state.manifest import Manifest, noted, put_manifest
from ..state.packing import packed
from ..state.rowfile import create_for_rows
from ..state.seals import DAMAGE, create_table
from ..state.shared_errors import reason, unreadable
from ..state.writable import WritableFile
from .h5md import label, missing, read_box, write_edges, write_observables, write_steps
from .paths import STATIC, earlier_results, parts_of, segments
from .series import Piece, SegmentReader, Series
from .vtkhdf import OFFSETS, write_vtkhdf
from .vtkhdf import STATIC as CONSTANT

ORIGIN = "provenance.json"


def assemble(out: Path | str) -> list[str]:
    """Write OUT.h5 as an index of the contents of OUT.h5.parts, from one process; for use after a kill or while the run is going on.

    Args:
        out: the result file, OUT.h5.

    Returns:
        One sentence for each segment or frame that could not be read.

    Raises:
        FileError: there are no parts, or OUT.h5 could not be written.
    """
    parts = parts_of(out)
    manifest = noted([path for path in [parts / STATIC, *(path for _, path in segments(parts))] if path.exists()])
    return [str(loss) for loss in manifest.losses + write_index(Path(out), manifest, SegmentReader(parts))]


def write_index(out: Path, manifest: Manifest, reader: SegmentReader, final: Path | None = None, whole: Series | None = None) -> list[Loss]:
    """Write OUT.h5 as an index of the parts that a manifest names. Called by one process.

    Args:
        out: path of the result.
        manifest: manifest of the parts.
        reader: reader of the segments, which knows those that it has read before.
        final: checkpoint of the last step, if the run is finished: the index then shows its state as the final one, and what is lost.
        whole: what is shown of the parts, if they have been read before; else all that they hold.

    Returns:
        What could not be read, except losses accepted earlier.

    Raises:
        FileError: there are no parts, or OUT.h5 could not be written.
    """
    parts = parts_of(out)
    if not (parts / STATIC).exists():
        raise FileError(f"{parts} holds no parts of a run; {out} cannot be assembled")
    series = reader.series(manifest.parts) if whole is None else whole
    new = parts / "index.new"
    try:
        take_on_trial(new, small_of(series))
        with WritableFile(new, "w") as file:
            prepare_seal(file)
            _static_index(file, parts / STATIC)
            fill(file, series, parts)
            if final is not None:
                file[KINDS["result"]] = h5py.ExternalLink(f"{parts.name}/{final.name}", f"/{KINDS['checkpoint']}")
                put_losses(file, dict.fromkeys([*manifest.losses, *series.losses]))
            put_json(file, f"{PARAMETERS}/provenance", read_origin(parts))
            put_manifest(file[PARAMETERS], manifest)
            newest = checkpoints(parts)
            file.attrs["checkpoint_step"] = step_of(newest[0]) if newest else -1
        with WritableFile(new, "r+") as file:
            seal_sources(file, new)
        sync_path(new)
        new.rename(out)
    except OSError as error:
        raise FileError(f"{out} could not be written: {reason(error)}") from None
    return [loss for loss in series.losses if loss not in manifest.losses]


def small_of(series: Series) -> int:
    """Count the bytes of what is not copied row by row.

    Args:
        series: what the result shows.
    """
    return sum(values.nbytes for values in series.values.values()) + 200 * series.frames


def fill(file: h5py.File, series: Series, parts: Path | None = None, compression: str = "none") -> None:
    """Write everything but the frames' values into a file with the static part.

    Args:
        file: the result.
        series: what it shows.
        parts: folder of the segments to which virtual data sets refer, or None if values are written later.
        compression: how the fields of grains in frames are compressed, or none.
    """
    label(file, "result")
    file.attrs["assembled"] = fixed("index" if parts else "complete")
    count = file[f"{FRAMES}/id"].shape[0]
    steps, times = series.clock()
    if series.frames:
        write_steps(file, list(series.fields), steps, times)
        if not parts:
            create_table(file, series.fields, series.frames)
        for name, (width, kind) in series.fields.items():
            shape = (series.frames, count, width)
            if parts:
                _virtual(file, name, series.pieces, shape, kind, parts)
            elif compression != "none":
                file.create_dataset(f"{FRAMES}/{name}/value", shape, kind, **packed(count, width, compression))
            else:
                create_for_rows(file, f"{FRAMES}/{name}/value", shape, kind)
        series.contacts.write_skeleton(file, parts)
        write_edges(file)
        write_vtkhdf(file, list(series.fields), times)
    if len(series.steps):
        write_observables(file, series.steps, series.times, series.values)


def _static_index(file: h5py.File, static: Path) -> None:
    """Show in a file what does not change, without a copy of what has a row for each grain."""
    where = f"{static.parent.name}/{static.name}".replace("%", "%%")
    with opened(static) as source:
        read_box(source)
        for name in ("h5md", "parameters", f"{FRAMES}/box"):
            source.copy(name, file, name)
        for name in [*(f"{FRAMES}/{field}" for field in CONSTANT if field in source[FRAMES]), OFFSETS]:
            shown = array_at(source, name)
            layout = h5py.VirtualLayout(shown.shape, dtype=shown.dtype)
            layout[:] = h5py.VirtualSource(where, name, shape=shown.shape, dtype=shown.dtype)
            file.create_virtual_dataset(name, layout)


def _virtual(file: h5py.File, name: str, pieces: list[Piece], shape: tuple[int, int, int], kind: np.dtype, parts: Path) -> None:
    layout = h5py.VirtualLayout(shape, dtype=kind)
    first = 0
    for piece in pieces:
        # HDF5 looks for the source beside the file that names it; % would begin a format
        where = f"{parts.name}/{piece.path.name}".replace("%", "%%")
        if name not in piece.fields:
            first += len(piece.rows)
            continue
        width, source_kind = piece.fields[name]
        source = h5py.VirtualSource(where, f"{FRAMES}/{name}/value", shape=(piece.total, shape[1], width), dtype=source_kind)
        start, stop = int(piece.rows[0]), int(piece.rows[-1]) + 1
        if stop - start == len(piece.rows):
            layout[first : first + len(piece.rows)] = source[start:stop]
        else:
            for k, row in enumerate(piece.rows):
                layout[first + k] = source[int(row)]
        first += len(piece.rows)
    file[f"{FRAMES}/{name}"].create_virtual_dataset("value", layout, fillvalue=missing(kind))


def read_origin(parts: Path) -> list[dict[str, Any]]:
    """Read the provenance of a run, from its result if it was finished before.

    Args:
        parts: folder of the parts.

    Returns:
        One entry for each time that the run was started.
    """
    try:
        return list(json.loads((parts / ORIGIN).read_text()))
    except (OSError, ValueError):
        pass
    for path in earlier_results(parts):
        with suppress(*DAMAGE), opened(path) as file:
            return list(get_json(file, f"{PARAMETERS}/provenance"))
    return []


def earlier_box(parts: Path) -> tuple[tuple[np.ndarray, np.ndarray, list[bool]] | None, FileError | None]:
    """Read the domain of a run that was started before.

    Args:
        parts: folder of the parts.

    Returns:
        Lower and upper corner (m) and whether each axis is periodic; None if there is no such run. And what is wrong with the first file that should
        tell them and does not, if one is there.
    """
    wrong: FileError | None = None
    for path in [parts / STATIC, *earlier_results(parts)]:
        try:
            with opened(path) as file:
                return read_box(file), wrong
        except DAMAGE as error:
            if path.exists():
                wrong = wrong or (error if isinstance(error, FileError) else unreadable(path, error))
    return None, wrong


def write_origin(parts: Path, entries: list[dict[str, Any]]) -> None:
    """Replace the provenance of a run. Called by one process.

    Args:
        parts: folder of the parts.
        entries: one entry for each time that the run was started.
    """
    new = parts / (ORIGIN + ".new")
    with open(new, "w") as file:
        json.dump(entries, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    new.rename(parts / ORIGIN)
