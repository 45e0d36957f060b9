"""Time of the shear cell against the range alpha of the lists (paper 000, figure 13): T = A/alpha^beta + B alpha^2 (eq 20).

A contact is listed within r_i + r_j + 2 alpha, so alpha is half of ``detection.skin``. CPU seconds of the process, of a second of shear:

    python jobs/campaigns/papers/shear/list_range.py -o list_range.png
"""

from __future__ import annotations

import argparse
import time
import tomllib
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from mpi4py import MPI
from scipy.optimize import curve_fit

from pardem import Case, Simulation
from pardem.io.plot import COLOURS, STYLE

matplotlib.use("Agg")
from matplotlib import pyplot as plt

plt.rcParams.update(STYLE | {"axes.grid": True})

STEP = 1e-4  # s; the paper's 1e-5 resolves a contact by some thousand steps
LOAD, SHEAR = 3.0, 4.0  # s
RANGES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)  # m
SPEEDS = (0.1, 0.4, 0.7, 1.0)  # m/s


def seconds(data: dict[str, Any], speed: float, alpha: float) -> float:
    """CPU seconds of a second of shear."""
    data = data | {"time": {"step": STEP}, "detection": {"skin": 2.0 * alpha}, "output": {}}
    data["stage"] = [stage | {"time": length} for stage, length in zip(data["stage"], (LOAD, SHEAR), strict=True)]
    upper = data["wall"][-1]
    data["wall"] = [*data["wall"][:-1], upper | {"then": [upper["then"][0] | {"velocity": [speed, 0.0]}]}]
    sim = Simulation(Case(**data), MPI.COMM_SELF)
    sim.step(round(LOAD / STEP))
    begin = time.process_time()
    sim.step(round(SHEAR / STEP))
    return (time.process_time() - begin) / SHEAR


def law(alpha: np.ndarray, a: float, beta: float, b: float) -> np.ndarray:
    """Equation 20; ``a`` and ``b`` as logarithms, since both are positive."""
    return np.exp(a) * alpha**-beta + np.exp(b) * alpha**2


def main() -> None:
    """Run, fit, draw and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", type=Path, default=Path("list_range.png"))
    given = parser.parse_args()
    data = tomllib.loads((Path(__file__).parent / "pentagons.toml").read_text())
    seconds(data, SPEEDS[0], RANGES[-1])  # compiles
    figure, panel = plt.subplots(figsize=(5.5, 3.8))
    alpha = np.array(RANGES)
    for speed, colour in zip(SPEEDS, COLOURS, strict=False):
        times = np.array([seconds(data, speed, a) for a in RANGES])
        found, _ = curve_fit(law, alpha, times, p0=(-1.0, 0.3, 0.0), sigma=times, maxfev=20_000)
        deviation = np.sqrt(np.mean((law(alpha, *found) / times - 1.0) ** 2))
        a, beta, b = np.exp(found[0]), found[1], np.exp(found[2])
        best = (a * beta / (2.0 * b)) ** (1.0 / (beta + 2.0)) if beta > 0.0 else 0.0
        print(
            f"{speed} m/s: {' '.join(f'{t:.3f}' for t in times)} s; A {a:.3g}, beta {beta:.2f}, B {b:.3g}, deviation {deviation:.0%}, best alpha "
            f"{best:.3f} (fastest run {alpha[times.argmin()]}); slowest over fastest {times.max() / times.min():.1f}",
            flush=True,
        )
        panel.plot(alpha, times, "o", color=colour, label=f"{speed} m/s")
        fine = np.geomspace(alpha[0], alpha[-1], 200)
        panel.loglog(fine, law(fine, *found), color=colour, linewidth=1.0)
    panel.set(xlabel="range of the lists alpha (m)", ylabel="CPU seconds of a second of shear")
    panel.legend()
    figure.tight_layout()
    figure.savefig(given.o, dpi=120)


if __name__ == "__main__":
    main()
