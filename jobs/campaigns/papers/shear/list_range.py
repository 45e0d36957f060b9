"""Time of the shear cell against the range alpha of the lists (paper 000, figures 12 and 13): T = A/alpha^beta + B alpha^2 (eq 20).

A contact is listed within r_i + r_j + 2 alpha, so alpha is half of ``detection.skin``. CPU seconds of the process, of a second of shear; and, for
disks as in figure 12, what of them goes to forces and to the lists:

    python jobs/campaigns/papers/shear/list_range.py -o list_range.png
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np
from mpi4py import MPI
from scipy.optimize import curve_fit

from pardem import Simulation
from pardem.bench import measure
from pardem.io.casefile import read_case
from pardem.io.views.plot_style import COLOURS, STYLE

matplotlib.use("Agg")
from matplotlib import pyplot as plt

plt.rcParams.update(STYLE | {"axes.grid": True})

STEP = 1e-4  # s; the paper's 1e-5 resolves a contact by some thousand steps
LOAD, SHEAR = 3.0, 4.0  # s
RANGES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)  # m
DISKS = ("species.grain={ name = 'grain', shape = 'disk', radius = 0.65, density = 1.0 }",)
SPEEDS = (0.1, 0.4, 0.7, 1.0)  # m/s


def seconds(grains: Sequence[str], speed: float, alpha: float) -> tuple[float, float, float]:
    """CPU seconds of a second of shear: all, forces, lists; ``grains``: settings as for ``--set`` that change them."""
    settings = [f"time.step={STEP}", f"stage.load.time={LOAD}", f"stage.shear.time={SHEAR}", f"detection.skin={2.0 * alpha}"]
    case = read_case(Path(__file__).parent / "pentagons.toml", [*grains, *settings, f"wall.upper.then.0.velocity=[{speed}, 0.0]"])
    sim = Simulation(case, MPI.COMM_SELF)
    sim.step(round(LOAD / STEP))
    warmup, steps = round(0.1 / STEP), round((SHEAR - 0.2) / STEP)
    figures = measure(sim.engine, sim.case, steps, warmup)
    spent = figures["cpu_seconds"] / (steps * STEP)
    return spent, spent * figures["share_contacts"], spent * figures["share_detection"]


def law(alpha: np.ndarray, a: float, beta: float, b: float) -> np.ndarray:
    """Equation 20; ``a`` and ``b`` as logarithms, since both are positive."""
    return np.exp(a) * alpha**-beta + np.exp(b) * alpha**2


def main() -> None:
    """Run, fit, draw and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", type=Path, default=Path("list_range.png"))
    given = parser.parse_args()
    figure, (parts, panel) = plt.subplots(1, 2, figsize=(9.0, 3.8))
    alpha = np.array(RANGES)
    seconds(DISKS, SPEEDS[0], RANGES[-1])  # compiles
    split = np.array([seconds(DISKS, SPEEDS[1], a) for a in RANGES])
    for times, name, colour in zip(split.T, ("all", "forces", "lists"), COLOURS, strict=False):
        parts.loglog(alpha, times, "o-", color=colour, label=name)
    for k in range(len(alpha)):
        print(f"disks, alpha {alpha[k]}: {split[k, 0]:.3f} s, forces {split[k, 1]:.3f}, lists {split[k, 2]:.4f}", flush=True)
    small = alpha <= 0.05
    print(f"lists grow as alpha^{np.polyfit(np.log(alpha[small]), np.log(split[small, 2]), 1)[0]:.2f} up to 0.05 m")
    seconds((), SPEEDS[0], RANGES[-1])
    for speed, colour in zip(SPEEDS, COLOURS, strict=False):
        times = np.array([seconds((), speed, a)[0] for a in RANGES])
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
    parts.set(xlabel="range of the lists alpha (m)", ylabel="CPU seconds of a second of shear", title=f"disks, {SPEEDS[1]} m/s")
    panel.set(xlabel="range of the lists alpha (m)", title="pentagons")
    parts.legend()
    panel.legend()
    figure.tight_layout()
    figure.savefig(given.o, dpi=120)


if __name__ == "__main__":
    main()
