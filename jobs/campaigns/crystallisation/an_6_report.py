"""The part of docs/validation.md that follows experiment an_6 through its taps, beside the thesis: written from the tables once it has been run."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
from page import table
from rod_curves import LAYERS, name_of, of_run

from pardem.campaign.run_rows import Row

PART = "an_6"
EARLY, MIDDLE, LATE = (2.0, 10.0, 30.0), (100.0, 200.0, 290.0), (500.0, 1000.0, 1500.0, 2000.0)  # taps
BEYOND = 1.2  # a curve is followed to its end times this: its last place lies up to a sixteenth of a decade before


def at(curve: pd.DataFrame, column: str, taps: float) -> float:
    """A curve at a number of taps; not a number beyond its end, or where the table lacks the column.

    Args:
        curve: of one run.
        column: its column.
        taps: number of taps.
    """
    if not len(curve) or column not in curve or taps > float(curve["taps"].iloc[-1]) * BEYOND:
        return float("nan")
    return float(np.interp(np.log(taps), np.log(curve["taps"]), curve[column]))


def of_an_6(rows: Sequence[Row]) -> list[Row]:
    """Runs of an_6, those of the regularised rule first.

    Args:
        rows: of the study of the experiments.
    """
    return sorted((row for row in rows if name_of(row)[0] == PART), key=lambda row: (name_of(row)[1] != "regularised", name_of(row)))


def text(rows: Sequence[Row], curves: pd.DataFrame) -> str:
    """The part of docs/validation.md.

    Args:
        rows: of the study of the experiments, with one of an_6 at least.
        curves: of all runs.
    """
    runs = of_an_6(rows)
    found = [of_run(curves, *name_of(row)) for row in runs]

    def series(column: str, taps: Sequence[float], form: str) -> list[str]:
        return [_joined([at(curve, column, t) for t in taps], form) for curve in found]

    def layers(taps: float | None) -> list[str]:
        ends = [float(curve["taps"].iloc[-1]) if taps is None and len(curve) else taps or 0.0 for curve in found]
        return [_joined([at(curve, f"angle_{k + 1}", end) for k in range(LAYERS)], ".0f") for curve, end in zip(found, ends, strict=True)]

    places = {taps: " / ".join(f"{t:g}" for t in taps) for taps in (EARLY, MIDDLE, LATE, (*EARLY[1:], *MIDDLE))}
    lines = [
        ["mean angle at insertion (isotropic: 32.7 degrees)", "32.7", *series("angle_inserted", (1.0,), ".1f")],
        ["mean angle and density after settling", "", *(f"{float(r['angle_settled']):.1f}, {float(r['density_settled']):.3f}" for r in runs)],
        [f"density at {places[EARLY]} taps", "about constant from 10 to 100 taps", *series("density", EARLY, ".3f")],
        [f"density at {places[MIDDLE]} taps", "logarithmic rise", *series("density", MIDDLE, ".3f")],
        [f"density at {places[LATE]} taps", "of the highest experiment 0.75 at about 2000", *series("density", LATE, ".3f")],
        ["the same at its highest within a tap, the bed on the base", "", *series("density_at_rest", LATE, ".3f")],
        [f"mean angle at {places[(*EARLY[1:], *MIDDLE)]} taps", "moves from about 10 taps", *series("angle", (*EARLY[1:], *MIDDLE), ".0f")],
        [f"mean angle at {places[LATE]} taps", "", *series("angle", LATE, ".0f")],
        ["layers of 4 mm from below at 290 taps (degrees)", "from the top to the bottom", *layers(290.0)],
        *([f"the same at {taps:g} taps", "central ones eventually at 80-90", *layers(taps)] for taps in LATE[2:]),
        ["the same at the end of the run", "central ones eventually at 80-90", *layers(None)],
        ["over the last hundred taps: density, on the base, angle", "", *(_last(row) for row in runs)],
        ["energy residual over the work of the base", "", *(f"{float(row['residual']):.1e} ({row['taps']} taps)" for row in runs)],
    ]
    head = ["", "thesis (to 4134 taps)", *(f"`{rule}`, seed {seed}" for _, rule, seed in map(name_of, runs))]
    return (
        "Densities and angles are moving averages over the oscillation, at the end means over the last hundred taps; a dash: not reached.\n\n"
        + table(head, lines)
    )


def _joined(values: Sequence[float], form: str) -> str:
    return " / ".join("-" if math.isnan(value) else f"{value:{form}}" for value in values)


def _last(row: Row) -> str:
    return f"{float(row['density']):.3f}, {float(row['density_at_rest']):.3f}, {float(row['angle']):.0f}"
