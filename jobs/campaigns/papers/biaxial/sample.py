"""Makes the grains of a biaxial test from the end of a compaction.

python jobs/campaigns/papers/biaxial/sample.py compact.h5 jobs/campaigns/papers/biaxial/dense_disks.toml

Grains of a case may not overlap, so the sample is blown up about its middle by the least factor at which no pair does (a few thousandths).
"""

from __future__ import annotations

import sys
from pathlib import Path

import h5py
import numpy as np

from pardem.insertion import check_overlaps
from pardem.insertion.grains import Grains
from pardem.io.casefile import read_case
from pardem.shapes.catalogue import Species, build_catalogue, principal_orientations


def main(result: Path, case_file: Path) -> None:
    """Write the file of grains that the case names."""
    case = read_case(case_file)
    with h5py.File(result) as file:
        group = file["particles/grains"]
        x, q = group["position/value"][-1].astype(float), group["orientation/value"][-1].astype(float)
        scale = group["scale"][()]
    catalogue = build_catalogue([Species(s.name, s.make_shape(), s.density) for s in case.species])
    species = np.zeros(len(x), np.int64)
    x -= x.mean(axis=0)
    low, high = 1.0, 1.1
    while high - low > 1e-5:
        middle = 0.5 * (low + high)
        free = not len(check_overlaps(catalogue, Grains(species, scale, middle * x, q)).pairs)
        low, high = (low, middle) if free else (middle, high)
    target = case_file.parent / str(case.grains_file)
    axes = principal_orientations(catalogue, species[:1], np.array([[1.0, 0.0, 0.0, 0.0]]))[0]  # of the shape in the axes in which it was given
    turn = 2.0 * (np.arctan2(q[:, 3], q[:, 0]) - np.arctan2(axes[3], axes[0]))
    np.savez(target, species=np.full(len(x), case.species[0].name), position=high * x[:, :2], orientation=turn, scale=scale)
    size = high * np.abs(x[:, :2]).max(axis=0)
    print(f"{target}: {len(x)} grains, blown up by {high - 1.0:.2%}; centres up to {size[0]:.2f} and {size[1]:.2f} m from the middle")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
