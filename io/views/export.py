"""``pardem export``: frames for other programs: rounded shapes for ParaView (VTK PolyData with a .pvd index), tables (CSV), GSD for OVITO."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from pardem.errors import FileError

from ..reading import opened, understood
from .picture import grain_mesh, load_vtk, placed
from .render import GRAINS, NEEDED, read_frame, require_frames


def main(file: Path, out: Path | None = None, kind: str = "vtk") -> int:
    """Export every frame of a result into a folder, or into one file with ``gsd``.

    Args:
        file: result file.
        out: folder or file to write; by default it lies beside the result and has its name.
        kind: format, ``vtk``, ``csv`` or ``gsd``.

    Returns:
        Exit status 0.

    Raises:
        FileError: the result cannot be read, the folder cannot be written, or VTK is not installed.
    """
    folder = Path(out) if out is not None else Path(file).with_suffix(f".{kind}")
    require_frames(Path(file), ("position",) if kind == "csv" else NEEDED)
    try:
        if kind != "gsd":
            folder.mkdir(parents=True, exist_ok=True)
        with understood(Path(file)):
            count = {"csv": _csv, "gsd": _gsd, "vtk": _vtk}[kind](Path(file), folder)
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
            if "outflow" in fields:
                table = table[grains["outflow/value"][k][:, 0] == 0]
            np.savetxt(folder / f"frame-{step:012d}.csv", table, delimiter=",", header=",".join(names), comments="", fmt="%.17g")
    return len(steps)


def _vtk(file: Path, folder: Path) -> int:
    """Rounded shapes as surfaces, one .vtp a frame, and frames.pvd with their times."""
    pyvista = load_vtk()
    with opened(file) as data:
        count = len(data[f"{GRAINS}/position/step"])
    entries = []
    for k in range(count):
        frame = read_frame(file, k)
        parts = []
        for s in range(len(frame.catalogue["kind"])):
            rows = np.nonzero((frame.species == s) & frame.there)[0]
            if len(rows):
                mesh = placed(grain_mesh(frame.catalogue, s), frame, rows, frame.species.astype(float))
                mesh["id"] = np.repeat(rows, mesh.n_points // len(rows))
                parts.append(mesh)
        name = f"frame-{k:06d}.vtp"
        first, *others = parts or [pyvista.PolyData()]
        (first.merge(others) if others else first).save(folder / name)
        entries.append(f'    <DataSet timestep="{frame.time!r}" file="{name}"/>')
    head, tail = ['<?xml version="1.0"?>', '<VTKFile type="Collection" version="0.1">', "  <Collection>"], ["  </Collection>", "</VTKFile>", ""]
    (folder / "frames.pvd").write_text("\n".join(head + entries + tail))
    return count


def _gsd(file: Path, target: Path) -> int:
    """One GSD file in HOOMD's schema with shapes; its box is centred at the origin, so positions are relative to the box's middle."""
    try:
        import gsd.hoomd
    except ImportError:
        raise FileError("GSD files need the gsd package: pip install 'pardem[export]'") from None
    with opened(file) as data:
        box = data[f"{GRAINS}/box"].attrs
        lower, upper = np.array(box["lower"], dtype=float), np.array(box["upper"], dtype=float)
        steps = data[f"{GRAINS}/position/step"][()]
    with gsd.hoomd.open(target, "w") as out:
        for k, step in enumerate(steps):
            one = read_frame(file, k)
            frame = gsd.hoomd.Frame()
            frame.configuration.step = int(step)
            frame.configuration.box = [*(upper - lower), 0.0, 0.0, 0.0]
            frame.particles.N = int(one.there.sum())
            frame.particles.types = [species["name"] for species in one.case["species"]]
            frame.particles.type_shapes = [_gsd_shape(one.catalogue, s) for s in range(len(one.catalogue["kind"]))]
            frame.particles.typeid = one.species[one.there]
            frame.particles.position = one.position[one.there] - 0.5 * (lower + upper)
            frame.particles.orientation = one.orientation[one.there]
            frame.particles.diameter = (2.0 * one.catalogue["radius"][one.species] * one.scale)[one.there]
            out.append(frame)
    return len(steps)


def _gsd_shape(catalogue: dict[str, np.ndarray], species: int) -> dict[str, object]:
    """Shape definition of a species as HOOMD's schema has it: a ball, or a rounded convex hull of its core's vertices."""
    radius = float(catalogue["radius"][species])
    first, last = catalogue["vertex_start"][species : species + 2]
    if catalogue["kind"][species] == 1:
        return {"type": "Sphere", "diameter": 2.0 * radius}
    return {"type": "ConvexPolyhedron", "rounding_radius": radius, "vertices": catalogue["vertices"][first:last].tolist()}
