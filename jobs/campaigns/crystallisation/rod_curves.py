"""Curves of the crystallisation experiments against the logarithm of taps: moving averages over the oscillation.

`curves.csv` holds them; it is written from results, as far as they are there, and lies beside the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rod_measures import taps_of

import pardem
from pardem.campaign.run_rows import Row

RUN = ("experiment", "rule", "seed")  # columns that name a run
LAYERS = 4
PER_DECADE = 16
WIDTH, SHARE = 2.0, 0.1  # of a moving average: a bed may fly for two periods of its base; share of the taps so far


def name_of(row: Row) -> tuple[str, str, int]:
    """Experiment, rule and seed of a row of the table.

    Args:
        row: the row.
    """
    return row["experiment"].removesuffix(".toml"), row["rule"], int(row["seed"])


def places(last: float) -> np.ndarray:
    """Numbers of taps at which curves are given.

    Args:
        last: number of taps of the run.
    """
    count = int(PER_DECADE * np.log10(max(last - 0.5 * WIDTH, 1.0))) + 1
    return np.asarray(10.0 ** (np.arange(count) / PER_DECADE))


def curve(path: Path) -> pd.DataFrame:
    """The curves of a run.

    Args:
        path: its result.

    Returns:
        Rows by taps: ``density``, its highest within a tap ``density_at_rest``, ``angle`` (degrees), and both by layers: ``density_1``,
        ``angle_1``, ...; and, the same in all rows, the mean angle of the rods as they were inserted, ``angle_inserted``.
    """
    with pardem.open(path) as result:
        taps, values = taps_of(result), result.series.values
        inserted = float(values["mean_angle"][0])
    shaken = taps > 0.0
    taps = taps[shaken]
    series = {"density": values["density"][shaken], "angle": values["mean_angle"][shaken]}
    for k in range(LAYERS):
        series[f"density_{k + 1}"] = _column(values["density_layers"], k)[shaken]
        series[f"angle_{k + 1}"] = _column(values["mean_angle_layers"], k)[shaken]
    rows = []
    for at in places(float(taps[-1])):
        half = 0.5 * max(WIDTH, SHARE * at)
        near = (taps > at - half + 1e-6) & (taps <= at + half + 1e-6)
        means = {name: _mean(column[near]) for name, column in series.items()}
        rows.append({"taps": at} | means | {"density_at_rest": _highest(taps[near], series["density"][near])})
    return pd.DataFrame(rows).assign(angle_inserted=inserted)


def collected(folder: Path, study: str, rows: Sequence[Row]) -> pd.DataFrame:
    """The curves of all runs of a study: those of results that are there, and those of the table of curves for the others.

    Args:
        folder: of the study; the table of curves in it is written anew.
        study: name of the study.
        rows: finished rows of its table.
    """
    path = folder / "curves.csv"
    old = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=[*RUN, "taps"])
    known: dict[Any, pd.DataFrame] = dict(iter(old.groupby(list(RUN))))
    for row in rows:
        result = folder / f"{study}.runs" / row["id"] / "result.h5"
        if result.exists():
            name = name_of(row)
            known[name] = curve(result).assign(**dict(zip(RUN, name, strict=True)))
    if not known:
        return old
    every = pd.concat([known[name] for name in sorted(known)], ignore_index=True)
    every = every[[*RUN, *(c for c in every.columns if c not in RUN)]]
    every.to_csv(path, index=False, float_format="%.5g")
    return every


def of_run(curves: pd.DataFrame, experiment: str, rule: str = "regularised", seed: int = 1) -> pd.DataFrame:
    """The curves of one run; no rows where it is missing.

    Args:
        curves: of all runs.
        experiment: its name.
        rule: interaction.
        seed: of the first positions.
    """
    return curves[(curves["experiment"] == experiment) & (curves["rule"] == rule) & (curves["seed"] == seed)]


def _column(layers: np.ndarray, k: int) -> np.ndarray:
    """A layer of an observable by layers; not a number where there are fewer."""
    return np.asarray(layers[:, k]) if k < layers.shape[1] else np.full(len(layers), np.nan)


def _mean(values: np.ndarray) -> float:
    values = values[np.isfinite(values)]
    return float(values.mean()) if len(values) else float("nan")


def _highest(taps: np.ndarray, values: np.ndarray) -> float:
    """Mean of the highest values within each tap."""
    of_taps = np.ceil(taps - 1e-6)
    return _mean(np.array([values[of_taps == tap].max() for tap in np.unique(of_taps)]))
