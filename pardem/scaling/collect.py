"""The table of a scaling study: a row for each scene, form, number of grains and number of ranks, with what was measured and what was predicted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import FileError
from .run_figures import FORMS, KEY, MEASURED, PARTS, PREDICTED, read_figures

if TYPE_CHECKING:
    import pandas as pd

COUNTED = ("owned", "ghosts", "messages", "bytes")
TABLE = "scaling.csv"


def collect(folder: Path) -> pd.DataFrame:
    """Make the table from all figures in a folder, and write it there.

    Args:
        folder: folder of the study.

    Returns:
        The table, in the order of scenes, numbers of grains and ranks.

    Raises:
        FileError: there are no figures, or some cannot be read.
    """
    table = table_of(read_figures(folder))
    path = folder / TABLE
    try:
        table.to_csv(path, index=False, float_format="%.6g")
    except OSError as error:
        raise FileError(f"{path} could not be written: {error.strerror}") from None
    return table


def table_of(figures: list[dict[str, Any]]) -> pd.DataFrame:
    """Make the table.

    Args:
        figures: those of measured and predicted runs. Of several runs of the same bed on as many ranks, medians are taken.

    Returns:
        The table. Efficiencies are relative to the run of the same series on the fewest ranks: `strong` among runs of one number of grains, `weak`
        among runs of one number of grains a rank; empty where a series has one run only.
    """
    import pandas as pd

    measured = pd.DataFrame([_row(run) for run in figures if run["kind"] == MEASURED])
    predicted = pd.DataFrame([_predicted_row(run) for run in figures if run["kind"] == PREDICTED and not run["slabs"]])
    for table in (measured, predicted):
        if table.empty:
            table[KEY] = None
    table = measured.groupby(KEY, as_index=False).median(numeric_only=True)
    table = table.merge(predicted.groupby(KEY, as_index=False).last(), on=KEY, how="outer").sort_values(KEY, ignore_index=True)
    if "seconds" in table:
        table["strong"] = _strong(table)
        table["weak"] = _weak(table)
    return table


def _row(run: dict[str, Any]) -> dict[str, Any]:
    """Figures of a measured run: seconds a step, means over the ranks, and largest over mean."""
    row = {"form": FORMS[0]} | {name: run[name] for name in ("scene", "asked", "ranks", "grains", "nodes", "seconds", "skin")}
    row["steps_a_rebuild"] = run["steps"] / max(1, run["rebuilds"])
    row |= {name: np.mean(run["counts"][name]) for name in COUNTED}
    row |= {f"{name}_seconds": np.mean(run["parts"][name]) for name in PARTS}
    busy = np.sum([run["parts"][name] for name in PARTS if name not in ("wait", "rest")], axis=0)
    row["imbalance"] = busy.max() / busy.mean()
    row["imbalance_of_grains"] = np.max(run["counts"]["owned"]) / np.mean(run["counts"]["owned"])
    row["memory_a_rank"] = np.mean(run["counts"]["memory"])
    row["frame_seconds"], row["frame_bytes"] = run["frame"]["seconds"], run["frame"]["bytes"]
    return row


def _predicted_row(run: dict[str, Any]) -> dict[str, Any]:
    """Figures of a predicted run."""
    row = {name: run[name] for name in KEY}
    row |= {f"predicted_{name}": value for name, value in run["efficiency"].items()}
    return row | {f"predicted_{name}": run["counts"][name][0] for name in COUNTED}


def _strong(table: pd.DataFrame) -> np.ndarray:
    """Efficiency at a number of grains, relative to the fewest ranks."""
    found = np.full(len(table), np.nan)
    for _, rows in table.dropna(subset="seconds").groupby(["scene", "asked"]):
        if len(rows) > 1:
            first = rows.iloc[0]
            found[rows.index] = first["ranks"] * first["seconds"] / (rows["ranks"] * rows["seconds"])
    return found


def _weak(table: pd.DataFrame) -> np.ndarray:
    """Efficiency at a number of grains a rank, relative to the fewest ranks."""
    found = np.full(len(table), np.nan)
    there = table.dropna(subset="seconds")
    for _, rows in there.groupby(["scene", (there["asked"] / there["ranks"]).astype(float).round(6)]):
        if len(rows) > 1:
            share = rows["seconds"] * rows["ranks"] / rows["grains"]
            found[rows.index] = share.iloc[0] / share
    return found
