"""Makes the grains of a biaxial test from the end of a compaction.

python jobs/campaigns/papers/biaxial/sample.py compact.h5 jobs/campaigns/papers/biaxial/dense_disks.toml [-o dense_disks_2.toml]

Grains of a case may not overlap, so the sample is blown up about its middle by the least factor at which no pair does (a few thousandths). Without -o
it becomes the case's file of grains; with -o a case for this sample is written, based on the one given, with walls about its grains.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import h5py
import numpy as np

from pardem.campaign.run_rows import FINISHED, read_table
from pardem.campaign.study import read_study
from pardem.insertion import check_overlaps
from pardem.insertion.placed_grains import PlacedGrains
from pardem.io.casefile import read_case
from pardem.shapes.catalogue import Species, build_catalogue, principal_orientations

GAP = 0.02  # between the outermost grains and the walls (m)


def main(result: Path, case_file: Path, sample_case: Path | None) -> None:
    """Write the file of grains that the case names, or that and a case for the sample."""
    case = read_case(case_file)
    with h5py.File(result) as file:
        group = file["particles/grains"]
        x, q = group["position/value"][-1].astype(float), group["orientation/value"][-1].astype(float)
        scale = group["scale"][()]
    shape = case.species[0].make_shape()
    catalogue = build_catalogue([Species(case.species[0].name, shape, case.species[0].density)])
    species = np.zeros(len(x), np.int64)
    x -= x.mean(axis=0)
    low, high = 1.0, 1.1
    while high - low > 1e-5:
        middle = 0.5 * (low + high)
        free = not len(check_overlaps(catalogue, PlacedGrains(species, scale, middle * x, q)).pairs)
        low, high = (low, middle) if free else (middle, high)
    x *= high
    target = sample_case.with_suffix(".npz") if sample_case else case_file.parent / str(case.grains_file)
    axes = principal_orientations(catalogue, species[:1], np.array([[1.0, 0.0, 0.0, 0.0]]))[0]  # of the shape in the axes in which it was given
    turn = 2.0 * (np.arctan2(q[:, 3], q[:, 0]) - np.arctan2(axes[3], axes[0]))
    np.savez(target, species=np.full(len(x), case.species[0].name), position=x[:, :2], orientation=turn, scale=scale)
    size = np.abs(x[:, :2]).max(axis=0)
    print(f"{target}: {len(x)} grains, blown up by {high - 1.0:.2%}; centres up to {size[0]:.2f} and {size[1]:.2f} m from the middle")
    if sample_case:
        sample_case.write_text(case_of_sample(case_file, sample_case, half_extents(shape.vertices[:, :2], shape.radius, x, turn, scale) + GAP))
        print(sample_case)


def half_extents(core: np.ndarray, radius: float, x: np.ndarray, turn: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Compute how far a set of grains reaches from the origin along x and y.

    Args:
        core: (nv, 2) core vertices of the shape (m).
        radius: sphero-radius of the shape (m).
        x: (n, 2 or more) centres (m).
        turn: (n,) angles (rad).
        scale: (n,) size factors.

    Returns:
        (2,) half-extents (m).
    """
    cos, sin = np.cos(turn)[:, None], np.sin(turn)[:, None]
    across = np.stack([cos * core[:, 0] - sin * core[:, 1], sin * core[:, 0] + cos * core[:, 1]])
    reach: np.ndarray = (np.abs(x[:, :2].T) + scale * (np.abs(across).max(axis=2) + radius)).max(axis=1)
    return reach


def case_of_sample(base: Path, target: Path, half: np.ndarray) -> str:
    """A case like ``base`` with the sample's grains, and walls at the distances ``half``, (2,) m, from the middle."""
    width, height = half
    lines = [f'base = "{os.path.relpath(base, target.parent)}"', f'grains_file = "{target.with_suffix(".npz").name}"']
    for name, x, y in (("left", -width, 0.0), ("right", width, 0.0), ("bottom", 0.0, -height), ("top", 0.0, height)):
        lines += ["", "[[wall]]", f'name = "{name}"', 'kind = "plane"', f"point = [{float(x):.6g}, {float(y):.6g}]"]
    return "\n".join(lines) + "\n"


SAMPLES = {
    "compact.toml": "dense_disks", "compact_loose.toml": "loose_disks", "compact_rice.toml": "dense_rice", "compact_loose_rice.toml": "loose_rice",
}  # fmt: skip
"""Tests by the case of their samples."""


def write(folder: Path) -> None:
    """Write the case of each test whose sample is there.

    Args:
        folder: of the studies.

    Raises:
        SystemExit: the table of the samples comes from another machine, and their results are not here.
    """
    for row in read_table(read_study(folder / "samples.toml")).values():
        kind, result = SAMPLES[row["sample"]], folder / "samples.runs" / row["id"] / "result.h5"
        target = folder / f"{kind}_{row['seed']}.toml"
        if row["status"] != FINISHED or target.exists():
            continue
        if not result.exists():
            raise SystemExit(f"{result} is missing, of which {target.name} is made: move {folder / 'samples.csv'} away and run biaxial/samples again")
        main(result, folder / f"{kind}.toml", target)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=Path)
    parser.add_argument("case", type=Path)
    parser.add_argument("-o", type=Path, help="case for this sample")
    chosen = parser.parse_args()
    main(chosen.result, chosen.case, chosen.o)
