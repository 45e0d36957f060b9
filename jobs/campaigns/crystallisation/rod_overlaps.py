"""By how much rods overlap at the end of runs, which makes beds of soft ones denser: their volume counts as if they did not.

`overlaps.csv` holds it; it is written from results, as far as they are there, and lies beside the tables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.spatial import cKDTree

import pardem
from pardem.campaign.run_rows import Row
from pardem.shapes.geometry.proximity import segment_segment2
from pardem.shapes.rotations import matrices

FRAMES = 10  # at the end of a run
COLUMNS = ("id", "overlap", "shrunk")


def overlaps(position: np.ndarray, orientation: np.ndarray, radius: float, length: float) -> np.ndarray:
    """Overlaps of all pairs of rods that overlap (m).

    Args:
        position: (n, 3) centres (m).
        orientation: (n, 4) unit quaternions; rods lie along their z axis.
        radius: of the rods (m).
        length: of their axes (m).
    """
    half = 0.5 * length * matrices(orientation)[:, :, 2]
    first, second = cKDTree(position).query_pairs(length + 2.0 * radius, output_type="ndarray").T
    low, high = position - half, position + half
    found = 2.0 * radius - np.sqrt(segment_segment2(low[first], high[first], low[second], high[second]))
    return np.asarray(found[found > 0.0])


def shrunk(overlap: float, radius: float, length: float) -> float:
    """Volume of rods whose radius is smaller by half an overlap, so that their surfaces meet, over that of the rods.

    Args:
        overlap: (m).
        radius: of the rods (m).
        length: of their axes (m).
    """

    def volume(r: float) -> float:
        return math.pi * r * r * (length + 4.0 / 3.0 * r)

    return volume(radius - 0.5 * overlap) / volume(radius)


def at_the_end(path: Path) -> tuple[float, float]:
    """Mean overlap of the rods that overlap over their radius, in the last frames, and what `shrunk` makes of it.

    Args:
        path: the result.
    """
    with pardem.open(path) as result:
        radius, length = float(result.radius[0]), float(result.case.species[0].length)
        found = [overlaps(np.asarray(f["position"]), np.asarray(f["orientation"]), radius, length) for f in result[-FRAMES:]]
    mean = float(np.concatenate(found).mean())
    return mean / radius, shrunk(mean, radius, length)


def collected_overlaps(folder: Path, tables: Mapping[str, Sequence[Row]]) -> pd.DataFrame:
    """What `at_the_end` says of all runs of some studies: of results that are there, and what the table of overlaps has of others.

    Args:
        folder: of the studies; the table of overlaps in it is written anew.
        tables: finished rows, by study.

    Returns:
        ``overlap`` and ``shrunk`` by the ids of runs.
    """
    path = folder / "overlaps.csv"
    old = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=list(COLUMNS))
    known = {row.id: (row.overlap, row.shrunk) for row in old.itertuples()}
    for name, rows in tables.items():
        for row in rows:
            result = folder / f"{name}.runs" / row["id"] / "result.h5"
            if result.exists():
                known[row["id"]] = at_the_end(result)
    table = pd.DataFrame([(run, *known[run]) for run in sorted(known)], columns=list(COLUMNS))
    if known:
        table.to_csv(path, index=False, float_format="%.5g")
    return table.set_index("id")
