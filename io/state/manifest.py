"""What the parts of a run are: name, size, checksum and rows of each, noted in every checkpoint; and which of them are missing."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import h5py

from pardem.errors import FileError

from ..layout import element_names
from ..reading import FIRST_FIELD, FRAMES, SEALED, get_json, json_bytes, kind_of, opened, put_json
from ..results.paths import STATIC
from .losses import Loss, losses_of, read_losses
from .seals import DAMAGE, get_sums, root_of
from .shared_errors import UnreadableError, unreadable

MANIFEST = "manifest"  # in checkpoints; below the parameters in an index


@dataclass
class Manifest:
    """The parts of a run at the time of a checkpoint.

    Attributes:
        parts: for each part, by name, its ``size`` (bytes), ``checksum`` (see ``root_of``), ``frames`` and ``observables`` (numbers of rows) and
            ``steps`` (first and last).
        losses: parts that were lost earlier, and whose loss the user has accepted.
        box: lower and upper corner (m) and periodic flags, as they were when the run first started; None if unknown.
    """

    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    losses: list[Loss] = field(default_factory=list)
    box: list[Any] | None = None

    def lost(self, folder: Path, names: Collection[str] | None = None) -> list[Loss]:
        """Find the parts in a folder that are missing or were changed, by sizes and headers, except for those given up before.

        Args:
            folder: the folder.
            names: names of the parts to look at, or None for all.

        Returns:
            The losses.
        """
        known = {(loss.part, loss.steps) for loss in [*self.losses, *read_losses(folder)]}
        found = []
        for name in self.parts if names is None else names:
            entry = self.parts[name]
            if (name, tuple(entry["steps"])) not in known and (what := _change(folder / name, entry)):
                found.append(Loss(name, what, entry["frames"], tuple(entry["steps"])))
        return found


def entry_of(path: Path) -> dict[str, Any]:
    """Describe a part for a manifest; reads its header only.

    Args:
        path: path of the part.

    Returns:
        The entry.

    Raises:
        FileError: it cannot be read.
    """
    try:
        with opened(path) as file:
            clock = file.get(f"{FRAMES}/{FIRST_FIELD}/step")
            observed = next((file[f"observables/{name}/step"] for name in element_names(file, "observables")), None)
            rows = [clock, observed]
            ends = [int(r[k]) for r in rows if r is not None and len(r) for k in (0, -1)]
            count = [0 if r is None else len(r) for r in rows]
            checksum = _constant(file) if path.name == STATIC else root_of(file)
    except DAMAGE as error:
        raise error if isinstance(error, FileError) else unreadable(path, error) from None
    steps = [min(ends), max(ends)] if ends else []
    return {"size": path.stat().st_size, "checksum": checksum, "frames": count[0], "observables": count[1], "steps": steps}


def _constant(file: h5py.File) -> int:
    """CRC-32 of the checksums of what every start of a run writes alike into the static part: title and output may change in between."""
    return zlib.crc32(json_bytes({name: crc for name, crc in get_sums(file, "static").items() if name.startswith(FRAMES)}))


def _change(path: Path, entry: dict[str, Any]) -> str:
    if not path.exists():
        return "is missing"
    size = path.stat().st_size
    if path.name != STATIC and size != entry["size"]:
        return f"has {size} bytes and had {entry['size']}"
    try:
        found = entry_of(path)
    except UnreadableError:
        raise
    except FileError as error:
        return f"cannot be read ({error})"
    same = all(found[key] == entry[key] for key in ("checksum", "frames", "observables", "steps"))
    return "" if same else "holds other checksums or rows than those that were written"


def noted(paths: Iterable[Path]) -> Manifest:
    """Make a manifest of existing parts. Those that cannot be read become losses.

    Args:
        paths: paths of the parts.

    Returns:
        The manifest.
    """
    manifest = Manifest()
    for path in paths:
        try:
            manifest.parts[path.name] = entry_of(path)
        except FileError as error:
            manifest.losses.append(Loss(path.name, f"cannot be read ({error})"))
    return manifest


def put_manifest(group: h5py.Group, manifest: Manifest) -> None:
    """Write a manifest with its checksum.

    Args:
        group: group in which to write it.
        manifest: the manifest.
    """
    put_json(group, MANIFEST, asdict(manifest))
    group[MANIFEST].attrs["checksum"] = zlib.crc32(bytes(group[MANIFEST][()]))


def read_manifest(path: Path) -> Manifest | None:
    """Read the manifest of a checkpoint.

    Args:
        path: path of the checkpoint.

    Returns:
        The manifest; None for files of format 1 and for results.

    Raises:
        FileError: it is damaged, or gone from a checkpoint that was written with one.
    """
    try:
        with opened(path) as file:
            if MANIFEST not in file:
                if kind_of(file) == "checkpoint" and int(file.attrs["pardem_format"]) >= SEALED:
                    raise FileError(f"{path} is damaged: it has lost its {MANIFEST}, the list of the parts of its run")
                return None
            if zlib.crc32(bytes(file[MANIFEST][()])) != file[MANIFEST].attrs["checksum"]:
                raise FileError(f"{path} is damaged: the checksum of {MANIFEST} is wrong")
            values = get_json(file, MANIFEST)
            return Manifest(values["parts"], losses_of(values["losses"]), values["box"])
    except DAMAGE as error:
        raise error if isinstance(error, FileError) else unreadable(path, error, MANIFEST) from None
