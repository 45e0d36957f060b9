"""Slip and stick in the critical state of the biaxial test (001, section 4): sizes, durations and waiting times of the drops of the stress ratio.

`biaxial/drops.csv` holds the drops; it is written from results, as far as they are there, and lies beside the tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
from judging import CONFIDENCE, measures, with_interval
from matplotlib import rc_context
from matplotlib.figure import Figure
from page import shrunk, table

import pardem
from pardem.campaign.run_rows import Row
from pardem.io.views.plot_style import STYLE

TABLE, STUDY = "drops.csv", "tests"
COLUMNS = ["test", "start (s)", "duration (s)", "size"]
COLOURS = {"disks": "#0072b2", "rice": "#d55e00", "peanuts": "#009e73"}


def collected(folder: Path, tests: Sequence[Row]) -> pd.DataFrame:
    """The drops of all tests: of results that are there, and those of the table of drops for the others.

    Args:
        folder: of the biaxial test; the table of drops in it is written anew.
        tests: finished rows of the study of tests.

    Returns:
        Rows with `COLUMNS`.
    """
    path, script = folder / TABLE, measures(folder / "biaxial_measures.py")
    old = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=COLUMNS)
    known = {str(name): rows for name, rows in old.groupby("test")}
    for row in tests:
        result, name = folder / f"{STUDY}.runs" / row["id"] / "result.h5", row["test"].removesuffix(".toml")
        if result.exists():
            with pardem.open(result) as opened:
                found = script.critical_drops(opened)
            known[name] = pd.DataFrame({"test": name, "start (s)": found.start, "duration (s)": found.duration, "size": found.size}, columns=COLUMNS)
    if not known:
        return old
    every = pd.concat([known[name] for name in sorted(known)], ignore_index=True)
    every.to_csv(path, index=False, float_format="%.6g")
    return every


def text(drops: pd.DataFrame, tests: Sequence[Row], folder: Path) -> str:
    """A table by kind of test.

    Args:
        drops: of all tests that are known.
        tests: finished rows of the study of tests.
        folder: of the biaxial test.

    Returns:
        Paragraphs; empty where no drops are known.
    """
    if not len(drops):
        return ""
    script, script_of_slips = measures(folder / "biaxial_measures.py"), measures(folder / "slips.py")
    kinds = dict(iter(drops.groupby(drops["test"].str.rpartition("_")[0], sort=False)))
    lines = [_line_of(str(kind), rows, script_of_slips, script.THRESHOLD) for kind, rows in kinds.items()]
    head = ["test", "samples", "drops", "size", "duration (s)", "waiting time (s)", "exponent of the sizes", "distance to it, to an exponential law"]
    counted = drops.groupby("test").size()
    same = sum(int(row["drops"]) == int(counted.get(row["test"].removesuffix(".toml"), -1)) for row in tests)
    partly = (
        f"Of the {len(tests)} tests the results of {len(counted)} were there when drops were collected; runs that were made again with another "
        f"version are further samples of the same cases (as many drops as in the table above: {same} of {len(counted)}). "
    )
    told = (
        f"Drops of the stress ratio by {script.THRESHOLD:g} or more from an axial strain of {script.CRITICAL:g} on. "
        f"{partly if same < len(tests) else ''}"
        f"Means over drops +- standard deviation (interval of {CONFIDENCE:.0%} of the mean); the waiting time is that between the beginnings of "
        "successive drops of a test. Exponents of a density s^-a are of maximum likelihood, distances those of Kolmogorov and Smirnov."
    )
    return f"{told}\n\n{table(head, lines).strip()}"


def _line_of(kind: str, rows: pd.DataFrame, slips: ModuleType, least: float) -> list[str]:
    """A row of the table."""
    several = [np.diff(np.sort(drops["start (s)"].to_numpy(float))) for _, drops in rows.groupby("test")]
    size, law = rows["size"].to_numpy(float), slips.power_law(rows["size"].to_numpy(float), least)
    means = [with_interval(values) for values in (size, rows["duration (s)"].to_numpy(float), np.concatenate(several))]
    exponent = f"{law.exponent:.2f} +- {law.error:.2f}"
    return [kind.replace("_", " "), str(len(several)), str(len(rows)), *means, exponent, f"{law.distance:.2f}, {law.exponential:.2f}"]


def draw(drops: pd.DataFrame, folder: Path, target: Path) -> None:
    """Numbers of larger drops and durations against the size, by the shape of the grains.

    Args:
        drops: of all tests that are known.
        folder: of the biaxial test.
        target: the figure.
    """
    least, slips = measures(folder / "biaxial_measures.py").THRESHOLD, measures(folder / "slips.py")
    with rc_context(STYLE | {"axes.grid": True}):
        figure = Figure(figsize=(9.0, 3.8), layout="constrained")
        number, duration = figure.subplots(1, 2)
        for shape, colour in COLOURS.items():
            rows = drops[drops["test"].str.contains(f"_{shape}_")]
            size = np.sort(rows["size"].to_numpy(float))
            if len(size) > 1:
                number.loglog(size, np.arange(len(size), 0, -1), drawstyle="steps-post", color=colour, label=shape)
                exponent = slips.power_law(size, least).exponent
                number.loglog(size, len(size) * (size / least) ** (1.0 - exponent), "--", color=colour, linewidth=0.8)
                duration.loglog(rows["size"], rows["duration (s)"], ".", color=colour, label=shape)
        number.set(xlabel="size of the drop", ylabel="number of larger ones", title="dashed: power laws", ylim=(0.7, None))
        duration.set(xlabel="size of the drop", ylabel="duration (s)")
        for panel in (number, duration):
            panel.legend()
        figure.savefig(target, dpi=100)
    shrunk(target)
