"""Tables of the grains of each frame, and of the observables (CSV)."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..analysis.result import Result

OBSERVABLES = "observables.csv"


def write_tables(result: Result, folder: Path) -> None:
    """Write one table a frame (``frame-<step>.csv``: see ``Frame.columns``), without grains that have left, and one of the observables over time.

    Args:
        result: result of a run.
        folder: which exists.
    """
    for frame in result:
        columns = {name: values[frame.present] for name, values in frame.columns().items()}
        write_table(folder / f"frame-{frame.step:012d}.csv", columns)
    series = result.series
    if len(series.steps):
        write_table(folder / OBSERVABLES, {"time": series.times, "step": series.steps, **series.columns()})


def write_table(path: Path, columns: Mapping[str, np.ndarray]) -> None:
    """Write a table; numbers are written so that they are read back to the bit.

    Args:
        path: file to write.
        columns: (n,) numbers or texts of each column by its name.
    """
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        out.writerows(zip(*(values.tolist() for values in columns.values()), strict=True))
