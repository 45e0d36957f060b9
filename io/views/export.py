"""``pardem export``: frames for other programs: rounded shapes for ParaView, points for glyphs, GSD for OVITO, tables."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np

from pardem.errors import FileError

from ..analysis.result import Result, open_result
from ..reading import understood
from ..state.writable import WritableFile
from .export_csv import write_tables
from .export_gsd import write_gsd
from .export_vtk import write_surfaces
from .picture import require_poses
from .render import number_of
from .targets import require_ending


class Format(NamedTuple):
    """A kind of files.

    Attributes:
        write: makes them from a result; the path is that of the file or folder.
        endings: of the name of the file; none where there are several in a folder.
        shapes: whether frames must tell how grains are turned.
    """

    write: Callable[[Result, Path], None]
    endings: tuple[str, ...]
    shapes: bool


def link_vtkhdf(result: Result, target: Path) -> None:
    """A file that readers of VTKHDF know by its name: it shows the points of the result beside it, and has the names of the species.

    Args:
        result: result of a run.
        target: file to write (.vtkhdf).
    """
    beside, frames = os.path.relpath(result.path, target.parent), len(result)
    with h5py.File(result.path, "r", locking=False) as source, WritableFile(target, "w") as file:
        group, steps = file.create_group("VTKHDF"), source["VTKHDF/Steps"]
        for there, here in ((source["VTKHDF"], group), (steps, group.create_group("Steps"))):
            for name, value in there.attrs.items():
                here.attrs.create(name, value, dtype=there.attrs.get_id(name).dtype)
            for name in there:
                if name != "Steps":
                    here[name] = h5py.ExternalLink(beside, f"{there.name}/{name}")
        names = [name.encode("ascii", "replace") for name in result.species_names]
        group["FieldData/species_names"] = np.array(names, dtype=h5py.string_dtype("ascii"))  # vtk takes no others
        group["Steps/FieldDataOffsets/species_names"] = np.zeros(frames, np.int64)
        group["Steps/FieldDataSizes/species_names"] = np.tile([1, len(names)], (frames, 1))


FORMATS = {
    "vtk": Format(write_surfaces, endings=(), shapes=True),
    "vtkhdf": Format(link_vtkhdf, endings=(".vtkhdf", ".hdf"), shapes=False),
    "gsd": Format(write_gsd, endings=(".gsd",), shapes=True),
    "csv": Format(write_tables, endings=(), shapes=False),
}


def run(arguments: Namespace) -> int:
    """`pardem export` with its options (see ``options.export_options``); exit status 0."""
    return main(arguments.file, arguments.output, arguments.format)


def main(file: Path, out: Path | None = None, kind: str = "vtk") -> int:
    """Export every frame of a result into a folder, or into one file.

    Args:
        file: result file.
        out: folder or file to write; by default it lies beside the result and has its name.
        kind: format, one of ``FORMATS``.

    Returns:
        Exit status 0.

    Raises:
        FileError: the result cannot be read, the file or folder cannot be written, or a package that writes the format is not installed.
    """
    target, form = Path(out) if out is not None else Path(file).with_suffix(f".{kind}"), FORMATS[kind]
    if form.endings:
        require_ending(target, form.endings, f"a {kind} file")
    with open_result(file) as result:
        with understood(Path(file)):
            number_of(result, -1)
            if form.shapes:
                require_poses(result)
        try:
            if not form.endings:
                target.mkdir(parents=True, exist_ok=True)
            with understood(Path(file)):
                form.write(result, target)
        except OSError as error:
            raise FileError(f"{target} could not be written ({error}); name another one with -o") from None
        print(f"{len(result)} frames in {target}")
    return 0
