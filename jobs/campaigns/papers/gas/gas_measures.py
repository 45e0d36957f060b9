"""What is measured of gases: errors of the energy, its partition, and its distribution over the grains."""

from __future__ import annotations

import numpy as np
from scipy import stats

import pardem

SHORT, FIRST = 10.0, 1.0  # runs up to so many seconds are evaluated from this time on, as in the papers; longer ones in their second half (s)
BLOCKS = 8
UNCORRELATED = 0.05  # of a grain's energy with its later one: frames that far apart count as independent
TRIALS = 999  # samples of the law, against which its test is held


def error(result: pardem.Result) -> float:
    """Largest change of the energy over the energy at first (1)."""
    total = np.asarray(result.series.values["energy/total"])
    return float(np.abs(total - total[0]).max() / total[0])


def growth(result: pardem.Result) -> float:
    """Change of the energy at the end over the energy at first (1)."""
    total = np.asarray(result.series.values["energy/total"])
    return float(total[-1] / total[0] - 1.0)


def spin(result: pardem.Result) -> float:
    """Largest angular velocity in the frames (rad/s)."""
    return max(float(np.abs(frame.angular_velocity).max()) for frame in result)


def ratio(result: pardem.Result) -> float:
    """Mean of the rotational over the translational energy (1)."""
    return float(late(result).mean())


def ratio_error(result: pardem.Result) -> float:
    """Standard error of this mean, from the scatter of blocks, which are not quite independent (1)."""
    blocks = [block.mean() for block in np.array_split(late(result), BLOCKS)]
    return float(np.std(blocks, ddof=1) / BLOCKS**0.5)


def distance(result: pardem.Result) -> float:
    """Distance of Kolmogorov and Smirnov of the energies in all frames from their law (1)."""
    return float(stats.kstest(energies(result).ravel(), law(result).cdf).statistic)


def p(result: pardem.Result) -> float:
    """Probability that a sample of the law deviates from it at least as much as frames that are independent (1)."""
    return probability(energies(result), law(result))[1]


def frames(result: pardem.Result) -> int:
    """Number of those frames (1)."""
    return len(independent(energies(result)))


def start(result: pardem.Result) -> float:
    """Time from which on a run is evaluated (s)."""
    end = float(result.series.times[-1])
    return FIRST if end <= SHORT else 0.5 * end


def ratios(result: pardem.Result) -> np.ndarray:
    """Rotational over translational energy, row by row."""
    values = result.series.values
    return np.asarray(values["energy/kinetic_rotational"] / values["energy/kinetic_translational"])


def late(result: pardem.Result) -> np.ndarray:
    """The same of the rows that are evaluated."""
    return ratios(result)[result.series.times >= start(result) - 1e-9]


def energies(result: pardem.Result) -> np.ndarray:
    """Kinetic energies of the grains over the mean of their frame, (frames, grains)."""
    mass, inertia = float(result.catalogue["mass"][0]), float(result.catalogue["inertia"][0, 2])
    chosen = [frame for frame in result if frame.time >= start(result) - 1e-9]
    kinetic = np.array([mass * (f.velocity**2).sum(axis=1) + inertia * f.angular_velocity[:, 2] ** 2 for f in chosen])
    return np.asarray(kinetic / kinetic.mean(axis=1, keepdims=True))


def law(result: pardem.Result) -> stats.rv_continuous:
    """Distribution that these energies should follow: three quadratic terms, or two for disks, which never turn.

    k quadratic terms that share the mean 1 make a gamma law of shape k/2; three give 2 beta sqrt(beta eps/pi) exp(-beta eps) with beta = 3/2.
    """
    terms = 2 if result.case.species[0].shape == "disk" else 3
    return stats.gamma(0.5 * terms, scale=2.0 / terms)


def independent(eps: np.ndarray) -> np.ndarray:
    """The frames that are so far apart that the energy of a grain has forgotten its earlier one.

    Args:
        eps: (frames, grains) energies over the mean of the frame.
    """
    change = eps - 1.0
    size = (change**2).mean()
    apart = next((k for k in range(1, len(eps)) if (change[k:] * change[:-k]).mean() < UNCORRELATED * size), len(eps))
    return eps[::-apart]  # the last of them is the furthest from the start


def probability(eps: np.ndarray, expected: stats.rv_continuous) -> tuple[int, float]:
    """Estimate how probable it is that a sample of the law deviates from it as much as the energies do.

    The samples are given the same mean in every frame, since the total energy of the grains is constant. Standard tables of the test do not know of
    this constraint and would make p too large. Frames that follow each other closely would make p too small.

    Args:
        eps: (frames, grains) energies over the mean of the frame.
        expected: distribution that the energies should follow.

    Returns:
        The number of independent frames, and the probability p.
    """
    kept = independent(eps)
    found = stats.kstest(kept.ravel(), expected.cdf).statistic
    rng = np.random.default_rng(1)
    further = 0
    for _ in range(TRIALS):
        sample = expected.rvs(kept.shape, random_state=rng)
        sample /= sample.mean(axis=1, keepdims=True)
        further += stats.kstest(sample.ravel(), expected.cdf).statistic >= found
    return len(kept), (1.0 + further) / (1.0 + TRIALS)
