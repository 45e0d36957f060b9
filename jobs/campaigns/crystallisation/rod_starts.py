"""The beds of an_6 and an_9 before the first tap, and the density of an_6 within its first taps, from runs that end soon.

The frames of the experiments begin with the rods as they are inserted, and the next one comes after some taps; their curves are averages over taps.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from page import show_frame, shrunk
from rod_measures import taps_of
from study_runs import pardem as do

import pardem
from pardem.io.state.checkpoint import is_finished

STARTS = {"an_6": 100, "an_9": 1}
"""Numbers of taps of the runs."""
OSCILLATING = "an_6"
TABLE = "oscillation.csv"


def result_of(folder: Path, name: str) -> Path:
    """Result of the run of an experiment that ends soon.

    Args:
        folder: of the studies.
        name: of the experiment.
    """
    return folder / f"{name}_start.h5"


def make(folder: Path) -> None:
    """Do these runs, unless they are there; go on from where they were stopped.

    Args:
        folder: of the studies.
    """
    for name, taps in STARTS.items():
        result = result_of(folder, name)
        if not is_finished(result):
            settings = ("--set", f"stage.vibrate.taps={taps}", "--set", "output.frame_taps=1")
            do("run", str(folder / f"{name}.toml"), "-o", str(result), "--resume", *settings)


def oscillation(folder: Path) -> pd.DataFrame:
    """The density of an_6 against taps, row by row: from the result, which is then written into a table, or from this table.

    Args:
        folder: of the studies.

    Returns:
        Columns ``taps`` and ``density``; no rows where there is neither.
    """
    result, path = result_of(folder, OSCILLATING), folder / TABLE
    if result.exists():
        with pardem.open(result) as opened:
            taps, density = taps_of(opened), np.asarray(opened.series.values["density"])
        pd.DataFrame({"taps": taps, "density": density})[taps > 0.0].to_csv(path, index=False, float_format="%.5g")
    return pd.read_csv(path) if path.exists() else pd.DataFrame({"taps": [], "density": []})


def settled_frame(path: Path) -> int:
    """Number of the last frame of a result before the first tap.

    Args:
        path: the result.
    """
    with pardem.open(path) as result:
        before = float(result.series.times[taps_of(result) == 0.0][-1])
        return int(np.flatnonzero(np.asarray(result.times) <= before)[-1])


def draw_starts(folder: Path, target: Path) -> None:
    """First pictures of figures 6.1 and 6.2: the beds at rest, whole and cut.

    Args:
        folder: of the studies.
        target: the figure; left as it is where results are not there.
    """
    results = {name: result_of(folder, name) for name in STARTS}
    if not all(path.exists() for path in results.values()):
        return
    figure = Figure(figsize=(7.0, 3.6), layout="constrained")
    panels = iter(figure.subplots(1, 2 * len(results)))
    for name, path in results.items():
        for cut in ([], ["--cut"]):
            axes = next(panels)
            show_frame(axes, path, settled_frame(path), *cut, "--colour", "angle", "--size", "300x560")
            axes.set_title(f"{name}, cut" if cut else name, fontsize=10)
    figure.savefig(target, dpi=100)
    shrunk(target)
