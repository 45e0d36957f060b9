"""Discharge of beads from a tube through holes of four sizes, against the law of Beverloo, Leniger and van de Velde (1961).

    python jobs/campaigns/bulk/discharge.py run        # the runs that are left; call it again to go on
    python jobs/campaigns/bulk/discharge.py status
    python jobs/campaigns/bulk/discharge.py collect    # part of docs/validation.md, from discharge.csv

The study is a file for `pardem campaign`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from page import table, write  # noqa: E402
from study_runs import main, rows_of, run_in_turn  # noqa: E402

from pardem.campaign.run_rows import Row  # noqa: E402

STUDY = "discharge"
GRAVITY, BEAD, DENSITY = 9.81, 2e-3, 2500.0  # m/s^2; diameter (m) and density (kg/m^3) of the beads
POWER = 2.5
AUTHORS = {"C": 0.58, "k": 1.4}


class Beverloo(NamedTuple):
    """The law W = C rho_b sqrt(g) (D - k d)^(5/2), fitted.

    Attributes:
        flow: C rho_b (kg/m^3).
        empty: k.
        rates: W^(2/5) of the law over that measured, for each hole.
    """

    flow: float
    empty: float
    rates: np.ndarray


def fitted(diameters: np.ndarray, rates: np.ndarray) -> Beverloo:
    """Fit the law, whose W^(2/5) is linear in D.

    Args:
        diameters: of the holes (m).
        rates: (kg/s).
    """
    measured = rates ** (1.0 / POWER)
    slope, start = np.polyfit(diameters, measured, 1)
    return Beverloo(slope**POWER / np.sqrt(GRAVITY), -start / slope / BEAD, (slope * diameters + start) / measured)


def text(rows: list[Row]) -> str:
    """What docs/validation.md says of the runs.

    Args:
        rows: of the study.
    """
    holes = np.unique([float(row["hole_radius"]) for row in rows])
    rates = [np.array([float(row["rate"]) for row in rows if float(row["hole_radius"]) == hole]) for hole in holes]
    means = np.array([rate.mean() for rate in rates])
    law, fraction = fitted(2.0 * holes, means), np.mean([float(row["fraction"]) for row in rows])
    spread = ["" if len(rate) < 2 else f" +- {1e3 * rate.std(ddof=1):.2g}" for rate in rates]
    head = ["hole D (mm)", *(f"{2e3 * hole:g}" for hole in holes)]
    cells = [
        ["rate W (g/s)", *(f"{1e3 * mean:.3g}{more}" for mean, more in zip(means, spread, strict=True))],
        ["W^(2/5) of Beverloo's law over that measured", *(f"{ratio:.3f}" for ratio in law.rates)],
    ]
    seeds, density = min(map(len, rates)), fraction * DENSITY
    times, missing = ([float(row[name]) for row in rows] for name in ("duration", "residual"))
    sentences = (
        f"Means and standard deviations of {seeds} fillings.",
        f"The law fits with k = {law.empty:.2f} and C rho_b = {law.flow:.0f} kg/m^3.",
        f"At rest the bed has a volume fraction of {fraction:.2f} and rho_b = {density:.0f} kg/m^3, hence C = {law.flow / density:.2f};",
        f"the authors give C = {AUTHORS['C']} and k = {AUTHORS['k']}.",
        f"The beads flow for {min(times):.1f} to {max(times):.1f} s;",
        f"the residual of the energy budget is at most {max(missing):.0e} of what damping and friction dissipate.",
    )
    return f"{table(head, cells)}\n{' '.join(sentences)}"


if __name__ == "__main__":
    main(__doc__, [STUDY], lambda names, ranks: run_in_turn(names, ranks, HERE), lambda: write(STUDY, text(rows_of(HERE / f"{STUDY}.toml"))), HERE)
