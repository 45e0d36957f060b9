"""Statistics of slip and stick: the drops of a stress or force, their sizes, durations and rates.

python jobs/campaigns/papers/biaxial/slips.py dense_disks.h5 [loose_disks.h5 ...] [--threshold 0.005] [--from-strain 0.2] -o slips.png

Drops of the stress ratio (s1 - s3)/(s1 + s3) over time, of the critical state alone with --from-strain.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.signal import find_peaks


class Drops(NamedTuple):
    """Drops of a curve, in the order of time.

    Attributes:
        start: (n,) times of their beginnings, at a local maximum (s).
        duration: (n,) from there to the minimum that follows (s).
        size: (n,) fall in between (unit of the curve).
    """

    start: np.ndarray
    duration: np.ndarray
    size: np.ndarray

    @property
    def rate(self) -> np.ndarray:
        """Mean rates of the drops, (n,) (unit of the curve per second)."""
        return np.asarray(self.size / self.duration)

    @property
    def waiting(self) -> np.ndarray:
        """Times between the beginnings of successive drops, (n - 1,) (s)."""
        return np.diff(self.start)


def find_drops(time: np.ndarray, curve: np.ndarray, threshold: float) -> Drops:
    """Find the drops of a curve.

    A drop leads from a maximum to the least value before the next maximum. Maxima count if the curve rises by at least the threshold before and after
    lower values on both sides (or at its ends), so that fluctuations below the threshold neither make a drop nor interrupt one.

    Args:
        time: (n,) times, ascending (s).
        curve: (n,) values.
        threshold: smallest drop (unit of the curve).

    Returns:
        The drops of at least the threshold.
    """
    if not len(curve):
        return Drops(*np.zeros((3, 0)))
    padded = np.concatenate([[-np.inf], curve, [-np.inf]])
    peaks = find_peaks(padded, prominence=threshold, plateau_size=1)[1]["right_edges"] - 1
    ends = np.append(peaks[1:], len(curve))
    troughs = np.array([first + int(np.argmin(curve[first:last])) for first, last in zip(peaks, ends, strict=True)], dtype=np.int64)
    size = curve[peaks] - curve[troughs]
    kept = (size >= threshold) & (troughs > peaks)
    return Drops(time[peaks][kept], (time[troughs] - time[peaks])[kept], size[kept])


class PowerLaw(NamedTuple):
    """A density proportional to s^-exponent above a least value.

    Attributes:
        exponent: of maximum likelihood.
        error: its standard error.
        distance: largest distance of the two cumulative distributions (Kolmogorov and Smirnov).
        exponential: the same distance of the exponential distribution above the least value.
    """

    exponent: float
    error: float
    distance: float
    exponential: float


def power_law(sizes: np.ndarray, least: float) -> PowerLaw:
    """Fit a power law to the sizes above a least one (Clauset, Shalizi and Newman, SIAM Review 51, 661, 2009).

    Args:
        sizes: (n,) sizes.
        least: smallest size that counts.

    Returns:
        The fit; not-a-number for fewer than two sizes.
    """
    above = sizes[sizes >= least]
    if len(above) < 2:
        return PowerLaw(*[float("nan")] * 4)
    decay = len(above) / float(np.log(above / least).sum())
    scale = float((above - least).mean())
    distances = [float(stats.kstest(above, law).statistic) for law in (stats.pareto(decay, scale=least).cdf, stats.expon(least, scale).cdf)]
    return PowerLaw(1.0 + decay, decay / len(above) ** 0.5, *distances)


def main() -> None:
    """Draw how many drops are larger than a size, and print what they come to."""
    from figure import plt, read

    import pardem

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--threshold", type=float, default=0.005, help="smallest drop of the stress ratio")
    parser.add_argument("--from-strain", type=float, default=0.0)
    parser.add_argument("-o", type=Path, default=Path("slips.png"))
    given = parser.parse_args()
    figure, panels = plt.subplots(1, 2, figsize=(9.0, 3.8))
    for path in given.files:
        title, axial, ratio, _, _ = read(path)
        late = axial >= given.from_strain
        time = pardem.open(path).series.times[-len(axial) :]
        drops = find_drops(time[late], ratio[late], given.threshold)
        law = power_law(drops.size, given.threshold)
        print(
            f"{title}: {len(drops.size)} drops in a strain of {np.ptp(axial[late]):.3f}, mean size {drops.size.mean():.4f}, duration "
            f"{drops.duration.mean():.3g} s, rate {drops.rate.mean():.3g} 1/s, waiting {drops.waiting.mean():.3g} s; exponent {law.exponent:.2f} +- "
            f"{law.error:.2f} (distance {law.distance:.3f}, of an exponential law {law.exponential:.3f})"
        )
        size = np.sort(drops.size)
        panels[0].loglog(size, np.arange(len(size), 0, -1), drawstyle="steps-post", label=title)
        panels[1].loglog(drops.size, drops.duration, ".", label=title)
    panels[0].set(xlabel="size of the drop", ylabel="number of larger ones")
    panels[1].set(xlabel="size of the drop", ylabel="duration (s)")
    panels[1].legend()
    figure.tight_layout()
    figure.savefig(given.o, dpi=120)


if __name__ == "__main__":
    main()
