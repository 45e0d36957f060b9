"""``pardem export``: frames for other programs: rounded shapes for ParaView (VTK PolyData with a .pvd index), or tables (CSV)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pardem.errors import FileError

from .picture import grain_mesh, placed
from .reading import opened
from .render import GRAINS, read_frame


def main(file: Path, out: Path | None = None, kind: str = "vtk") -> int:
    """Write every frame of a result into a folder (default: beside the result).

    Args:
        file: result. out: folder. kind: ``vtk`` or ``csv``.

    Raises:
        FileError: the file cannot be read, the folder cannot be written, or VTK is not installed.
    """
    folder = Path(out) if out is not None else Path(file).with_suffix(f".{kind}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        count = _csv(Path(file), folder) if kind == "csv" else _vtk(Path(file), folder)
    except OSError as error:
        raise FileError(f"{folder} could not be written ({error}); name another folder with -o") from None
    print(f"{count} frames in {folder}")
    return 0


def _csv(file: Path, folder: Path) -> int:
    """One table a frame: id, species, and every component of every field."""
    with opened(file) as data:
        grains = data[GRAINS]
        fields = [name for name in grains if "value" in grains[name] and name != "box"]
        steps = grains["position/step"][()]
        for k, step in enumerate(steps):
            columns = [grains["id"][()][:, None], grains["species"][()][:, None]]
            names = ["id", "species"]
            for name in fields:
                values = grains[name]["value"][k].reshape(len(columns[0]), -1)
                columns.append(values)
                names += [f"{name}_{c}" for c in range(values.shape[1])]
            table = np.concatenate(columns, axis=1)
            np.savetxt(folder / f"frame-{step:012d}.csv", table, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    return len(steps)


def _vtk(file: Path, folder: Path) -> int:
    """Rounded shapes as surfaces, one .vtp a frame, and frames.pvd with their times."""
    with opened(file) as data:
        count = len(data[f"{GRAINS}/position/step"])
    entries = []
    for k in range(count):
        frame = read_frame(file, k)
        parts = []
        for s in range(len(frame.catalogue["kind"])):
            rows = np.nonzero(frame.species == s)[0]
            if len(rows):
                mesh = placed(grain_mesh(frame.catalogue, s), frame, rows, frame.species.astype(float))
                mesh["id"] = np.repeat(rows, mesh.n_points // len(rows))
                parts.append(mesh)
        name = f"frame-{k:06d}.vtp"
        parts[0].merge(parts[1:]).save(folder / name) if len(parts) > 1 else parts[0].save(folder / name)
        entries.append(f'    <DataSet timestep="{frame.time!r}" file="{name}"/>')
    head, tail = ['<?xml version="1.0"?>', '<VTKFile type="Collection" version="0.1">', "  <Collection>"], ["  </Collection>", "</VTKFile>", ""]
    (folder / "frames.pvd").write_text("\n".join(head + entries + tail))
    return count
