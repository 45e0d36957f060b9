"""Writes the grains of a gas beside its case: at random places without overlap, with speed 1 in random directions and no spin.

python jobs/campaigns/papers/gas/start.py jobs/campaigns/papers/gas/rice.toml [grains]
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np

from pardem.campaign.study import read_study
from pardem.case import Case
from pardem.io.casefile import read_case
from pardem.setup.initial_grains import initial_grains, size_range
from pardem.setup.preparation import build_scene

GRAINS = 400


def with_velocities(case: Case, grains: int) -> dict[str, np.ndarray]:
    """Make the arrays of a ``grains_file`` for a two-dimensional case with one species and a box.

    Args:
        case: case without grains.
        grains: number of grains.

    Returns:
        Arrays by name.
    """
    box = next(wall for wall in case.wall if wall.kind == "box")
    species = case.species[0].name
    region = {"kind": "box", "lower": box.lower, "upper": box.upper}
    inserted = Case(**case.model_dump(exclude_none=True) | {"insert": [{"species": species, "count": grains, "region": region}]})
    placed = initial_grains(inserted, build_scene(inserted, *size_range(inserted)).catalogue)
    angle = np.random.default_rng(case.seed).uniform(0.0, 2.0 * np.pi, grains)
    q = placed.q
    return {
        "species": np.full(grains, species), "position": placed.x[:, :2], "orientation": 2.0 * np.arctan2(q[:, 3], q[:, 0]),
        "velocity": np.column_stack([np.cos(angle), np.sin(angle)]),
    }  # fmt: skip


def write(study: Path) -> None:
    """Write the files of grains that the runs of a study name, as far as they are missing.

    Args:
        study: its axis of cases has the columns case, seed and file of grains.
    """
    for name, seed, file in next(axis for axis in read_study(study).axis if axis.all_keys[0] == "case").entries():
        target = study.parent / file
        if not target.exists():
            case = read_case(study.parent / name).model_copy(update={"grains_file": None, "seed": seed})
            with NamedTemporaryFile(dir=target.parent, suffix=".npz", delete=False) as new:
                np.savez(new, **with_velocities(case, GRAINS))
            Path(new.name).rename(target)


def main(path: Path, grains: int = GRAINS) -> None:
    """Write the file that the case at ``path`` names."""
    case = read_case(path)
    target = path.parent / str(case.grains_file)
    np.savez(target, **with_velocities(case.model_copy(update={"grains_file": None}), grains))
    print(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
