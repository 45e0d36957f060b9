"""What became of gases: energy error, partition of the energy, and its distribution over grains, from result files of ``pardem run``.

python jobs/campaigns/papers/gas/check.py rice.h5 disk.h5 ... [-o figure.png]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import h5py
import numpy as np
from scipy import stats

BLOCKS = 8
UNCORRELATED = 0.05  # of a grain's energy with its later one: frames that far apart count as independent
TRIALS = 999  # samples of the law, against which its test is held


class Gas(NamedTuple):
    """Results for one gas.

    Attributes:
        time: (T,) times (s).
        ratio: (T,) rotational over translational energy.
        error: largest relative change of the energy.
        spin: largest magnitude of an angular velocity (rad/s).
        mean: mean of the ratio over the second half.
        deviation: standard error of that mean, from the scatter of blocks.
        energies: (m,) kinetic energies of the grains in the frames of the second half, relative to their mean.
        law: distribution that they should follow.
        distance: Kolmogorov-Smirnov distance of all these frames from the law.
        frames: number of statistically independent frames among them.
        p: fraction of samples of the law that are further from it than the frames are.
    """

    time: np.ndarray
    ratio: np.ndarray
    error: float
    spin: float
    mean: float
    deviation: float
    energies: np.ndarray
    law: stats.rv_continuous
    distance: float
    frames: int
    p: float


def read(path: Path) -> Gas:
    """Take the figures of a result."""
    with h5py.File(path) as file:
        energy = {name: element["value"][()] for name, element in file["observables/energy"].items()}
        time = file["observables/energy/total/time"][()]
        frames = file["particles/grains"]
        spin, v = frames["angular_velocity/value"][()][..., 2], frames["velocity/value"][()]
        half = frames["velocity/time"][()] >= 0.5 * time[-1]
        catalogue = file["parameters/pardem/catalogue"]
        mass, inertia = float(catalogue["mass"][0]), float(catalogue["inertia"][0, 2])
    ratio = energy["kinetic_rotational"] / energy["kinetic_translational"]
    late = ratio[time >= 0.5 * time[-1]]
    blocks = [block.mean() for block in np.array_split(late, BLOCKS)]
    kinetic = 0.5 * (mass * (v**2).sum(axis=2) + inertia * spin**2)[half]
    eps = kinetic / kinetic.mean(axis=1, keepdims=True)
    # k quadratic terms that share the mean 1: a gamma law of shape k/2; three terms give 2 beta sqrt(beta eps/pi) exp(-beta eps) with beta = 3/2
    terms = 3 if np.abs(spin).max() > 0.0 else 2
    law = stats.gamma(0.5 * terms, scale=2.0 / terms)
    error = float(np.abs(energy["residual"]).max() / energy["total"][0])
    distance = float(stats.kstest(eps.ravel(), law.cdf).statistic)
    return Gas(
        time, ratio, error, float(np.abs(spin).max()), float(late.mean()), float(np.std(blocks, ddof=1) / BLOCKS**0.5), eps.ravel(), law, distance,
        *probability(eps, law),
    )  # fmt: skip


def probability(eps: np.ndarray, law: stats.rv_continuous) -> tuple[int, float]:
    """Estimate how many frames are independent, and how probable it is that a sample of the law deviates from it as much as they do.

    The samples are given the same mean in every frame, since the total energy of the grains is constant. Standard tables of the test do not know of
    this constraint and would make p too large. Frames that follow each other closely would make p too small, for the distribution changes no faster
    than the energy of a single grain.

    Args:
        eps: (frames, grains) energies over the mean of the frame.
        law: distribution that the energies should follow.

    Returns:
        The number of independent frames, and the probability p.
    """
    change = eps - 1.0
    apart = next(k for k in range(1, len(eps)) if (change[k:] * change[:-k]).mean() < UNCORRELATED * (change**2).mean())
    kept = eps[::apart]
    distance = stats.kstest(kept.ravel(), law.cdf).statistic
    rng = np.random.default_rng(1)
    further = 0
    for _ in range(TRIALS):
        sample = law.rvs(kept.shape, random_state=rng)
        sample /= sample.mean(axis=1, keepdims=True)
        further += stats.kstest(sample.ravel(), law.cdf).statistic >= distance
    return len(kept), (1.0 + further) / (1.0 + TRIALS)


def draw(gases: dict[str, Gas], target: Path) -> None:
    """The ratio over time, and the distribution of energies against its law."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    bins = np.linspace(0.0, 6.0, 41)
    for k, (name, gas) in enumerate(gases.items()):
        left.plot(gas.time, gas.ratio, linewidth=0.8, color=f"C{k}", label=name)
        counts, _ = np.histogram(gas.energies, bins)
        right.plot(0.5 * (bins[1:] + bins[:-1]), counts / len(gas.energies) / np.diff(bins), "o", markersize=3, color=f"C{k}", label=name)
    for terms, style in ((3, "-"), (2, "--")):
        right.plot(bins, stats.gamma.pdf(bins, 0.5 * terms, scale=2.0 / terms), style, color="black", linewidth=0.9, label=f"{terms} quadratic terms")
    left.axhline(0.5, color="gray", linewidth=0.8, linestyle=":")
    left.set(xlabel="time (s)", ylabel="rotational over translational energy")
    right.set(xlabel="energy of a grain over the mean", ylabel="probability density", yscale="log", ylim=(1e-4, 1.5))
    left.legend(frameon=False)
    right.legend(frameon=False)
    figure.savefig(target, dpi=110)


def main(arguments: list[str]) -> None:
    """Print a line for each result, and draw them if a figure is named."""
    target = Path(arguments[arguments.index("-o") + 1]) if "-o" in arguments else None
    files = arguments[: arguments.index("-o")] if target else arguments
    gases = {Path(file).stem: read(Path(file)) for file in files}
    print(f"{'gas':<10} {'energy error':>13} {'largest spin':>13} {'E_rot/E_lin':>18} {'law: D':>8} {'frames':>7} {'p':>6}")
    for name, gas in gases.items():
        print(
            f"{name:<10} {gas.error:13.2e} {gas.spin:13.3g} {gas.mean:10.4f} +- {gas.deviation:.4f} {gas.distance:8.4f} {gas.frames:7d} {gas.p:6.3f}"
        )
    if target:
        draw(gases, target)
        print(target)


if __name__ == "__main__":
    main(sys.argv[1:])
